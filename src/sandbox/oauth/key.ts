import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../../system.ts';
import type { Store } from '../store/store.ts';

const fact = 'oauth_key';

/** The signing key of this sandbox, created on first use and stored with its data. */
const keyOf = (store: Store, randomBytes: RandomBytes): string => {
  const known = store.fact(fact);
  if (known !== undefined) return String(known);
  return store.transaction(() => {
    // Checked again inside the transaction: another process may have created the key meanwhile.
    if (store.fact(fact) === undefined) store.setFact(fact, Buffer.from(randomBytes(32)).toString('base64url'));
    return String(store.fact(fact));
  });
};

/** Signs a text with the sandbox's key. */
export type Sign = (text: string) => string;

export const signerOf = (store: Store, randomBytes: RandomBytes): Sign => {
  const key = keyOf(store, randomBytes);
  return (text) => createHmac('sha256', key).update(text).digest('base64url');
};

/** Compares two strings in constant time. */
export const timingSafeSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
