import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openClock } from '../../src/sandbox/clock/sandbox-clock.ts';
import { seed } from '../../src/sandbox/seed/seed.ts';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { openStore, type Store } from '../../src/sandbox/store/store.ts';
import { machineClock } from './clocks.ts';
import { temporaryDirectory, temporaryFile } from './temporary.ts';

/** Seeding is slow and copying is fast, so a test run seeds the world once for each time. */
const templateFor = async (now: number): Promise<string> => {
  const template = join(inject('folder'), `seeded-${now}.db`);
  if (existsSync(template)) return template;
  // Other processes may do the same: each creates its own file, and the last one wins.
  const draft = temporaryFile();
  const store = openStore(await openDatabase(':memory:'));
  store.transaction(() => seed(store, now));
  openClock(store, machineClock({ now: () => now })).set(now);
  store.exec(`VACUUM INTO '${draft}'`);
  store.close();
  // The mode of every sandbox on disk, so that copies need not be converted.
  (await openDatabase(draft)).close();
  renameSync(draft, template);
  return template;
};

/** The file of a sandbox that was seeded at this time, and shows it on a machine whose clock is behind. */
export const seededFile = async (now: number, file = temporaryFile()): Promise<string> => {
  copyFileSync(await templateFor(now), file);
  return file;
};

/** The home directory of a user who has used the sandbox before, for tests that are not about seeding. */
export const usedHome = async (now: number): Promise<string> => {
  const home = temporaryDirectory();
  const folder = join(home, '.local/state/sched');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await seededFile(now, join(folder, 'sandbox.db'));
  return home;
};

/** The data of a test need not survive a power cut, and every first write would wait for the disk twice. */
export const dontWaitForDisk = (store: Store): void => store.exec('PRAGMA synchronous = OFF');
