import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '../../api/limits.ts';
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

export type Sign = (text: string) => string;

export const signerOf =
  (store: Store, randomBytes: RandomBytes): Sign =>
  (text) =>
    createHmac('sha256', keyOf(store, randomBytes)).update(text).digest('base64url');

export const timingSafeSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** The form that a ticket belongs to. It is not valid in another one. */
export type TicketForm = 'consent' | 'device';

interface TicketContext {
  now: number;
  seal: Sign;
  randomBytes: RandomBytes;
}

/**
 * Writes the hidden field of a form: the validated request, signed. Other sites can't read the page, so they have no
 * ticket, and a form without one is rejected.
 */
export const writeTicket = (form: TicketForm, request: object, { now, seal, randomBytes }: TicketContext): string => {
  const nonce = Buffer.from(randomBytes(16)).toString('base64url');
  const payload = Buffer.from(JSON.stringify({ request, now, nonce })).toString('base64url');
  return `${payload}.${seal(`${form} ${payload}`)}`;
};

/** The request, or `undefined` if the ticket is forged or too old. */
export const readTicket = <Request>(
  form: TicketForm,
  ticket: string,
  { now, seal }: TicketContext,
): Request | undefined => {
  const [payload = '', signature = ''] = ticket.split('.');
  if (!timingSafeSame(signature, seal(`${form} ${payload}`))) return undefined;
  const written: { request: Request; now: number } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return now - written.now > limits.authorizationCodeSeconds * 1000 ? undefined : written.request;
};
