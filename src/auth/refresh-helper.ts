import { type ErrorFacts, SchedError } from '../errors.ts';
import type { Peer, World } from '../runtime.ts';
import type { CredentialKey } from './record.ts';
import { loadTokens, loginExpired, refreshAndStore } from './refresh.ts';
import { lockOf } from './session.ts';
import { openStore } from './stores.ts';
import type { StoreKind } from './vault.ts';

/*
 * A refresh token is good once, so between spending it and keeping what it bought nobody may be killed. A command can
 * be, so it has that done by a helper: a process apart, to which it hands over the lock it holds.
 *
 *   the command              holder    the helper              the command is killed       the helper is killed
 *   takes the lock           command                           the next one takes over
 *   starts a helper, asks    command   says it is ready        the same; it hears the      the command does it
 *                                                              end and goes
 *   hands over the lock      helper    waits                   it hears the end,           the next one takes over
 *                                                              releases and goes
 *   says go                  helper    spends, stores,         it goes on alone            the next one takes over, and
 *                                      releases, tells                                     spends again: good within the
 *                                                                                          replay window, if there is one
 *   reads the store          nobody    is gone
 *
 * The next one may be the same command. A process that is stopped stays the holder, and a helper is not stopped with its
 * command. A signal to end makes the helper release the lock before it was told to go, and wait until it is done after.
 */

/** What a helper is to do. Tokens are not in it: they are in the store. */
export interface RefreshJob {
  readonly key: CredentialKey;
  readonly store: StoreKind;
  /** The directory of the store, if that is a file. */
  readonly config: string;
  /** Under which the lock is handed over. */
  readonly nonce: string;
}

export const readyLine = 'ready';
export const goLine = 'go';

/** What a helper tells in the end: nothing, or what went wrong. */
export interface HelperResult {
  error?: Pick<SchedError, 'category' | 'message'> & { facts: ErrorFacts };
}

const failureOf = (error: unknown): NonNullable<HelperResult['error']> => {
  // What is no error of ours may quote anything.
  const known = error instanceof SchedError ? error : new SchedError('internal', 'Renewing the session failed');
  const { category, message, facts } = known;
  return { category, message, facts };
};

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

/** Where the lock and the store come from. */
const usual = { lock: lockOf, open: openStore };

/** Spends a refresh token in place of the command that started us. */
export const runRefreshHelper = async (parentProcess: Peer, world: World, { lock, open } = usual): Promise<void> => {
  const hear = () => Promise.race([parentProcess.hear(), aborted(world.interrupted)]);
  try {
    const told = await hear();
    if (told === undefined) return;
    const { key, nonce, ...where } = JSON.parse(told) as RefreshJob;
    parentProcess.say(readyLine);
    // Loaded while the lock changes hands.
    const [word] = await Promise.all([hear(), loadTokens()]);
    const held = await lock(key, world).adopt(nonce);
    if (held === undefined) return;
    if (word !== goLine) return await held.release();
    await world.protect(async () => {
      const verdict: HelperResult = {};
      try {
        const store = await open(where.store, world, where.config);
        const old = await store.read(key);
        if (old?.refresh_token === undefined) throw loginExpired(`there is no refresh token in ${store.describe()}`);
        await refreshAndStore({ key, store, clock: world.clock, sendToEnd: world.sendToEnd }, old);
      } catch (error) {
        verdict.error = failureOf(error);
      } finally {
        await held.release();
      }
      parentProcess.say(JSON.stringify(verdict));
    });
  } finally {
    parentProcess.leave();
  }
};
