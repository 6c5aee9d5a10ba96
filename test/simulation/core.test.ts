import { describe, expect, test } from 'vitest';
import { clock } from '../../src/node/clock.ts';
import * as realFiles from '../../src/node/files.ts';
import { changeRecord, readRecord } from '../../src/state/redis/record.ts';
import { openConnection } from '../../src/state/redis/redis-client.ts';
import { createServerClock } from '../../src/state/redis/server-clock.ts';
import { redis, startRedis } from '../support/redis.ts';
import { closeLater } from '../support/temporary.ts';
import { describeWith } from '../support/tools.ts';
import { diceFor } from './dice.ts';
import * as files from './files.ts';
import { createRedis } from './redis.ts';
import { createScheduler } from './scheduler.ts';
import { createVolume } from './volume.ts';

test('the simulated disk has all functions of the real one', () => {
  const { setHost: _, hostNow: __, ...simulated } = files;
  expect(Object.keys(simulated).sort()).toEqual(Object.keys(realFiles).sort());
});

describe('the simulated disk', () => {
  const texts = (volume: ReturnType<typeof createVolume>) =>
    Object.fromEntries([...volume.files()].map(([path, data]) => [path, String(data)]));
  /** All states that power cuts leave of the same work. */
  const afterCuts = (work: (volume: ReturnType<typeof createVolume>) => void): string[] => {
    const states = new Set<string>();
    for (let seed = 0; seed < 200; seed += 1) {
      const volume = createVolume();
      volume.place('/a/old', 'old');
      work(volume);
      volume.cutPower(diceFor(seed, 'power'));
      states.add(JSON.stringify(texts(volume)));
    }
    return [...states].sort();
  };

  test('loses a name, or keeps a part of a file, if nothing was synced', () => {
    const states = afterCuts((volume) => {
      const file = volume.create('/a/new', 0o600, 0);
      file.data = Buffer.from('ab');
    });
    const only = { '/a/old': 'old' };
    const possible = [only, ...['', 'a', 'ab', '\0\0'].map((text) => ({ ...only, '/a/new': text }))];
    expect(states).toEqual(possible.map((state) => JSON.stringify(state)).sort());
  });

  test('keeps what was synced: the content of a file, and the names of a directory', () => {
    const states = afterCuts((volume) => {
      const file = volume.create('/a/draft', 0o600, 0);
      file.data = Buffer.from('ab');
      volume.sync(file);
      volume.rename('/a/draft', '/a/new');
      volume.sync(volume.need('/a', 'open'));
    });
    expect(states).toEqual([JSON.stringify({ '/a/old': 'old', '/a/new': 'ab' })]);
  });

  test('keeps the whole file, or what is left of it, if it was cut', () => {
    const states = afterCuts((volume) => {
      const file = volume.need('/a/old', 'open') as ReturnType<typeof volume.create>;
      file.data = file.data.subarray(0, 1);
    });
    expect(states).toEqual(['o', 'old'].map((text) => JSON.stringify({ '/a/old': text })));
  });

  test('keeps the old file or the new one if a rename was not synced', () => {
    const states = afterCuts((volume) => {
      const file = volume.create('/a/draft', 0o600, 0);
      file.data = Buffer.from('new');
      volume.sync(file);
      volume.sync(volume.need('/a', 'open'));
      volume.rename('/a/draft', '/a/old');
    });
    expect(states.map((state) => JSON.parse(state)['/a/old'])).toEqual(expect.arrayContaining(['new', 'old']));
    expect(states.every((state) => ['new', 'old'].includes(JSON.parse(state)['/a/old']))).toBe(true);
  });

  test('loses a new directory with all that is in it, unless its parent was synced', () => {
    const states = afterCuts((volume) => {
      volume.makeDirectory('/a/b', 0, true);
      const file = volume.create('/a/b/new', 0o600, 0);
      file.data = Buffer.from('ab');
      volume.sync(file);
      volume.sync(volume.need('/a/b', 'open'));
    });
    expect(states).toEqual(['{"/a/old":"old","/a/b/new":"ab"}', '{"/a/old":"old"}']);
  });
});

describe('the scheduler', () => {
  /** What happens, in order, if three sleepers wake at these times. */
  const orderFor = async (seed: number, ...times: number[]): Promise<{ woken: number[]; digest: string }> => {
    const scheduler = createScheduler(diceFor(seed, 'order'), 0);
    const woken: number[] = [];
    for (const time of times) void scheduler.sleep(time).then(() => woken.push(scheduler.time));
    await scheduler.run(100);
    return { woken, digest: scheduler.digest() };
  };

  test('lets time pass only if nothing else can happen', async () => {
    expect((await orderFor(1, 500, 20, 3000)).woken).toEqual([20, 500, 3000]);
  });

  test('does the same again with the same seed', async () => {
    expect(await orderFor(7, 5, 5, 5)).toEqual(await orderFor(7, 5, 5, 5));
  });

  test('stops at the first broken promise, and if there is no end', async () => {
    const scheduler = createScheduler(diceFor(1, 'order'), 0);
    const again = (): void => scheduler.add({ label: 'again', happen: again });
    again();
    await scheduler.run(10);
    expect(scheduler.violation).toBe('there is no end after 10 turns');
    const { steps } = scheduler;
    await scheduler.run(10);
    expect(scheduler.steps).toBe(steps);
  });
});

describeWith(redis)('the simulated Redis', () => {
  test('replies as a real one to all that sched asks of it', async () => {
    const server = await startRedis();
    const real = openConnection({ host: '127.0.0.1', port: server.port, isTls: false, database: 0 }, clock);
    closeLater(real.close);
    const model = createRedis();
    const simulated: typeof real = {
      place: 'simulated',
      run: async (...words) => model.run(...words, clock.now()),
      command: async (...words) => model.command(...(words as Parameters<typeof model.command>)),
      close: () => {},
    };
    const index = 'sched:1:{x}:starts';
    const replies = async (connection: typeof real): Promise<unknown[]> => {
      const time = createServerClock(clock);
      const seen: unknown[] = [];
      const write = (member: string, text: string, score: number | undefined, lowest = 0) =>
        changeRecord(connection, time, `sched:1:{x}:${member}`, ({ text: old }) => {
          seen.push(old);
          const indexes = { member, lowest, scores: { [index]: score } };
          return { text, keptForMs: 60_000, indexes, value: undefined };
        });
      const list = async (...range: [string, string]) =>
        seen.push(await connection.command('ZRANGEBYSCORE', index, ...range));
      await write('a', 'one', 5);
      await write('b', 'two', 3);
      await write('a', 'three', 7);
      await list('-inf', '+inf');
      await list('3', '(7');
      await write('b', 'four', undefined);
      await list('-inf', '+inf');
      await write('c', 'five', 9, 8);
      await list('-inf', '+inf');
      seen.push((await readRecord(connection, time, 'sched:1:{x}:a')).text);
      seen.push((await readRecord(connection, time, 'sched:1:{x}:none')).text);
      return seen;
    };
    expect(await replies(simulated)).toEqual(await replies(real));
  });
});
