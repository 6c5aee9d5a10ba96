import { hash } from 'node:crypto';
import { join } from 'node:path';
import { events } from '../../api/events.ts';
import { SchedError } from '../../base/errors.ts';
import { day } from '../../base/milliseconds.ts';
import type { Context } from '../../cli/session/context.ts';
import { readCacheFile } from '../../cli/session/identity.ts';
import type { Query } from '../../client/wire.ts';
import { writePrivateFile } from '../../state/files.ts';
import { directory } from '../../state/paths.ts';

/**
 * Assumed (events.filter-support): the service may support the filters `group` and `invitee_email` for events, but does
 * not document them, and rows show neither. So sched asks once with a value that can't match: a service that replies
 * with rows ignores the filter.
 */
type Filter = 'group' | 'invitee_email';

const staleAfterMs = 30 * day;

const fileFor = async ({ runtime, connection }: Context): Promise<string> => {
  const { origin } = new URL((await connection()).baseUrl);
  const name = hash('sha256', origin).slice(0, 32);
  return join(directory('cache', runtime), `filters-${name}.json`);
};

type Verdicts = Partial<Record<Filter, { supported: boolean; at: number }>>;

const rememberVerdict = async (context: Context, filter: Filter, supported: boolean): Promise<void> => {
  const { runtime } = context;
  const file = await fileFor(context);
  const verdicts = { ...(await readCacheFile(file)), [filter]: { supported, at: runtime.clock.now() } };
  // The file only saves a request, so a failure to write it must not stop the command.
  await writePrivateFile(file, JSON.stringify(verdicts), runtime).catch(() => {});
};

const recall = async (context: Context, filter: Filter): Promise<boolean | undefined> => {
  const verdict = ((await readCacheFile(await fileFor(context))) as Verdicts)[filter];
  const isFresh = Math.abs(context.runtime.clock.now() - Number(verdict?.at)) <= staleAfterMs;
  return isFresh && typeof verdict?.supported === 'boolean' ? verdict.supported : undefined;
};

export interface FilterSupport {
  isSupported: boolean;
  /** Call this once the real value returned a row: an empty list proves nothing if there are no events. */
  confirm?: () => Promise<void>;
}

const valueThatCannotMatch = async (filter: Filter, context: Context): Promise<string> => {
  const noise = Buffer.from(context.runtime.randomBytes(8)).toString('hex');
  // RFC 2606: no address under .invalid exists.
  return filter === 'group'
    ? `${await context.identity.root()}/groups/${noise.toUpperCase()}`
    : `nobody-${noise}@sched.invalid`;
};

/** Whether the service applies the filter, so that a value that can't match returns no rows. Undefined if unclear. */
export const isApplied = async (context: Context, filter: Filter, query: Query): Promise<boolean | undefined> => {
  const client = await context.client();
  const probeQuery = { ...query, [filter]: await valueThatCannotMatch(filter, context) };
  try {
    for await (const rows of client.pages(events.list, { query: probeQuery }, { limit: 1 })) return rows.length === 0;
    return undefined;
  } catch (error) {
    if (!(error instanceof SchedError)) throw error;
    // 404 for an unknown group means that the filter works. A rejected `invitee_email` means that it doesn't.
    if (error.category === 'not-found' && filter === 'group') return true;
    if (error.category === 'usage' && filter === 'invitee_email') return false;
    if (error.category === 'usage' || error.category === 'forbidden') return undefined;
    throw error;
  }
};

/** Whether the service applies a filter on a field that rows don't show. `query` says whose events to list. */
export const supportsFilter = async (context: Context, filter: Filter, query: Query): Promise<FilterSupport> => {
  // The sandbox supports both filters.
  const { isSandbox, mirror } = await context.connection();
  if (isSandbox || mirror) return { isSupported: true };
  const cachedVerdict = await recall(context, filter);
  if (cachedVerdict !== undefined) return { isSupported: cachedVerdict };
  const verdict = await isApplied(context, filter, query);
  if (verdict !== undefined) await rememberVerdict(context, filter, verdict);
  return verdict === undefined
    ? { isSupported: true, confirm: () => rememberVerdict(context, filter, true) }
    : { isSupported: verdict };
};
