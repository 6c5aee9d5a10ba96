import { hash } from 'node:crypto';
import { invalidParameter } from '../refusal.ts';
import type { Value } from './database.ts';

/** A position between two rows of a list. */
export interface Cursor {
  way: 'next' | 'previous';
  /** The sort keys and then the ID of the row next to this position. */
  place: Value[];
}

/** Assumed (paging.token-expiry): a page token expires after some minutes; in the sandbox after 15. */
const lifetimeMilliseconds = 15 * 60_000;

const digest = (payload: string, list: string): string =>
  hash('sha256', `${payload}\n${list}`, 'base64url').slice(0, 11);

/** `list` identifies the list with its filters and order: the token works for no other. `place` is a JSON array. */
export const writeCursor = (way: Cursor['way'], place: string, list: string, now: number): string => {
  const payload = Buffer.from(`[${now},"${way}",${place.slice(1)}`).toString('base64url');
  return payload + digest(payload, list);
};

export const readCursor = (token: string, list: string, now: number): Cursor => {
  const payload = token.slice(0, -11);
  if (token.slice(-11) !== digest(payload, list))
    throw invalidParameter('page_token', "doesn't belong to this list and these filters", 'invalid');
  const [issued, way, ...place] = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (now - issued > lifetimeMilliseconds)
    throw invalidParameter('page_token', 'has expired: start again from the first page', 'expired');
  return { way, place };
};
