import { limits } from '../../api/limits.ts';
import type { RandomBytes } from '../../system.ts';
import { type Sign, timingSafeSame } from './key.ts';

/** The form that a ticket belongs to. It is not valid in another one. */
type Form = 'consent' | 'device';

/**
 * Writes the hidden field of a form: the validated request, signed. Other sites can't read the page, so they have no
 * ticket, and a form without one is rejected.
 */
export const writeTicket = (form: Form, request: object, now: number, seal: Sign, randomBytes: RandomBytes): string => {
  const nonce = Buffer.from(randomBytes(16)).toString('base64url');
  const payload = Buffer.from(JSON.stringify({ request, now, nonce })).toString('base64url');
  return `${payload}.${seal(`${form} ${payload}`)}`;
};

/** The request, or `undefined` if the ticket is forged or too old. */
export const readTicket = <Request>(form: Form, ticket: string, now: number, seal: Sign): Request | undefined => {
  const [payload = '', signature = ''] = ticket.split('.');
  if (!timingSafeSame(signature, seal(`${form} ${payload}`))) return undefined;
  const written = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    request: Request;
    now: number;
  };
  return now - written.now > limits.authorizationCodeSeconds * 1000 ? undefined : written.request;
};
