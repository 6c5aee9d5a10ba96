import { join, resolve } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { ownerToken } from '../../sandbox/oauth/ready-tokens.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/open.ts';
import { serve } from '../../sandbox/server/http-server.ts';
import type { Unusable } from '../../sandbox/store/database.ts';
import { refuseLink } from '../../state/files.ts';
import { directory } from '../../state/paths.ts';

import type { WorkNotes } from '../messages/notes.ts';
import { localCommand } from '../messages/suggested-line.ts';

/** Sandbox data older than this has no events around today. */
const staleSeedDays = 14;

/** The sandbox's data file: the named one, else the one that all commands of this user share. */
export const sandboxFile = (runtime: HeadlessRuntime, path?: string): string => {
  if (path !== undefined) return path === ':memory:' ? path : resolve(path);
  const file = join(directory('state', runtime), 'sandbox.db');
  refuseLink('use', file);
  return file;
};

type DataOptions = Omit<SandboxOptions, 'file' | 'clock' | 'randomBytes'> & {
  /** A file instead of the shared one, or `:memory:`. */
  data?: string | undefined;
};

/** Whether a reset would help. With a full disk, or while another process writes, it would only lose the data. */
const isBroken = ({ code, message }: NodeJS.ErrnoException): boolean =>
  code === 'SANDBOX_FILE' || /malformed|not a database/i.test(message);

/** The error for sandbox data that can't be opened. Suggests a reset if the data is broken, else another place. */
export const sandboxDataError = (
  error: NodeJS.ErrnoException & Unusable,
  file: string,
  { data, world, now, kind }: Pick<DataOptions, 'data' | 'world' | 'now' | 'kind'>,
): SchedError => {
  const elsewhere =
    data === undefined ? 'set SCHED_STATE_DIR to another directory' : words`use another file with ${the('data')}`;
  const seed = typeof world === 'object' ? world.name : world;
  const flags = { data, seed, now: now === undefined ? undefined : new Date(now).toISOString(), kind };
  const given = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  const canReset = isBroken(error) && error.advice === undefined && !(data !== undefined && error.isForeign);
  const again = localCommand('sandbox', 'reset', ...given);
  return new SchedError('environment', "The sandbox can't open its data", {
    reason: `${error.message} (${file})`,
    ...(canReset ? { hint: again } : { advice: error.advice ?? elsewhere }),
  });
};

/** Opens the sandbox's data. Creates the directory if needed. */
export const openSandboxData = async (
  runtime: HeadlessRuntime,
  { data, ...options }: DataOptions = {},
): Promise<Sandbox> => {
  const { clock, randomBytes } = runtime;
  const file = sandboxFile(runtime, data);
  try {
    return await openSandbox({ file, clock, randomBytes, ...options });
  } catch (error) {
    throw sandboxDataError(error as Error, file, { data, ...options });
  }
};

/**
 * Runs the built-in sandbox on a free loopback port for one command. That port is gone afterwards, and a printed URI must
 * stay valid: records are named under the address of a server with the same data, else under `usualOrigin`.
 */
export const startSandbox = async (runtime: HeadlessRuntime, notes: WorkNotes, usualOrigin: string) => {
  notes.place('sandbox');
  const sandbox = await openSandboxData(runtime, { usualOrigin });
  if (sandbox.seedAgeDays > staleSeedDays) {
    const age = `The sandbox data is ${Math.floor(sandbox.seedAgeDays)} days old`;
    notes.info(`${age}. For new events: ${localCommand('sandbox', 'reset')}`);
  }
  const server = await serve(sandbox.service, { port: 0, refusalHeaders: sandbox.refusalHeaders });
  return {
    baseUrl: server.url,
    mcpUrl: server.url,
    isSandbox: true,
    service: sandbox.service,
    now: sandbox.clock.now,
    isUnserved: sandbox.serving === undefined,
    credentials: { current: async () => ({ token: ownerToken, origin: server.url }) },
    close: async () => {
      await server.close();
      sandbox.close();
    },
  };
};
