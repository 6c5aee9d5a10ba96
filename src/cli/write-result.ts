import type { Operation } from '../api/operation.ts';
import type { Written } from '../client/outcome.ts';
import type { Json } from '../client/reading.ts';
import { type Change, readIfPossible } from '../jobs/read-back.ts';
import { shownUrl } from './connection.ts';
import type { Context } from './context.ts';

/** Adds what is ours under `_sched`; everything else stays the service's. */
export const marked = (record: Json, facts: Json): Json => ({ ...record, _sched: facts });

/** Where the record of a write comes from if the reply does not show it: read afterwards, or taken from the request. */
export type Source = 'read' | 'request';

/** Why what is printed is not the reply. */
export const sourceWords = ({ status }: Pick<Written, 'status'>, source: Source, isStale = false): string => {
  const accepted = `The service accepted this (HTTP ${status}), but its reply does not show the record`;
  if (source === 'request') return `${accepted}, and it cannot be read: showing what was asked for`;
  return isStale
    ? `${accepted}. The service still shows the old state: look again later`
    : `${accepted}: showing it as read afterwards`;
};

/** What is known of a record without the service: where it is, and what was asked for. */
export const knownRecord = async (context: Context, get: Operation, path: Json, asked: unknown = {}): Promise<Json> => {
  const client = await context.client();
  const { url } = client.prepare(get, { path: path as Record<string, string> });
  return { uri: shownUrl(url, await context.connection()), ...(asked as Json) };
};

interface Unshown extends Pick<Change, 'read'>, Partial<Pick<Change, 'isDone'>> {
  /** What to print if the record cannot be read. */
  known(): Json | Promise<Json>;
}

/** The record of a write that was carried out. Where the reply does not show it, it is read once; nothing is sent again. */
export const recordOf = async ({ notes }: Context, written: Written, unshown: Unshown): Promise<Json> => {
  if (written.record !== undefined) return written.record;
  const record = await readIfPossible(unshown.read);
  const source: Source = record === undefined ? 'request' : 'read';
  const isStale = record !== undefined && unshown.isDone?.(record) === false;
  notes.say(sourceWords(written, source, isStale));
  return marked(record ?? (await unshown.known()), { source, ...(isStale ? { stale: true } : {}) });
};
