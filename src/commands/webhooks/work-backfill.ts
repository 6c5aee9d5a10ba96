import { hash } from 'node:crypto';
import { isObject, type Json, jsonIn } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';

/*
 * What a backfill sends and what it leaves out, as pure functions.
 */

/** A delivery as the service would have sent it. */
export interface Backfilled {
  event: string;
  created_at: string;
  uri: string;
  body: string;
}

export const backfilled = (content: Json & { event: string; payload: Json }): Backfilled => ({
  event: content.event,
  created_at: String(content.created_at),
  uri: String(content.payload.uri),
  body: JSON.stringify(content),
});

/** By event and time, and a booking before its cancellation. The sort is stable. */
export const inOrder = (deliveries: readonly Backfilled[]): Backfilled[] =>
  deliveries.toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));

/** Identifies a delivery as receivers do. It is a digest, so the record has no ID. */
export const digestOf = ({ event, created_at, uri }: Backfilled): string =>
  hash('sha256', JSON.stringify([event, created_at, uri]));

/** Identifies what a handler has received, also if its log has no time. */
const receivedKey = (event: string, uri: string): string => `${event} ${idIn(uri)}`;

export const isReceived = (received: ReadonlySet<string>, { event, uri }: Backfilled): boolean =>
  received.has(receivedKey(event, uri));

/** What `webhooks listen` has printed, without deliveries that the handler refused; or a line `EVENT<TAB>URI`. */
const keyIn = (line: string): string | 'refused' | undefined => {
  const content = jsonIn(line);
  if (isObject(content)) {
    const { event, payload, _sched: facts } = content;
    if (typeof event !== 'string' || !isObject(payload) || typeof payload.uri !== 'string') return undefined;
    const { status, error } = isObject(facts) ? facts : {};
    const isAccepted = error === undefined && (typeof status !== 'number' || (status >= 200 && status <= 299));
    return isAccepted ? receivedKey(event, payload.uri) : 'refused';
  }
  const [, event, uri] = /^(\w+\.\w+)\t(\S+)$/.exec(line) ?? [];
  return event === undefined ? undefined : receivedKey(event, uri!);
};

/** Reads a log of what was received. Returns its keys and the numbers of lines that can't be read. */
export const readReceived = (text: string): { keys: Set<string>; wrong: number[] } => {
  const keys = new Set<string>();
  const wrong: number[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const key = keyIn(line);
    if (key === undefined) wrong.push(index + 1);
    else if (key !== 'refused') keys.add(key);
  }
  return { keys, wrong };
};
