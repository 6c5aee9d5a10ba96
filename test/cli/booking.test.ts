import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';
import { createWorld } from '../support/run.ts';

type World = Awaited<ReturnType<typeof createWorld>>;
type Fault = (request: HttpRequest, service: Send) => Promise<HttpReply>;

const lost = () => new NetworkFailure('127.0.0.1:4010', 'the connection was reset', true);
const isBooking = ({ method, url }: HttpRequest) => method === 'POST' && new URL(url).pathname === '/invitees';

/** Breaks so many bookings, all of them unless told. */
const breaking = (world: World, fault: Fault, times = Number.POSITIVE_INFINITY): Send => {
  let left = times;
  return async (request) => (isBooking(request) && left-- > 0 ? fault(request, world.service) : world.service(request));
};

const faults = {
  'reset after commit': async (request: HttpRequest, service: Send) => {
    await service(request);
    throw lost();
  },
  '500 after commit': async (request: HttpRequest, service: Send) => ({
    ...(await service(request)),
    status: 500,
    body: '<h1>Oops',
  }),
  'truncated 200 after commit': async (request: HttpRequest, service: Send) => {
    const reply = await service(request);
    return { ...reply, body: reply.body.slice(0, reply.body.length / 2) };
  },
  'a 200 of another shape after commit': async (request: HttpRequest, service: Send) => ({
    ...(await service(request)),
    body: '{}',
  }),
  'timeout after commit': async (request: HttpRequest, service: Send) => {
    await service(request);
    throw new NetworkFailure('127.0.0.1:4010', 'no complete reply within 30 s', true);
  },
  'reset before commit': async () => {
    throw lost();
  },
  '500 before commit': async () => ({ status: 500, headers: {}, body: '' }),
  'timeout before commit': async () => {
    throw new NetworkFailure('127.0.0.1:4010', 'no complete reply within 30 s', true);
  },
} satisfies Record<string, Fault>;

let world: World;
let state: string;
let eventType: string;

interface Type {
  uri: string;
  kind: string;
  pooling_type: string | null;
  custom_questions: { required: boolean }[];
}

const typesOf = async (some: World): Promise<Type[]> =>
  JSON.parse((await some.run('event-types list --active --json')).stdout);
const isPlain = ({ kind, pooling_type, custom_questions }: Type) =>
  kind === 'solo' && pooling_type === null && custom_questions.every(({ required }) => !required);

beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), 'sched-booking-'));
  world = await createWorld({ env: { SCHED_STATE_DIR: state, SCHED_CACHE_DIR: state } });
  eventType = (await typesOf(world)).find(isPlain)!.uri;
});

const monday = Date.parse('2027-02-01T10:00:00Z');
const halfHours = [0, 1, 6, 7, 8];
/** Open half hours of working days, one after another. */
const slot = (index: number): string => {
  const day = Math.floor(index / 5);
  const days = Math.floor(day / 5) * 7 + (day % 5);
  return new Date(monday + days * 86_400_000 + halfHours[index % 5]! * 1_800_000).toISOString();
};

const booking = (index: number, more = '', type = eventType) =>
  `invitees create --event-type ${type} --start ${slot(index)} --email ada@engine.example --name "Ada Byron" --timezone Europe/Paris --json ${more}`;

/** Active bookings at a time, as the service itself says. */
const bookedAt = async (index: number): Promise<number> => {
  const start = slot(index);
  const until = new Date(Date.parse(start) + 60_000).toISOString();
  const listed = await world.run(
    `events list --org current --status active --since ${start} --until ${until} --json=invitees_counter`,
  );
  return JSON.parse(listed.stdout).reduce(
    (sum: number, event: { invitees_counter: { active: number } }) => sum + event.invitees_counter.active,
    0,
  );
};

const posts = (requests: HttpRequest[]) => requests.filter(isBooking).length;
const lastJson = (text: string) => JSON.parse(text.trim().split('\n').at(-1)!);

// R27
describe('booking: an answer that is lost', () => {
  test.each(Object.entries(faults))(
    '%s, 200 times: never booked twice, and every verdict right',
    async (name, fault) => {
      const isDone = name.includes('after');
      const send = breaking(world, fault);
      let requests = 0;
      for (let index = 0; index < 200; index += 1) {
        const result = await world.run(booking(index), { send });
        requests += posts(result.requests);
        expect([index, result.code]).toEqual([index, isDone ? 0 : 10]);
        if (isDone) expect(JSON.parse(result.stdout)).toMatchObject({ _sched: { reconciled: true }, status: 'active' });
        else expect(lastJson(result.stderr).error).toMatchObject({ outcome: 'unknown', retryable: false });
      }
      expect(requests).toBe(200);
      for (let index = 0; index < 200; index += 1)
        expect([index, await bookedAt(index)]).toEqual([index, isDone ? 1 : 0]);
    },
    120_000,
  );

  test('names the command that looks again, and it settles what is open', async () => {
    const failed = await world.run(booking(0), { send: breaking(world, faults['reset before commit']) });
    expect(lastJson(failed.stderr).error).toMatchObject({
      code: 'outcome-unknown',
      hint: 'sched invitees reconcile',
      retry_after_s: 148,
    });
    const early = await world.run('invitees reconcile --json');
    expect(early.code).toBe(10);
    expect(JSON.parse(early.stdout)).toMatchObject([{ verdict: 'unknown', event_type: eventType }]);
    await world.clock.sleep(151_000);
    const late = await world.run('invitees reconcile --json');
    expect(late.code).toBe(0);
    expect(JSON.parse(late.stdout)).toMatchObject([{ verdict: 'not-booked' }]);
    const again = await world.run('invitees reconcile --json');
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, []]);
    expect((await world.run('invitees reconcile', { terminals: ['stderr'] })).stderr).toContain('no booking');
  });

  test('run again: looks first, and books only when finding nothing proves something', async () => {
    const send = breaking(world, faults['500 before commit'], 1);
    expect((await world.run(booking(0), { send })).code).toBe(10);
    const soon = await world.run(booking(0), { send });
    expect([soon.code, posts(soon.requests)]).toEqual([10, 0]);
    await world.clock.sleep(140_000);
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await world.clock.sleep(11_000);
    const late = await world.run(booking(0), { send });
    expect([late.code, posts(late.requests)]).toEqual([0, 1]);
    expect(await bookedAt(0)).toBe(1);
  });

  test('run again after a booking that came late: found, and not made again', async () => {
    let pending: HttpRequest | undefined;
    const send: Send = async (request) => {
      if (!isBooking(request)) return world.service(request);
      pending = request;
      throw lost();
    };
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await world.service(pending!);
    const again = await world.run(booking(0), { send });
    expect([again.code, posts(again.requests)]).toEqual([0, 0]);
    expect(JSON.parse(again.stdout)._sched).toEqual({ reconciled: true });
    expect(await bookedAt(0)).toBe(1);
  });

  test('is not asked for again by a waiting process: the time counts from when it left', async () => {
    // The first one is told to wait, and its request leaves a minute after it was written down.
    let refusals = 1;
    const send = breaking(world, async (request) => {
      if (refusals-- > 0) return { status: 429, headers: { 'retry-after': '80' }, body: '' };
      throw new NetworkFailure('127.0.0.1:4010', `reset ${request.url}`, true);
    });
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await world.clock.sleep(100_000);
    expect((await world.run(booking(0))).code).toBe(10);
  });

  test('whose look-up fails too is unknown', async () => {
    const send: Send = async (request) => {
      if (isBooking(request)) return faults['reset after commit'](request, world.service);
      if (request.url.includes('/scheduled_events')) throw lost();
      return world.service(request);
    };
    const { code, requests } = await world.run(booking(0), { send });
    expect([code, posts(requests)]).toEqual([10, 1]);
    const again = await world.run(booking(0));
    expect([again.code, posts(again.requests), await bookedAt(0)]).toEqual([0, 0, 1]);
  });

  test('a token that does not see every host never takes finding nothing for a proof', async () => {
    const shared = (await typesOf(world)).find(({ pooling_type }) => pooling_type === 'round_robin')!.uri;
    const env = { SCHED_TOKEN: 'sandbox_user' };
    const send = breaking(world, faults['500 before commit'], 1);
    const line = booking(0, '', shared);
    const first = await world.run(line, { send, env });
    expect(first.code).toBe(10);
    expect(first.stderr).toContain('does not show the events of every host');
    await world.clock.sleep(3_600_000);
    const later = await world.run(line, { send, env });
    expect([later.code, posts(later.requests)]).toEqual([10, 0]);
    expect((await world.run('invitees reconcile', { env })).code).toBe(10);
    const meant = await world.run(`${line} --allow-duplicate`, { send, env });
    expect(posts(meant.requests)).toBe(1);
  });
});

describe('booking: the same again', () => {
  test('is refused while it stands, and read before it is refused', async () => {
    const { uri, event } = JSON.parse((await world.run(booking(0))).stdout);
    const second = await world.run(booking(0));
    expect([second.code, posts(second.requests)]).toEqual([7, 0]);
    expect(second.stderr).toContain(uri);
    await world.run(`events cancel ${event} --yes`);
    const third = await world.run(booking(0));
    expect([third.code, posts(third.requests)]).toEqual([0, 1]);
  });

  test('is the same whatever the spelling of address and time', async () => {
    await world.run(booking(0));
    const same = booking(0)
      .replace('ada@engine.example', 'Ada@Engine.Example')
      .replace(slot(0), '2027-02-01T11:00:00+01:00');
    expect(posts((await world.run(same)).requests)).toBe(0);
    expect(posts((await world.run(booking(1))).requests)).toBe(1);
  });

  test('goes to the service with --allow-duplicate', async () => {
    await world.run(booking(0));
    const { code, requests } = await world.run(booking(0, '--allow-duplicate'));
    expect([code, posts(requests)]).toEqual([7, 1]);
  });

  test('with --if-absent takes what is there, whoever booked it', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'sched-booking-'));
    const { uri } = JSON.parse((await world.run(booking(0), { env: { SCHED_STATE_DIR: elsewhere } })).stdout);
    for (let run = 0; run < 3; run += 1) {
      const { code, stdout, requests } = await world.run(booking(0, '--if-absent'));
      expect([code, posts(requests)]).toEqual([0, 0]);
      expect(JSON.parse(stdout)).toMatchObject({ uri, _sched: { existing: true } });
    }
    const fresh = await world.run(booking(1, '--if-absent'));
    expect([fresh.code, posts(fresh.requests)]).toEqual([0, 1]);
    expect(JSON.parse(fresh.stdout)).not.toHaveProperty('_sched');
    const own = await world.run(booking(1, '--if-absent'));
    expect(JSON.parse(own.stdout)._sched).toEqual({ existing: true });
  });

  test('a definite refusal is forgotten', async () => {
    const send = breaking(world, async () => ({ status: 409, headers: {}, body: '{}' }), 1);
    expect((await world.run(booking(0), { send })).code).toBe(7);
    const second = await world.run(booking(0), { send });
    expect([second.code, posts(second.requests)]).toEqual([0, 1]);
  });
});

describe('booking: what is on disk', () => {
  const files = () => readdirSync(join(state, 'bookings')).map((file) => join(state, 'bookings', file));

  test('is there before the request leaves, for its owner alone, and without the address', async () => {
    let seen: string[] = [];
    const send: Send = async (request) => {
      if (isBooking(request)) seen = files().map((file) => readFileSync(file, 'utf8'));
      return world.service(request);
    };
    await world.run(booking(0), { send });
    expect(seen).toHaveLength(1);
    expect(JSON.parse(seen[0]!)).toMatchObject({ state: 'open', event_type: eventType });
    for (const file of files()) {
      expect(statSync(file).mode & 0o077).toBe(0);
      expect(readFileSync(file, 'utf8')).not.toMatch(/ada|engine/i);
    }
    expect(JSON.parse(readFileSync(files()[0]!, 'utf8'))).toMatchObject({ state: 'booked' });
  });

  test('lapses when the start has passed', async () => {
    await world.run(booking(0), { send: breaking(world, faults['reset before commit']) });
    expect(files()).toHaveLength(1);
    await world.clock.sleep(monday - world.clock.now() + 1);
    expect((await world.run('invitees reconcile')).code).toBe(0);
    expect(files()).toHaveLength(0);
  });

  test('stops a booking when it cannot be written', async () => {
    const file = join(state, 'file');
    writeFileSync(file, '');
    const { code, requests } = await world.run(booking(0), { env: { SCHED_STATE_DIR: file } });
    expect([code, posts(requests)]).toEqual([3, 0]);
  });

  test('that is damaged stops the same booking', async () => {
    await world.run(booking(0), { send: breaking(world, faults['reset before commit']) });
    for (const file of files()) writeFileSync(file, '{"ver');
    const { code, requests } = await world.run(booking(0));
    expect([code, posts(requests)]).toEqual([3, 0]);
  });

  test('two processes at once: one asks the service', async () => {
    const results = await Promise.all([world.run(booking(0)), world.run(booking(0)), world.run(booking(0))]);
    expect(results.reduce((sum, { requests }) => sum + posts(requests), 0)).toBe(1);
    expect(results.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(await bookedAt(0)).toBe(1);
  });

  test('is no condition where there is no home', async () => {
    const none = await createWorld();
    const type = (await typesOf(none)).find(isPlain)!.uri;
    const { code, stderr } = await none.run(booking(0, '-v', type));
    expect(code).toBe(0);
    expect(stderr).toContain('not remembered');
    const failed = await none.run(booking(1, '', type), { send: breaking(none, faults['reset before commit']) });
    expect(failed.code).toBe(10);
    expect(failed.stderr).toContain('--if-absent');
  });
});
