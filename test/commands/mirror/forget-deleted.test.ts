import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { factsOf, openMirror, setFacts } from '../../../src/sandbox/mirror/open.ts';
import { whileFailing } from '../../support/failing-calls.ts';
import { filesWith } from '../../support/files-with.ts';
import { createWorld, jsonOf, type TestWorld } from '../../support/run.ts';
import { syncedHome } from '../../support/synced.ts';
import { temporaryFile } from '../../support/temporary.ts';

let world: TestWorld;
let home: string;
let person: { email: string; name: string; event: string };

const offline = async () => {
  throw new Error('a mirror sends nothing');
};

const mirrored = (line: string) => world.run(`--mirror ${line}`, { home, send: offline });

const mirrorFiles = () =>
  readdirSync(join(home, '.cache/sched/mirror'))
    .filter((name) => name.endsWith('.db'))
    .map((name) => join(home, '.cache/sched/mirror', name));

beforeEach(async () => {
  world = await createWorld();
  home = await syncedHome(world, '--since -5d --until +5d');
  const rows = jsonOf(await mirrored('events list --org current --with invitees --status active --json'));
  [person] = rows.flatMap((row: { uri: string; _sched: { invitees: { email: string; name: string }[] } }) =>
    row._sched.invitees.map(({ email, name }) => ({ email, name, event: row.uri.split('/').at(-1)! })),
  );
});

const forgotten = async () => {
  expect(filesWith(home, person.email)).toEqual([]);
  expect(filesWith(home, person.name)).toEqual([]);
  const list = jsonOf(await mirrored(`invitees list ${person.event} --json`));
  expect(list.map(({ name }: { name: string }) => name)).toContain('Deleted invitee');
};

test('compliance delete removes a person from the mirror, and they do not come back with the next sync', async () => {
  expect(filesWith(home, person.email)).not.toEqual([]);
  const { code, stderr } = await world.run(`compliance delete ${person.email} --yes`, { home });
  expect(stderr).toContain('Removed from 1 mirror on this machine');
  expect(code).toBe(0);
  await forgotten();
  const again = await world.run('mirror sync --again --yes', { home });
  expect(again.code).toBe(0);
  await forgotten();
});

test('a mirror whose first sync has not written anything yet has nobody', async () => {
  const [file = ''] = mirrorFiles();
  (await openMirror(join(file, '..', '0123456789abcdef.db'))).close();
  const { code, stderr } = await world.run(`compliance delete ${person.email} --yes`, { home });
  expect(stderr).toContain('Removed from 2 mirrors on this machine');
  expect(code).toBe(0);
});

test('the same deletion again cleans the mirrors, if the first one was killed before it did', async () => {
  const [file = ''] = mirrorFiles();
  const copy = temporaryFile();
  copyFileSync(file, copy);
  expect((await world.run(`compliance delete ${person.email} --yes`, { home })).code).toBe(0);
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  copyFileSync(copy, file);
  expect(filesWith(home, person.email)).not.toEqual([]);
  const { code, stderr } = await world.run(`compliance delete ${person.email} --yes`, { home });
  expect([stderr, code]).toEqual([expect.stringContaining('as the receipt says'), 0]);
  expect(filesWith(home, person.email)).toEqual([]);
});

test('a deletion that was accepted is no failure because the mirrors can not be listed', async () => {
  const isMirrors = (path: string) => path.endsWith('mirror');
  const ended = await whileFailing('readdirSync', isMirrors, () =>
    world.run(`compliance delete ${person.email} --yes --json`, { home }),
  );
  expect(ended.code).toBe(3);
  const { message, cause, outcome } = JSON.parse(ended.stderr.trim().split('\n').at(-1)!).error;
  expect([message, cause, outcome]).toEqual([
    'Deletion was requested, but 1 mirror may still have people',
    expect.stringMatching(/^Can't read .*mirror/),
    'applied',
  ]);
  // The next one finds them.
  expect(await world.run(`compliance delete ${person.email} --yes`, { home })).toMatchObject({ code: 0 });
  expect(filesWith(home, person.email)).toEqual([]);
});

test('a disk that fails while people are removed is no internal error, and the next command finishes', async () => {
  const isLog = (path: string) => path.endsWith('.db-wal');
  const failing = (line: string) => whileFailing('openSync', isLog, () => world.run(line, { home }));
  const deletion = await failing(`compliance delete ${person.email} --yes`);
  expect(deletion.stderr).toContain('error: Deletion was requested, but 1 mirror may still have people');
  expect(deletion.code).toBe(3);
  const reading = await failing('--mirror users me');
  expect(reading.stderr).toContain("error: Can't use the mirror");
  expect([reading.code, reading.stdout]).toEqual([3, '']);
  expect((await world.run('--mirror users me', { home })).code).toBe(0);
  await forgotten();
});

test('an address in capitals is the same address', async () => {
  const { code } = await world.run(`compliance delete ${person.email.toUpperCase()} --yes`, { home });
  expect(code).toBe(0);
  await forgotten();
});

test('a second mirror of the organization forgets too', async () => {
  const admin = { home, env: { SCHED_TOKEN: 'sandbox_admin' } };
  expect((await world.run('mirror sync --yes --since -5d --until +5d', admin)).code).toBe(0);
  expect(mirrorFiles()).toHaveLength(2);
  const { stderr } = await world.run(`compliance delete ${person.email} --yes`, { home });
  expect(stderr).toContain('Removed from 2 mirrors on this machine');
  await forgotten();
});

test('who has the same end of an address stays, and so do the people of another organization', async () => {
  const end = person.email.slice(1);
  const { code, stderr } = await world.run(`compliance delete ${end} --yes`, { home });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Removed from 1 mirror')]);
  expect(filesWith(home, person.email)).not.toEqual([]);
  const store = await openMirror(mirrorFiles()[0]!);
  setFacts(store, { ...factsOf(store)!, organization: 'http://127.0.0.1:4010/organizations/OTHER' });
  store.close();
  const other = await world.run(`compliance delete ${person.email} --yes`, { home });
  expect([other.code, other.stderr]).toEqual([0, expect.not.stringContaining('Removed from')]);
  expect(filesWith(home, person.email)).not.toEqual([]);
});

test('a deleted mirror that is made again has nobody who was deleted', async () => {
  await world.run(`compliance delete ${person.email} --yes`, { home });
  for (const file of mirrorFiles()) rmSync(file);
  expect((await world.run('mirror sync --yes --since -5d --until +5d', { home })).code).toBe(0);
  await forgotten();
});

test('a reader with an old snapshot makes the command fail, and the next command finishes it', async () => {
  const [file = ''] = mirrorFiles();
  const reader = await openMirror(file);
  reader.exec('BEGIN');
  reader.all('SELECT count(*) FROM invitees');
  const { code, stderr } = await world.run(`compliance delete ${person.email} --yes`, { home });
  expect(code).toBe(3);
  expect(stderr).toContain('1 mirror may still have people');
  expect(stderr).not.toContain(person.email);
  reader.exec('COMMIT');
  reader.close();
  expect((await mirrored('users me --json')).code).toBe(0);
  await forgotten();
});
