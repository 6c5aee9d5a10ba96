import type { Collection } from '../../api/collections.ts';
import { limits } from '../../api/limits.ts';
import { isPerson } from '../../client/ids.ts';
import type { Credential } from '../../http/authorize.ts';
import { readLimits } from '../../http/limit-headers.ts';
import { budgetKey } from '../../http/rate-limit.ts';
import type { Runtime } from '../../runtime.ts';
import type { Given } from '../input/given.ts';
import { createNotes } from '../messages/notes.ts';
import { Problems } from '../messages/problems.ts';
import { choicesOf, type NamedChoice } from '../operation/name-lookup.ts';
import { resolveSettings } from '../resolve-settings.ts';
import { accountForCommand, findUserLazily } from '../run-command.ts';
import { type Context, createContext } from '../session/context.ts';
import { cacheFile, readYounger, writeCache } from '../session/identity.ts';
import type { Settings } from '../session/settings.ts';

/** Together with starting the program, names take at most a second. */
export const limitMs = 800;

/** TAB is often pressed several times in a row. */
const staleAfterMs = 2 * 60_000;

const isScarce = (perMinute: number | null | undefined): boolean =>
  (perMinute ?? Number.POSITIVE_INFINITY) <= limits.requestsPerMinute.free;

/**
 * The world of a key press: silent, never waiting, and over when the signal is aborted. Once a reply shows a small rate
 * limit, no request follows.
 */
const completionRuntime = (runtime: Runtime, end: AbortSignal): Runtime => {
  let hasFew = false;
  const own: Partial<Runtime> = {
    stderr: { isTerminal: false, columns: 0, write: async () => {} },
    interrupted: end,
    clock: { now: runtime.clock.now, sleep: () => Promise.reject(new Error('completion never waits')) },
    send: async (request) => {
      if (hasFew) throw new Error('few requests are left for commands');
      const reply = await runtime.send({ ...request, signal: end });
      hasFew = isScarce(readLimits(reply.headers, runtime.clock.now())?.limit);
      return reply;
    },
  };
  return Object.create(runtime, Object.getOwnPropertyDescriptors(own));
};

/** Whether a token can be had without a prompt. A keychain may be locked, so it is never asked. */
const hasToken = ({ sandbox, account }: Settings, { env }: Runtime): boolean =>
  sandbox || Boolean(env.SCHED_TOKEN || env.SCHED_TOKEN_FILE) || account?.profile.login?.store === 'file';

const askForNames = async (
  collection: Collection,
  context: Context,
  credential: Credential,
): Promise<NamedChoice[]> => {
  const { budget } = await context.sharedState();
  if (isScarce(await budget.limitOf(budgetKey('general', credential)))) return [];
  return choicesOf(collection, context);
};

const readNames = async (collection: Collection, given: Given, runtime: Runtime): Promise<NamedChoice[]> => {
  const account = await accountForCommand({}, given, runtime);
  const notes = createNotes(runtime.stderr, false);
  const settings = Object.assign(await resolveSettings(given, runtime, new Problems(), notes, account), {
    allowRefresh: false,
    maxWaitMs: 0,
  });
  if (!hasToken(settings, runtime)) return [];
  // In the background, like a command that runs beside others: those need the rate limit more.
  const context = createContext({ runtime, settings, notes, findUser: findUserLazily, isBackground: true });
  try {
    const { credentials, isSandbox } = await context.connection();
    const credential = await credentials.current();
    // Names and addresses of people are never written to disk.
    if (isSandbox || isPerson(collection)) return await askForNames(collection, context, credential);
    const file = cacheFile(runtime, credential, `names_${collection}`);
    const cache = await readYounger(file, runtime.clock.now(), staleAfterMs);
    if (cache !== undefined) return cache.names as unknown as NamedChoice[];
    const names = await askForNames(collection, context, credential);
    if (names.length > 0) await writeCache(runtime, file, { names });
    return names;
  } finally {
    await context.close();
  }
};

/** The records of a collection. None if they can't be had at once, whatever the reason. */
export const namesOf = async (collection: Collection, given: Given, runtime: Runtime): Promise<NamedChoice[]> => {
  const end = new AbortController();
  const nothing = (): NamedChoice[] => [];
  const late = runtime.clock.sleep(limitMs, end.signal).then(nothing, nothing);
  const lookup = readNames(collection, given, completionRuntime(runtime, end.signal)).catch(nothing);
  try {
    return await Promise.race([lookup, late]);
  } finally {
    end.abort();
  }
};
