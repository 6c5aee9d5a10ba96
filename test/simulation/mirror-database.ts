/*
 * Replaces the database of a mirror in a simulation: SQLite itself, in memory, one for each machine. Each transaction is a
 * step, before or after which a process can be killed, and which a full disk refuses. What a power cut does to the file
 * is tested with real files: test/sandbox/mirror/forget.test.ts.
 */
import { type Database, openDatabase as openReal, unusable } from '../../src/sandbox/store/database.ts';
import { type Host, hostNow } from './files.ts';
import type { Volume } from './volume.ts';

export { unusable };

const databases = new WeakMap<Volume, Database>();

/** Gives a machine a database. Opening one takes a while that no step has. */
export const placeDatabase = async (volume: Volume): Promise<Database> => {
  const database = await openReal(':memory:');
  database.exec('PRAGMA foreign_keys = OFF');
  databases.set(volume, database);
  return database;
};

/** Makes something a step that changes the disk. Its trouble is told as SQLite does. */
const stepping = (host: Host, file: string) => {
  let depth = 0;
  return <Value>(name: string, work: () => Value): Value => {
    if (depth > 0) return work();
    let hasBegun = false;
    try {
      return host.callNow({ name, path: file, isWrite: true }, () => {
        hasBegun = true;
        depth += 1;
        try {
          return work();
        } finally {
          depth -= 1;
        }
      });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (hasBegun || (code !== 'ENOSPC' && code !== 'EIO')) throw error;
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    }
  };
};

export const openDatabase = async (file: string, ownId: number): Promise<Database> => {
  const host = hostNow();
  const database = databases.get(host.volume)!;
  if (host.volume.find(file) === undefined) host.volume.place(file, 'SQLite format 3');
  const step = stepping(host, file);
  const { application_id: id } = database.first<{ application_id: number }>('PRAGMA application_id')!;
  return {
    ...database,
    isNew: id !== ownId,
    // Processes of a machine share the connection, so none of them may change how the others use it.
    exec: (sql) => (/^PRAGMA (foreign_keys|query_only)/.test(sql) ? undefined : step('exec', () => database.exec(sql))),
    run: (sql, ...params) => step('write', () => database.run(sql, ...params)),
    transaction: (work) => step('transaction', () => database.transaction(work)),
    useLog: () => {},
    close: () => {},
  };
};
