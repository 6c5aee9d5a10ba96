import { join, resolve } from 'node:path';
import { SchedError } from '../../errors.ts';
import type { Runtime } from '../../runtime.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/open.ts';
import { seedNameText } from '../../sandbox/seed-name.ts';
import { serve } from '../../sandbox/server.ts';
import { refuseLink } from '../../state/files.ts';
import { directory } from '../../state/paths.ts';
import type { Notes } from '../messages/notes.ts';
import { commandLine } from '../messages/shell-line.ts';

/** A seeded world older than this has no events left around today. */
const staleSeedDays = 14;

/** The data that all commands of this user share, unless another file is named. */
export const sandboxFile = (runtime: Runtime, named?: string): string => {
  if (named !== undefined) return named === ':memory:' ? named : resolve(named);
  const file = join(directory('state', runtime), 'sandbox.db');
  refuseLink('use', file);
  return file;
};

export type DataOptions = Omit<SandboxOptions, 'file' | 'clock' | 'randomBytes'> & {
  /** A file in place of the shared one, or `:memory:`. */
  data?: string | undefined;
};

/** Whether new data would help. Where the disk is full, or somebody else writes, throwing it away is a loss for nothing. */
const isBroken = ({ code, message }: NodeJS.ErrnoException): boolean =>
  code === 'SANDBOX_FILE' || /malformed|not a database/i.test(message);

/** What is wrong with the data of a sandbox, and what fixes it: another place if it cannot be in this one. */
export const sandboxDataError = (
  error: NodeJS.ErrnoException,
  file: string,
  { data, world }: Pick<DataOptions, 'data' | 'world'>,
): SchedError => {
  const elsewhere = data === undefined ? 'SCHED_STATE_DIR names another directory' : 'name another file with --data';
  const flags = { data, seed: world && seedNameText(world) };
  const words = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  const again = commandLine('sandbox', 'reset', ...words);
  return new SchedError('environment', 'The sandbox cannot open its data', {
    reason: `${error.message} (${file})`,
    hint: isBroken(error) ? again : elsewhere,
    outcome: 'not-sent',
  });
};

/** Opens the data of a sandbox, in a directory that is made if need be. */
export const openSandboxData = async (runtime: Runtime, { data, ...options }: DataOptions = {}): Promise<Sandbox> => {
  const { clock, randomBytes } = runtime;
  const file = sandboxFile(runtime, data);
  try {
    return await openSandbox({ file, clock, randomBytes, ...options });
  } catch (error) {
    throw sandboxDataError(error as Error, file, { data, world: options.world });
  }
};

/** Serves the embedded service on a free loopback port for the time of one command. */
export const startSandbox = async (runtime: Runtime, notes: Notes) => {
  notes.sandbox();
  const sandbox = await openSandboxData(runtime);
  if (sandbox.seedAgeDays > staleSeedDays) {
    notes.info(`the sandbox was seeded ${Math.floor(sandbox.seedAgeDays)} days ago; fresh events: sched sandbox reset`);
  }
  const server = await serve(sandbox.service, { port: 0 });
  return {
    baseUrl: server.url,
    mcpUrl: server.url,
    isSandbox: true,
    credentials: { current: async () => ({ token: sandbox.token, origin: server.url }) },
    close: async () => {
      await server.close();
      sandbox.close();
    },
  };
};
