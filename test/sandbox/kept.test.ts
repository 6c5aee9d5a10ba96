import { describe, expect, test } from 'vitest';
import { idIn } from '../../src/base/uri.ts';
import { createDeliverer } from '../../src/sandbox/webhooks/deliverer.ts';
import { subscribeTemporarily } from '../../src/sandbox/webhooks/temporary.ts';
import { temporaryFile } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { oauthOf } from './oauth/login.ts';
import { visitorOf } from './pages/visitor.ts';
import { promised } from './webhooks/deliveries.ts';
import { everyBody, openAt, worldIn } from './world/every-body.ts';
import { noon, origin } from './world.ts';

const worldOf = (name: string) =>
  worldIn(`
sandbox: 1
organization: { name: ${name}, id: ${name.toUpperCase()} }
users:
  ann:
    name: Ann
    role: owner
    availability: { timezone: UTC, hours: [mon-sun 00:00-24:00] }
    event_types: { talk: { name: Talk, duration: 30 }, class: { name: Class, duration: 60, seats: 3 } }
  bo: { name: Bo, role: admin }
groups: { Front desk: { members: [bo] } }
forms: { Contact: { questions: [{ name: Topic }], submissions: [{ answers: { Topic: Teeth } }] } }
events: [{ type: Talk, start: +9d 10:00, invitees: [{ name: Ida, email: ida@x.example }] }]
`);
const [world, otherWorld] = [worldOf('First'), worldOf('Second')];

/** A sandbox in a file that counts requests in memory, as a running one does. */
const openFile = async (clock = { time: noon, now: () => clock.time }, file = temporaryFile()) => {
  const sandbox = await openAt(noon, { file, world, clock, limits: true });
  // The second time, nobody else has written.
  for (let time = 0; time < 2; time++) sandbox.store.counters.batch();
  return { ...sandbox, file, systemClock: clock };
};
type Running = Awaited<ReturnType<typeof openFile>>;

/** What data goes through. Afterwards, the sandbox may be another one. */
const ways: Record<string, (sandbox: Running) => Promise<Running>> = {
  nothing: async (sandbox) => sandbox,
  'a restart': ({ close, systemClock, file }) => {
    close();
    return openFile(systemClock, file);
  },
  'a snapshot': async (sandbox) => {
    sandbox.snapshots.save('kept');
    sandbox.reset({ world: otherWorld });
    await sandbox.snapshots.restore('kept');
    return sandbox;
  },
};

/** Never ends by itself. */
const ended = (signal?: AbortSignal) =>
  new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));

const start = '2026-04-06T09:00:00.000Z';

const typeNamed = ({ store }: Running, name: string) =>
  store
    .all<{ doc: string }>('SELECT doc FROM event_types')
    .map(({ doc }) => JSON.parse(doc))
    .find((type) => type.name === name);

const book = async (sandbox: Running, email: string, at = start, name = 'Class') => {
  const invitee = { email, name: 'Ada', timezone: 'UTC' };
  const body = { event_type: origin + typeNamed(sandbox, name).uri, start_time: at, invitee };
  const reply = await sandbox.call('POST', '/invitees', body);
  expect(reply.status).toBe(200);
  return reply.body.resource;
};

describe.each(['a restart', 'a snapshot'])('%s keeps', (way) => {
  test('every reply, what is left of the rate limits, the clock and the logins', async () => {
    const before = await openFile();
    before.systemClock.time += 60_000;
    const oauth = oauthOf({ send: before.service });
    const login = await oauth.login({ scope: 'users:read' });
    const device = JSON.parse(
      (await oauth.post('/oauth/device_authorization', { client_id: 'sched-cli', scope: 'users:read' })).body,
    );
    await book(before, 'ada@x.example');
    before.clock.freeze();
    before.clock.advance(300_000);
    const bodies = await everyBody(before);
    /** Each asks once, so the second has one request less. */
    const left = async ({ service }: Running, token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const reply = await service({ method: 'GET', url: `${origin}/users/me`, headers });
      return [reply.status, Number(reply.headers['x-ratelimit-remaining'])];
    };
    const tokens = ['sandbox_owner', 'sandbox_admin', login.access_token];
    const counted = await Promise.all(tokens.map((token) => left(before, token)));

    const after = await ways[way]!(before);
    expect(await Promise.all(tokens.map((token) => left(after, token)))).toEqual(
      counted.map(([status, remaining]) => [status, remaining! - 1]),
    );
    expect([after.clock.now(), after.clock.isFrozen]).toEqual([noon + 360_000, true]);
    expect(await everyBody(after)).toEqual(bodies);
    const now = oauthOf({ send: after.service });
    expect((await now.refresh(login.refresh_token)).status).toBe(200);
    expect((await now.refresh(login.refresh_token)).json.error).toBe('invalid_grant');
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    const asked = await now.token({ grant_type, client_id: 'sched-cli', device_code: device.device_code });
    expect(asked.json.error).toBe('authorization_pending');
  });
});

/** The forms of the pages: what opens one, and what is typed. */
const forms: Record<string, (sandbox: Running) => Promise<string>> = {
  'a booking': async (sandbox) => `${typeNamed(sandbox, 'Talk').scheduling_url}?start=${start}`,
  'a seat': async (sandbox) => `${typeNamed(sandbox, 'Class').scheduling_url}?start=${start}`,
  'a single-use link': async (sandbox) => {
    const body = { event_type: origin + typeNamed(sandbox, 'Talk').uri };
    const { resource } = (await sandbox.call('POST', '/shares', body)).body;
    return `${resource.scheduling_links[0].booking_url}?start=${start}`;
  },
  'a move': async (sandbox) =>
    `${(await book(sandbox, 'eve@x.example')).reschedule_url}?start=2026-04-07T09:00:00.000Z`,
  'a move of the only invitee': async (sandbox) =>
    `${(await book(sandbox, 'eve@x.example', start, 'Talk')).reschedule_url}?start=2026-04-07T09:00:00.000Z`,
  'a cancellation': async (sandbox) => (await book(sandbox, 'eve@x.example', start, 'Talk')).cancel_url,
  'a cancellation of one of two': async (sandbox) => {
    await book(sandbox, 'kim@x.example');
    return (await book(sandbox, 'eve@x.example')).cancel_url;
  },
};

const passages = Object.keys(forms).flatMap((form) =>
  Object.keys(ways).flatMap((before) => Object.keys(ways).map((after) => ({ form, before, after }))),
);

// R53
test.each(sample(passages, 1, ({ form, after }) => form + after))(
  'the form of $form, sent after $before and again after $after, changes something once',
  async ({ form, before, after }) => {
    let sandbox = await openFile();
    const path = await forms[form]!(sandbox);
    const page = await visitorOf({ send: sandbox.service }).open(path);
    sandbox = await ways[before]!(sandbox);
    const typed = { name: 'Ada', email: 'ada@x.example', reason: 'Ill' };
    const rows = () =>
      ['events', 'invitees', 'deliveries', 'activity', 'notices', 'invitee_cancellations', 'shares', 'submitted'].map(
        (table) => sandbox.store.all(`SELECT * FROM ${table}`),
      );
    const untouched = rows();
    const once = await visitorOf({ send: sandbox.service }).submit(page, typed);
    const changed = rows();
    expect(changed).not.toEqual(untouched);
    sandbox = await ways[after]!(sandbox);
    const twice = await visitorOf({ send: sandbox.service }).submit(page, typed);
    expect([twice.status, twice.headers.location]).toEqual([once.status, once.headers.location]);
    expect(once.status).toBe(303);
    expect(rows()).toEqual(changed);
  },
);

/** Sends what is due, as a server does that then ends. */
const deliver = async ({ store, clock, systemClock }: Running, status?: number) => {
  const bodies: { event: string; payload: { uri: string } }[] = [];
  const deliverer = createDeliverer({
    store,
    clock,
    system: { now: systemClock.now, sleep: (_, signal) => ended(signal) },
    name: '1',
    userAgent: 'test',
    post: async (_, { body }) => {
      bodies.push(JSON.parse(body));
      return status === undefined ? { error: 'the connection was refused' } : { status };
    },
  });
  await deliverer.idle();
  await deliverer.close();
  return bodies.map(({ event, payload }) => `${event} ${idIn(payload.uri)}`);
};

const organizationOf = ({ store }: Running) =>
  `${origin}/organizations/${store.first<{ id: string }>('SELECT id FROM organizations')!.id}`;

const subscribe = async (sandbox: Running) => {
  const organization = organizationOf(sandbox);
  const body = { url: 'http://127.0.0.1:9/', events: ['invitee.created'], organization, scope: 'organization' };
  expect((await sandbox.call('POST', '/webhook_subscriptions', body)).status).toBe(201);
};

describe.each(Object.keys(ways))('deliveries, with %s between any two attempts,', (way) => {
  test('are sent at the promised times, and then given up', async () => {
    let sandbox = await openFile();
    await subscribe(sandbox);
    const expected = [`invitee.created ${idIn((await book(sandbox, 'ada@x.example')).uri)}`];
    for (const wait of promised) {
      sandbox = await ways[way]!(sandbox);
      if (wait > 0) {
        sandbox.systemClock.time += wait - 1;
        expect(await deliver(sandbox)).toEqual([]);
        sandbox.systemClock.time += 1;
      }
      expect(await deliver(sandbox)).toEqual(expected);
    }
    sandbox = await ways[way]!(sandbox);
    sandbox.systemClock.time += 40 * promised.at(-1)!;
    expect(await deliver(sandbox, 200)).toEqual([]);
  });

  test('are not sent again once they were accepted', async () => {
    let sandbox = await openFile();
    await subscribe(sandbox);
    for (const name of ['ada', 'ben', 'cal']) {
      const { uri } = await book(sandbox, `${name}@x.example`);
      sandbox = await ways[way]!(sandbox);
      expect(await deliver(sandbox, 200)).toEqual([`invitee.created ${idIn(uri)}`]);
      sandbox = await ways[way]!(sandbox);
      expect(await deliver(sandbox, 200)).toEqual([]);
    }
  });
});

test('a webhook of the server reports what happens in the data that is there', async () => {
  const sandbox = await openFile();
  sandbox.reset({ world: otherWorld });
  sandbox.snapshots.save('other');
  sandbox.reset({ world });
  subscribeTemporarily(sandbox.store, { url: 'http://127.0.0.1:9/', now: noon, pid: 1 });
  const changes = [() => sandbox.snapshots.restore('other'), () => sandbox.reset({ world }), () => sandbox.reset()];
  for (const change of changes) {
    await change();
    const shown = await everyBody(sandbox);
    const organizations = [...shown.values()].flatMap((body) => body.match(/"organization":"[^"]*"/g) ?? []);
    expect(new Set(organizations)).toEqual(new Set([`"organization":"${organizationOf(sandbox)}"`]));
    const { uri } = await book(sandbox, 'ada@x.example');
    expect(await deliver(sandbox, 200)).toEqual([`invitee.created ${idIn(uri)}`]);
  }
});
