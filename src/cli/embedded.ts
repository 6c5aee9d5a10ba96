import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SchedError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { openSandbox } from '../sandbox/open.ts';
import { serve } from '../sandbox/server.ts';
import { directory } from '../state/paths.ts';
import type { Connection } from './connection.ts';
import type { Notes } from './notes.ts';

/** A seeded world older than this has no events left around today. */
const staleSeedDays = 14;

export const sandboxFile = (runtime: Runtime): string => join(directory('state', runtime), 'sandbox.db');

/** Opens the sandbox that all commands of this user share. */
export const openShared = async (runtime: Runtime) => {
  const file = sandboxFile(runtime);
  await mkdir(directory('state', runtime), { recursive: true, mode: 0o700 });
  try {
    return await openSandbox({ file, clock: runtime.clock });
  } catch (error) {
    throw new SchedError('environment', 'The sandbox cannot open its data', {
      reason: `${(error as Error).message} (${file})`,
      hint: 'sched sandbox reset',
      outcome: 'not-sent',
    });
  }
};

/** Serves the embedded service on a free loopback port for the time of one command. */
export const embed = async (runtime: Runtime, notes: Notes): Promise<Connection> => {
  notes.insist(notes.isJson ? 'sandbox' : '[sandbox]');
  const sandbox = await openShared(runtime);
  if (sandbox.seedAgeDays > staleSeedDays) {
    notes.say(`the sandbox was seeded ${Math.floor(sandbox.seedAgeDays)} days ago; fresh events: sched sandbox reset`);
  }
  const server = await serve(sandbox.service, { port: 0 });
  return {
    baseUrl: server.url,
    credential: { token: sandbox.token, origin: server.url },
    close: async () => {
      await server.close();
      sandbox.close();
    },
  };
};
