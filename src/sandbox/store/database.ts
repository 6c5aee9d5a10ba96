import { chmodSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onceEach } from '../../base/once.ts';
import { makeDirectory } from '../../node/make-directory.ts';
import { applicationId } from './migrations.ts';

export type SqlValue = string | number | null;

/** The parts of SQLite that the sandbox needs, with the same interface for both bindings. */
export interface Database {
  exec(sql: string): void;
  all<Row>(sql: string, ...params: SqlValue[]): Row[];
  /** The first row, or `undefined`. Faster than `all`. */
  first<Row>(sql: string, ...params: SqlValue[]): Row | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...params: SqlValue[]): number;
  /** All or nothing, with an exclusive write lock. If a nested transaction fails, only its part is undone. */
  transaction<Result>(work: () => Result): Result;
  /** Reads only, all of it from the same state of the data. Other processes can write meanwhile. */
  reading<Result>(work: () => Result): Result;
  /** Changes whenever the data may have changed, in this or another process. */
  version(): string;
  /** Changes whenever another process has written to the data. */
  foreignVersion(): number;
  /** Whether the file was empty when it was opened. */
  readonly isNew: boolean;
  /** Readers and writers don't wait for each other from now on. Call it once a new file has its content. */
  useLog(): void;
  /** May be called again. */
  close(): void;
}

interface Statement {
  all(...params: SqlValue[]): unknown[];
  get(...params: SqlValue[]): unknown;
  run(...params: SqlValue[]): { changes: number | bigint };
}

interface Binding {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): void;
}

interface LibsqlStatement {
  readonly reader: boolean;
  raw(): LibsqlStatement;
  columns(): Array<{ name: string }>;
  all(params: SqlValue[]): SqlValue[][];
  get(params: SqlValue[]): SqlValue[] | undefined;
  run(params: SqlValue[]): { changes: number };
}

/** Reads libsql rows as arrays, which is faster, and libsql adds a field of its own to objects. */
const withNames = (statement: LibsqlStatement): Statement => {
  const names = statement.reader ? Array.from(statement.raw().columns(), ({ name }) => name) : [];
  const named = (values: SqlValue[]) => {
    const row: Record<string, SqlValue> = {};
    for (let index = 0; index < names.length; index++) row[names[index]!] = values[index]!;
    return row;
  };
  return {
    all: (...params) => statement.all(params).map(named),
    get(...params) {
      const values = statement.get(params);
      return values && named(values);
    },
    run: (...params) => statement.run(params),
  };
};

export interface Unusable {
  /** What to do instead of a reset. */
  advice?: string;
  /** Whether the file may be anything, so that a reset would refuse to delete it. */
  isForeign?: boolean;
}

/** The error for a file that can't be used; `message` says why. */
export const unusable = (message: string, facts: Unusable = {}) =>
  Object.assign(new Error(message), { code: 'SANDBOX_FILE', ...facts });

/** Files that SQLite keeps beside the data. */
export const sideFiles = ['-wal', '-shm', '-journal'] as const;

/** What to do about a copy that lacks the changes in the write-ahead log. */
export const copyAdvice = 'stop the sandbox before you copy its file, or copy the file that ends in -wal too';

/** How long a writer waits for the transaction of another process. */
const busyMilliseconds = 5_000;

/**
 * The address with which libsql reads a file by itself. By default it reads through its encryption, which hides that a read
 * failed: a page that can't be read from the write-ahead log would be replaced by another one.
 */
const plainFile = (file: string): string => `${pathToFileURL(file)}?vfs=${sep === '/' ? 'unix' : 'win32'}`;

/** Codes of https://www.sqlite.org/rescode.html that are about the file, and not about a statement. */
const fileCodes: Record<string, number> = {
  ...{ PERM: 3, BUSY: 5, LOCKED: 6, READONLY: 8, IOERR: 10 },
  ...{ CORRUPT: 11, FULL: 13, CANTOPEN: 14, PROTOCOL: 15, NOTADB: 26 },
};

/** Whether SQLite can't use a file: its disk fails, it is damaged, or another process has it. */
export const isFileTrouble = (error: unknown): boolean => {
  // libsql has the name of a code, Node its number. Both are more exact than what is told apart here.
  const { code = '', errcode = 0 } = error as { code?: string; errcode?: number };
  const [, name = ''] = /^SQLITE_([A-Z]+)/.exec(code) ?? [];
  return name in fileCodes || Object.values(fileCodes).includes(errcode & 0xff);
};

/** Opens a file with libsql, whose failure is a text with a number in it. */
const openLibsql = <Opened>(Libsql: new (address: string) => Opened, address: string): Opened => {
  try {
    return new Libsql(address);
  } catch (error) {
    const [, number] = /: (\d+)"\)$/.exec((error as Error).message) ?? [];
    const message = Number(number) === fileCodes.IOERR ? 'disk I/O error' : 'unable to open database file';
    throw Object.assign(new Error(message, { cause: error }), { code: 'SQLITE_CANTOPEN' });
  }
};

const binding = async (): Promise<(file: string) => Binding> => {
  // In a variable, because the Node 20 types don't include this module.
  const builtIn: string = 'node:sqlite';
  try {
    const { DatabaseSync }: { DatabaseSync: new (file: string) => Binding } = await import(/* @vite-ignore */ builtIn);
    return (file) => new DatabaseSync(file);
  } catch {
    const { default: Libsql } = await import('libsql');
    return (file) => {
      const database = openLibsql(Libsql, file === ':memory:' ? file : plainFile(file));
      return {
        exec: (sql) => database.exec(sql),
        prepare: (sql) => withNames(database.prepare(sql) as unknown as LibsqlStatement),
        close: () => database.close(),
      };
    };
  }
};

/** Creates the file readable by its owner only. SQLite gives its side files the same mode. */
const createPrivately = (file: string) => {
  // The sandbox is a service, with a disk of its own.
  makeDirectory(dirname(file), 0o700, { existsSync, mkdirSync });
  closeSync(openSync(file, 'a', 0o600));
};

/** The file may have been created by another program, or copied without its mode. */
const makePrivate = (file: string) => {
  for (const path of ['', ...sideFiles].map((suffix) => `${file}${suffix}`)) {
    try {
      const stats = statSync(path);
      // A device such as /dev/null belongs to everybody.
      if (stats.isFile() && (stats.mode & 0o077) !== 0) chmodSync(path, 0o600);
    } catch {
      // A side file that doesn't exist, or a file of another user.
    }
  }
};

/** SQLite doesn't wait for the lock that turning on the write-ahead log needs, so an empty write waits for it. */
const useWriteAheadLog = (database: Binding) => {
  for (let attempt = 1; ; attempt++) {
    try {
      const [row] = database.prepare('PRAGMA journal_mode').all() as Array<{ journal_mode: string }>;
      if (row?.journal_mode === 'wal') return;
      // `all`, because this pragma returns a row.
      database.prepare('PRAGMA journal_mode = WAL').all();
      return;
    } catch (error) {
      if (attempt === 10 || !/locked|busy/i.test(String(error))) throw error;
      database.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
};

const isOurs = (database: Binding, ownId: number): boolean => {
  const [id] = database.prepare('PRAGMA application_id').all() as Array<{ application_id: number }>;
  return id?.application_id === ownId;
};

/**
 * Checked first, so that the file of another program stays untouched, its journal included. A new sandbox gets its content
 * in one transaction, so a file with anything else in it never becomes one.
 */
const refuseForeign = (database: Binding) => {
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_master LIMIT 1').all().length === 0;
  throw isEmpty
    ? unusable('The file is a database without content.', { advice: `if it is a copy of a sandbox, ${copyAdvice}` })
    : unusable('The file is not a sandbox database.', { isForeign: true });
};

const prepareFile = (database: Binding, file: string, ownId: number) => {
  const size = () => (file === ':memory:' ? 0 : statSync(file).size);
  const before = size();
  database.prepare(`PRAGMA busy_timeout = ${busyMilliseconds}`).all();
  const isKnown = isOurs(database, ownId);
  // The size is read again: opening the file undoes a transaction that was cut off, such as the first one.
  if (!isKnown && before > 0 && size() > 0) refuseForeign(database);
  if (file !== ':memory:') makePrivate(file);
  if (isKnown) useWriteAheadLog(database);
  // Safe if the program crashes; only a power cut can lose the last writes, which is fine for a sandbox. SQLite waits
  // for the disk when the log is full, and every request writes a page: 16 MiB are thousands of requests.
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
  database.prepare('PRAGMA wal_autocheckpoint = 4000').all();
  return !isKnown;
};

/** Offset of the application ID: https://www.sqlite.org/fileformat.html#the_database_header */
const applicationIdAt = 68;

/** Whether the file can be deleted without losing anything but a sandbox. True for a damaged sandbox too. */
export const isSandboxFile = async (file: string): Promise<boolean> => {
  const start = await readStart(file);
  if (start.length === 0) return true;
  const isDatabase = start.toString('latin1').startsWith('SQLite format 3\0');
  return isDatabase && start.length === 100 && start.readUInt32BE(applicationIdAt) === applicationId;
};

const readStart = async (file: string): Promise<Buffer> => {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(100), 0, 100, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
};

/**
 * Writes the whole file again, without what is left of deleted rows, and empties its log. Returns false if another process
 * reads the data as it was before.
 */
export const rewrite = (database: Pick<Database, 'exec' | 'all'>): boolean => {
  // It writes to the log itself, so the log comes after it.
  database.exec('VACUUM');
  const [row] = database.all<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
  return row?.busy === 0;
};

/** How a transaction begins, ends, and is undone. */
const writing = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'] as const;
const readingOnly = ['BEGIN', 'COMMIT', 'ROLLBACK'] as const;
const nested = ['SAVEPOINT inner', 'RELEASE inner', 'ROLLBACK TO inner; RELEASE inner'] as const;

/** `ownId` tells the files of one purpose from those of another. */
export const openDatabase = async (file: string, ownId = applicationId): Promise<Database> => {
  const openFile = await binding();
  const inMemory = file === ':memory:';
  if (!inMemory) createPrivately(file);
  const database = openFile(file);
  let isNew: boolean;
  try {
    isNew = prepareFile(database, file, ownId);
  } catch (error) {
    database.close();
    throw /not a database/i.test(String(error))
      ? unusable('The file is not a SQLite database.', { isForeign: true })
      : error;
  }

  const prepared = onceEach((sql: string): Statement => database.prepare(sql));
  let depth = 0;
  let isClosed = false;
  /** Counts what this process may have changed: each statement that can write, and each change that was undone. */
  let changes = 0;
  /** Other processes can't change what a transaction sees, so it is asked for once in each. */
  let foreign: number | undefined;

  const foreignVersion = (): number => {
    const version = foreign ?? (prepared('PRAGMA data_version').get() as { data_version: number }).data_version;
    if (depth > 0) foreign = version;
    return version;
  };

  const within = <Result>([begin, commit, rollback]: readonly [string, string, string], work: () => Result): Result => {
    database.exec(begin);
    depth += 1;
    try {
      const result = work();
      database.exec(commit);
      return result;
    } catch (error) {
      changes += 1;
      try {
        database.exec(rollback);
      } catch {
        // SQLite has already rolled back, for example on a full disk. Report the original error.
      }
      throw error;
    } finally {
      depth -= 1;
      if (depth === 0) foreign = undefined;
    }
  };

  return {
    isNew,
    useLog: () => inMemory || useWriteAheadLog(database),
    exec(sql) {
      changes += 1;
      database.exec(sql);
    },
    all: <Row>(sql: string, ...params: SqlValue[]) => prepared(sql).all(...params) as Row[],
    first: <Row>(sql: string, ...params: SqlValue[]) => prepared(sql).get(...params) as Row | undefined,
    run(sql, ...params) {
      changes += 1;
      return Number(prepared(sql).run(...params).changes);
    },
    transaction: (work) => within(depth === 0 ? writing : nested, work),
    reading: (work) => within(depth === 0 ? readingOnly : nested, work),
    version: () => `${foreignVersion()} ${changes}`,
    foreignVersion,
    close() {
      // node:sqlite throws if it is closed twice, libsql doesn't.
      if (isClosed) return;
      isClosed = true;
      database.close();
    },
  };
};
