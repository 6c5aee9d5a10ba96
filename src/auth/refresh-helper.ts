import { type ErrorFacts, SchedError } from '../base/errors.ts';
import {
  type ChildProcess,
  childEnvironment,
  type HeadlessRuntime,
  helperArgument,
  type Peer,
  type World,
} from '../runtime.ts';
import type { HeldLock } from '../state/lock.ts';
import { identityOf } from '../state/processes.ts';
import type { AuthServer } from './auth-server.ts';
import type { CredentialKey } from './credential.ts';
import { loadTokens, loginExpired, refreshAndStore } from './refresh.ts';
import { credentialLock, type RefreshHelper } from './session.ts';
import { openCredentialStore } from './stores.ts';
import type { StoreKind } from './vault.ts';

/*
 * A refresh token works once. A process that is killed between spending it and storing the new one loses the login. A
 * command can be killed at any time, so it lets a helper do this: a separate process that takes over its lock.
 *
 *   command                lock held by  helper              if the command is killed    if the helper is killed
 *   takes the lock         command                           the next process takes over
 *   starts a helper,       command       says it is ready    the same; the helper sees   the command refreshes
 *   sends the job                                            the end of input and exits  the token itself
 *   hands over the lock    helper        waits               the helper sees the end,    the next process takes over
 *                                                            releases and exits
 *   says go                helper        spends, stores,     the helper continues alone  the next process takes over
 *                                        releases, reports                               and spends the token again:
 *                                                                                        works within the replay
 *                                                                                        window, if there is one
 *   reads the store        no process    has exited
 *
 * The next process may be the same command. A stopped process keeps the lock, and stopping a command doesn't stop its
 * helper. On a termination signal before "go", the helper releases the lock and exits; after "go", it finishes first.
 */

/** The job of a helper. It holds no tokens: the helper reads them from the store. */
interface RefreshJob {
  readonly key: CredentialKey;
  readonly server: AuthServer;
  readonly store: StoreKind;
  /** The config directory, used by the file store. */
  readonly config: string;
  /** Identifies the handover of the lock. */
  readonly nonce: string;
}

const readyLine = 'ready';
export const goLine = 'go';

/** The last line of a helper: an empty object, or the error. */
interface HelperResult {
  error?: Pick<SchedError, 'category' | 'message'> & { facts: ErrorFacts };
}

const helperError = (error: unknown): NonNullable<HelperResult['error']> => {
  // The message of any other error could contain a secret.
  const safeError = error instanceof SchedError ? error : new SchedError('internal', 'Refreshing the login failed');
  const { category, message, facts } = safeError;
  return { category, message, facts };
};

const untilAbort = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

/** How the program opens the lock and the store; tests pass their own. */
const defaults = { lock: credentialLock, open: openCredentialStore };

/** Spends a refresh token for the command that started this process. */
export const runRefreshHelper = async (parentProcess: Peer, world: World, { lock, open } = defaults): Promise<void> => {
  const hear = () => Promise.race([parentProcess.hear(), untilAbort(world.interrupted)]);
  try {
    const job = await hear();
    if (job === undefined) return;
    const { key, server, nonce, ...where } = JSON.parse(job) as RefreshJob;
    parentProcess.say(readyLine);
    // Load the code while the lock is handed over.
    const [word] = await Promise.all([hear(), loadTokens()]);
    const heldLock = await lock(key, world).adopt(nonce);
    if (heldLock === undefined) return;
    if (word !== goLine) return await heldLock.release();
    await world.protect(async () => {
      const verdict: HelperResult = {};
      try {
        const store = await open(where.store, world, where.config);
        const old = await store.read(key);
        if (old?.refresh_token === undefined) throw loginExpired(`there is no refresh token in ${store.describe()}`);
        await refreshAndStore({ key, server, store, clock: world.clock, sendToEnd: world.sendToEnd }, old);
      } catch (error) {
        verdict.error = helperError(error);
      } finally {
        await heldLock.release();
      }
      parentProcess.say(JSON.stringify(verdict));
    });
  } finally {
    parentProcess.leave();
  }
};

type HelperWorld = Pick<HeadlessRuntime, 'env' | 'startChild' | 'machine' | 'clock' | 'randomBytes' | 'interrupted'>;

/** A helper that takes longer to start is killed. It doesn't hold the lock yet. */
const startLimitMs = 10_000;

/** The longest that all attempts of one job can take. */
const jobLimitMs = 60_000;

const slow: unique symbol = Symbol('slow');

/** The helper's next line, `undefined` if it ends, or `slow` if it takes too long. */
const nextLine = async (helper: ChildProcess, { clock }: HelperWorld, limitMs: number) => {
  const over = new AbortController();
  const late = (): typeof slow => slow;
  try {
    return await Promise.race([helper.hear(), clock.sleep(limitMs, over.signal).then(late, late)]);
  } finally {
    over.abort();
  }
};

const handOver = async (
  helper: ChildProcess,
  job: Omit<RefreshJob, 'nonce'>,
  heldLock: HeldLock,
  world: HelperWorld,
): ReturnType<RefreshHelper> => {
  const nonce = Buffer.from(world.randomBytes(16)).toString('hex');
  helper.say(JSON.stringify({ ...job, nonce } satisfies RefreshJob));
  if ((await nextLine(helper, world, startLimitMs)) !== readyLine) {
    helper.kill();
    return 'not started';
  }
  const identity = await identityOf({ ...world.machine, pid: helper.pid, startedAt: world.clock.now() });
  if (!helper.isRunning()) return 'not started';
  if (!(await heldLock.handOver(identity, nonce))) return 'ended early';
  // From here until the helper reads the go line, it releases the lock if this function ends for any reason.
  world.interrupted.throwIfAborted();
  helper.say(goLine);
  const result = await nextLine(helper, world, jobLimitMs);
  if (result === undefined) return 'ended early';
  if (result === slow) {
    throw new SchedError('environment', 'Refreshing the login is taking too long', {
      reason: `process ${helper.pid} has been running for ${jobLimitMs / 1000} s`,
      advice: 'wait for it to end, or stop it',
      outcome: 'unknown',
    });
  }
  const { error } = JSON.parse(result) as HelperResult;
  if (error !== undefined) throw new SchedError(error.category, error.message, error.facts);
  return 'done';
};

/** Returns a function that lets helpers do the job, or undefined if it is not known how to start `sched` again. */
export const refreshHelperFor = (job: Omit<RefreshJob, 'nonce'>, world: HelperWorld): RefreshHelper | undefined => {
  const { program } = world.machine;
  if (program === undefined) return undefined;
  // Proxy and certificate settings are kept.
  const options = { env: childEnvironment(world.env), isDetached: true };
  return async (heldLock) => {
    const helper = await world.startChild([...program, helperArgument], options).catch(() => undefined);
    if (helper === undefined) return 'not started';
    try {
      return await handOver(helper, job, heldLock, world);
    } finally {
      helper.leave();
    }
  };
};
