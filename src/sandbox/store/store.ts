import { type Counters, openCounters } from './counters.ts';
import { type Database, type SqlValue, unusable } from './database.ts';
import { applicationId, migrations, type recordTables } from './migrations.ts';
import { makeId } from './names.ts';

type Table = (typeof recordTables)[number];

declare const holds: unique symbol;

/** A record as JSON text. Returned as stored: parsing and serializing it would cost more than the query. */
export type Text<Doc> = string & { readonly [holds]?: Doc };

export interface Store extends Database {
  get<Doc>(table: Table, id: string): Doc | undefined;
  /** The record as stored JSON, or `undefined`. */
  text<Doc>(table: Table, id: string): Text<Doc> | undefined;
  /** Adds a row. `or` says what happens if there is one with its key. By default, that is an error. */
  add(table: string, row: Record<string, SqlValue>, or?: 'IGNORE' | 'REPLACE'): void;
  /** Adds a record; `columns` are stored beside it. */
  insert(table: Table, id: string, doc: object, columns?: Record<string, SqlValue>): void;
  update(table: Table, id: string, doc: object): void;
  /** A new ID. Call it inside a transaction, which makes it unique across processes. */
  nextId(kind: string, counter?: string): string;
  fact(key: string): SqlValue | undefined;
  setFact(key: string, value: SqlValue): void;
  /** What `read` returned for this key before, unless the data may have changed since, in this or another process. */
  recall<Result>(key: string, read: () => Result): Result;
  readonly counters: Counters;
  /** Removes every row of every table. */
  clear(): void;
}

const mostRecalled = 1000;

const versionOf = (database: Database): number =>
  database.first<{ user_version: number }>('PRAGMA user_version')!.user_version;

/** Rejects files of newer versions, and migrates older files. */
const migrate = (database: Database, steps: readonly string[], ownId: number) => {
  const version = versionOf(database);
  if (version > steps.length)
    throw unusable(
      `The sandbox was created by a newer version of sched (schema ${version}; this version supports ${steps.length}). Update sched, or delete the file to start over.`,
    );
  for (const sql of steps.slice(version)) database.exec(sql);
  database.exec(`PRAGMA application_id = ${ownId}; PRAGMA user_version = ${steps.length}`);
};

/** `steps` lets tests create a file of an older version. */
export const openStore = (database: Database, steps: readonly string[] = migrations, ownId = applicationId): Store => {
  const isCurrent = () => versionOf(database) === steps.length;
  // Checked again inside the transaction: another process may have migrated the file meanwhile.
  if (!isCurrent()) database.transaction(() => isCurrent() || migrate(database, steps, ownId));

  const counters = openCounters(database);
  const recalled = new Map<string, unknown>();
  let recalledVersion = '';

  const store: Store = {
    ...database,
    counters,
    recall<Result>(key: string, read: () => Result) {
      const version = database.version();
      // Any client can send any number of unknown tokens.
      if (version !== recalledVersion || recalled.size >= mostRecalled) recalled.clear();
      recalledVersion = version;
      if (!recalled.has(key)) recalled.set(key, read());
      return recalled.get(key) as Result;
    },
    get<Doc>(table: Table, id: string) {
      const text = store.text(table, id);
      return text && (JSON.parse(text) as Doc);
    },
    text: (table, id) => database.first<{ doc: string }>(`SELECT doc FROM ${table} WHERE id = ?`, id)?.doc,
    add(table, row, or) {
      const names = Object.keys(row).map((name) => `"${name}"`);
      const insert = `INSERT ${or === undefined ? '' : `OR ${or} `}INTO ${table}`;
      database.run(`${insert} (${names.join()}) VALUES (${names.map(() => '?').join()})`, ...Object.values(row));
    },
    insert: (table, id, doc, columns = {}) => store.add(table, { id, doc: JSON.stringify(doc), ...columns }),
    update(table, id, doc) {
      database.run(`UPDATE ${table} SET doc = ? WHERE id = ?`, JSON.stringify(doc), id);
    },
    nextId(kind, counter = 'sequence') {
      const sequence = Number(store.fact(counter) ?? 0) + 1;
      store.setFact(counter, sequence);
      return makeId(`${kind}/${sequence}`);
    },
    fact: (key) => database.first<{ value: SqlValue }>('SELECT value FROM meta WHERE key = ?', key)?.value,
    setFact(key, value) {
      database.run('INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value', key, value);
    },
    clear() {
      // Rows refer to each other in every direction, so the foreign keys only hold again at the end.
      database.exec('PRAGMA defer_foreign_keys = ON');
      counters.clear();
      const tables = database.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
      for (const { name } of tables) database.run(`DELETE FROM "${name}"`);
    },
  };
  return store;
};
