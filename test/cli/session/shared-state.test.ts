import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/base/system.ts';
import { clock as realClock } from '../../../src/node/clock.ts';
import { openConnection, type RedisConnection } from '../../../src/state/redis/redis-client.ts';
import { addCanary } from '../../support/canary.ts';
import {
  bookedIn,
  bookingLine,
  breaking,
  type FaultName,
  faults,
  plainType,
  posts,
  untilProven,
} from '../../support/lost-replies.ts';
import { type RedisServer, redis, startRedis } from '../../support/redis.ts';
import type { TestWorld } from '../../support/run.ts';
import { createWorld, lastJson, outputs, someday, type WorldOptions } from '../../support/run.ts';
import { usedHome } from '../../support/seeded.ts';
import { closeLater, temporaryDirectory, temporaryFile } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';

/** The environment of another machine: nothing on its disk yet. */
const machine = (): Record<string, string> => {
  const home = temporaryDirectory('machine');
  const at = (name: string) => join(home, name);
  return { SCHED_STATE_DIR: at('state'), SCHED_CACHE_DIR: at('cache'), SCHED_CONFIG_DIR: at('config') };
};

let world: TestWorld;
let eventType: string;
const open = async (shared: string, more: WorldOptions = {}) => {
  world = await createWorld({ ...more, env: { SCHED_SHARED_STATE: shared, ...machine(), ...more.env } });
};
beforeAll(async () => {
  // All worlds begin with the same records.
  eventType = await plainType(await createWorld());
});
const booking = (index: number, more = '') => bookingLine(eventType, index, more);

/** A server that does this with each connection. */
const serverThat = async (behaves: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    behaves(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const away = 'The rate budget is not shared with other machines right now. Redis at 127.0.0.1:';

/** The promise for a Redis that can't be used: reads continue with a note, and nothing is booked. */
const expectAway = async (reason: string | RegExp): Promise<void> => {
  const read = await world.run('users me --json');
  expect(read.code).toBe(0);
  expect(read.stderr).toContain(away);
  expect(read.stderr).toMatch(reason);
  expect(read.stderr.split(away)).toHaveLength(2);
  const refused = await world.run(booking(0));
  expect([refused.code, posts(refused.requests)]).toEqual([3, 0]);
  expect(lastJson(refused.stderr).error).toMatchObject({
    message: "Can't use the booking ledger, so the booking was not sent",
    outcome: 'not-sent',
  });
  expect(lastJson(refused.stderr).error.cause).toMatch(reason);
  const allowed = await world.run(booking(0, '--allow-duplicate'));
  expect([allowed.code, posts(allowed.requests)]).toEqual([0, 1]);
  expect(allowed.stderr).toContain('Booking without the ledger: Redis at 127.0.0.1:');
};

/** Every time limit is over at once. */
const hasty: Clock = { now: Date.now, sleep: () => new Promise((resolve) => setImmediate(resolve)) };

describeWith(redis)('shared state', { timeout: 60_000 }, () => {
  let redis: RedisServer;
  let connection: RedisConnection;
  beforeAll(async () => {
    redis = await startRedis();
    connection = openConnection({ host: '127.0.0.1', port: redis.port, isTls: false, database: 0 }, realClock);
    closeLater(connection.close);
  });

  // R27
  describe('bookings on several machines', () => {
    beforeEach(async () => {
      await connection.command('FLUSHALL');
      await open(redis.url);
    });

    test('are known to each other', async () => {
      expect((await world.run(booking(0), { env: machine() })).code).toBe(0);
      for (const flag of ['', '--if-absent']) {
        const second = await world.run(booking(0, flag), { env: machine() });
        expect([second.code, posts(second.requests)]).toEqual([0, 0]);
        expect(second.stderr).toContain(`booked by another run (process ${process.pid} on test, Sat 11 Oct 20:00)`);
      }
    });

    test.each(sample(Object.keys(faults) as FaultName[], 1))(
      'are never made twice, whatever machine retries: %s',
      async (name) => {
        const clocks = [0, 86_400_000, -86_400_000];
        const lost = await world.run(booking(0), { send: breaking(world, faults[name]), env: machine() });
        const isMade = name.includes('after');
        expect(lost.code).toBe(isMade ? 0 : 10);
        for (const clockAheadMs of clocks) {
          const again = await world.run(booking(0), { env: machine(), clockAheadMs });
          expect([again.code, posts(again.requests)]).toEqual([isMade ? 0 : 10, 0]);
        }
        expect(await bookedIn(world, 0)).toBe(isMade ? 1 : 0);
        if (isMade) return;
        await untilProven(world, eventType);
        const last = await world.run(booking(0), { env: machine() });
        expect([last.code, posts(last.requests), await bookedIn(world, 0)]).toEqual([0, 1, 1]);
      },
    );

    test('are reconciled from any machine', async () => {
      await world.run(booking(0), { send: breaking(world, faults['500 before commit']), env: machine() });
      expect((await world.run('invitees reconcile --json', { env: machine() })).code).toBe(10);
      await untilProven(world, eventType);
      const { code, stdout } = await world.run('invitees reconcile --json', { env: machine() });
      expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ verdict: 'not-booked' }]]);
    });

    test('name the machine whose reply was lost', async () => {
      await world.run(booking(0), { send: breaking(world, faults['500 before commit']), env: machine() });
      const again = await world.run(booking(0), { env: machine() });
      expect(lastJson(again.stderr).error.cause).toContain(`process ${process.pid} on test sent this booking`);
    });

    test('leave nothing about them on disk, and no token or address in Redis', async () => {
      const env = machine();
      await world.run(booking(0), { env });
      expect(existsSync(env.SCHED_STATE_DIR!)).toBe(false);
      const keys = ((await connection.command('KEYS', '*')) as string[]).toSorted();
      expect(keys).toEqual([
        expect.stringMatching(/^sched:1:budget:\{bookings-[0-9a-f]{32}\}$/),
        expect.stringMatching(/^sched:1:budget:\{general-[0-9a-f]{32}\}$/),
        expect.stringMatching(/^sched:1:\{bookings\}:[0-9a-f]{64}$/),
        'sched:1:{bookings}:starts',
      ]);
      for (const key of keys) {
        expect(Number(await connection.command('TTL', key))).toBeGreaterThan(0);
        expect(String(await connection.command('DUMP', key))).not.toMatch(/engine\.example|sandbox_/);
      }
    });

    test('include those that a machine recorded in files before', async () => {
      const env = machine();
      const alone = { ...env, SCHED_SHARED_STATE: '' };
      await world.run(booking(0), { env: alone });
      await world.run(booking(1), { env: alone, send: breaking(world, faults['500 before commit']) });
      expect(posts((await world.run(booking(0), { env })).requests)).toBe(0);
      const lost = await world.run(booking(1), { env });
      expect([lost.code, posts(lost.requests)]).toEqual([10, 0]);
      expect(JSON.parse((await world.run('invitees reconcile --json', { env })).stdout)).toHaveLength(1);
      await untilProven(world, eventType);
      const checked = await world.run('invitees reconcile --json', { env });
      expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([0, [{ verdict: 'not-booked' }]]);
      expect(JSON.parse((await world.run('invitees reconcile --json', { env })).stdout)).toEqual([]);
      const made = await world.run(booking(1), { env });
      expect([made.code, posts(made.requests), await bookedIn(world, 1)]).toEqual([0, 1, 1]);
    });

    test('forget what a flushed Redis held, and nothing else breaks', async () => {
      await world.run(booking(0));
      await connection.command('FLUSHALL');
      const other = await world.run(booking(1), { env: machine() });
      expect([other.code, posts(other.requests)]).toEqual([0, 1]);
      // The service itself still refuses a second meeting at that time.
      expect((await world.run(booking(0), { env: machine() })).code).toBe(7);
    });
  });

  // R30
  describe('rate limits of several machines', () => {
    beforeEach(async () => {
      await connection.command('FLUSHALL');
      await open(redis.url, { plan: 'free' });
    });

    test('are shared: what one has used is gone for the others', async () => {
      await world.clock.sleep(61_000);
      for (let sent = 0; sent < 10; sent += 1)
        expect((await world.run('users me', { env: machine(), clockAheadMs: sent * 7_200_000 })).code).toBe(0);
      const next = await world.run('users me --no-wait', { env: machine() });
      expect([next.code, next.requests]).toEqual([8, []]);
      const shown = JSON.parse((await world.run('ratelimit --json', { env: machine() })).stdout);
      expect(shown).toMatchObject([{ window: 'requests a minute', limit: 10, remaining: 0, waiting: [] }]);
      expect(shown[0].reset_s).toBeLessThanOrEqual(61);
    });

    test('show who waits on another machine', async () => {
      await world.clock.sleep(61_000);
      // Whose events they are, and nine pages.
      await world.run('events list --limit 9 --page-size 1 --json', { env: machine() });
      const stop = new AbortController();
      let waits = () => {};
      const isWaiting = new Promise<void>((resolve) => {
        waits = resolve;
      });
      const sleep = (_: number, signal?: AbortSignal) => {
        waits();
        return new Promise<void>((__, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
      };
      const waiting = world.run('users me', {
        env: machine(),
        clock: { now: world.clock.now, sleep },
        interrupted: stop.signal,
      });
      await isWaiting;
      const [row] = JSON.parse((await world.run('ratelimit --json', { env: machine() })).stdout);
      expect(row.waiting).toMatchObject([{ pid: process.pid, host: 'test' }]);
      const table = await world.run('ratelimit -o table', { env: machine(), columns: 120, terminals: ['stdout'] });
      expect(table.stdout).toContain(`process ${process.pid} on test`);
      stop.abort(new Error('Interrupted'));
      await waiting;
      const [after] = JSON.parse((await world.run('ratelimit --json', { env: machine() })).stdout);
      expect(after.waiting).toEqual([]);
    });
  });

  describe('the address', () => {
    test('may be in a profile, which stores no password', async () => {
      const guarded = await startRedis(['--requirepass', 'a-long-canary-password']);
      addCanary('a-long-canary-password');
      await open('');
      const env = { ...machine(), SCHED_SHARED_STATE: '' };
      const at = `127.0.0.1:${guarded.port}`;
      await world.run('profiles add work --base-url http://127.0.0.1:4010', { env });
      const secret = await world.run(`profiles set shared_state redis://:a-long-canary-password@${at}`, { env });
      expect([secret.code, secret.stderr]).toEqual([2, expect.stringContaining('a profile stores no password')]);
      expect((await world.run(`profiles set shared_state redis://${at}`, { env })).code).toBe(0);
      expect(JSON.parse((await world.run('profiles export', { env })).stdout).shared_state).toBe(`redis://${at}`);
      const refused = await world.run('users me -p work', { env });
      expect([refused.code, refused.stderr]).toEqual([0, expect.stringContaining(`${at}: it needs a password`)]);
      const file = temporaryFile('password');
      writeFileSync(file, 'a-long-canary-password\n');
      const withFile = { ...env, SCHED_SHARED_STATE_PASSWORD_FILE: file };
      expect(await world.run('users me -p work', { env: withFile })).toMatchObject({ code: 0, stderr: '' });
      const missing = await world.run('users me -p work', {
        env: { ...withFile, SCHED_SHARED_STATE_PASSWORD_FILE: '/no' },
      });
      expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('SCHED_SHARED_STATE_PASSWORD_FILE')]);
    });

    const wrong: [url: string, words: string][] = [
      ['http://127.0.0.1', 'it must be a URL such as rediss://redis.example.com:6379'],
      ['redis.example.com:6379', 'it must be a URL such as'],
      ['redis://', 'it has no host name'],
      ['redis://h/zero', 'its path must be the number of a database'],
      ['redis://h/0?x=1', 'it must not have a query'],
      ['redis://a:%zz-canary-password@h', 'its user or password is not percent-encoded correctly'],
    ];
    test('is refused in words', async () => {
      await open('');
      addCanary('zz-canary-password');
      for (const [url, words] of wrong) {
        const { code, stderr, requests } = await world.run('users me', { env: { SCHED_SHARED_STATE: url } });
        expect([url, code, requests]).toEqual([url, 2, []]);
        expect(stderr).toContain(`SCHED_SHARED_STATE can't be used: ${words}`);
      }
    });

    test('is not used by --sandbox, which ends with the command', async () => {
      await open('redis://127.0.0.1:1');
      const { code, stderr } = await world.run('--sandbox events list --limit 1', {
        home: await usedHome(someday),
        env: { SCHED_STATE_DIR: '' },
      });
      expect([code, stderr]).toEqual([0, '[sandbox]\n']);
    });

    test('needs only the rights that docs/fleet.md names', async () => {
      const page = readFileSync(new URL('../../../docs/fleet.md', import.meta.url), 'utf8');
      const rights = /^ACL SETUSER sched on >PASSWORD (.+)$/m.exec(page)![1]!.split(' ');
      const guarded = await startRedis(['--requirepass', 'a-long-canary-password']);
      const root = openConnection(
        { host: '127.0.0.1', port: guarded.port, isTls: false, database: 0, password: 'a-long-canary-password' },
        realClock,
      );
      await root.command('ACL', 'SETUSER', 'sched', 'on', '>another-canary-password', ...rights);
      root.close();
      await open(`redis://sched:another-canary-password@127.0.0.1:${guarded.port}/1`);
      const booked = await world.run(booking(0));
      expect([booked.code, booked.stderr]).toEqual([0, expect.not.stringContaining('not shared')]);
      expect(posts((await world.run(booking(0), { env: machine() })).requests)).toBe(0);
      expect((await world.run('doctor --json')).stdout).toContain('stored: 2 rate budgets, 1 booking"');
    });

    test('with a password warns if it crosses a network without encryption', async () => {
      await open('');
      const url = 'redis://me:a-long-canary-password@redis.invalid';
      const { code, stderr } = await world.run('users me', { env: { SCHED_SHARED_STATE: url } });
      expect(code).toBe(0);
      expect(stderr).toContain(
        'The password for redis://me:…@redis.invalid:6379/0 is sent without encryption. Use rediss:// instead',
      );
    });
  });

  // R27, R30
  describe('a Redis that cannot be used', () => {
    test('because it is stopped', async () => {
      const stopped = await startRedis();
      await stopped.stop();
      await open(stopped.url);
      await expectAway(/connection refused/);
    });

    test('because it refuses the password', async () => {
      const guarded = await startRedis(['--requirepass', 'a-long-canary-password']);
      addCanary('another-canary-password');
      await open(guarded.url.replace('//', '//:another-canary-password@'));
      await expectAway(/it refuses the user or the password/);
    });

    test('because it is out of memory', async () => {
      const full = await startRedis(['--maxmemory', '1', '--maxmemory-policy', 'noeviction']);
      await open(full.url);
      await expectAway(/it is out of memory/);
    });

    const silent: [what: string, behaves: (socket: Socket) => void][] = [
      ['never replies', () => {}],
      ['sends a long text', (socket) => socket.on('data', () => socket.write('$99\r\nabc'))],
    ];
    test.each(sample(silent, 1))('because the server %s', async (_, behaves) => {
      await open(await serverThat(behaves), { redisClock: hasty });
      await expectAway(/no reply within 2 s/);
    });

    const odd: [what: string, behaves: (socket: Socket) => void, reason: RegExp][] = [
      ['closes the connection', (socket) => socket.end(), /the connection was closed/],
      ['speaks HTTP', (socket) => socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')), /replies/],
      ['greets first', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'), /replies|closed/],
      ['sends numbers', (socket) => socket.on('data', () => socket.write(':1\r\n:2\r\n:3\r\n')), /replies/],
      ['sends nothing but nil', (socket) => socket.on('data', () => socket.write('*-1\r\n')), /replies/],
    ];
    test.each(sample(odd, 1))('because the server %s', async (_, behaves, reason) => {
      await open(await serverThat(behaves));
      await expectAway(reason);
    });
  });

  // R12
  test('a reply that repeats a short password is not printed', async () => {
    const reply = '-ERR unknown command `AUTH`, with args beginning with: `s3cr3t1`\r\n';
    const url = await serverThat((socket) => socket.on('data', () => socket.write(reply)));
    await open(url.replace('//', '//:s3cr3t1@'));
    for (const line of ['users me', 'doctor', booking(0)]) {
      const { stdout, stderr } = await world.run(line);
      expect(stdout + stderr).toContain("it doesn't know a command that sched needs");
      expect(stdout + stderr).not.toContain('s3cr3t1');
    }
  });

  test('text from a server never reaches a terminal raw', async () => {
    await open(await serverThat((socket) => socket.on('data', () => socket.write('-\u001b[31mBAD \u009b2Jthing\r\n'))));
    const read = await world.run('users me', { terminals: outputs });
    const refused = await world.run(booking(0).replace('--json', ''), { terminals: outputs });
    for (const { stderr } of [read, refused]) {
      expect(stderr).toContain('BAD');
      expect(stderr).not.toMatch(/[\u001b\u009b]/);
    }
  });

  describe('doctor', () => {
    test('reports the server and what is stored there', async () => {
      await connection.command('FLUSHALL');
      await open(redis.url);
      await world.run(booking(0), { send: breaking(world, faults['500 before commit']) });
      await world.run(booking(1));
      const { stdout } = await world.run('doctor --json', { clockAheadMs: -3_600_000 });
      const found = JSON.parse(stdout).filter(({ check }: { check: string }) => check === 'shared state');
      expect(found).toEqual([
        {
          check: 'shared state',
          status: 'ok',
          finding: expect.stringMatching(
            /^redis:\/\/127\.0\.0\.1:\d+\/0: (Redis|Valkey) \d+\.\S+; replies in less than 1 ms; its clock is 3,600 seconds ahead of this machine's; stored: 2 rate budgets, 2 bookings \(1 with an unknown outcome\)$/,
          ),
          fix: null,
        },
        {
          check: 'shared state',
          status: 'note',
          finding: 'if Redis restarts, the latest bookings are forgotten',
          fix: 'set appendonly to yes',
        },
      ]);
    });

    test('warns of a server that removes bookings early', async () => {
      const small = await startRedis([
        '--maxmemory',
        '50mb',
        '--maxmemory-policy',
        'allkeys-lru',
        '--appendonly',
        'yes',
      ]);
      await open(small.url);
      const { code, stdout } = await world.run('doctor --json');
      expect(code).toBe(3);
      expect(JSON.parse(stdout)).toContainEqual(
        expect.objectContaining({
          status: 'problem',
          finding: 'its maxmemory-policy allkeys-lru may remove bookings too early, so that they are made twice',
        }),
      );
    });

    test('reports a server that cannot be used', async () => {
      await open('redis://127.0.0.1:1');
      const { code, stdout } = await world.run('doctor --json');
      expect(code).toBe(3);
      expect(JSON.parse(stdout)).toContainEqual({
        check: 'shared state',
        status: 'problem',
        finding: 'Redis at 127.0.0.1:1: connection refused',
        fix: 'check SCHED_SHARED_STATE and the server',
      });
    });
  });
});
