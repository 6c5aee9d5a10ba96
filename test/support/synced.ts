import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createWorld, type TestWorld } from './run.ts';
import { temporaryDirectory } from './temporary.ts';

/** Reading an account takes a while and copying is fast, so a test run mirrors the demo once for each time and window. */
const templateFor = async (start: number, window: string): Promise<string> => {
  const template = join(inject('folder'), `synced-${start}${window.replaceAll(' ', '_')}`);
  if (existsSync(template)) return template;
  // Other processes may do the same: each creates its own folder, and the first one wins.
  const draft = temporaryDirectory('synced');
  const home = join(draft, 'home');
  mkdirSync(home);
  const world = await createWorld({ start });
  const { code, stderr } = await world.run(`mirror sync --yes ${window}`, { home });
  if (code !== 0) throw new Error(stderr);
  // It waits for the rate limit.
  writeFileSync(join(draft, 'took'), String(world.clock.now() - start));
  world.close();
  try {
    renameSync(draft, template);
  } catch (error) {
    if (!existsSync(template)) throw error;
  }
  return template;
};

/** The home directory of a user who has just mirrored the account, which nothing has changed before. */
export const syncedHome = async ({ clock }: TestWorld, window = ''): Promise<string> => {
  const home = temporaryDirectory('home');
  const template = await templateFor(clock.now(), window);
  cpSync(join(template, 'home'), home, { recursive: true });
  await clock.sleep(Number(readFileSync(join(template, 'took'), 'utf8')));
  return home;
};
