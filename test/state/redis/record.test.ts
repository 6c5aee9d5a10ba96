import { beforeAll, expect, test } from 'vitest';
import { clock as realClock } from '../../../src/node/clock.ts';
import { changeRecord, readRecord } from '../../../src/state/redis/record.ts';
import { openConnection, type RedisConnection } from '../../../src/state/redis/redis-client.ts';
import { createServerClock } from '../../../src/state/redis/server-clock.ts';
import { redis, startRedis } from '../../support/redis.ts';
import { describeWith } from '../../support/tools.ts';

const clock = createServerClock(realClock);

describeWith(redis)('a record in Redis', () => {
  let connection: RedisConnection;
  beforeAll(async () => {
    const { port } = await startRedis();
    connection = openConnection({ host: '127.0.0.1', port, isTls: false, database: 0 }, realClock);
  });

  test('is changed by many machines at once, and no change is lost', async () => {
    const change = () =>
      changeRecord(connection, clock, 'counter', ({ text = '0' }) => {
        const value = Number(text) + 1;
        return { text: String(value), keptForMs: 60_000, value };
      });
    const values = await Promise.all(Array.from({ length: 30 }, change));
    expect(values.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect((await readRecord(connection, clock, 'counter')).text).toBe('30');
  });

  test('stays as it is if there is nothing to write', async () => {
    const unchanged = { text: undefined, keptForMs: 60_000, value: 'seen' };
    expect(await changeRecord(connection, clock, 'none', () => unchanged)).toBe('seen');
    expect((await readRecord(connection, clock, 'none')).text).toBeUndefined();
  });

  test('is kept beyond the year 9000, with its indexes', async () => {
    const keptForMs = 250_000_000_000_000;
    const indexes = { member: 'm', lowest: 0, scores: { 'the index': 7, 'another index': undefined } };
    await changeRecord(connection, clock, 'old', () => ({ text: 'x', keptForMs, indexes, value: undefined }));
    expect(Number(await connection.command('PTTL', 'the index'))).toBeGreaterThan(keptForMs - 60_000);
    expect(await connection.command('ZRANGE', 'the index', '0', '-1')).toEqual(['m']);
    expect(await connection.command('EXISTS', 'another index')).toBe(0);
  });

  test('gives up if other machines are always faster', async () => {
    const outrun: RedisConnection = {
      ...connection,
      run: async (...words) => {
        await connection.command('APPEND', 'busy', 'x');
        return connection.run(...words);
      },
    };
    const change = () => ({ text: 'mine', keptForMs: 60_000, value: undefined });
    await expect(changeRecord(outrun, clock, 'busy', change)).rejects.toThrow('too many machines');
  });

  test.each([[['x', '']], [[1, 2]], ['OK'], [null], [[1, 'text', 'what?']]])(
    'reports replies that are not those of Redis: %j',
    async (reply) => {
      const odd: RedisConnection = { ...connection, run: async () => reply };
      const change = () => ({ text: 'mine', keptForMs: 60_000, value: undefined });
      await expect(changeRecord(odd, clock, 'odd', change)).rejects.toThrow("aren't those of a Redis server");
    },
  );
});
