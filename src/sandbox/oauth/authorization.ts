import { type Scope, scopes } from '../../api/scopes.ts';
import { type Client, findClient } from './clients.ts';
import type { Parameters } from './parameters.ts';

/** What a client asks a person for, checked. */
export interface AuthorizationRequest {
  client: string;
  redirectUri: string;
  challenge: string;
  scopes: Scope[];
  state: string | undefined;
  /** Role or address of whoever is to log in. */
  loginHint: string | undefined;
}

/**
 * `untrusted` is told to the person, as there is nowhere safe to send it; `wrong` goes back to the client (RFC 6749 §4.1.2.1).
 */
export type Verdict =
  | { kind: 'untrusted'; why: string }
  | { kind: 'wrong'; redirectUri: string; state: string | undefined; error: string; why: string }
  | { kind: 'fine'; client: Client; request: AuthorizationRequest };

/** RFC 7636 §4.2: the SHA-256 of a verifier, 43 letters. */
const challengePattern = /^[A-Za-z0-9_-]{43}$/;

const isScope = (name: string): name is Scope => Object.hasOwn(scopes, name);

const mistake = (values: Parameters['values'], repeated: string[], wanted: string[]): [string, string] | undefined => {
  if (repeated.length > 0) return ['invalid_request', `${repeated.join(', ')}: given more than once`];
  if (values.response_type === undefined) return ['invalid_request', 'response_type is missing'];
  if (values.response_type !== 'code') return ['unsupported_response_type', 'response_type must be code'];
  if (values.code_challenge === undefined) return ['invalid_request', 'code_challenge is missing: PKCE is required'];
  // RFC 7636 §4.3: without a method it would be plain.
  if (values.code_challenge_method !== 'S256') return ['invalid_request', 'code_challenge_method must be S256'];
  if (!challengePattern.test(values.code_challenge))
    return ['invalid_request', 'code_challenge is not a SHA-256 in base64url'];
  if (wanted.length === 0) return ['invalid_scope', 'scope is missing: scopes are asked for one by one'];
  if (!wanted.every(isScope)) return ['invalid_scope', 'scope names something that is no scope of this service'];
  return undefined;
};

/** Client and redirect come first: until both are known, nothing is sent anywhere. */
export const checkAuthorization = ({ values, repeated }: Parameters): Verdict => {
  const client = findClient(values.client_id);
  if (!client || repeated.includes('client_id'))
    return { kind: 'untrusted', why: 'The client_id is not that of a registered application.' };
  const redirectUri = values.redirect_uri;
  if (redirectUri === undefined || repeated.includes('redirect_uri') || !client.allows(redirectUri))
    return { kind: 'untrusted', why: `The redirect_uri is not one that ${client.name} has registered.` };
  const state = repeated.includes('state') ? undefined : values.state;
  const wanted = [...new Set(values.scope?.split(' ').filter((name) => name !== '') ?? [])];
  const [error, why] = mistake(values, repeated, wanted) ?? [];
  if (error !== undefined) return { kind: 'wrong', redirectUri, state, error, why: why! };
  const request = {
    client: client.id,
    redirectUri,
    challenge: values.code_challenge!,
    scopes: wanted as Scope[],
    state,
    loginHint: values.login_hint,
  };
  return { kind: 'fine', client, request };
};

/** The address at which the client hears the answer; `iss` says who gave it (RFC 9207). */
export const redirectTo = (
  redirectUri: string,
  answer: Record<string, string>,
  { state, issuer }: { state: string | undefined; issuer: string },
): string => {
  const url = new URL(redirectUri);
  const parameters = { ...answer, ...(state === undefined ? {} : { state }), iss: issuer };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};
