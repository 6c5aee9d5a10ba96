import { isDeepStrictEqual } from 'node:util';
import type { SentEventType } from '../../api/event-types.ts';
import type { Operation } from '../../api/operation.ts';
import type { ReplyOf } from '../../api/sent.ts';
import { isObject, type Json, textOf } from '../../base/json.ts';
import { type Change, readIfPossible } from '../../client/change.ts';
import type { Client } from '../../client/client.ts';
import type { WriteResult } from '../../client/outcome.ts';
import type { Input } from '../../client/wire.ts';
import { shownUrl } from '../session/connection.ts';
import type { Context } from '../session/context.ts';

/** The record to print after a write. If the reply has none, it may be what was requested, even without a URI. */
export type Written<Reply> = Partial<Reply> & { readonly _sched?: unknown };

/** Adds sched's own facts under `_sched`. The service's fields stay unchanged. */
export const withFacts = <Fields extends Json>(record: Fields, facts: Json): Fields & { readonly _sched: Json } => ({
  ...record,
  _sched: facts,
});

/** Adds facts to those that a record has. Undefined ones and empty lists are left out. */
export const addFacts = (record: Json, facts: Json): Json => {
  const known = Object.entries(facts).filter(([, fact]) => fact !== undefined && !isDeepStrictEqual(fact, []));
  if (known.length === 0) return record;
  return withFacts(record, { ...(isObject(record._sched) ? record._sched : {}), ...Object.fromEntries(known) });
};

/** Whether the record already had the requested change. */
export const isAlready = ({ _sched: facts }: Json): boolean => isObject(facts) && facts.already === true;

/** Where the record comes from if the reply to a write isn't the record: read afterwards, the reply, or the request. */
export type Source = 'read' | 'reply' | 'request';

/** Explains why the printed record is not from the reply. */
export const sourceWords = ({ status }: Pick<WriteResult, 'status'>, source: Source, isStale = false): string => {
  const accepted = `The service accepted this (HTTP ${status}), but its reply doesn't include the record`;
  if (source === 'reply') return `${accepted}. Showing the reply as it came`;
  if (source === 'request') return `${accepted}, and the record can't be read. Showing the request instead`;
  return isStale
    ? `${accepted}. The service still shows the old state: check again later`
    : `${accepted}. Showing the record as read afterwards`;
};

/** The record as far as it is known without the service: its URI and the requested fields. */
export const knownRecord = async (
  context: Context,
  get: Operation,
  path: Record<string, string>,
  fields: unknown = {},
): Promise<Json> => {
  const client = await context.client();
  const { url } = await client.prepare(get, { path });
  return { uri: shownUrl(url, await context.connection()), ...(fields as Json) };
};

interface Unshown<Reply> extends Pick<Change<Reply>, 'read'>, Partial<Pick<Change<Reply>, 'isDone'>> {
  /** What to print if the record cannot be read. */
  fallback(): Json | Promise<Json>;
}

/** Whether a record that was looked up may be the created one: the reply shows no other value of any field. */
const fitsReply = (record: Json, reply: Json): boolean =>
  Object.entries(reply).every(
    ([name, value]) => !Object.hasOwn(record, name) || isDeepStrictEqual(record[name], value),
  );

/** The record of a completed write. If the reply lacks it, the record is read once. Nothing is written again. */
export const recordOfWrite = async <Reply extends Json>(
  { notes }: Context,
  result: WriteResult<Reply>,
  unshown: Unshown<Reply>,
): Promise<Written<Reply>> => {
  if (result.why === undefined) return result.record;
  const { content } = result;
  const reply = isObject(content) ? content : {};
  const current = await readIfPossible(unshown.read);
  const record = current !== undefined && fitsReply(current, reply) ? current : undefined;
  const source: Source = record !== undefined ? 'read' : content !== undefined ? 'reply' : 'request';
  const isStale = record !== undefined && unshown.isDone?.(record) === false;
  if (!result.isReadLater || source !== 'read' || isStale) notes.info(sourceWords(result, source, isStale));
  // A new link may be shown in the reply only. Content that isn't an object has no field names of its own.
  const shown = source === 'request' ? await unshown.fallback() : { ...record, ...reply };
  return withFacts(shown, {
    source,
    ...(isStale ? { stale: true } : {}),
    ...(content === undefined || isObject(content) ? {} : { reply: content }),
  }) as Written<Reply>;
};

/** Allowed clock difference: an event type older than this was not created by the current command. */
const skewMs = 5 * 60_000;

/** The event type that was just created for this user with this name. */
const newestNamed = async (
  { runtime, now }: Context,
  client: Client,
  user: unknown,
  { name }: Json,
  sentAt: number,
): Promise<SentEventType | undefined> => {
  if (typeof user !== 'string') return undefined;
  // Every command loads this file, and few need these rows.
  const { eventTypes } = await import('../../api/event-types.ts');
  const query = { user, sort: 'created_at:desc' };
  for await (const page of client.pages(eventTypes.list, { query }, { limit: 5, pageSize: 5 })) {
    // The clocks may differ, so the age by the service's clock counts.
    const oldest = now() - (runtime.clock.now() - sentAt) - skewMs;
    return page.find((type) => type.name === name && Date.parse(String(type.created_at)) >= oldest);
  }
  return undefined;
};

/** Sends a write and returns the record to print. If the reply lacks the record, it is looked up once. */
export const writeAndRead = async <Row extends Operation>(
  context: Context,
  operation: Row,
  input: Input,
): Promise<Written<ReplyOf<Row>>> => {
  const client = await context.client();
  const body = input.body ?? {};
  const sentAt = context.runtime.clock.now();
  // The service has no list of links.
  const isListed = operation.reply.of.name === 'event type';
  const record = await recordOfWrite<Json>(context, await client.write(operation, input), {
    read: isListed ? () => newestNamed(context, client, body.owner ?? body.host, body, sentAt) : undefined,
    fallback: () => body,
  });
  return record as Written<ReplyOf<Row>>;
};

/** What to call a record in a sentence. The service may send neither a name nor a URI. */
export const recordTitle = ({ name, uri }: Json, otherwise: string): string => textOf(name, uri) ?? otherwise;
