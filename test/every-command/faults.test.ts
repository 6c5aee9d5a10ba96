import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/api/catalogue.ts';
import type { Operation } from '../../src/api/operation.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';
import type { TestWorld } from '../support/run.ts';
import { createWorld, isWrite } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { linesIn } from './operation-lines.ts';

type Fault = (request: HttpRequest, service: Send) => Promise<HttpReply>;

const lost = (sent: boolean, status?: number) =>
  new NetworkFailure('127.0.0.1:4010', 'the connection was reset', sent, { status });
const answering =
  (status: number, headers: Record<string, string> = {}, body = '{}'): Fault =>
  async () => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
const failing =
  (before: boolean, sent: boolean): Fault =>
  async (request, service) => {
    if (!before) await service(request);
    throw lost(sent);
  };
const afterCommit =
  (change: (reply: HttpReply) => HttpReply): Fault =>
  async (request, service) =>
    change(await service(request));

/** A fault and, by kind of operation, how often the request is sent and the exit code. */
interface Row {
  fault: Fault;
  read: [number, number];
  deletion: [number, number];
  change: [number, number];
  booking: [number, number];
  creation: [number, number];
}

const all = (sent: number, code: number): Omit<Row, 'fault'> => ({
  read: [sent, code],
  deletion: [sent, code],
  change: [sent, code],
  booking: [sent, code],
  creation: [sent, code],
});

/** The service did nothing, but the client can't know that. */
const before: Omit<Row, 'fault'> = {
  read: [3, 9],
  deletion: [3, 10],
  change: [3, 10],
  booking: [1, 10],
  creation: [1, 10],
};
/** The service carried the request out, and the reply was lost. */
const after: Omit<Row, 'fault'> = {
  read: [3, 9],
  deletion: [3, 10],
  change: [1, 0],
  booking: [1, 0],
  creation: [1, 10],
};
/** The wait is too long: nothing is sent again, and the command can be run again later. */
const tooLong: Omit<Row, 'fault'> = {
  read: [1, 9],
  deletion: [1, 9],
  change: [1, 10],
  booking: [1, 10],
  creation: [1, 10],
};

const table: Record<string, Row> = {
  'never left': { fault: failing(true, false), ...all(3, 9) },
  'reset before': { fault: failing(true, true), ...before },
  'reset after': { fault: failing(false, true), ...after },
  '500 before': { fault: answering(500), ...before },
  '503 in HTML before': { fault: answering(503, {}, '<html>'), ...before },
  '503 for half a minute': { fault: answering(503, { 'retry-after': '30' }), ...before },
  '503 for a day': { fault: answering(503, { 'retry-after': '86400' }), ...tooLong },
  '500 after': {
    fault: afterCommit((reply) => ({ ...reply, status: 500, body: '{}' })),
    ...after,
  },
  '408': { fault: answering(408), ...before },
  'truncated body': {
    fault: afterCommit((reply) => ({ ...reply, body: reply.body === '{}' ? '{' : reply.body.slice(0, -5) })),
    ...after,
    // No network says that it was cut off.
    read: [3, 13],
    deletion: [1, 0],
  },
  'garbage with 200': {
    fault: answering(200, { 'content-type': 'text/html' }, '<p>hello'),
    ...before,
    read: [3, 13],
    deletion: [1, 0],
    change: [1, 0],
  },
  'another shape with 200': {
    fault: afterCommit((reply) => ({ ...reply, body: '7' })),
    ...all(1, 0),
    read: [1, 13],
  },
  'body cut off by the network': {
    fault: async (request, service) => {
      await service(request);
      throw lost(true, 201);
    },
    ...after,
    deletion: [1, 0],
  },
  '429 for a day': { fault: answering(429, { 'x-ratelimit-reset': '86400' }), ...all(1, 8) },
  '429 without a time': { fault: answering(429), ...all(3, 8) },
  '401': { fault: answering(401), ...all(1, 4) },
  'redirect elsewhere': { fault: answering(302, { location: 'https://evil.example/' }), ...all(1, 13) },
  '400': { fault: answering(400), ...all(1, 2) },
  '403': { fault: answering(403), ...all(1, 5) },
  '404': { fault: answering(404), ...all(1, 6) },
  '409': { fault: answering(409), ...all(1, 7) },
  '413': { fault: answering(413), ...all(1, 2) },
  '422': { fault: answering(422), ...all(1, 2) },
  '424': { fault: answering(424), ...all(1, 9) },
};

/** The printed record, or the first of a list. */
const firstIn = (stdout: string) => [JSON.parse(stdout)].flat()[0];

const matcher = ({ method, path }: Operation) => {
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
  return (request: HttpRequest) => request.method === method && pattern.test(new URL(request.url).pathname);
};

/** What the printed record of a change says on top of how it is known. */
const changeFacts = (name: string) => {
  const undo = undoLines[name];
  const stays = name.startsWith('availability') && { stays: expect.any(Array) };
  return undo && { undo: expect.stringMatching(undo), ...stays };
};

const undoLines: Record<string, RegExp> = {
  'availability update': /^sched availability update /,
  'availability update-all': /^sched availability update /,
  'invitations create': /^sched invitations revoke /,
  'invitees no-show': /^sched invitees no-show .* --undo$/,
  'webhooks create': /^sched webhooks delete /,
};

/** A command to run, or advice where no command helps. */
const wayOut = /^try: |run the command again only if|Run the same command again/m;

const env = () => {
  const directory = temporaryDirectory('faults');
  return { SCHED_MCP_URL: 'http://127.0.0.1:4010', SCHED_STATE_DIR: directory, SCHED_CACHE_DIR: directory };
};

const catalogue = await loadCatalogue();
const operations = Object.entries(catalogue).flatMap(([noun, rows]) =>
  Object.entries(rows).map(([verb, row]) => ({ name: `${noun} ${verb}`, row })),
);

/** Creations that are looked up after a lost reply. */
const lookedUp = ['invitees create', 'webhooks create'];

const kindOf = (name: string, { effect }: Operation): Exclude<keyof Row, 'fault'> =>
  lookedUp.includes(name) ? 'booking' : (effect ?? 'read');

const reading = await createWorld({ env: env() });
/** All worlds begin with the same records, so these lines succeed in each. */
const lines = await linesIn(reading);

/** Deletions and the creations that are looked up have code of their own. Some faults end the same for all operations. */
const mechanismOf = (name: string, row: Operation, { fault, ...facts }: Row): string => {
  if (new Set(Object.values(facts).map(String)).size === 1) return 'any';
  const kind = kindOf(name, row);
  return ['deletion', 'booking'].includes(kind) ? name : kind;
};

// R26
describe('faults: every operation and every fault', () => {
  test('has a command line for every operation', () => {
    const routed = operations.map(({ name }) => name).filter((name) => !Object.hasOwn(lines, name));
    expect(routed).toEqual([]);
  });

  const cells = operations.flatMap(({ name, row }) => Object.keys(table).map((words) => ({ name, row, words })));
  /** Faults are alike if they end the same for every kind of operation. */
  const endsOf = ({ fault, ...ends }: Row): string => Object.values(ends).join(' ');
  const eachEnd = sample(cells, 1, ({ name, row, words }) => {
    const facts = table[words]!;
    return `${mechanismOf(name, row, facts)}: ${endsOf(facts)}`;
  });
  const eachFault = sample(cells, 1, ({ words }) => words);
  const eachNoun = sample(cells, 1, ({ name }) => name.split(' ')[0]);
  const chosen = [...new Set([...eachEnd, ...eachFault, ...eachNoun])];

  test.each([...new Set(chosen.map(({ name }) => name))])('%s', async (operation) => {
    for (const { name, words, row } of chosen.filter((cell) => cell.name === operation)) {
      const facts = table[words]!;
      const kind = kindOf(name, row);
      // A write needs a fresh world, in which it has not been done yet.
      const world = kind === 'read' ? reading : await createWorld({ env: env() });
      const isMeant = matcher(row);
      let isOn = true;
      const send: Send = async (request) =>
        isOn && isMeant(request) ? facts.fault(request, world.service) : world.service(request);
      const isolated = kind === 'read' ? env() : {};
      const result = await world.run(lines[name]!, { send, env: isolated });
      isOn = false;
      const sent = result.requests.filter(isMeant).length;
      // A completed bulk run with rejected or unknown addresses exits with 11.
      const code = kind === 'deletion' && result.code === 11 ? facts[kind][1] : result.code;
      expect([name, words, sent, code]).toEqual([name, words, ...facts[kind]]);
      expect(result.stderr).not.toContain('Internal error');
      // An unknown outcome has a way out.
      if (result.code === 10)
        expect([name, words, result.stderr]).toEqual([name, words, expect.stringMatching(wayOut)]);
      if (world !== reading) world.close();
    }
  });

  test('follows redirects of a read within its origin, at most three times', async () => {
    const hops = (count: number): { send: Send; seen: () => number } => {
      let seen = 0;
      return {
        seen: () => seen,
        send: async (request) => {
          if (!request.url.includes('/scheduled_events')) return reading.service(request);
          seen += 1;
          return seen <= count
            ? { status: 307, headers: { location: request.url }, body: '' }
            : reading.service(request);
        },
      };
    };
    const three = hops(3);
    expect((await reading.run('events list --limit 1', { send: three.send, env: env() })).code).toBe(0);
    const four = hops(4);
    expect((await reading.run('events list --limit 1', { send: four.send, env: env() })).code).toBe(13);
    expect([three.seen(), four.seen()]).toEqual([4, 4]);
  });
});

describe('faults: a change whose reply is lost', () => {
  const once = (world: TestWorld, operation: Operation, fault: Fault): Send => {
    const isMeant = matcher(operation);
    let left = 1;
    return async (request) => (isMeant(request) && left-- > 0 ? fault(request, world.service) : world.service(request));
  };

  test.each(
    sample(
      ['events cancel', 'invitees no-show', 'event-types update', 'availability update', 'availability update-all'],
      2,
    ),
  )('%s: exits with 0 and says so if it was done, and is sent again if not', async (name) => {
    const { row } = operations.find((each) => each.name === name)!;
    for (const [fault, sent, facts] of [
      [failing(false, true), 1, { reconciled: true }],
      [failing(true, true), 2, {}],
    ] as const) {
      const world = await createWorld({ env: env() });
      const line = `${lines[name]} --json -v`;
      const { code, stdout, requests, stderr } = await world.run(line, { send: once(world, row, fault) });
      expect([name, code, requests.filter(matcher(row)).length]).toEqual([name, 0, sent]);
      expect(firstIn(stdout)._sched ?? {}).toEqual({ ...facts, ...changeFacts(name) });
      if (sent === 2) expect(stderr).toContain('attempt 2');
    }
  });

  test('exits with 10 if the record cannot show the change', async () => {
    const world = await createWorld({ env: env() });
    const { uri } = JSON.parse((await world.run('event-types list --limit 1 --json')).stdout)[0];
    const { row } = operations.find(({ name }) => name === 'event-types update')!;
    const send = once(world, row, failing(false, true));
    const line = `event-types update ${uri} --name Same --location-kind custom --location Here`;
    expect((await world.run(line, { send })).code).toBe(10);
  });

  test('exits with 10 for a bare invitee ID, which cannot be read back', async () => {
    const world = await createWorld({ env: env() });
    const uri = lines['invitees no-show']!.split(' ')[2]!;
    const { row } = operations.find(({ name }) => name === 'invitees no-show')!;
    const { code, requests } = await world.run(`invitees no-show ${uri.split('/').at(-1)}`, {
      send: once(world, row, failing(false, true)),
    });
    expect([code, requests.filter(matcher(row)).length]).toEqual([10, 1]);
  });
});

describe('faults: a 503 that asks to wait', () => {
  const away = (world: TestWorld, isMeant: (request: HttpRequest) => boolean, seconds: string): Send => {
    let left = 1;
    return (request) =>
      isMeant(request) && left-- > 0
        ? answering(503, { 'retry-after': seconds })(request, world.service)
        : world.service(request);
  };
  const isRead = ({ method }: HttpRequest) => method === 'GET';

  test('makes a read wait, and the wait is announced', async () => {
    const world = await createWorld({ env: env() });
    const start = world.clock.now();
    const { code, stderr } = await world.run('users me --tz UTC', { send: away(world, isRead, '30') });
    expect(code).toBe(0);
    expect(stderr).toBe('The service is unavailable: waiting 30 s, until 18:00:30 UTC\n');
    expect(world.clock.now() - start).toBeGreaterThanOrEqual(30_000);
  });

  test('exits with 9 and the time if the wait is too long, also for api', async () => {
    const world = await createWorld({ env: env() });
    for (const line of ['users me', 'api /users/me']) {
      const { code, stderr } = await world.run(`${line} --json --max-wait 20s`, { send: away(world, isRead, '30') });
      expect(code).toBe(9);
      expect(JSON.parse(stderr).error).toMatchObject({
        code: 'unavailable',
        cause: 'the service asks to wait 30 s, until 2025-10-11T18:00:30Z',
        retry_after_s: 30,
      });
    }
  });

  test('makes a change wait before the record is read and the change sent again', async () => {
    const world = await createWorld({ env: env() });
    const line = lines['events cancel']!;
    const start = world.clock.now();
    const times: [string, number][] = [];
    const send = away(world, isWrite, '30');
    const { code, stderr } = await world.run(`${line} --tz UTC`, {
      send: (request) => {
        times.push([request.method, world.clock.now() - start]);
        return send(request);
      },
    });
    expect(code).toBe(0);
    expect(stderr).toContain('The service is unavailable: waiting 30 s, until 18:00:30 UTC\n');
    const first = times.findIndex(([method]) => method === 'POST');
    expect(times.slice(first + 1).map(([method]) => method)).toEqual(['GET', 'POST']);
    for (const [, time] of times.slice(first + 1)) expect(time).toBeGreaterThanOrEqual(30_000);
  });

  test('leaves the outcome of a change unknown if the wait is too long, and says how long it is', async () => {
    const world = await createWorld({ env: env() });
    const line = lines['events cancel']!;
    const { code, stderr, requests } = await world.run(`${line} --json --no-wait`, {
      send: away(world, isWrite, '30'),
    });
    expect([code, requests.filter(isWrite).length]).toEqual([10, 1]);
    expect(JSON.parse(stderr.trim().split('\n').at(-1)!).error).toMatchObject({
      cause: expect.stringContaining('the service asks to wait 30 s'),
      retry_after_s: 30,
      outcome: 'unknown',
    });
  });

  test('stops a deletion if the wait is too long, and the same command resumes it', async () => {
    const world = await createWorld({ env: env() });
    const line = 'compliance delete noa.levi@gefen.example --yes --json';
    const stopped = await world.run(line, { send: away(world, isWrite, '3600') });
    expect([stopped.code, stopped.requests.filter(isWrite).length]).toEqual([9, 1]);
    expect(JSON.parse(stopped.stderr.trim().split('\n').at(-1)!).error).toMatchObject({
      retry_after_s: 3600,
      outcome: 'unknown',
    });
    const resumed = await world.run(line);
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ accepted: 1, unknown: 0 });
  });
});

// R26
describe('faults: a creation whose reply is lost', () => {
  const newest = 'sched event-types list --sort created_at:desc --limit 5';
  const words = 'run the command again only if a second link does no harm: the service has no list of links to check';

  test.each([
    ['shares create', 'api POST /shares -f event_type=TYPE', { cause: expect.stringContaining(words) }],
    ['one-offs create', 'api POST /one_off_event_types -f name=Planning', { hint: newest }],
    ['event-types create', 'api POST /event_types -f name=Chat', { hint: newest }],
  ])('%s, %s: says where to look, and sends nothing again', async (name, raw, place) => {
    const { row } = operations.find((each) => each.name === name)!;
    const isMeant = matcher(row);
    for (const ending of sample(
      [lost(true), lost(true, 201), 500, '{"resource"', '<html>'],
      1,
      (each) => typeof each,
    )) {
      const send: Send = async (request) => {
        if (!isMeant(request)) return reading.service(request);
        if (ending instanceof Error) throw ending;
        const headers = { 'content-type': 'application/json' };
        return typeof ending === 'number'
          ? { status: ending, headers, body: '{}' }
          : { status: 201, headers, body: ending };
      };
      for (const line of [lines[name]!, raw]) {
        const { code, stderr, requests } = await reading.run(`${line} --json`, { send, env: env() });
        expect([line, ending, code, requests.filter(isMeant).length]).toEqual([line, ending, 10, 1]);
        const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!);
        expect(error).toMatchObject({ code: 'outcome-unknown', outcome: 'unknown', ...place });
      }
    }
  });
});

// R26
test('faults: a change whose first reply was lost stays unknown if the second is a refusal', async () => {
  const world = await createWorld({ env: env() });
  const [event] = JSON.parse((await world.run('events list --status active --limit 1 --json=uri')).stdout);
  const isMeant = ({ method }: HttpRequest) => method === 'POST';
  let sent = 0;
  const send: Send = async (request) => {
    if (!isMeant(request)) return world.service(request);
    sent += 1;
    if (sent === 1) throw lost(true);
    return sent === 2 ? answering(403)(request, world.service) : world.service(request);
  };
  const { code } = await world.run(`events cancel ${event.uri} --yes`, { send });
  expect([code, sent]).toEqual([10, 2]);
});

// R26, R27: nothing is sent again, and the known data is printed.
describe('faults: a 2xx to a write whose reply lacks the record', () => {
  const bodies: Record<string, Partial<HttpReply>> = {
    '201 with another object': { status: 201, body: '{"canceled_by":"x"}' },
    '200 with an array': { status: 200, body: '[]' },
    '200 with null': { status: 200, body: 'null' },
    '200 with an empty body': { status: 200, body: '' },
    '204': { status: 204, body: '' },
    '200 with HTML': { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>hello' },
    '201 with JSON that is cut off': { status: 201, body: '{"resource":{"uri":' },
  };
  const isReadable = (words: string) => !/HTML|cut off/.test(words);
  const writes = operations.filter(({ row }) => row.effect !== undefined);

  /** Sends this reply. The service carries out the write only if `isCommitted`; if not, reads show the old state. */
  const answeringWith = (world: TestWorld, row: Operation, reply: Partial<HttpReply>, isCommitted: boolean): Send => {
    const isMeant = matcher(row);
    return async (request) => {
      if (!isMeant(request)) return world.service(request);
      if (isCommitted) await world.service(request);
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '', ...reply };
    };
  };

  const outcomeOf = async (name: string, row: Operation, reply: Partial<HttpReply>, isCommitted: boolean) => {
    const world = await createWorld({ env: env() });
    const line = `${lines[name]} --json`;
    const { code, stdout, stderr, requests } = await world.run(line, {
      send: answeringWith(world, row, reply, isCommitted),
    });
    world.close();
    return {
      code,
      sent: requests.filter(matcher(row)).length,
      facts: code === 0 ? firstIn(stdout)._sched : undefined,
      isTold: stderr.includes('The service accepted this'),
    };
  };

  /** The printed facts by operation, if the service shows the change and if it still shows the old state. */
  type Facts = { source: string; stale?: true };
  const printed: Record<string, [fresh: Facts, lagging: Facts]> = {
    'events cancel': [{ source: 'read' }, { source: 'read', stale: true }],
    'invitees no-show': [{ source: 'read' }, { source: 'read', stale: true }],
    'event-types update': [{ source: 'read' }, { source: 'read', stale: true }],
    'availability update': [{ source: 'read' }, { source: 'read', stale: true }],
    'availability update-all': [{ source: 'read' }, { source: 'read', stale: true }],
    'invitees create': [{ source: 'read' }, { source: 'request' }],
    'event-types create': [{ source: 'read' }, { source: 'request' }],
    'one-offs create': [{ source: 'read' }, { source: 'request' }],
    'webhooks create': [{ source: 'read' }, { source: 'request' }],
    'shares create': [{ source: 'request' }, { source: 'request' }],
    'invitations create': [{ source: 'request' }, { source: 'request' }],
  };

  const cells = writes.flatMap(({ name, row }) =>
    [true, false].flatMap((isCommitted) =>
      Object.entries(bodies).map(([words, reply]) => ({ name, row, isCommitted, words, reply })),
    ),
  );
  const eachKind = sample(cells, 1, ({ name, row, words }) => `${kindOf(name, row)} ${isReadable(words)}`);
  const eachReply = sample(cells, 1, ({ words }) => words);
  const eachWrite = sample(cells, 1, ({ name }) => name);

  test.each([...new Set([...eachKind, ...eachReply, ...eachWrite])])(
    '$name: is sent once after $words, committed: $isCommitted',
    async ({ name, row, isCommitted, words, reply }) => {
      const outcome = await outcomeOf(name, row, reply, isCommitted);
      const stated = printed[name]?.[isCommitted ? 0 : 1];
      // A created link may be in the reply only. A booking is looked up instead.
      const isShown = words.includes('object') && name !== 'invitees create' && stated?.source === 'request';
      // A webhook without a URI can't be deleted.
      const more = name === 'webhooks create' && stated?.source === 'request' ? undefined : changeFacts(name);
      const facts = stated && { ...(isShown ? { source: 'reply' } : stated), ...more };
      const isFound = lookedUp.includes(name) && isCommitted;
      const expected =
        row.effect === 'creation' && !isReadable(words)
          ? // Some records are looked up. The outcome is unknown if nothing is found.
            {
              code: isFound ? 0 : 10,
              facts: isFound ? { reconciled: true, ...changeFacts(name) } : undefined,
              isTold: false,
            }
          : { code: 0, facts, isTold: facts !== undefined };
      expect(outcome).toEqual({ ...expected, sent: 1 });
    },
  );

  test('prints a record that cannot be read as far as it is known', async () => {
    const world = await createWorld({ env: env() });
    for (const [name, known] of [
      ['events cancel', { uri: lines['events cancel']!.split(' ')[2] }],
      ['event-types update', { name: 'Changed' }],
      ['availability update', { uri: lines['availability update']!.split(' ')[2] }],
      ['availability update-all', { uri: lines['availability update']!.split(' ')[2] }],
      ['invitees no-show', { uri: lines['invitees no-show']!.split(' ')[2] }],
    ] as const) {
      const { row } = operations.find((each) => each.name === name)!;
      let isSent = false;
      const send: Send = async (request) => {
        if (isSent) return { status: 403, headers: {}, body: '{}' };
        if (!matcher(row)(request)) return world.service(request);
        isSent = true;
        return { status: 201, headers: {}, body: '{"ok":true}' };
      };
      const { code, stdout, requests } = await world.run(`${lines[name]} --json`, { send });
      expect([name, code, requests.filter(matcher(row)).length]).toEqual([name, 0, 1]);
      expect(firstIn(stdout)).toMatchObject({ ...known, _sched: { source: 'request' } });
    }
  });

  test('says that the service lacks the path if a change gets a 404 and its record exists', async () => {
    const world = await createWorld({ env: env() });
    for (const name of ['events cancel', 'invitees no-show', 'event-types update', 'availability update']) {
      const { row } = operations.find((each) => each.name === name)!;
      const send: Send = async (request) =>
        matcher(row)(request) ? { status: 404, headers: {}, body: '{"message":"Not Found"}' } : world.service(request);
      const { code, stderr } = await world.run(`${lines[name]} --json`, { send });
      expect([name, code, stderr]).toEqual([name, 6, expect.stringContaining(`doesn't offer ${row.method} /`)]);
    }
  });

  test('marks a bare invitee ID as no-show although its record cannot be read', async () => {
    const world = await createWorld({ env: env() });
    const id = lines['invitees no-show']!.split('/').at(-1)!;
    const { row } = operations.find(({ name }) => name === 'invitees no-show')!;
    const send = answeringWith(world, row, { status: 204 }, true);
    const { code, stdout, stderr } = await world.run(`invitees no-show ${id} -o json`, { send });
    expect([code, JSON.parse(stdout)]).toEqual([0, { _sched: { source: 'request' } }]);
    expect(stderr).toContain(`marked as no-show: ${id}`);
  });

  test('cancels many events with one request each', async () => {
    const world = await createWorld({ env: { ...env() }, home: temporaryDirectory('faults') });
    const { row } = operations.find(({ name }) => name === 'events cancel')!;
    const listed = await world.run('events list --status active --since tomorrow --limit 3 -o id');
    const send = answeringWith(world, row, bodies['201 with another object']!, false);
    const from = join(temporaryDirectory('faults'), 'events.txt');
    writeFileSync(from, listed.stdout);
    const { code, stdout, requests } = await world.run(`events cancel --from ${from} --yes --json`, { send });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { total: 3, accepted: 3, unknown: 0 }]);
    expect(requests.filter(matcher(row))).toHaveLength(3);
    expect(readFileSync(JSON.parse(stdout).receipt, 'utf8').match(/"status":201/g)).toHaveLength(3);
  });
});
