import { hash, timingSafeEqual } from 'node:crypto';
import { validateAuthResponse } from 'oauth4webapi';
import { SchedError } from '../base/errors.ts';
import { cut, repeatsPart } from '../base/redact.ts';
import { urlIn } from '../base/uri.ts';
import { type AuthClient, forLibrary, withoutSlash } from './auth-server.ts';
import type { LoginSecrets } from './pkce.ts';

declare const grantBrand: unique symbol;

/** An authorization code that passed every check below. Nothing else can be exchanged for a token. */
export interface Grant {
  readonly [grantBrand]: true;
  readonly client: AuthClient;
  /** The callback's parameters, as validated by the OAuth library. */
  readonly parameters: URLSearchParams;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** The callback that a login waits for. */
export interface Expectation {
  readonly client: AuthClient;
  readonly secrets: LoginSecrets;
  readonly redirectUri: string;
}

export interface CallbackRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  readonly host: string | undefined;
}

/**
 * The result of checking a callback. `ignored` is not part of this login (forged, incomplete, a favicon), so the login
 * keeps waiting. `refused` carries this login's state, so it comes from the service and ends the login.
 */
export type CallbackResult =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | { readonly kind: 'refused'; readonly page: 'denied' | 'failed'; readonly error: SchedError }
  | { readonly kind: 'ignored'; readonly status: 400 | 404 | 405 | 421; readonly why: string };

export const callbackPath = '/callback';

const ignore = (status: 400 | 404 | 405 | 421, why: string): CallbackResult => ({ kind: 'ignored', status, why });

const sha256Of = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares in constant time. */
const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(sha256Of(one), sha256Of(other));

const maxTextLength = 200;

/** What an authorization server says about an error (RFC 6749 §4.1.2.1 and §5.2), unless it repeats a secret of the login. */
export const refusalWords = (code: string, words: string | null | undefined, secrets: readonly string[]): string => {
  // Other values are not codes.
  const name = /^[a-z_]{1,40}$/.test(code) ? code : 'an unknown error';
  if (words && repeatsPart(words, secrets)) return `${name} (the explanation repeats a secret, so it is not shown)`;
  return words ? `${name}: ${cut(words, maxTextLength)}` : name;
};

const denial = (parameters: URLSearchParams, secrets: readonly string[]): SchedError => {
  const code = parameters.get('error')!;
  return new SchedError('auth', code === 'access_denied' ? 'The login was denied' : 'The service refused the login', {
    reason: refusalWords(code, parameters.get('error_description'), secrets),
    hint: { command: ['auth', 'login'] },
    outcome: 'not-applied',
  });
};

const wrongIssuer = (iss: string, issuer: string, secrets: readonly string[]): SchedError =>
  new SchedError('auth', 'The reply to the login came from a different issuer', {
    reason: `the reply names ${repeatsPart(iss, secrets) ? 'another one' : `"${cut(iss, maxTextLength)}"`}, but this login is at "${issuer}"`,
    // Only a trailing slash can be a mistake in the settings. Any other issuer may be an attack.
    ...(withoutSlash(iss) === withoutSlash(issuer)
      ? { hint: { command: ['auth', 'login'], flags: { issuer: iss } } }
      : {}),
    outcome: 'not-applied',
  });

/** Checks the parameters of a callback. The state is checked first, even before `error`. */
const checkParameters = (parameters: URLSearchParams, expectation: Expectation): CallbackResult => {
  const names = [...parameters.keys()];
  const states = parameters.getAll('state');
  if (states.length !== 1 || !isSameSecret(states[0]!, expectation.secrets.state))
    return ignore(400, 'it belongs to a different login');
  if (new Set(names).size !== names.length) return ignore(400, 'it has the same parameter twice');
  const iss = parameters.get('iss');
  const { state, verifier } = expectation.secrets;
  const secrets = [parameters.get('code') ?? '', state, verifier];
  // RFC 9207 §2.4: the issuer is compared as a plain string.
  const { issuer, sendsIssuer } = expectation.client.server;
  if (iss !== null && iss !== issuer) {
    return { kind: 'refused', page: 'failed', error: wrongIssuer(iss, issuer, secrets) };
  }
  if (parameters.get('error')) {
    const error = denial(parameters, secrets);
    return { kind: 'refused', page: parameters.get('error') === 'access_denied' ? 'denied' : 'failed', error };
  }
  if (!parameters.get('code')) return ignore(400, 'it has neither a code nor an error');
  if (iss === null && sendsIssuer) return ignore(400, 'it has no issuer (iss)');
  const { server, client } = forLibrary(expectation.client);
  let replyParameters: URLSearchParams;
  try {
    replyParameters = validateAuthResponse(server, client, parameters, expectation.secrets.state);
  } catch {
    // The library's message may quote the parameters.
    return ignore(400, 'it is not a reply to this login');
  }
  const grant = {
    client: expectation.client,
    parameters: replyParameters,
    redirectUri: expectation.redirectUri,
    verifier: expectation.secrets.verifier,
  } as Grant;
  return { kind: 'granted', grant };
};

/** Checks a request to the listener. The host is checked first: a foreign name in `Host` is DNS rebinding. */
export const checkCallback = ({ method, target, host }: CallbackRequest, expectation: Expectation): CallbackResult => {
  const redirect = new URL(expectation.redirectUri);
  if (host !== redirect.host) return ignore(421, 'the request is for another host');
  const [path = '', ...query] = target.split('?');
  if (path !== redirect.pathname) return ignore(404, 'unknown path');
  if (method !== 'GET') return ignore(405, 'only GET is supported');
  return checkParameters(new URLSearchParams(query.join('?')), expectation);
};

/** Checks an address that the user copied from the browser. */
export const checkPasted = (text: string, expectation: Expectation): CallbackResult => {
  const url = urlIn(text.trim());
  if (url === undefined) return ignore(400, 'it is not a complete URL');
  if (`${url.origin}${url.pathname}` !== expectation.redirectUri)
    return ignore(404, `it doesn't start with ${expectation.redirectUri}`);
  return checkParameters(url.searchParams, expectation);
};
