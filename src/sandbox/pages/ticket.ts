import type { RandomBytes } from '../../base/system.ts';
import { type Sign, timingSafeSame } from '../oauth/signing.ts';

interface TicketContext {
  now: number;
  seal: Sign;
  randomBytes: RandomBytes;
}

interface Ticket<Request> {
  request: Request;
  /** Different on every page that is shown, so that a form that is sent twice can be recognized. */
  nonce: string;
  isExpired: boolean;
}

/**
 * Writes the hidden field of a form: the validated request, signed. Other sites can't read the page, so they have no
 * ticket, and a form without one is rejected. A ticket isn't valid in another form.
 */
export const writeTicket = (form: string, request: object, { now, seal, randomBytes }: TicketContext): string => {
  const nonce = Buffer.from(randomBytes(16)).toString('base64url');
  const payload = Buffer.from(JSON.stringify({ request, now, nonce })).toString('base64url');
  return `${payload}.${seal(`${form} ${payload}`)}`;
};

/** Returns `undefined` if the ticket is forged or belongs to another form. */
export const readTicket = <Request>(
  form: string,
  ticket: string,
  seconds: number,
  { now, seal }: Omit<TicketContext, 'randomBytes'>,
): Ticket<Request> | undefined => {
  const [payload = '', signature = ''] = ticket.split('.');
  if (!timingSafeSame(signature, seal(`${form} ${payload}`))) return undefined;
  const written = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return { request: written.request, nonce: written.nonce, isExpired: now - written.now > seconds * 1000 };
};
