import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { forget, wipe } from '../../../src/sandbox/mirror/forget.ts';
import { factsOf, openMirror } from '../../../src/sandbox/mirror/open.ts';
import { sideFiles } from '../../../src/sandbox/store/database.ts';
import { fileMarks, isMarkKey } from '../../../src/state/forgotten.ts';
import { filesWith } from '../../support/files-with.ts';
import { createWorld, jsonOf, type TestWorld } from '../../support/run.ts';
import { withSteps } from '../../support/store-steps.ts';
import { syncedHome } from '../../support/synced.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

/** The moments at which a process that forgets is killed, and whether the person is still in the file or its log then. */
const moments: [step: RegExp, isLeft: boolean][] = [
  [/^before UPDATE invitees/, true],
  [/^before the commit$/, true],
  [/^after the commit$/, true],
  [/^before VACUUM$/, true],
  [/^before PRAGMA wal_checkpoint/, true],
  [/^after PRAGMA wal_checkpoint/, false],
  [/^before DELETE FROM meta/, false],
  [/^after DELETE FROM meta/, false],
];

const suffixes = ['', ...sideFiles];
const copyFiles = (from: string, to: string): void => {
  for (const suffix of suffixes) {
    rmSync(`${to}${suffix}`, { force: true });
    if (existsSync(`${from}${suffix}`)) copyFileSync(`${from}${suffix}`, `${to}${suffix}`);
  }
};

let world: TestWorld;
let home: string;
let file: string;
let person: { email: string; name: string; event: string };
const copies = new Map<RegExp, string>();

const mirrored = (line: string) =>
  world.run(line, {
    home,
    send: async () => {
      throw new Error('a mirror sends nothing');
    },
  });
const traces = (folder: string) => [...filesWith(folder, person.email), ...filesWith(folder, person.name)];

beforeAll(async () => {
  world = await createWorld();
  home = await syncedHome(world, '--since -5d --until +5d');
  const folder = join(home, '.cache/sched/mirror');
  file = join(folder, readdirSync(folder).find((name) => name.endsWith('.db'))!);
  const rows = jsonOf(await mirrored('--mirror events list --org current --with invitees --status active --json'));
  [person] = rows.flatMap((row: { uri: string; _sched: { invitees: { email: string; name: string }[] } }) =>
    row._sched.invitees.map(({ email, name }) => ({ email, name, event: row.uri.split('/').at(-1)! })),
  );
  const whole = join(temporaryDirectory('whole'), 'mirror.db');
  copyFiles(file, whole);
  // Leaves the marks on disk.
  expect((await world.run(`compliance delete ${person.email} --yes`, { home })).code).toBe(0);
  const marks = await fileMarks(join(home, '.local/state/sched/mirror'), () => new Uint8Array()).read();
  const store = await openMirror(whole);
  // With a small cache, changes get into the log before the commit.
  store.exec('PRAGMA cache_size = 2');
  const stepping = withSteps(store, (step) => {
    for (const [moment] of moments) {
      if (copies.has(moment) || !moment.test(step)) continue;
      const copy = join(temporaryDirectory('killed'), 'mirror.db');
      copyFiles(whole, copy);
      copies.set(moment, copy);
    }
  });
  forget(stepping, factsOf(store)!, { keys: marks.filter(isMarkKey), macs: new Set(marks) });
  wipe(stepping, whole);
  store.close();
});

test.each(moments)('after a kill %s, the next command forgets the person everywhere', async (moment, isLeft) => {
  const copy = copies.get(moment)!;
  expect(traces(join(copy, '..')).length > 0).toBe(isLeft);
  for (const line of ['--mirror users me --json', 'mirror sql "SELECT count(*) FROM invitees" --json']) {
    copyFiles(copy, file);
    const { code } = await mirrored(line);
    expect(code).toBe(0);
    expect(traces(home)).toEqual([]);
    const store = await openMirror(file);
    expect(store.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    store.close();
  }
  const list = jsonOf(await mirrored(`--mirror invitees list ${person.event} --json`));
  expect(list.map(({ name }: { name: string }) => name)).toContain('Deleted invitee');
});
