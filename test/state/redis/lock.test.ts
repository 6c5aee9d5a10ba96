import { beforeAll, beforeEach, expect, test } from 'vitest';
import { clock as realClock } from '../../../src/node/clock.ts';
import { type LockOptions, lockIn } from '../../../src/state/lock.ts';
import { redisOwners } from '../../../src/state/redis/lock.ts';
import { openConnection, type RedisConnection } from '../../../src/state/redis/redis-client.ts';
import { createServerClock } from '../../../src/state/redis/server-clock.ts';
import { machineIn, random } from '../../auth/support/memory.ts';
import { type RedisServer, redis, startRedis, withServerTime } from '../../support/redis.ts';
import { virtualClock } from '../../support/run.ts';
import { closeLater } from '../../support/temporary.ts';
import { describeWith } from '../../support/tools.ts';

// R66
describeWith(redis)('a lock in Redis', { timeout: 60_000 }, () => {
  let server: RedisServer;
  let connection: RedisConnection;
  const connect = () => {
    const opened = openConnection({ host: '127.0.0.1', port: server.port, isTls: false, database: 0 }, realClock);
    closeLater(() => opened.close());
    connection = opened;
  };
  beforeAll(async () => {
    server = await startRedis();
    connect();
  });

  let clock: ReturnType<typeof virtualClock>;
  beforeEach(async () => {
    clock = virtualClock();
    await connection.command('FLUSHALL');
  });

  /** The lock as a process of that machine sees it. The clock of the machine is wrong by `ahead`. */
  const lockOn = (host: string, more: Partial<LockOptions> = {}, ahead = 0) => {
    const own = { now: () => clock.now() + ahead, sleep: clock.sleep };
    const record = redisOwners(
      { connection: withServerTime(connection, clock), clock: createServerClock(own) },
      'account',
    );
    const machine = { ...machineIn('/nonexistent'), host };
    const interrupted = new AbortController().signal;
    const options = { name: 'account', machine, clock: own, randomBytes: random, interrupted, silentMs: 180_000 };
    return lockIn(record, { ...options, ...more });
  };
  const busy: LockOptions['busy'] = (_, __, machine) => new Error(String(machine)) as never;

  test('has one holder on all machines, whom the others name', async () => {
    const held = await lockOn('ci-1').acquire();
    await expect(lockOn('ci-2', { busy }).acquire()).rejects.toThrow('ci-1');
    await expect(lockOn('ci-1', { busy }).acquire()).rejects.toThrow('undefined');
    await held!.release();
    const next = await lockOn('ci-2', { busy }).acquire();
    expect([await held!.keep(), await next!.keep()]).toEqual([false, true]);
  });

  test('of a killed process is free at once on its machine, and elsewhere after three minutes of silence', async () => {
    const dead = { ...machineIn('/nonexistent'), host: 'ci-1', pid: 4_194_305 };
    await lockOn('ci-1', { machine: dead }).acquire();
    await expect(lockOn('ci-2', { busy, waitMs: 0 }).acquire()).rejects.toThrow('ci-1');
    const held = await lockOn('ci-1', { waitMs: 0 }).acquire();
    expect(await held!.keep()).toBe(true);
    await clock.sleep(181_000);
    // The server's clock counts.
    const next = await lockOn('ci-2', { waitMs: 0 }, -86_400_000).acquire();
    expect([await held!.keep(), await next!.keep()]).toEqual([false, true]);
  });

  test('is not taken from a holder that works, whatever the clocks of the machines say', async () => {
    const held = await lockOn('ci-1', {}, -86_400_000).acquire();
    for (let step = 0; step < 4; step += 1) {
      await clock.sleep(170_000);
      expect(await held!.keep()).toBe(true);
    }
    await expect(lockOn('ci-2', { busy, waitMs: 0 }, 86_400_000).acquire()).rejects.toThrow('ci-1');
  });

  test('is not taken from a copy of the same machine', async () => {
    const windows = { ...machineIn('/nonexistent'), platform: 'win32', isAlive: () => false };
    await lockOn('a', { machine: { ...windows, host: 'a' } }).acquire();
    const other = lockOn('b', { machine: { ...windows, host: 'b' }, busy, waitMs: 0 });
    await expect(other.acquire()).rejects.toThrow('a');
  });

  test('in a server that is gone is an error of the environment', async () => {
    const held = (await lockOn('ci-1').acquire())!;
    await server.stop();
    await expect(held.keep()).rejects.toMatchObject({ category: 'environment' });
    await expect(held.release()).resolves.toBeUndefined();
    await expect(lockOn('ci-2').acquire()).rejects.toMatchObject({
      category: 'environment',
      facts: { reason: expect.stringContaining('Redis at 127.0.0.1'), outcome: 'not-sent' },
    });
    await server.start();
    // The old connection leaves the server alone for a while.
    connect();
  });
});
