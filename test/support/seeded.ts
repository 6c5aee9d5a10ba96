import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openDatabase } from '../../src/sandbox/database.ts';
import { seed } from '../../src/sandbox/seed.ts';
import { openStore } from '../../src/sandbox/store.ts';
import { temporaryFile } from './temporary.ts';

/** Seeding takes a while, copying does not: a run of the tests seeds each moment's world once. */
const templateFor = async (now: number): Promise<string> => {
  const template = join(inject('folder'), `seeded-${now}.db`);
  if (existsSync(template)) return template;
  // Others may be at it too: each makes its own, and the last one wins.
  const draft = temporaryFile();
  const store = openStore(await openDatabase(':memory:'));
  store.transaction(() => seed(store, now));
  store.exec(`VACUUM INTO '${draft}'`);
  store.close();
  // As every sandbox on disk keeps it, so that no copy has to be changed to it.
  (await openDatabase(draft)).close();
  renameSync(draft, template);
  return template;
};

/** A file as a sandbox left it that was seeded at this moment. */
export const seededFile = async (now: number, file = temporaryFile()): Promise<string> => {
  copyFileSync(await templateFor(now), file);
  return file;
};
