import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/sandbox/store/database.ts';
import { openStore } from '../../../src/sandbox/store/store.ts';
import { closeLater, temporaryDirectory, temporaryFile } from '../../support/temporary.ts';
import { openWorld } from '../world.ts';

/** Two processes with one file. */
const openBoth = async () => {
  const file = temporaryFile();
  const database = await openDatabase(file);
  const one = openStore(database);
  database.useLog();
  one.setFact('a', 1);
  const other = openStore(await openDatabase(file));
  closeLater(() => one.close());
  closeLater(() => other.close());
  return { one, other };
};

describe('store', () => {
  it.each(['a b', '100%', 'a%20b', 'what?', 'a#b', 'a&vfs=none', 'ü', "it's"])(
    'is in a file of any name: %s',
    async (name) => {
      const folder = join(temporaryDirectory(), name);
      const store = openStore(await openDatabase(join(folder, `${name}.db`)));
      store.setFact('a', 1);
      store.close();
      expect(readdirSync(folder)).toEqual([`${name}.db`]);
    },
  );

  it('rolls back a transaction that throws', async () => {
    const store = openStore(await openDatabase(':memory:'));
    const failing = () =>
      store.transaction(() => {
        store.setFact('a', 1);
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(store.fact('a')).toBeUndefined();
    store.transaction(() => store.transaction(() => store.setFact('a', 2)));
    expect(store.fact('a')).toBe(2);
  });

  it('undoes only the nested transaction that throws', async () => {
    const store = openStore(await openDatabase(':memory:'));
    const fail = () => {
      store.setFact('b', 1);
      throw new Error('no');
    };
    store.transaction(() => {
      store.setFact('a', 1);
      expect(() => store.transaction(() => store.transaction(fail))).toThrow('no');
      store.transaction(() => store.setFact('c', 1));
    });
    expect([store.fact('a'), store.fact('b'), store.fact('c')]).toEqual([1, undefined, 1]);
  });

  it('reports a full disk as the cause of a failed transaction', async () => {
    const store = openStore(await openDatabase(':memory:'));
    const [pages] = Object.values(store.first<Record<string, number>>('PRAGMA page_count')!);
    store.first(`PRAGMA max_page_count = ${pages! + 2}`);
    expect(() => store.transaction(() => store.setFact('a', 'b'.repeat(100_000)))).toThrow('full');
    store.transaction(() => store.setFact('a', 1));
    expect(store.fact('a')).toBe(1);
  });

  it('reads from one state of the data while another process writes', async () => {
    const { one, other } = await openBoth();
    const seen = one.reading(() => {
      const before = one.fact('a');
      other.setFact('a', 2);
      return [before, one.fact('a')];
    });
    expect(seen).toEqual([1, 1]);
    expect(one.reading(() => one.fact('a'))).toBe(2);
  });

  it('recalls what was read until this or another process writes, or undoes what it wrote', async () => {
    const { one, other } = await openBoth();
    let reads = 0;
    const recalled = () => {
      const value = one.recall('a', () => {
        reads += 1;
        return one.fact('a');
      });
      return [value, reads];
    };
    expect([recalled(), recalled()]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    one.setFact('a', 2);
    expect(recalled()).toEqual([2, 2]);
    other.setFact('a', 3);
    expect(recalled()).toEqual([3, 3]);
    const undone = () =>
      one.transaction(() => {
        one.setFact('a', 4);
        throw new Error(JSON.stringify(recalled()));
      });
    expect(undone).toThrow('[4,4]');
    expect(recalled()).toEqual([3, 5]);
  });

  it('can be closed twice', async () => {
    const store = openStore(await openDatabase(':memory:'));
    store.close();
    expect(() => store.close()).not.toThrow();
    expect(() => store.fact('a')).toThrow();
  });

  it('returns rows with exactly their columns for either binding', async () => {
    const store = openStore(await openDatabase(':memory:'));
    const sql = 'SELECT ? AS one, ? AS other';
    expect(store.first(sql, 1, null)).toEqual({ one: 1, other: null });
    expect(store.all(sql, 'a', 'b')).toEqual([{ one: 'a', other: 'b' }]);
    expect(store.first('SELECT 1 WHERE 0')).toBeUndefined();
  });

  it('never returns the same ID twice, even to two handles', async () => {
    const file = temporaryFile('ids.db');
    const [one, two] = [openStore(await openDatabase(file)), openStore(await openDatabase(file))];
    const ids = Array.from({ length: 50 }, (_, turn) => {
      const store = turn % 2 ? one : two;
      return store.transaction(() => store.nextId('event'));
    });
    expect(new Set(ids).size).toBe(50);
    expect(ids.every((id) => /^[A-HJ-NP-Z2-9]{16}$/.test(id))).toBe(true);
  });

  it('keeps data after closing', async () => {
    const { file, store } = await openWorld();
    store.setFact('note', 'kept');
    store.close();
    expect(openStore(await openDatabase(file)).fact('note')).toBe('kept');
  });

  it('rejects a file of a newer version', async () => {
    const { file, store } = await openWorld();
    store.exec('PRAGMA user_version = 999');
    store.close();
    const database = await openDatabase(file);
    expect(() => openStore(database)).toThrow(/newer version of sched/);
  });

  it('rejects a file of another program and leaves it unchanged', async () => {
    const file = temporaryFile('foreign.db');
    const database = await openDatabase(file);
    database.exec('CREATE TABLE recipes (name)');
    database.close();
    const before = readFileSync(file);
    await expect(openDatabase(file)).rejects.toMatchObject({ code: 'SANDBOX_FILE', isForeign: true });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('rejects a file that is not a database', async () => {
    const file = temporaryFile('text.db');
    writeFileSync(file, 'Dear diary, '.repeat(500));
    await expect(openDatabase(file).then(openStore)).rejects.toThrow(expect.objectContaining({ code: 'SANDBOX_FILE' }));
  });
});
