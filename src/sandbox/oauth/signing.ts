import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../../base/system.ts';
import type { Store } from '../store/store.ts';

const keyFact = 'oauth_key';

/** The signing key of this sandbox, created on first use and stored with its data. Every request is a transaction. */
const keyOf = (store: Store, randomBytes: RandomBytes): string => {
  if (store.fact(keyFact) === undefined) store.setFact(keyFact, Buffer.from(randomBytes(32)).toString('base64url'));
  return String(store.fact(keyFact));
};

export type Sign = (text: string) => string;

export const signerOf =
  (store: Store, randomBytes: RandomBytes): Sign =>
  (text) =>
    createHmac('sha256', keyOf(store, randomBytes)).update(text).digest('base64url');

export const timingSafeSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
};
