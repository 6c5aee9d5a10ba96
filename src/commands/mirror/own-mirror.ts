import { basename, join } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { mirrorAccount } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import { mirrorFile, noMirror } from '../../cli/session/open-mirror.ts';
import { stateDirectory } from '../../cli/session/shared-state.ts';
import { existsSync } from '../../node/files.ts';
import { createLock, type Lock } from '../../state/lock.ts';

/** The mirror of the account that the command uses, which exists. */
export const ownMirror = async ({ runtime, settings }: Context): Promise<string> => {
  const file = mirrorFile(runtime, await mirrorAccount(runtime, settings));
  if (!existsSync(file)) throw noMirror();
  return file;
};

/** One process at a time syncs a mirror or deletes it. Readers need no lock. */
export const mirrorLock = ({ runtime }: Context, file: string): Lock => {
  const { machine, clock, randomBytes, interrupted } = runtime;
  return createLock({
    directory: join(stateDirectory(runtime)!, 'mirror', 'locks'),
    name: basename(file, '.db'),
    ...{ machine, clock, randomBytes, interrupted },
    waitMs: 0,
    busy: (pid, since) =>
      new SchedError('conflict', 'Another process syncs this mirror', {
        reason: `process ${pid} has been running since ${since}`,
        advice: 'wait for it to end; reading works meanwhile',
      }),
  });
};
