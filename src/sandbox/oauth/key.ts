import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Store } from '../store.ts';

export type RandomBytes = (count: number) => Uint8Array;

const fact = 'oauth_key';

/** The key of this sandbox, made when it is first needed and kept with its data. */
const keyOf = (store: Store, randomBytes: RandomBytes): string => {
  const known = store.fact(fact);
  if (known !== undefined) return String(known);
  return store.transaction(() => {
    // Asked again inside: another process may have been faster.
    if (store.fact(fact) === undefined) store.setFact(fact, Buffer.from(randomBytes(32)).toString('base64url'));
    return String(store.fact(fact));
  });
};

/** Makes of a text what only this sandbox can make of it. */
export type Sign = (text: string) => string;

export const signerOf = (store: Store, randomBytes: RandomBytes): Sign => {
  const key = keyOf(store, randomBytes);
  return (text) => createHmac('sha256', key).update(text).digest('base64url');
};

/** Takes the same time wherever the two differ. */
export const timingSafeSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
