import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../../src/sandbox/admin/log-admin.ts';
import {
  checkOperations,
  createFaultScript,
  type FaultKind,
  faultKinds,
  faultOf,
  readFault,
} from '../../../src/sandbox/faults/faults.ts';
import { hostile } from '../../../src/sandbox/faults/inject.ts';
import { withFaults } from '../../../src/sandbox/faults/with-faults.ts';
import { openWire } from '../wire.ts';
import { amara, eventType, freeMonday, organization, pathOf } from '../world.ts';

const list = `/scheduled_events?user=${encodeURIComponent(amara)}&count=3`;
const booking = JSON.stringify({
  event_type: eventType('intro-call'),
  start_time: `${freeMonday}T08:00:00Z`,
  invitee: { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' },
});
const refresh = 'grant_type=refresh_token&client_id=sched-cli&refresh_token=sandbox_legacy_refresh';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

type Wire = Awaited<ReturnType<typeof openWire>>;
const booked = ({ store }: Wire) =>
  store.all<{ n: number }>("SELECT count(*) AS n FROM invitees WHERE email = 'ada@engine.example'")[0]!.n;
const json = ({ body }: { body: Buffer }) => JSON.parse(body.toString());

/** What each fault looks like on a plain socket; a missing entry is a compile error. */
const onTheWire: Record<FaultKind, () => Promise<void>> = {
  status: async () => {
    const wire = await openWire('POST /invitees 503 header.retry-after=7');
    const seen = await wire.ask('POST', '/invitees', booking);
    expect([seen.status, seen.headers['retry-after'], booked(wire)]).toEqual([503, '7', 0]);
    expect((await wire.ask('POST', '/invitees', booking)).status).toBe(200);
    await wire.admin('POST', 'faults', {
      kind: 'status',
      status: 418,
      body: 'short and stout',
      headers: { 'x-tea': 'yes' },
    });
    const teapot = await wire.get(list);
    expect([teapot.status, teapot.headers['x-tea'], teapot.body.toString()]).toEqual([418, 'yes', 'short and stout']);
  },
  delay: async () => {
    const { get, slept } = await openWire('events.list delay ms=300');
    expect([(await get(list)).status, slept]).toEqual([200, [300]]);
  },
  'reset-before': async () => {
    const wire = await openWire('invitees.create reset-before');
    const seen = await wire.ask('POST', '/invitees', booking);
    expect([seen.error, seen.head, booked(wire)]).toEqual(['ECONNRESET', '', 0]);
    expect(await wire.log()).toMatchObject([{ operation: 'invitees.create', status: null, committed: false }]);
  },
  'reset-after': async () => {
    const wire = await openWire('invitees.create reset-after');
    const seen = await wire.ask('POST', '/invitees', booking);
    expect([seen.error, seen.head, booked(wire)]).toEqual(['ECONNRESET', '', 1]);
    expect(await wire.log()).toMatchObject([{ status: 200, committed: true, faults: ['reset-after'] }]);
  },
  truncate: async () => {
    const { get } = await openWire('truncate bytes=100');
    const seen = await get(list);
    expect([seen.status, seen.body.length, seen.error]).toEqual([200, 100, 'ECONNRESET']);
    expect(Number(seen.headers['content-length'])).toBeGreaterThan(1000);
  },
  drip: async () => {
    const { get, slept } = await openWire('users.me drip ms=700');
    const seen = await get('/users/me');
    expect(json(seen).resource.uri).toMatch(pathOf(amara));
    expect(slept).toEqual(Array(seen.body.length).fill(700));
  },
  garbage: async () => {
    const seen = await (await openWire('garbage')).get(list);
    expect([seen.status, seen.headers['content-type'], seen.body.length]).toEqual([200, 'application/json', 200]);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(seen.body)).toThrow();
  },
  html: async () => {
    const seen = await (await openWire('html status=502')).get(list);
    expect([seen.status, seen.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8']);
    expect(seen.body.toString()).toMatch(/^<!doctype html>/);
  },
  'wrong-content-type': async () => {
    const seen = await (await openWire('wrong-content-type type=image/png')).get(list);
    expect([seen.headers['content-type'], json(seen).collection.length]).toEqual(['image/png', 3]);
  },
  'gzip-bomb': async () => {
    const seen = await (await openWire('gzip-bomb mib=4')).get(list);
    expect([seen.headers['content-encoding'], seen.body.length < 100_000]).toEqual(['gzip', true]);
    expect(gunzipSync(seen.body).length).toBe(4 * 1024 * 1024);
  },
  'foreign-next-page': async () => {
    const { pagination } = json(await (await openWire('foreign-next-page')).get(list));
    expect(pagination.next_page).toMatch(/^https:\/\/elsewhere\.example\/scheduled_events\?.*page_token=/);
  },
  'repeat-cursor': async () => {
    const { get } = await openWire('repeat-cursor');
    const first = json(await get(list)).pagination.next_page_token;
    for (const _ of [1, 2])
      expect(json(await get(`${list}&page_token=${first}`)).pagination.next_page_token).toBe(first);
  },
  'stale-cursor': async () => {
    const { get } = await openWire('events.list stale-cursor');
    const token = json(await get(list)).pagination.next_page_token;
    const seen = await get(`${list}&page_token=${token}`);
    expect([seen.status, json(seen).details[0]]).toMatchObject([400, { parameter: 'page_token', code: 'expired' }]);
    expect((await get(`${list}&page_token=${token}`)).status).toBe(200);
  },
  'hostile-strings': async () => {
    const { collection } = json(await (await openWire('hostile-strings')).get(list));
    expect(collection[0].name.endsWith(hostile)).toBe(true);
    expect(collection[0].event_memberships[0].user_name.endsWith(hostile)).toBe(true);
    expect([collection[0].uri, collection[0].start_time].join()).not.toContain(hostile);
  },
  'no-rate-headers': async () => {
    const { get } = await openWire('no-rate-headers');
    expect((await get(list)).head).not.toContain('x-ratelimit');
    expect((await get(list)).head).toContain('x-ratelimit-remaining');
  },
  'absurd-rate-headers': async () => {
    const { headers } = await (await openWire('absurd-rate-headers')).get(list);
    expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
    expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual(['-1', 'many']);
  },
  'too-many-addresses': async () => {
    const { ask, log } = await openWire('too-many-addresses limit=2 count=all');
    const remove = (count: number) =>
      ask(
        'POST',
        '/data_compliance/invitee_deletion',
        JSON.stringify({ emails: Array.from({ length: count }, (_, at) => `a${at}@b.example`) }),
      );
    expect([(await remove(3)).status, (await remove(2)).status]).toEqual([413, 202]);
    expect((await log()).map(({ committed }: { committed: boolean }) => committed)).toEqual([false, true]);
  },
  keep: async () => {
    const wire = await openWire('compliance.delete keep=40%');
    const emails = wire.store
      .all<{ email: string }>('SELECT DISTINCT lower(email) AS email FROM invitees ORDER BY 1')
      .map(({ email }) => email);
    const remove = () => wire.ask('POST', '/data_compliance/invitee_deletion', JSON.stringify({ emails }));
    expect([(await remove()).status, (await remove()).status]).toEqual([202, 202]);
    const asked = wire.store
      .all<{ emails: string }>('SELECT emails FROM deletions')
      .map((row) => JSON.parse(row.emails) as string[]);
    // The same people are left each time, and the reply doesn't tell.
    expect(asked[0]).toEqual(asked[1]);
    const kept = emails.filter((email) => !asked[0]!.includes(email));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(emails.length);
    expect(asked[0]).toHaveLength(emails.length);
    expect(readFault('keep=3%')).toMatchObject({
      kind: 'keep',
      operation: 'compliance.delete',
      share: '3%',
      count: null,
    });
    expect(() => readFault('keep=300%')).toThrow('share must be a share of the people, such as 3%');
  },
  'slow-token': async () => {
    const { ask, slept } = await openWire('slow-token ms=300');
    const seen = await ask('POST', '/oauth/token', refresh, form);
    expect([seen.status, json(seen).token_type, slept]).toEqual([200, 'Bearer', [300]]);
  },
  'lost-token': async () => {
    const { ask, log } = await openWire('lost-token');
    expect((await ask('POST', '/oauth/token', refresh, form)).error).toBe('ECONNRESET');
    // The refresh token was used.
    expect((await ask('POST', '/oauth/token', refresh, form)).status).toBe(400);
    expect(await log()).toMatchObject([
      { operation: 'oauth.token', status: 200, committed: true },
      { committed: false },
    ]);
  },
  redirect: async () => {
    const wire = await openWire('POST /invitees redirect status=302');
    const seen = await wire.ask('POST', '/invitees', booking);
    expect([seen.status, seen.headers.location, booked(wire)]).toEqual([302, 'https://elsewhere.example/invitees', 0]);
  },
};

describe('faults on a plain socket', () => {
  test.each(Object.entries(onTheWire))('%s', (_, check) => check());

  test('sends a header once, whatever its case', async () => {
    const { get } = await openWire('502 body=oops header.Content-Type=text/html header.Content-Length=99');
    const { head } = await get(list);
    expect(head.match(/^content-(type|length): .*$/gim)).toEqual(['content-type: text/html', 'content-length: 4']);
  });

  test('sends no content-length without a body', async () => {
    const { get } = await openWire('204', '304 at=2');
    for (const status of [204, 304]) {
      const { head, body } = await get(list);
      expect([head, body.length]).toEqual([expect.stringContaining(` ${status} `), 0]);
      expect(head).not.toMatch(/^content-length|^transfer-encoding/im);
    }
  });

  test('are described in docs/sandbox.md', () => {
    const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
    for (const kind of faultKinds) expect(page).toMatch(new RegExp(`^\\| \`${kind}\` +\\| \\w`, 'm'));
  });
});

describe('faults: the operation', () => {
  const check = (text: string) => checkOperations([readFault(text)]);

  test.each([
    'html',
    'events.list html',
    'event*s.* html',
    'oauth.token 503',
    'lost-token',
    'GET /anything html',
    'pages.* html',
  ])('is known in "%s"', (text) => expect(check(text)).resolves.toBeUndefined());

  test.each(['event.list', 'users.mee', 'nobody.*', 'at=2', 'get /users/me', 'pages.cart'])(
    'is unknown: "%s"',
    (name) => expect(check(`${name} html`)).rejects.toThrow(`Unknown operation "${name}"`),
  );
});

describe('faults affect', () => {
  const asked = {
    method: 'GET',
    path: '/scheduled_events',
    template: '/scheduled_events',
    operation: 'events.list',
    hasCursor: false,
    addresses: 0,
  };
  const pattern = (text: string, turns = 6) => {
    const script = createFaultScript([readFault(text)]);
    return Array.from({ length: turns }, () => script.next(asked).length).join('');
  };

  test.each([
    ['events.list 503', '100000'],
    ['events.list 503 at=2', '010000'],
    ['events.list 503 at=2 count=3', '011100'],
    ['events.list 503 at=3 count=all', '001111'],
    ['{"operation":"events.list","kind":"status","at":3,"count":"all"}', '001111'],
    ['events.* 503', '100000'],
    ['* 503', '100000'],
    ['503', '100000'],
    ['GET /scheduled_events 503', '100000'],
    ['GET /scheduled* 503', '100000'],
    ['POST /scheduled_events 503', '000000'],
    ['events.get 503', '000000'],
    ['eventsxlist 503', '000000'],
    ['events.list 503 probability=0', '000000'],
    ['events.list 503 probability=1 count=2', '110000'],
  ])('%s: %s', (text, expected) => expect(pattern(text)).toBe(expected));

  test('the same random requests for the same seed', () => {
    const [one, again, other] = [1, 1, 2].map((seed) => pattern(`503 probability=0.5 seed=${seed}`, 200));
    expect(one).toBe(again);
    expect(one).not.toBe(other);
    expect([...one!].filter((each) => each === '1').length).toBeGreaterThan(60);
  });

  test.each([
    ['events.list', 'is not a fault'],
    ['events.list 503 at=0', 'at must be'],
    ['events.list 503 colour=red', '"colour"'],
    ['events.list 503 soon', 'must be name=value'],
    ['events.list 503 header.x\u0001=1', 'headers must be'],
    ['{"kind":"explode"}', 'kind must be one of'],
    ['{"kind":"status","headers":{"x":"a\\r\\nb"}}', 'headers must be'],
  ])('nothing if they are invalid: %s', (text, words) => expect(() => readFault(text)).toThrow(words));

  test('pages only if they name them', async () => {
    const page = '/book/amara-lindqvist';
    const wire = await openWire('* 503 count=all');
    expect((await wire.get(page)).status).toBe(200);
    expect((await wire.get('/assets/pages.css')).status).toBe(200);
    await wire.admin('POST', 'faults', { kind: 'status', operation: 'pages.book' });
    expect((await wire.get(page)).status).toBe(503);
    expect(await wire.log()).toMatchObject([
      { operation: 'pages.book', status: 200 },
      { operation: 'pages.file' },
      { operation: 'pages.book', faults: ['status'] },
    ]);
  });

  test('nothing if they are not objects', () => {
    for (const given of [null, 1, 'x', []]) expect(() => faultOf(given)).toThrow('a fault must be an object');
  });
});

describe('faults: admin requests', () => {
  test('require the secret and answer 404 without it', async () => {
    const { ask, admin } = await openWire();
    for (const path of ['log', 'faults']) {
      expect((await ask('GET', `/__sandbox/${path}`)).status).toBe(404);
      expect((await ask('GET', `/__sandbox/${path}`, undefined, { 'x-sandbox-admin': 'guess' })).status).toBe(404);
      expect((await admin('GET', path)).status).toBe(200);
    }
  });

  test('add, list and delete faults', async () => {
    const { admin, get } = await openWire();
    expect(
      (
        await admin('POST', 'faults', [
          { kind: 'status', operation: 'users.me' },
          { kind: 'delay', ms: 1 },
        ])
      ).status,
    ).toBe(201);
    expect((await get('/users/me')).status).toBe(503);
    expect((await admin('GET', 'faults')).body.faults).toMatchObject([{ matched: 1, struck: 1 }, { struck: 1 }]);
    expect((await admin('POST', 'faults', { kind: 'nonsense' })).status).toBe(400);
    expect((await admin('POST', 'faults', { kind: 'html', operation: 'user.me' })).status).toBe(400);
    expect((await admin('DELETE', 'faults')).body).toEqual({ faults: [] });
    expect((await get('/users/me')).status).toBe(200);
  });

  test('name the token, the rate limit that refused a request, and how long the reply took', async () => {
    const { get, ask, log, setPlan, clock, send } = await openWire();
    setPlan('free');
    for (let number = 1; number <= 11; number++) await get('/users/me');
    await ask('GET', '/users/me', undefined, { authorization: 'Bearer other_secret' });
    const entries = await log();
    expect(entries.at(0)).toMatchObject({ token: 'owner', window: null, milliseconds: 0 });
    expect(entries.at(10)).toMatchObject({ token: 'owner', window: 'general/minute', status: 429 });
    expect(entries.at(11).token).toMatch(/^[\w-]{8}$/);
    const own = createLog();
    const slow = withFaults(
      async (request) => {
        clock.time += 70;
        return send(request);
      },
      { script: createFaultScript(), log: own, clock: { now: clock.now, sleep: async () => {} } },
    );
    await slow({ method: 'GET', url: 'http://127.0.0.1:4010/users/me', headers: {} });
    expect(own.entries).toMatchObject([{ token: null, milliseconds: 70 }]);
  });

  test('add faults in the short form', async () => {
    const { get, admin } = await openWire();
    expect((await admin('POST', 'faults', ['users.me 503', { kind: 'html' }])).status).toBe(201);
    expect((await get('/users/me')).status).toBe(503);
  });

  test('show the body of each reply, and filter the log', async () => {
    const { get, ask, log, admin } = await openWire('users.me html');
    await get('/users/me');
    await ask('POST', '/invitees', '{');
    await ask('POST', '/oauth/token', refresh, form);
    const [me, refused, token] = await log();
    // Before the fault.
    expect(JSON.parse(me.reply).resource.uri).toMatch(pathOf(amara));
    expect([JSON.parse(refused.reply).title, token.reply]).toEqual(['Invalid Argument', null]);
    const numbers = async (query: string) =>
      (await admin('GET', `log?${query}`)).body.log.map(({ number }: { number: number }) => number);
    expect([await numbers('operation=users.me'), await numbers('status=400')]).toEqual([[1], [2]]);
    expect(await numbers('status=200&operation=oauth.token')).toEqual([3]);
    expect((await admin('GET', 'log?statsu=200')).status).toBe(400);
  });

  test('keep every entry, but not every body', async () => {
    const statuses = [201, 202];
    const large = async () => ({ status: statuses.shift()!, headers: {}, body: 'x'.repeat(40 * 1024 * 1024) });
    const clock = { now: () => 0, sleep: async () => {} };
    const log = createLog();
    const service = withFaults(large, { script: createFaultScript(), log, clock });
    for (const _ of [1, 2]) await service({ method: 'GET', url: 'http://127.0.0.1:4010/users/me', headers: {} });
    expect(log.entries.map(({ status, reply }) => [status, reply?.length])).toEqual([
      [201, undefined],
      [202, 40 * 1024 * 1024],
    ]);
  });

  test('list every request in order', async () => {
    const { get, ask, log, admin } = await openWire();
    await get(`/activity_log_entries?organization=${encodeURIComponent(organization)}&count=1`);
    await ask('POST', '/invitees', '{');
    await get('/nowhere');
    expect(await log()).toMatchObject([
      { number: 1, method: 'GET', operation: 'activity.list', status: 200, committed: false, faults: [], body: null },
      {
        number: 2,
        method: 'POST',
        path: '/invitees',
        operation: 'invitees.create',
        status: 400,
        committed: false,
        body: '{',
      },
      { number: 3, operation: null, status: 404, body: null },
    ]);
    expect((await admin('DELETE', 'log')).body.log).toEqual([]);
    await ask('POST', '/oauth/token', refresh, form);
    await ask('POST', '/nowhere', 'secret');
    expect(await log()).toMatchObject([
      { operation: 'oauth.token', status: 200, body: null },
      { operation: null, body: null },
    ]);
  });
});
