import { limits } from '../../api/limits.ts';
import type { AuthorizationRequest } from './authorization.ts';
import { type RandomBytes, type Sign, timingSafeSame } from './key.ts';

/**
 * Writes the hidden field of the consent form: the validated request, signed. Other sites can't read the page, so they
 * have no ticket, and a form without one is rejected.
 */
export const writeTicket = (
  request: AuthorizationRequest,
  now: number,
  seal: Sign,
  randomBytes: RandomBytes,
): string => {
  const nonce = Buffer.from(randomBytes(16)).toString('base64url');
  const payload = Buffer.from(JSON.stringify({ request, now, nonce })).toString('base64url');
  return `${payload}.${seal(`consent ${payload}`)}`;
};

/** The request, or `undefined` if the ticket is forged or too old. */
export const readTicket = (ticket: string, now: number, seal: Sign): AuthorizationRequest | undefined => {
  const [payload = '', signature = ''] = ticket.split('.');
  if (!timingSafeSame(signature, seal(`consent ${payload}`))) return undefined;
  const written = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    request: AuthorizationRequest;
    now: number;
  };
  return now - written.now > limits.authorizationCodeSeconds * 1000 ? undefined : written.request;
};
