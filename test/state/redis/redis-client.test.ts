import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { clock as realClock } from '../../../src/node/clock.ts';
import { openConnection, type RedisConnection, RedisTrouble } from '../../../src/state/redis/redis-client.ts';
import { redis, startRedis } from '../../support/redis.ts';
import { describeWith } from '../../support/tools.ts';

const at = (port: number) => ({ host: '127.0.0.1', port, isTls: false, database: 0 });

let connection: RedisConnection | undefined;
afterEach(() => connection?.close());

describeWith(redis)('connection to Redis', () => {
  test('runs a script that the server has forgotten', async () => {
    const { port } = await startRedis();
    connection = openConnection(at(port), realClock);
    const run = () => connection!.run('return { KEYS[1], ARGV[1] }', ['key'], ['word']);
    expect(await run()).toEqual(['key', 'word']);
    await connection.command('SCRIPT', 'FLUSH');
    expect(await run()).toEqual(['key', 'word']);
  });

  test('is made again after the server restarted', async () => {
    const redis = await startRedis();
    connection = openConnection(at(redis.port), realClock);
    expect(await connection.command('PING')).toBe('PONG');
    await redis.stop();
    await redis.start();
    // The lost connection may show only now.
    const pong = await connection.command('PING').catch(() => connection!.command('PING'));
    expect(pong).toBe('PONG');
  });

  test('reports a refused command and stays open', async () => {
    const { port } = await startRedis();
    connection = openConnection(at(port), realClock);
    await connection.command('SET', 'text', 'x');
    await expect(connection.command('INCR', 'text')).rejects.toBeInstanceOf(RedisTrouble);
    expect(await connection.command('GET', 'text')).toBe('x');
  });
});

describe('connection to a server that never replies', () => {
  test('is tried once in 30 seconds', async () => {
    let connections = 0;
    let pass = () => {};
    const server: Server = createServer((socket) => {
      connections += 1;
      // The time limit passes as soon as the command has arrived.
      socket.on('error', () => {}).on('data', () => pass());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    let now = 1e12;
    const limits: number[] = [];
    const sleep = (milliseconds: number) => {
      limits.push(milliseconds);
      return new Promise<void>((resolve) => {
        if (milliseconds < 1000) resolve();
        else pass = resolve;
      });
    };
    const { port } = server.address() as AddressInfo;
    connection = openConnection(at(port), { now: () => now, sleep });
    const attempt = () => connection!.command('PING').catch((error: Error) => error.message);
    const trouble = `Redis at 127.0.0.1:${port}: no reply within 2 s`;
    expect([await attempt(), await attempt(), connections]).toEqual([trouble, trouble, 1]);
    now += 30_000;
    expect([await attempt(), connections]).toEqual([trouble, 2]);
    // Two commands without a reply: 2 seconds to connect, and 2 seconds for the reply.
    expect(limits).toEqual([1900, 1900, 100, 1900, 1900, 100]);
    server.close();
  });
});
