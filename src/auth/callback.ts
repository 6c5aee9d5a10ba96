import { createHash, timingSafeEqual } from 'node:crypto';
import { validateAuthResponse } from 'oauth4webapi';
import { SchedError } from '../errors.ts';
import { cut } from '../redact.ts';
import { type Issuer, serverOf } from './issuer.ts';
import type { LoginSecrets } from './pkce.ts';

declare const checked: unique symbol;

/** An authorization code that came back through every check below; nothing else can be exchanged for a token. */
export interface Grant {
  readonly [checked]: true;
  readonly issuer: Issuer;
  /** As the protocol library hands them out after its own checks. */
  readonly parameters: URLSearchParams;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** What a login waits for. */
export interface Expectation {
  readonly issuer: Issuer;
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
 * What to make of a callback. `ignored` is no answer to this login (forged, incomplete, a favicon): it goes on waiting.
 * `refused` carries our own state, so it comes from the service, and ends the login.
 */
export type Verdict =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | { readonly kind: 'refused'; readonly page: 'denied' | 'failed'; readonly error: SchedError }
  | { readonly kind: 'ignored'; readonly status: 400 | 404 | 405 | 421; readonly why: string };

export const callbackPath = '/callback';

const ignored = (status: 400 | 404 | 405 | 421, why: string): Verdict => ({ kind: 'ignored', status, why });

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Takes the same time wherever the two differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const longestWords = 200;

const denial = (parameters: URLSearchParams): SchedError => {
  const code = parameters.get('error')!;
  const words = cut(parameters.get('error_description') ?? '', longestWords);
  // RFC 6749 §4.1.2.1 lists the codes; anything else is not worth showing.
  const name = /^[a-z_]{1,40}$/.test(code) ? code : 'an unknown error';
  return new SchedError('auth', code === 'access_denied' ? 'The login was denied' : 'The service refused the login', {
    reason: words ? `${name}: ${words}` : name,
    hint: 'sched auth login',
    outcome: 'not-applied',
  });
};

/** The parameters of a callback. The state comes before anything else, `error` included. */
export const checkParameters = (parameters: URLSearchParams, expected: Expectation): Verdict => {
  const names = [...parameters.keys()];
  const states = parameters.getAll('state');
  if (states.length !== 1 || !isSame(states[0]!, expected.secrets.state)) return ignored(400, 'the state is not ours');
  if (new Set(names).size !== names.length) return ignored(400, 'a parameter is given twice');
  const iss = parameters.get('iss');
  // RFC 9207 §2.4: the issuer is compared as a plain string.
  if (iss !== null && iss !== expected.issuer.url) {
    const error = new SchedError('auth', 'The login was answered by another issuer', {
      reason: `expected ${expected.issuer.url}`,
      outcome: 'not-applied',
    });
    return { kind: 'refused', page: 'failed', error };
  }
  if (parameters.get('error')) {
    const error = denial(parameters);
    return { kind: 'refused', page: parameters.get('error') === 'access_denied' ? 'denied' : 'failed', error };
  }
  if (!parameters.get('code')) return ignored(400, 'there is neither a code nor an error in it');
  const { server, client } = serverOf(expected.issuer);
  let validated: URLSearchParams;
  try {
    validated = validateAuthResponse(server, client, parameters, expected.secrets.state);
  } catch {
    // What the library says may quote the parameters.
    return ignored(400, 'it is not an answer to a code request');
  }
  const grant = {
    issuer: expected.issuer,
    parameters: validated,
    redirectUri: expected.redirectUri,
    verifier: expected.secrets.verifier,
  } as Grant;
  return { kind: 'granted', grant };
};

/** A request to the listener. The address comes first: a foreign name in `Host` is DNS rebinding. */
export const checkRequest = ({ method, target, host }: CallbackRequest, expected: Expectation): Verdict => {
  const redirect = new URL(expected.redirectUri);
  if (host !== redirect.host) return ignored(421, 'it was meant for another host');
  const [path = '', ...query] = target.split('?');
  if (path !== redirect.pathname) return ignored(404, 'there is nothing here');
  if (method !== 'GET') return ignored(405, 'only GET is understood');
  return checkParameters(new URLSearchParams(query.join('?')), expected);
};

/** The address that a person copied out of the browser. */
export const checkPasted = (text: string, expected: Expectation): Verdict => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined) return ignored(400, 'it is not a whole address');
  if (`${url.origin}${url.pathname}` !== expected.redirectUri)
    return ignored(404, `it does not begin with ${expected.redirectUri}`);
  return checkParameters(url.searchParams, expected);
};
