import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/sandbox/store/database.ts';
import { openStore, type Store } from '../../../src/sandbox/store/store.ts';
import { closeLater, temporaryFile } from '../../support/temporary.ts';

const open = async (file: string): Promise<Store> => {
  const database = await openDatabase(file);
  const store = openStore(database);
  database.useLog();
  closeLater(() => store.close());
  return store;
};

/** Two processes with one file. */
const openBoth = async () => {
  const file = temporaryFile();
  return { one: await open(file), other: await open(file) };
};

/** Counts one request, as the rate limits do. */
const count = ({ counters }: Store, opened = 1) => {
  const before = counters.read('k');
  counters.add('k', { opened, used: before?.opened === opened ? before.used + 1 : 1 });
};

const stored = (store: Store) => store.first('SELECT opened, used FROM rate_windows');

/** After the second call, it is known that no other process has written since the first. */
const beAlone = ({ counters }: Store) => {
  counters.batch();
  counters.batch();
};

describe('counters of rate limits', () => {
  it('are written at once by a process that was just started', async () => {
    const { one, other } = await openBoth();
    one.counters.batch();
    count(one);
    expect(one.counters.isAlone()).toBe(false);
    expect(stored(other)).toEqual({ opened: 1, used: 1 });
  });

  it('are written together while no other process writes', async () => {
    const { one, other } = await openBoth();
    count(one);
    beAlone(one);
    count(one);
    count(one);
    expect(one.counters.read('k')).toEqual({ opened: 1, used: 3, added: 2 });
    expect(stored(other)).toEqual({ opened: 1, used: 1 });
    one.counters.batch();
    expect(stored(other)).toEqual({ opened: 1, used: 3 });
    expect(one.counters.isAlone()).toBe(true);
  });

  it('are added to those of another process, and written at once from then on', async () => {
    const { one, other } = await openBoth();
    beAlone(one);
    count(one);
    count(one);
    count(other);
    expect(one.counters.isAlone()).toBe(false);
    count(one);
    expect(stored(other)).toEqual({ opened: 1, used: 4 });
    count(other);
    count(one);
    expect(stored(other)).toEqual({ opened: 1, used: 6 });
  });

  it.each([
    [1, 2, { opened: 2, used: 1 }],
    [2, 1, { opened: 2, used: 2 }],
  ])('belong to the newer window: %i in the file, %i in memory', async (inFile, inMemory, expected) => {
    const { one, other } = await openBoth();
    beAlone(one);
    count(one, inMemory);
    count(other, inFile);
    one.counters.flush();
    expect(stored(other)).toEqual(expected);
  });

  it('stay in memory while another process has the data locked', async () => {
    const { one, other } = await openBoth();
    one.first('PRAGMA busy_timeout = 0');
    beAlone(one);
    count(one);
    other.transaction(() => one.counters.batch());
    expect(stored(one)).toBeUndefined();
    one.counters.batch();
    expect(stored(one)).toEqual({ opened: 1, used: 1 });
  });

  it('start again, in memory too', async () => {
    const { one } = await openBoth();
    beAlone(one);
    count(one);
    one.counters.clear();
    expect(one.counters.read('k')).toBeUndefined();
    one.counters.flush();
    expect(stored(one)).toBeUndefined();
  });
});
