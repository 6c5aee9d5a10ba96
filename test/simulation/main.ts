import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSandbox } from '../../src/sandbox/open.ts';
import { type Options, type Outcome, simulateCommands } from './commands.ts';
import { faultKinds } from './faults.ts';
import { simulateJobs } from './jobs.ts';
import { origin } from './network.ts';
import { type OpenService, someday } from './scene.ts';

export { usualIntents } from './faults.ts';
export { shrink } from './shrink.ts';

const rethrow = (error: unknown): never => {
  throw error;
};

/** Opens what all seeds share: a seeded sandbox in this folder. Each seed gets a copy. */
export const openSimulator = async (folder: string) => {
  const [template, file] = [join(folder, 'seeded.db'), join(folder, 'sandbox.db')];
  (await openSandbox({ file: template, clock: { now: () => someday }, usualOrigin: origin, now: someday })).close();
  const open: OpenService = async (now, randomBytes, limit) => {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    copyFileSync(template, file);
    const sandbox = await openSandbox({
      file,
      clock: { now },
      randomBytes,
      limits: limit ?? true,
      usualOrigin: origin,
      onError: rethrow,
    });
    sandbox.store.exec('PRAGMA synchronous = OFF');
    let snapshots = 0;
    const save = () => {
      snapshots += 1;
      const { name } = sandbox.snapshots.save(`seed-${snapshots}`);
      return async () => void (await sandbox.snapshots.restore(name));
    };
    return { send: sandbox.service, save, close: () => sandbox.close() };
  };
  // What is loaded on first use takes turns that later runs don't have.
  await simulateCommands(0, open, { intents: 1, only: 'book', without: faultKinds });
  return {
    commands: (seed: number, options: Options = {}): Promise<Outcome> => simulateCommands(seed, open, options),
    jobs: (seed: number, options: Options = {}): Promise<Outcome> => simulateJobs(seed, options),
  };
};
