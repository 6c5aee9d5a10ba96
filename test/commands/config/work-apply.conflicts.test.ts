import { beforeEach, describe, expect, test } from 'vitest';
import { availability } from '../../../src/api/availability.ts';
import { eventTypes } from '../../../src/api/event-types.ts';
import { SchedError } from '../../../src/base/errors.ts';
import type { Json } from '../../../src/base/json.ts';
import { idIn } from '../../../src/base/uri.ts';
import { applyConfig } from '../../../src/commands/config/work-apply.ts';
import { acceptsConfirmed, keepPlan } from '../../../src/commands/config/work-confirmed-plan.ts';
import { createOnce } from '../../../src/commands/config/work-creations.ts';
import { planDigest } from '../../../src/commands/config/work-digest.ts';
import type { ConfigFile, WantedWebhook } from '../../../src/commands/config/work-file-schema.ts';
import type { Plan } from '../../../src/commands/config/work-model.ts';
import { reach, readWorld } from '../../../src/commands/config/work-read-service.ts';
import { requestsOf } from '../../../src/commands/config/work-requests.ts';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { redis } from '../../support/redis.ts';
import { sample } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';
import { Killed } from '../harness.ts';
import type { Machine } from '../move/moves.ts';
import { type Configs, createConfigs } from './configs.ts';

let configs: Configs;
let machine: Machine;
beforeEach(async () => {
  configs = await createConfigs();
  machine = await configs.machineAt();
});

const hours = { hours: ['mon-thu 09:00-12:30'] };

/** A type that is there, a new one, and a webhook. */
const team: ConfigFile = {
  sched: 1,
  users: {
    me: {
      event_types: {
        intro: { name: 'Intro call', duration: 25, availability: hours },
        review: { name: 'Design review', duration: 45, active: true, availability: hours },
      },
      webhooks: [{ url: 'https://crm.example.com/hook', events: ['invitee.created'], signing_key_env: 'CRM' }],
    },
  },
};

type Kind =
  | 'POST event_types'
  | 'PATCH event_types'
  | 'PATCH event_type_availability_schedules'
  | 'POST webhook_subscriptions'
  | 'DELETE webhook_subscriptions';
const isKind = ({ method, url }: HttpRequest, kind: Kind) =>
  `${method} ${new URL(url).pathname.split('/')[1]}` === kind;

/** A network on which something happens at the first request of this kind, before it or instead of it. */
const at = (kind: Kind, happen: (request: HttpRequest) => Promise<unknown>): Send => {
  let isOver = false;
  return async (request) => {
    if (isOver || !isKind(request, kind)) return configs.service(request);
    isOver = true;
    const reply = await happen(request);
    return typeof reply === 'object' && reply !== null && 'headers' in reply
      ? (reply as Awaited<ReturnType<Send>>)
      : configs.service(request);
  };
};

const refusal = (status: number) => async () => ({
  status,
  headers: { 'content-type': 'application/json', ...(status === 429 ? { 'retry-after': '3600' } : {}) },
  body: JSON.stringify({ title: 'No', message: 'Not so.' }),
});

const lost = (request: HttpRequest) => {
  throw new NetworkFailure(new URL(request.url).host, 'the connection was closed', true);
};

const typeCalled = async (name: string) =>
  (await configs.everything()).types.filter(({ record }) => record.name === name);

const statesOf = ({ plan, applied }: Awaited<ReturnType<Configs['apply']>>) =>
  Object.fromEntries(
    plan!.changes.map(({ kind, label }, index) => [`${kind} ${label}`, applied!.outcomes[index]!.state]),
  );

describe('while a file is applied', () => {
  test('a change by somebody else to what the file names stops it', async () => {
    const [intro] = await typeCalled('Intro call');
    const other = { path: { event_type: idIn(intro!.record.uri) }, body: { duration: 60 } };
    const said = await configs.apply(machine, team, {
      send: at('POST event_types', () => configs.client.write(eventTypes.update, other).then(() => {})),
    });
    expect(said).toMatchObject({
      said: 'conflict',
      applied: { stopReason: { message: expect.stringContaining('Intro call') } },
    });
    expect(statesOf(said)).toMatchObject({
      'event type Intro call': 'not reached',
      'event type Design review': 'not reached',
      'webhook https://crm.example.com/hook': 'not reached',
    });
    expect(said.applied!.outcomes.some(({ isPartly }) => isPartly)).toBe(true);
    expect((await typeCalled('Intro call'))[0]!.record.duration).toBe(60);
  });

  test('a date that somebody adds meanwhile stays', async () => {
    const [intro] = await typeCalled('Intro call');
    const [schedule] = intro!.schedules;
    const holiday = { type: 'date', date: '2027-04-05', intervals: [] };
    const body = { rules: [...(schedule!.rules as Json[]), holiday] };
    const input = { path: { schedule: idIn(schedule!.uri) }, body };
    const send = at('POST event_types', () => configs.client.write(availability.update, input).then(() => {}));
    expect(await configs.apply(machine, team, { send })).toMatchObject({ said: 'done' });
    expect((await typeCalled('Intro call'))[0]!.schedules[0]!.rules).toContainEqual(holiday);
  });

  test('a date that somebody adds meanwhile stays in a schedule that types share, too', async () => {
    const [one, other] = (await configs.everything()).types.filter(({ schedules }) => schedules.length === 1);
    const [schedule] = one!.schedules;
    const dates = { dates: { '2027-02-03': 'off' } };
    // The file names them in another order than the service.
    const entries = [other, one].map((type, index) => [
      `type-${index}`,
      { uri: String(type!.record.uri), name: String(type!.record.name), availability: dates },
    ]);
    const webhooks: WantedWebhook[] = [
      { url: 'https://a.example.com', events: ['invitee.created'], signing_key: 'none' },
    ];
    const fresh = { fresh: { name: 'Fresh', active: false } };
    const file = {
      sched: 1 as const,
      users: { me: { event_types: { ...fresh, ...Object.fromEntries(entries) }, webhooks } },
    };
    const holiday = { type: 'date', date: '2027-04-05', intervals: [] };
    const input = {
      path: { schedule: idIn(schedule!.uri) },
      body: { rules: [...(schedule!.rules as Json[]), holiday] },
    };
    const add = at('POST event_types', () => configs.client.write(availability.update, input).then(() => {}));
    const send: Send = (request) =>
      add({ ...request, url: request.url.replace(idIn(other!.record.uri), () => idIn(one!.record.uri)) });
    expect(await configs.apply(machine, file, { send })).toMatchObject({ said: 'done' });
    const after = (await configs.everything()).types.find(({ record }) => record.uri === one!.record.uri);
    expect(after!.schedules[0]!.rules).toEqual(
      expect.arrayContaining([holiday, { type: 'date', date: '2027-02-03', intervals: [] }]),
    );
  });

  test('a type that somebody else creates meanwhile is not touched', async () => {
    const body = { owner: configs.me.uri, name: 'Design review', duration: 90 };
    const other = () => configs.client.write(eventTypes.create, { body });
    const off = structuredClone(team);
    off.users!.me!.event_types!.intro!.active = false;
    const send = at('PATCH event_types', () => other().then(() => {}));
    expect(await configs.apply(machine, off, { send })).toMatchObject({ said: 'conflict' });
    expect((await typeCalled('Design review')).map(({ record }) => record.duration)).toEqual([90]);
  });

  test('nor one that somebody else creates after a kill', async () => {
    const confirm = await configs.digest(team);
    // The plan is kept, and the creation is not claimed.
    await configs.killAt(machine, team, 'before claim booking entry', { confirm });
    const body = { owner: configs.me.uri, name: 'Design review', duration: 90 };
    await configs.client.write(eventTypes.create, { body });
    expect(await configs.apply(machine, team, { confirm })).toMatchObject({ said: 'conflict' });
    expect((await typeCalled('Design review')).map(({ record }) => record.duration)).toEqual([90]);
  });

  test('nor one like it, which only lacks its activation', async () => {
    const confirm = await configs.digest(team);
    await configs.killAt(machine, team, 'before claim booking entry', { confirm });
    const body = { owner: configs.me.uri, name: 'Design review', duration: 45, active: false };
    await configs.client.write(eventTypes.create, { body });
    expect(await configs.apply(machine, team, { confirm })).toMatchObject({ said: 'conflict' });
    expect((await typeCalled('Design review')).map(({ record }) => record.active)).toEqual([false]);
  });

  test('the same digest serves after a second kill', async () => {
    const confirm = await configs.digest(team);
    const stop = at('PATCH event_types', refusal(429));
    expect(await configs.apply(machine, team, { confirm, send: stop })).toMatchObject({ said: 'rate-limited' });
    const later = at('PATCH event_type_availability_schedules', refusal(429));
    expect(await configs.apply(machine, team, { confirm, send: later })).toMatchObject({ said: 'rate-limited' });
    expect(await configs.apply(machine, team, { confirm })).toMatchObject({ said: 'done' });
  });

  // R57; test/simulation/ kills at any step.
  test('a kill right after a creation creates nothing twice', async () => {
    const options = { confirm: await configs.digest(team), writes: [] as string[] };
    await configs.killAt(machine, team, 'after POST event_types', options);
    expect(options.writes).toEqual(['POST event_types']);
    expect(await configs.finish(machine, team, options)).toMatchObject({ said: 'done' });
    expect(options.writes.filter((each) => each === 'POST event_types')).toHaveLength(1);
    expect((await configs.planOf(team)).changes).toEqual([]);
  });

  test('what somebody else changes about a new type after a kill stays', async () => {
    const confirm = await configs.digest(team);
    const send = at('PATCH event_types', refusal(429));
    expect(await configs.apply(machine, team, { confirm, send })).toMatchObject({ said: 'rate-limited' });
    const [fresh] = await typeCalled('Design review');
    const path = { event_type: idIn(fresh!.record.uri) };
    await configs.client.write(eventTypes.update, { path, body: { duration: 60 } });
    expect(await configs.apply(machine, team, { confirm })).toMatchObject({ said: 'conflict' });
    await configs.client.write(eventTypes.update, { path, body: { duration: 45 } });
    expect(await configs.apply(machine, team, { confirm })).toMatchObject({ said: 'done' });
  });

  test('a refusal skips what depends on it, and nothing else', async () => {
    const said = await configs.apply(machine, team, { send: at('POST event_types', refusal(400)) });
    expect(said.said).toBe('partial');
    expect(statesOf(said)).toMatchObject({
      'event type Intro call': 'applied',
      'schedule Intro call': 'applied',
      'event type Design review': 'failed',
      'schedule Design review': 'skipped',
      'webhook https://crm.example.com/hook': 'applied',
    });
    expect(await configs.apply(machine, team)).toMatchObject({ said: 'done' });
  });

  test('a type whose hours are refused is not activated', async () => {
    const send: Send = (request) =>
      isKind(request, 'PATCH event_type_availability_schedules') ? refusal(403)() : configs.service(request);
    expect(await configs.apply(machine, team, { send })).toMatchObject({ said: 'partial' });
    expect((await typeCalled('Design review'))[0]!.record.active).toBe(false);
  });

  test('a limit of requests stops it between two writes, and it goes on later', async () => {
    const said = await configs.apply(machine, team, { send: at('PATCH event_types', refusal(429)) });
    expect(said.said).toBe('rate-limited');
    const writes: string[] = [];
    expect(await configs.apply(machine, team, { writes })).toMatchObject({ said: 'done' });
    expect(writes).not.toContain('POST event_types');
  });

  const kinds: Kind[] = [
    'POST event_types',
    'PATCH event_types',
    'PATCH event_type_availability_schedules',
    'POST webhook_subscriptions',
  ];
  test.each(sample(kinds, 1, (kind) => kind.split(' ')[0]))(
    'a lost reply to %s is settled by reading, and the request sent once',
    async (kind) => {
      const writes: string[] = [];
      const send = at(kind, async (request) => {
        await configs.service(request);
        lost(request);
      });
      expect(await configs.apply(machine, team, { send, writes })).toMatchObject({ said: 'done' });
      expect(writes.filter((each) => each === kind)).toHaveLength(kind.startsWith('PATCH') ? 2 : 1);
      expect(await typeCalled('Design review')).toHaveLength(1);
      expect((await configs.planOf(team)).changes).toEqual([]);
    },
  );

  test('a creation that was lost on its way is sent again only when it is over', async () => {
    const writes: string[] = [];
    const count = () => writes.filter((each) => each === 'POST event_types').length;
    const send = at('POST event_types', async (request) => lost(request));
    expect(await configs.apply(machine, team, { send, writes })).toMatchObject({ said: 'outcome-unknown' });
    expect(await configs.apply(machine, team, { writes })).toMatchObject({ said: 'outcome-unknown' });
    expect(count()).toBe(1);
    await configs.clock.sleep(151_000);
    expect(await configs.apply(machine, team, { writes })).toMatchObject({ said: 'done' });
    expect(count()).toBe(2);
    expect(await typeCalled('Design review')).toHaveLength(1);
  });

  test('a new type whose look-up fails is not created again while it may not show yet', async () => {
    let created = false;
    const hidden: Send = async (request) => {
      const reply = await configs.service(request);
      if (request.method !== 'GET' || !request.url.includes('/event_types?')) return reply;
      const { collection, ...rest } = JSON.parse(String(reply.body));
      const shown = collection.filter(({ name }: Json) => name !== 'Design review');
      return { ...reply, body: JSON.stringify({ ...rest, collection: shown }) };
    };
    const send: Send = async (request) => {
      if (created && request.method === 'GET') return refusal(400)();
      created ||= isKind(request, 'POST event_types');
      return configs.service(request);
    };
    expect(await configs.apply(machine, team, { send })).toMatchObject({ said: 'outcome-unknown' });
    expect(await configs.apply(machine, team, { send: hidden })).toMatchObject({ said: 'outcome-unknown' });
    expect(await typeCalled('Design review')).toHaveLength(1);
  });

  test.each<[string, (request: HttpRequest) => Promise<unknown>, string]>([
    ['refused', refusal(403), 'partial'],
    ['lost on its way', async (request) => lost(request), 'outcome-unknown'],
  ])('the new webhook of a replaced one that is %s is not taken for created', async (_, happen, said) => {
    expect(await configs.apply(machine, team)).toMatchObject({ said: 'done' });
    const other = structuredClone(team);
    other.users!.me!.webhooks![0]!.events = ['invitee.canceled'];
    expect(await configs.apply(machine, other, { send: at('POST webhook_subscriptions', happen) })).toMatchObject({
      said,
    });
    expect((await configs.everything()).webhooks).toEqual([]);
    expect(await configs.apply(machine, other)).toMatchObject({ said: 'done' });
    expect((await configs.everything()).webhooks).toMatchObject([{ events: ['invitee.canceled'] }]);
  });

  // R66
  test.each([
    ['other hours', '[]'],
    ['hours that no file can have', '{}'],
  ])('a schedule that has %s afterwards has failed', async (_, rules) => {
    const file: ConfigFile = {
      sched: 1,
      users: { me: { event_types: { intro: { name: 'Intro call', availability: hours } } } },
    };
    let isWritten = false;
    const send: Send = async (request) => {
      const reply = await configs.service(request);
      isWritten ||= request.method === 'PATCH';
      return isWritten ? { ...reply, body: reply.body.replaceAll(/"rules":\[.*?\]\}\]/g, `"rules":${rules}`) } : reply;
    };
    expect(await configs.apply(machine, file, { send })).toMatchObject({
      said: 'partial',
      applied: { outcomes: [{ state: 'failed', error: { category: 'conflict' } }] },
    });
  });

  /** The demo has a webhook that the file leaves out. */
  const withoutWebhook: ConfigFile = { sched: 1, users: { me: { webhooks: [] } } };

  test('a deletion that finds nothing, because its first reply was lost, is done', async () => {
    const send = at('DELETE webhook_subscriptions', async (request) => {
      await configs.service(request);
      return refusal(404)();
    });
    expect(await configs.apply(machine, withoutWebhook, { send })).toMatchObject({
      said: 'done',
      applied: { outcomes: [{ state: 'applied' }] },
    });
    expect((await configs.everything()).webhooks).toEqual([]);
  });

  test('a deletion that finds nothing has failed if the webhook is still there', async () => {
    const send = at('DELETE webhook_subscriptions', refusal(404));
    expect(await configs.apply(machine, withoutWebhook, { send })).toMatchObject({
      said: 'partial',
      applied: { outcomes: [{ state: 'failed', error: { category: 'not-found' } }] },
    });
    expect((await configs.everything()).webhooks).toHaveLength(1);
  });

  test('a second process on the same machine is refused', async () => {
    let second: Awaited<ReturnType<Configs['apply']>> | undefined;
    const send = at('POST event_types', async () => {
      second = await configs.apply(machine, team);
    });
    expect(await configs.apply(machine, team, { send })).toMatchObject({ said: 'done' });
    expect(second).toMatchObject({ said: 'conflict', error: { message: expect.stringMatching(/^Another process/) } });
    expect(await typeCalled('Design review')).toHaveLength(1);
  });
});

test('a kept plan is not for another user, location or signing key', async () => {
  const file = structuredClone(team);
  const { event_types, webhooks } = file.users!.me!;
  event_types!.review!.create = { location: { kind: 'zoom_conference' } };
  const plan = await configs.planOf(file);
  const context = configs.contextOn(machine);
  await keepPlan(context, plan);
  const accepts = (now: Plan) => acceptsConfirmed(context, now, planDigest(plan));
  const rest = (now: Plan) => ({ ...now, changes: now.changes.slice(1) });
  expect(await accepts(rest(plan))).toBe(true);
  const others = plan.changes.map((each) => ({ ...each, owner: `${each.owner}X` }));
  expect(await accepts(rest({ ...plan, changes: others }))).toBe(false);
  event_types!.review!.create = { location: { kind: 'google_conference' } };
  expect(await accepts(rest(await configs.planOf(file)))).toBe(false);
  event_types!.review!.create = { location: { kind: 'zoom_conference' } };
  webhooks![0]!.signing_key_env = 'OTHER';
  expect(await accepts(rest(await configs.planOf(file)))).toBe(false);
});

test('of two processes without the lock, one claims a creation, also a second later, and the other finds it', async () => {
  const type = { owner: String(configs.me.uri), name: 'Design review' };
  let isShown = false;
  let uri: string | undefined;
  const begin = (send: Parameters<typeof createOnce>[3]) =>
    createOnce(configs.contextOn(machine), type, async () => uri, send);
  const slowly = async (leaving: () => Promise<void>): Promise<void> => {
    const fast = await begin(async (first) => {
      await first();
      uri = 'https://api.example.com/event_types/NEW';
    });
    expect(fast).toBe('applied');
    await configs.clock.sleep(1000);
    await leaving().catch((error: unknown) => {
      // A look at the service shows that it is done.
      if (!isShown) throw error;
    });
  };
  await expect(begin(slowly)).rejects.toMatchObject({ category: 'outcome-unknown' });
  [isShown, uri, machine] = [true, undefined, await configs.machineAt()];
  expect(await begin(slowly)).toBe('already');
});

test('a creation that an earlier run has sent is found, also on a full disk', async () => {
  const type = { owner: String(configs.me.uri), name: 'Design review' };
  const full = () => Promise.reject(new SchedError('environment', "Can't write the record", { reason: 'ENOSPC' }));
  const context = configs.contextOn(machine);
  let uri: string | undefined;
  const begin = (creations = context.creations, send = async () => {}) =>
    createOnce(
      { ...context, creations },
      type,
      async () => uri,
      (leaving) => leaving().then(send),
    );
  await expect(begin(context.creations, () => Promise.reject(new Killed()))).rejects.toThrow(Killed);
  // Nobody can tell yet, and that can't be recorded.
  await expect(begin({ ...context.creations, miss: full })).rejects.toMatchObject({
    category: 'outcome-unknown',
    facts: { reason: expect.stringContaining("sent it and got no reply; Can't write the record (ENOSPC)") },
  });
  uri = 'https://api.example.com/event_types/NEW';
  expect(await begin({ ...context.creations, replace: full })).toBe('already');
});

test('a home that no file can be written to has no lock, and the file is applied', async () => {
  const context = configs.contextOn(machine);
  const told: string[] = [];
  const acquire = () => Promise.reject(new SchedError('environment', "Can't acquire the lock", { reason: 'EROFS' }));
  const locks = [{ acquire, adopt: async () => undefined }];
  const applied = await applyConfig(
    { ...context, lock: { locks, onUnlocked: (reason) => told.push(reason) } },
    ...(await configs.planned(team)),
  );
  expect(applied.outcomes.map(({ state }) => state)).not.toContain('not reached');
  expect(told).toEqual(["Can't acquire the lock: EROFS"]);
});

test('the requests that are printed are those that are sent', async () => {
  const sent: string[] = [];
  const send: Send = (request) => {
    const { method, url, body } = request;
    if (method !== 'GET') sent.push(`${method} ${new URL(url).pathname} ${body}`);
    return configs.service(request);
  };
  const reached = await readWorld(configs.sourceOver(configs.service), reach(team));
  const printed = requestsOf(await configs.planOf(team), reached).map(({ operation, input }) =>
    configs.client.prepare(operation, input),
  );
  expect(await configs.apply(machine, team, { send })).toMatchObject({ said: 'done' });
  const [{ record, schedules }] = (await typeCalled('Design review')) as [{ record: Json; schedules: Json[] }];
  // A new type may come with dates of its own.
  const plain = (line: string) =>
    line.replaceAll(/,\{"type":"date"[^}]*\}/g, '').replace('the key CRM', '[signing key]');
  const shown = sent.map((line) => line.replace(idIn(record.uri), 'NEW').replace(idIn(schedules[0]!.uri), 'NEW'));
  const lines = (await Promise.all(printed)).map(
    ({ method, url, body }) => `${method} ${new URL(url).pathname} ${body}`,
  );
  expect(lines.map(plain)).toEqual(shown.map(plain));
});

describeWith(redis)('on two machines with one shared state', () => {
  // R66
  test('one is refused while the other works, and a type is created once', async () => {
    const [one, other] = [await configs.machineAt('redis'), await configs.machineAt('redis')];
    let second: Awaited<ReturnType<Configs['apply']>> | undefined;
    const send = at('POST event_types', async () => {
      second = await configs.apply(other, team);
    });
    expect(await configs.apply(one, team, { send })).toMatchObject({ said: 'done' });
    expect(second).toMatchObject({
      said: 'conflict',
      error: { facts: { reason: expect.stringMatching(`^process \\d+ on ${one.host} has been running since `) } },
    });
    expect(await typeCalled('Design review')).toHaveLength(1);
    expect(await configs.finish(other, team)).toMatchObject({ said: 'done', plan: { changes: [] } });
  });
});
