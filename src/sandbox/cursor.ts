import { hash } from 'node:crypto';
import type { Value } from './database.ts';
import { invalidParameter } from './refusal.ts';

/** A place between two rows of a list. */
export interface Cursor {
  way: 'next' | 'previous';
  /** The sort keys of the row on one side of it, then its ID. */
  place: Value[];
}

/** Assumed: a page token lives some minutes. */
const lifetimeMilliseconds = 15 * 60_000;

const digest = (payload: string, list: string): string =>
  hash('sha256', `${payload}\n${list}`, 'base64url').slice(0, 11);

/** `list` says which list it is, with filters and order: a token is good for that one only. `place` is a JSON array. */
export const writeCursor = (way: Cursor['way'], place: string, list: string, now: number): string => {
  const payload = Buffer.from(`[${now},"${way}",${place.slice(1)}`).toString('base64url');
  return payload + digest(payload, list);
};

export const readCursor = (token: string, list: string, now: number): Cursor => {
  const payload = token.slice(0, -11);
  if (token.slice(-11) !== digest(payload, list))
    throw invalidParameter('page_token', 'is not a token of this list with these filters', 'invalid');
  const [issued, way, ...place] = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (now - issued > lifetimeMilliseconds)
    throw invalidParameter('page_token', 'is too old: start again from the first page', 'expired');
  return { way, place };
};
