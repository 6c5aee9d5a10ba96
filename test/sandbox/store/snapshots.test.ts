import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openSandbox, type Sandbox } from '../../../src/sandbox/open.ts';
import { openDatabase, type SqlValue } from '../../../src/sandbox/store/database.ts';
import { migrations } from '../../../src/sandbox/store/migrations.ts';
import { openSnapshots } from '../../../src/sandbox/store/snapshots.ts';
import { openStore, type Store } from '../../../src/sandbox/store/store.ts';
import { createDeliverer } from '../../../src/sandbox/webhooks/deliverer.ts';
import { subscribeTemporarily } from '../../../src/sandbox/webhooks/temporary.ts';
import { failing, patched } from '../../support/files-world.ts';
import { seededFile } from '../../support/seeded.ts';
import { closeLater, temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { at, system as computer, eventType, noon } from '../world.ts';
import { seedStages } from './older-data.ts';

const open = async (file?: string, world?: 'empty'): Promise<Sandbox & { file: string }> => {
  const path = file ?? (await seededFile(noon));
  const sandbox = await openSandbox({ file: path, clock: computer, world });
  closeLater(() => sandbox.close());
  return Object.assign(sandbox, { file: path });
};

const book = async ({ service }: Sandbox, time: string): Promise<number> => {
  const invitee = { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' };
  const { status } = await service({
    method: 'POST',
    url: 'http://127.0.0.1:4010/invitees',
    headers: { authorization: 'Bearer sandbox_owner', 'content-type': 'application/json' },
    body: JSON.stringify({ event_type: eventType('intro-call'), start_time: at(time), invitee }),
  });
  return status;
};

/** Every row of every table, without the facts about servers, as text: comparing objects is slow. */
const contentOf = ({ store }: Sandbox): string => {
  const tables = store.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  const rows = ({ name }: { name: string }) =>
    store.all(`SELECT * FROM "${name}" ${name === 'meta' ? "WHERE key NOT IN ('serving', 'webhook_sequence')" : ''}`);
  return JSON.stringify(tables.map((table) => [table.name, rows(table)]));
};

describe.each(['on disk', ':memory:'])('snapshots %s', (place) => {
  const openHere = async (world?: 'empty') => (place === ':memory:' ? open(place, world) : open());

  test('restore every row, the clock included, and can be restored again', async () => {
    const sandbox = await openHere();
    expect(await book(sandbox, '08:00')).toBe(200);
    sandbox.clock.set(noon + 60_000);
    sandbox.clock.freeze();
    const before = contentOf(sandbox);
    sandbox.snapshots.save('base');
    for (const _ of [1, 2]) {
      expect([await book(sandbox, '08:00'), await book(sandbox, '09:00')]).toEqual([409, 200]);
      sandbox.clock.resume();
      sandbox.clock.set(noon + 120_000);
      await sandbox.snapshots.restore('base');
      expect(contentOf(sandbox) === before).toBe(true);
      expect([sandbox.clock.now(), sandbox.clock.isFrozen]).toEqual([noon + 60_000, true]);
    }
  });

  test('are listed, replaced and deleted by name', async () => {
    const { snapshots } = await openHere('empty');
    expect(snapshots.list()).toEqual([]);
    for (const name of ['two', 'one', 'two']) snapshots.save(name);
    expect(snapshots.list()).toMatchObject([{ name: 'one' }, { name: 'two', bytes: expect.any(Number) }]);
    snapshots.delete('one');
    expect(snapshots.list().map(({ name }) => name)).toEqual(['two']);
    await expect(snapshots.restore('one')).rejects.toMatchObject({ status: 404 });
    expect(() => snapshots.delete('one')).toThrow("doesn't exist");
  });

  test('leave a server its address and its webhook', async () => {
    const sandbox = await openHere('empty');
    sandbox.snapshots.save('alone');
    sandbox.serving = { url: 'http://127.0.0.1:8123', secret: 's' };
    const webhook = { now: noon, pid: 1, url: 'http://127.0.0.1:9/' };
    subscribeTemporarily(sandbox.store, webhook);
    sandbox.snapshots.save('served');
    const owners = () =>
      sandbox.store.all('SELECT pid, organization = (SELECT id FROM organizations) AS own FROM webhooks WHERE pid > 0');
    for (const name of ['alone', 'served']) {
      await sandbox.snapshots.restore(name);
      expect([sandbox.serving?.url, owners()]).toEqual(['http://127.0.0.1:8123', [{ pid: 1, own: 1 }]]);
    }
    subscribeTemporarily(sandbox.store, { ...webhook, url: 'http://127.0.0.1:10/' });
    expect(owners()).toHaveLength(2);
  });
});

describe('snapshots', () => {
  test('have names that are safe in a path', async () => {
    const { snapshots, file } = await open();
    for (const name of ['', '.', '..', '../up', 'a/b', '-x', 'a b', 'x'.repeat(65), 'ü']) {
      expect(() => snapshots.save(name), name).toThrow('parameters are invalid');
      await expect(snapshots.restore(name), name).rejects.toMatchObject({ status: 404 });
    }
    expect(existsSync(`${file}.snapshots`)).toBe(false);
  });

  test('are private files that can be used as data', async () => {
    const sandbox = await open();
    await book(sandbox, '08:00');
    sandbox.serving = { url: 'http://127.0.0.1:8123', secret: 's' };
    sandbox.snapshots.save('base');
    const path = `${sandbox.file}.snapshots`;
    expect([statSync(path).mode & 0o777, statSync(join(path, 'base.db')).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(path)).toEqual(['base.db']);
    const copy = await open(join(path, 'base.db'));
    expect([copy.serving, await book(copy, '08:00')]).toEqual([undefined, 409]);
  });

  test('have nothing of the servers that use the data: no temporary webhooks, and no delivery that is on its way', async () => {
    const sandbox = await open();
    const { store, snapshots, file } = sandbox;
    for (const pid of [1, 2]) subscribeTemporarily(store, { now: noon, pid, url: `http://127.0.0.1:${pid}/` });
    store.run('UPDATE webhooks SET pid = NULL WHERE pid = 1');
    expect(await book(sandbox, '08:00')).toBe(200);
    store.run("UPDATE deliveries SET claim = '1-a', claimed_until = 1");
    store.run(
      "INSERT INTO delivery_attempts (delivery, number, at, milliseconds) SELECT number, 1, '', 0 FROM deliveries",
    );
    const counts = (database: Pick<Store, 'all'>) =>
      [
        'webhooks',
        'deliveries',
        'delivery_attempts',
        'deliveries WHERE claim IS NOT NULL OR claimed_until IS NOT NULL',
      ].map((rows) => database.all(`SELECT 1 FROM ${rows}`).length);
    const [webhooks, deliveries] = counts(store);
    snapshots.save('base');
    const saved = await openDatabase(join(`${file}.snapshots`, 'base.db'));
    closeLater(() => saved.close());
    expect(counts(saved)).toEqual([webhooks! - 1, deliveries! - 1, deliveries! - 1, 0]);
    expect(counts(store)).toEqual([webhooks, deliveries, deliveries, deliveries]);
  });

  test('are deleted with the files that SQLite keeps beside them', async () => {
    const { snapshots, file } = await open();
    snapshots.save('base');
    snapshots.save('other');
    const folder = `${file}.snapshots`;
    for (const ending of ['-wal', '-shm', '-journal']) writeFileSync(join(folder, `base.db${ending}`), '');
    snapshots.delete('base');
    expect(readdirSync(folder)).toEqual(['other.db']);
  });

  test('of data in memory are removed when it is closed', async () => {
    // Other tests keep snapshots in the usual place at the same time.
    const place = temporaryDirectory();
    vi.stubEnv('TMPDIR', place);
    onTestFinished(() => void vi.unstubAllEnvs());
    const sandbox = await openSandbox({ file: ':memory:', clock: computer, world: 'empty' });
    sandbox.snapshots.save('base');
    expect(readdirSync(place)).toEqual([expect.stringMatching(/^sched-snapshots-/)]);
    sandbox.close();
    expect(readdirSync(place)).toEqual([]);
  });

  test('of an older version are completed', async () => {
    const sandbox = await open();
    const folder = `${sandbox.file}.snapshots`;
    mkdirSync(folder);
    const old = openStore(await openDatabase(join(folder, 'old.db')), migrations.slice(0, 2));
    old.transaction(() => {
      seedStages(old, 2);
      old.setFact('seed_stages', 2);
    });
    old.close();
    await book(sandbox, '08:00');
    await sandbox.snapshots.restore('old');
    expect(contentOf(sandbox) === contentOf(await open(join(folder, 'old.db')))).toBe(true);
    expect(await book(sandbox, '08:00')).toBe(200);
  });

  test('that can be neither restored nor updated are refused, and the data stays', async () => {
    const sandbox = await open();
    sandbox.snapshots.save('base');
    sandbox.store.setFact('seed_stages', 99);
    const before = contentOf(sandbox);
    await expect(sandbox.snapshots.restore('base')).rejects.toThrow('It has not been updated');
    expect(contentOf(sandbox) === before).toBe(true);
  });

  test('that are damaged are refused, and the data stays', async () => {
    const sandbox = await open();
    const before = contentOf(sandbox);
    sandbox.snapshots.save('base');
    const path = join(`${sandbox.file}.snapshots`, 'base.db');
    writeFileSync(path, 'not a database, but long enough to be taken for the header of one'.repeat(20));
    await expect(sandbox.snapshots.restore('base')).rejects.toMatchObject({ status: 500 });
    const other = openDatabase(join(`${sandbox.file}.snapshots`, 'other.db'));
    (await other).close();
    await expect(sandbox.snapshots.restore('other')).rejects.toThrow('not a sandbox database');
    expect(contentOf(sandbox) === before).toBe(true);
    expect(() => sandbox.store.run('DELETE FROM users')).toThrow(/foreign key/i);
  });

  test('whose file has lost a part are refused, and the data stays', async () => {
    const sandbox = await open();
    sandbox.snapshots.save('base');
    const path = join(`${sandbox.file}.snapshots`, 'base.db');
    const before = contentOf(sandbox);
    const whole = readFileSync(path);
    // Tables with several pages: SQLite reads the rows of the others without an error.
    const snapshot = await openDatabase(path);
    const starts = snapshot
      .all<{ rootpage: number }>("SELECT rootpage FROM sqlite_master WHERE type = 'table'")
      .map(({ rootpage }) => (rootpage - 1) * 4096);
    snapshot.close();
    const inner = starts.filter((start) => whole[start] === 5);
    expect(inner.length).toBeGreaterThan(2);
    for (const start of sample(inner, 3)) {
      const damaged = Buffer.from(whole);
      // https://www.sqlite.org/fileformat.html#b_tree_pages: the number of cells.
      damaged.writeUInt16BE(damaged.readUInt16BE(start + 3) - 1, start + 3);
      writeFileSync(path, damaged);
      await expect(sandbox.snapshots.restore('base')).rejects.toThrow('The file of the snapshot is damaged');
    }
    expect(contentOf(sandbox) === before).toBe(true);
  });

  describe('are checked when they are restored, and the data stays if', () => {
    /** Restores a snapshot of other data, with these changes to the store. */
    const restoreWith = async (changes: (store: Store) => Partial<Store>) => {
      const sandbox = await open();
      sandbox.snapshots.save('base');
      expect(await book(sandbox, '08:00')).toBe(200);
      const before = contentOf(sandbox);
      const store = Object.create(sandbox.store, Object.getOwnPropertyDescriptors(changes(sandbox.store)));
      const restored = openSnapshots({ store, file: sandbox.file, upgrade: async () => {} }).restore('base');
      const { message } = await restored.then(
        () => new Error('restored'),
        (error: Error) => error,
      );
      expect(contentOf(sandbox) === before).toBe(true);
      return message;
    };

    test('a table was not copied', async () => {
      const message = await restoreWith(({ run }) => ({
        run: (sql, ...params) => (sql.startsWith('INSERT INTO main."invitees"') ? 0 : run(sql, ...params)),
      }));
      expect(message).toMatch(/data stays as it was: Only 0 of \d+ rows of invitees were copied/);
    });

    test('the file of the data is damaged', async () => {
      const message = await restoreWith(({ first }) => ({
        first: <Row>(sql: string, ...params: SqlValue[]) =>
          sql.startsWith('PRAGMA main.quick_check') ? ({ quick_check: 'page 7' } as Row) : first<Row>(sql, ...params),
      }));
      expect(message).toContain('data stays as it was: The file of the data is damaged (page 7)');
    });

    test('a write fails', async () => {
      const message = await restoreWith(({ run }) => ({
        run: (sql, ...params) => {
          if (sql.startsWith('INSERT INTO main."users"')) throw new Error('disk I/O error');
          return run(sql, ...params);
        },
      }));
      expect(message).toContain('data stays as it was: disk I/O error');
    });
  });

  test('can be restored while a delivery is on its way, which is then sent again', async () => {
    const sandbox = await open();
    const { store, clock, snapshots } = sandbox;
    subscribeTemporarily(store, { now: noon, pid: 1, url: 'http://127.0.0.1:9/' });
    store.run('UPDATE webhooks SET pid = NULL WHERE pid = 1');
    snapshots.save('before');
    await book(sandbox, '08:00');
    const restored = ['waiting', 'before'];
    const post = async () => {
      const name = restored.shift();
      if (name !== undefined) await snapshots.restore(name);
      return { status: 204 };
    };
    const system = { ...computer, sleep: () => new Promise<never>(() => {}) };
    const deliverer = createDeliverer({ store, clock, system, name: '1-a', userAgent: 'test', post });
    const states = () => store.all<{ state: string }>('SELECT state FROM deliveries').map(({ state }) => state);
    const claims = () => store.all('SELECT 1 FROM deliveries WHERE claim IS NOT NULL').length;
    const waiting = states();
    expect(waiting).toContain('waiting');
    snapshots.save('waiting');
    await deliverer.idle();
    // The second attempt restored the data from before the booking.
    expect(states()).toEqual([]);
    await snapshots.restore('waiting');
    expect(states()).toEqual(waiting);
    await deliverer.idle();
    expect([states().includes('waiting'), claims()]).toEqual([false, 0]);
    await deliverer.close();
  });

  test('that were cut off by a kill are removed later', async () => {
    const sandbox = await open();
    const folder = `${sandbox.file}.snapshots`;
    for (const [name, age] of [
      ['draft-old', 3_600],
      ['draft-new', 0],
    ] as const) {
      mkdirSync(join(folder, name), { recursive: true });
      const { mtimeMs } = statSync(join(folder, name));
      utimesSync(join(folder, name), mtimeMs / 1000 - age, mtimeMs / 1000 - age);
    }
    chmodSync(folder, 0o700);
    sandbox.snapshots.save('base');
    expect([readdirSync(folder), sandbox.snapshots.list().length]).toEqual([['base.db', 'draft-new'], 1]);
  });
});

test('a snapshot is saved on Windows, which flushes no directory and nothing that can only be read', async () => {
  const { snapshots } = await open();
  const { openSync: opened } = fs;
  const flags = new Map<number, unknown>();
  const openSync: typeof opened = (...words) => {
    const descriptor = opened(...words);
    flags.set(descriptor, words[1]);
    return descriptor;
  };
  const fsyncSync = vi.fn((descriptor: number) => {
    if (flags.get(descriptor) === 'r') throw Object.assign(new Error(), { code: 'EPERM' });
  });
  await patched(fs, { openSync, fsyncSync }, async () => snapshots.save('base'));
  expect([snapshots.list().length, fsyncSync.mock.calls.length]).toEqual([1, 2]);
  const broken = failing('EIO', 1, fs.fsyncSync);
  await expect(patched(fs, { fsyncSync: broken }, async () => snapshots.save('base'))).rejects.toThrow('EIO');
});
