import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broken, invalidParameter, requireFound } from '../error-replies.ts';
import { type SqlValue, sideFiles } from './database.ts';
import { applicationId } from './migrations.ts';
import { timestamp, uri } from './names.ts';
import type { Store } from './store.ts';

interface Snapshot {
  name: string;
  /** By the system's clock. */
  saved_at: string;
  bytes: number;
}

interface SnapshotOptions {
  store: Store;
  /** Where the data is: a path, or `:memory:`. */
  file: string;
  /** Migrates a snapshot of an older version. Throws an error with the reason if it can't. */
  upgrade: (file: string) => Promise<void>;
}

export const snapshotName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const ending = '.db';
const draftPrefix = 'draft-';

/** A draft that is this much older than a new one was left by a process that was killed. */
const abandonedMilliseconds = 600_000;

/** Facts about the server that runs with the data. */
const serverFacts = "('serving', 'webhook_sequence')";

/**
 * Replaces all rows by those that `fill` inserts, in one transaction. Servers that run with the data keep their address and
 * their temporary webhooks.
 */
export const replaceData = (store: Store, fill: () => void): void =>
  store.transaction(() => {
    const facts = store.all<{ key: string; value: SqlValue }>(`SELECT * FROM meta WHERE key IN ${serverFacts}`);
    const webhooks = store.all<{ id: string; doc: string; signing_key: string | null; pid: number }>(
      'SELECT id, doc, signing_key, pid FROM webhooks WHERE pid IS NOT NULL',
    );
    store.clear();
    fill();
    for (const { key, value } of facts) store.setFact(key, value);
    const { id: organization } = store.first<{ id: string }>('SELECT id FROM organizations')!;
    // Ignored if the new data has a webhook with this URL.
    for (const { id, doc, signing_key, pid } of webhooks)
      store.run(
        `INSERT OR IGNORE INTO webhooks (id, doc, organization, owner, signing_key, pid)
         VALUES (?1, json_set(?2, '$.organization', ?3), ?4, ?4, ?5, ?6)`,
        id,
        doc,
        uri('organizations', organization),
        organization,
        signing_key,
        pid,
      );
  });

/**
 * Runs `work` while a file is attached to the database as `snapshot`. Foreign keys are off: the rows of the data belong
 * together, and to check them again would take as long as copying them.
 */
const whileAttached = <Result>(store: Store, file: string, work: () => Result): Result => {
  store.run('ATTACH ? AS snapshot', file);
  store.exec('PRAGMA foreign_keys = OFF');
  try {
    return work();
  } finally {
    store.exec('PRAGMA foreign_keys = ON; DETACH snapshot');
  }
};

/** Removes what belongs to the processes that use the data. */
const strip = (store: Store): void => {
  // Nobody else reads the draft, and it is written to the disk as a whole.
  store.all('PRAGMA snapshot.journal_mode = OFF');
  store.exec(`PRAGMA snapshot.synchronous = OFF;
    DELETE FROM snapshot.meta WHERE key IN ${serverFacts};
    DELETE FROM snapshot.webhooks WHERE pid IS NOT NULL;
    DELETE FROM snapshot.deliveries WHERE webhook NOT IN (SELECT id FROM snapshot.webhooks);
    DELETE FROM snapshot.delivery_attempts WHERE delivery NOT IN (SELECT number FROM snapshot.deliveries);
    UPDATE snapshot.deliveries SET claim = NULL, claimed_until = NULL WHERE claim IS NOT NULL`);
};

const isCurrent = (store: Store): boolean => {
  const { application_id } = store.first<{ application_id: number }>('PRAGMA snapshot.application_id')!;
  if (application_id !== applicationId) throw new Error('The file is not a sandbox database.');
  const versions = ['snapshot', 'main'].map((schema) => [
    store.first(`PRAGMA ${schema}.user_version`),
    store.first(`SELECT value FROM ${schema}.meta WHERE key = 'seed_stages'`),
  ]);
  return JSON.stringify(versions[0]) === JSON.stringify(versions[1]);
};

/** Throws if a file is damaged. SQLite reads what it can of a damaged one, which may be less than there was. */
const checkFile = (store: Store, schema: 'main' | 'snapshot'): void => {
  const { quick_check: result } = store.first<{ quick_check: string }>(`PRAGMA ${schema}.quick_check(1)`)!;
  if (result === 'ok') return;
  throw new Error(`The file of the ${schema === 'main' ? 'data' : 'snapshot'} is damaged (${result}).`);
};

/** Copies all rows, and checks the copy. Generated columns are left out: SQLite computes them. */
const copyRows = (store: Store): void => {
  checkFile(store, 'snapshot');
  const tables = store.all<{ name: string; columns: string }>(
    `SELECT t.name, group_concat('"' || c.name || '"') AS columns FROM main.sqlite_master t
     JOIN pragma_table_xinfo(t.name) c ON c.hidden = 0 WHERE t.type = 'table' GROUP BY t.name`,
  );
  for (const { name, columns } of tables) {
    store.run(`INSERT INTO main."${name}" (${columns}) SELECT ${columns} FROM snapshot."${name}"`);
    const [copied, saved] = (['main', 'snapshot'] as const).map(
      (schema) => store.first<{ rows: number }>(`SELECT count(*) AS rows FROM ${schema}."${name}"`)!.rows,
    );
    if (copied !== saved) throw new Error(`Only ${copied} of ${saved} rows of ${name} were copied.`);
  }
  checkFile(store, 'main');
};

export const syncToDisk = (path: string): void => {
  const isDirectory = statSync(path).isDirectory();
  // Windows flushes no file that is open for reading only, and no directory.
  const descriptor = openSync(path, isDirectory ? 'r' : 'r+');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!isDirectory) throw error;
  } finally {
    closeSync(descriptor);
  }
};

/** Named copies of the data. Each is a sandbox file of its own. */
export const openSnapshots = ({ store, file, upgrade }: SnapshotOptions) => {
  const inMemory = file === ':memory:';
  let directory = inMemory ? undefined : `${file}.snapshots`;

  const place = (): string => {
    directory ??= mkdtempSync(join(tmpdir(), 'sched-snapshots-'));
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return directory;
  };

  const pathOf = (name: string): string => join(directory!, `${name}${ending}`);

  /** Entries of the directory. Other processes may create and delete some right now. */
  const entries = () => {
    const names = directory !== undefined && existsSync(directory) ? readdirSync(directory).sort() : [];
    return names.flatMap((entry) => {
      const stat = statSync(join(directory!, entry), { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ entry, stat }];
    });
  };

  const list = (): Snapshot[] =>
    entries()
      .map(({ entry, stat }) => ({ entry, name: entry.slice(0, -ending.length), stat }))
      .filter(({ entry, name }) => entry.endsWith(ending) && snapshotName.test(name))
      .map(({ name, stat }) => ({ name, saved_at: timestamp(stat.mtimeMs), bytes: stat.size }));

  const find = (name: string): Snapshot => {
    const snapshot = list().find((each) => each.name === name);
    return requireFound(snapshot, `snapshot "${name}"`);
  };

  const clearDrafts = (newest: string): void => {
    const oldest = statSync(newest).mtimeMs - abandonedMilliseconds;
    for (const { entry, stat } of entries())
      if (entry.startsWith(draftPrefix) && stat.mtimeMs < oldest)
        rmSync(join(directory!, entry), { recursive: true, force: true });
  };

  /** Writes a draft, and gives it its name when it is whole. */
  const write = (name: string): void => {
    const draftDirectory = mkdtempSync(join(place(), draftPrefix));
    try {
      clearDrafts(draftDirectory);
      const draft = join(draftDirectory, 'data');
      store.counters.flush();
      store.run('VACUUM INTO ?', draft);
      whileAttached(store, draft, () => strip(store));
      chmodSync(draft, 0o600);
      if (!inMemory) syncToDisk(draft);
      renameSync(draft, pathOf(name));
      if (!inMemory) syncToDisk(directory!);
    } finally {
      rmSync(draftDirectory, { recursive: true, force: true });
    }
  };

  return {
    list,
    /** Replaces a snapshot of the same name. */
    save(name: string): Snapshot {
      if (!snapshotName.test(name))
        throw invalidParameter('name', 'must be 1 to 64 letters, digits, dots, dashes or underscores');
      try {
        write(name);
      } catch (error) {
        throw broken(`The snapshot can't be saved: ${(error as Error).message}`);
      }
      return find(name);
    },
    /** Replaces the data in one transaction, so other processes can keep it open. The clock is part of the data. */
    async restore(name: string): Promise<Snapshot> {
      const snapshot = find(name);
      const path = pathOf(name);
      const copy = () =>
        whileAttached(store, path, () => {
          if (!isCurrent(store)) return false;
          replaceData(store, () => copyRows(store));
          return true;
        });
      try {
        if (!copy()) {
          await upgrade(path);
          if (!copy()) throw new Error('It has not been updated.');
        }
      } catch (error) {
        throw broken(`The snapshot can't be restored, so the data stays as it was: ${(error as Error).message}`);
      }
      return snapshot;
    },
    delete(name: string) {
      find(name);
      for (const suffix of ['', ...sideFiles]) rmSync(`${pathOf(name)}${suffix}`, { force: true });
    },
    /** Removes the snapshots of data in memory. */
    close() {
      if (inMemory && directory !== undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
};
