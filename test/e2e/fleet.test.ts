import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { clock } from '../../src/node/clock.ts';
import { openConnection, type RedisConnection } from '../../src/state/redis/redis-client.ts';
import { type RedisServer, redis, startRedis } from '../support/redis.ts';
import { closeLater } from '../support/temporary.ts';
import { few, isDeep, times } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { fleet, fleetBooking, fleetPages, fleetUser, slowProxy, startOn } from './fleet.ts';
import { sched, temporaryHome, testClock } from './program.ts';
import { smallService } from './small-service.ts';
import { createAuthority, withTls } from './tls.ts';

let service: Awaited<ReturnType<typeof smallService>> | undefined;
afterEach(() => service?.close());

const machines = times(2, 12);
const limit = times(1, 10);

const note = 'The rate budget is not shared with other machines right now';

describeWith(redis)('a fleet of machines', { timeout: 60_000 }, () => {
  let redis: RedisServer;
  let connection: RedisConnection;
  beforeAll(async () => {
    redis = await startRedis();
    connection = openConnection({ host: '127.0.0.1', port: redis.port, isTls: false, database: 0 }, clock);
    closeLater(connection.close);
  });
  beforeEach(async () => {
    await connection.command('FLUSHALL');
  });

  // R30
  const sendsWithinLimit = async (isShared: boolean) => {
    service = await smallService({ limit: { limit, windowMs: 60_000 } });
    const env = { ...service.env, ...fleetUser, ...(isShared ? { SCHED_SHARED_STATE: redis.url } : {}) };
    const results = await fleet(machines, [...fleetPages(1), '--no-wait'], env);
    expect(results.filter(({ code }) => code === 0)).toHaveLength(limit);
    expect(results.filter(({ code }) => code === 8)).toHaveLength(machines - limit);
    expect(service.seen.answered).toBe(limit);
    expect(results.some(({ stderr }) => stderr.includes(note))).toBe(false);
    if (isShared) expect(service.seen.refused).toBe(0);
    else expect(service.seen.refused).toBeGreaterThan(0);
  };
  const unwilling = `of ${machines} that must not wait, with clocks up to a day apart, at ${limit} requests a minute`;

  // R27
  const kills: [when: string, isMade: boolean, code: number][] = [
    ['after', true, 0],
    ['before', false, 10],
  ];
  // The second one waits for half a minute.
  test.each(isDeep ? kills : kills.slice(0, 1))(
    'killed %s the service booked, then retried on another machine: never booked twice',
    async (_, isMade, code) => {
      service = await smallService();
      const env = { ...service.env, SCHED_SHARED_STATE: redis.url };
      service.behave((commit) => isMade && commit());
      const arrived = service.nextPost();
      const { child, ended } = startOn(fleetBooking(), env, 43_200_000);
      await arrived;
      child.kill('SIGKILL');
      await ended;
      service.behave((commit, response) => response.writeHead(201).end(JSON.stringify({ resource: commit() })));
      const again = await startOn(fleetBooking(), env, -43_200_000).ended;
      expect(again.code).toBe(code);
      expect([service.seen.posts, service.bookings.length]).toEqual([1, isMade ? 1 : 0]);
    },
  );

  few(1, {
    // state/shared-budget.test.ts has it with Redis and without processes. The torture tests let twenty machines wait.
    [`${unwilling}: with shared state, it sends exactly ${limit}`]: () => sendsWithinLimit(true),
    // Shows that the machines would send more.
    ...(isDeep && { [`${unwilling}: without it, the service refuses some`]: () => sendsWithinLimit(false) }),
    // R27
    'that sends the same booking at once makes it once, and all wait for its reply': async () => {
      const { seen, bookings, behave, ...opened } = await smallService();
      service = { seen, bookings, behave, ...opened };
      let reply: () => void = () => {};
      behave((commit, response) => {
        reply = () => response.writeHead(201).end(JSON.stringify({ resource: commit() }));
      });
      const running = fleet(machines, fleetBooking(), { ...opened.env, SCHED_SHARED_STATE: redis.url });
      // Each of the others has found the open attempt, and no booking.
      await until(() => seen.lookUps >= machines - 1);
      reply();
      const said = (await running).map(({ code, stderr }) => `${code} ${/booked by another run|booked/.exec(stderr)}`);
      const others = Array.from({ length: machines - 1 }, () => '0 booked by another run');
      expect([seen.posts, bookings.length, said.toSorted()]).toEqual([1, 1, ['0 booked', ...others]]);
    },
    'finishes a listing while Redis stops, and uses Redis again when it is back': async () => {
      const own = await startRedis();
      service = await smallService({ limit: { limit: 20, windowMs: 60_000 } });
      const env = { ...service.env, ...fleetUser, SCHED_SHARED_STATE: own.url };
      const { child, ended } = startOn([...fleetPages(8).slice(0, -1), 'jsonl'], env);
      await new Promise((resolve) => child.stdout.once('data', resolve));
      await own.stop();
      const { code, stdout } = await ended;
      expect([code, stdout.trim().split('\n').length]).toEqual([0, 800]);
      const away = await sched(['users', 'me', '--json'], temporaryHome(), env);
      expect([away.code, away.stderr]).toEqual([0, expect.stringContaining('connection refused')]);
      await own.start();
      expect(await sched(['users', 'me'], temporaryHome(), env)).toMatchObject({ code: 0, stderr: '' });
    },
    'does not wait for a Redis that holds its replies back': async () => {
      const url = await slowProxy(redis.port, () => true);
      service = await smallService();
      // No reply ever comes, so these commands end because of their own time limit, which this clock lets pass at once.
      const env = { ...service.env, SCHED_SHARED_STATE: url, ...testClock().env };
      const booking = await sched(fleetBooking(), temporaryHome(), env);
      expect([booking.code, service.seen.posts]).toEqual([3, 0]);
      const allowed = await sched([...fleetBooking(), '--allow-duplicate'], temporaryHome(), env);
      expect([allowed.code, service.seen.posts]).toEqual([0, 1]);
      expect(allowed.stderr).toMatch(/not shared .* no reply within 2 s/);
    },
    'reaches Redis over TLS, if it trusts the certificate': async () => {
      const authority = createAuthority();
      const secure = await withTls(redis.port, authority.certify('DNS:localhost'));
      closeLater(secure.close);
      service = await smallService();
      const env = { ...service.env, SCHED_SHARED_STATE: `rediss://localhost:${secure.port}` };
      const trusting = { ...env, NODE_EXTRA_CA_CERTS: authority.file };
      const booked = await sched(fleetBooking(), temporaryHome(), trusting);
      expect([booked.code, booked.stderr]).toEqual([0, expect.not.stringContaining(note)]);
      expect(await connection.command('ZCARD', 'sched:1:{bookings}:starts')).toBe(1);
      const distrusting = await sched(['users', 'me'], temporaryHome(), env);
      expect([distrusting.code, distrusting.stderr]).toEqual([
        0,
        expect.stringMatching(/not shared .*certificate.*NODE_EXTRA_CA_CERTS/),
      ]);
    },
  });
  // cli/session/shared-state.test.ts shows it without processes, and budget.test.ts with processes on one machine.
  test.runIf(isDeep)('shows who waits on which machine', async () => {
    service = await smallService({ limit: { limit: 1, windowMs: 6000 } });
    const env = { ...service.env, SCHED_SHARED_STATE: redis.url };
    await sched(['users', 'me'], temporaryHome(), env);
    const { child, ended } = startOn(['users', 'me'], env, 3_600_000);
    await new Promise((resolve) => child.stderr.once('data', resolve));
    const [row] = JSON.parse((await sched(['ratelimit', '--json'], temporaryHome(), env)).stdout);
    expect(row.waiting).toMatchObject([{ pid: child.pid, host: expect.any(String) }]);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    const [after] = JSON.parse((await sched(['ratelimit', '--json'], temporaryHome(), env)).stdout);
    expect(after.waiting).toEqual([]);
  });
});
