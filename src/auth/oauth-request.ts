import * as oauth from 'oauth4webapi';
import { type ErrorFacts, SchedError } from '../errors.ts';
import { NetworkFailure } from '../http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import { cut } from '../redact.ts';
import { version } from '../version.ts';
import type { AuthClient } from './auth-server.ts';

type Exchange = NonNullable<ErrorFacts['http']>;

/** The authorization server refused the request, with a code of RFC 6749 §5.2 or RFC 8628 §3.5. */
export class TokenRefused extends SchedError {
  readonly code: string;

  constructor(code: string, reason: string, http: Exchange) {
    super('auth', 'The service refused to issue a token', {
      reason,
      ...(code === 'invalid_client'
        ? { advice: 'check --client-id; if the client has a secret, log in with --client-secret-file' }
        : { hint: { command: ['auth', 'login'] } }),
      outcome: 'not-applied',
      http,
    });
    this.code = code;
  }
}

/** The authorization server neither did nor refused it. `sent`: a single-use secret may have been spent. */
export class TokenEndpointUnavailable extends SchedError {
  readonly sent: boolean;

  constructor(reason: string, sent: boolean, http: Exchange, advice?: string) {
    super('unavailable', "Can't get a token from the authorization server", {
      reason,
      ...(advice === undefined ? {} : { advice }),
      outcome: sent ? 'unknown' : 'not-sent',
      http,
    });
    this.sent = sent;
  }
}

const timeoutMs = 20_000;
const maxTextLength = 200;

const exchangeWith = (url: string): Exchange => ({ method: 'POST', path: new URL(url).pathname });

export const malformed = (what: string, url: string): SchedError =>
  new SchedError('integrity', 'Invalid reply from the token endpoint', {
    reason: what,
    outcome: 'unknown',
    http: exchangeWith(url),
  });

/** Whether the address is http, which the guards allow on a loopback address only. */
const isPlainHttp = (url: string): boolean => new URL(url).protocol === 'http:';

/**
 * Drops the ID token, which sched has no use for. The library would compare its times with this machine's clock, which
 * may be a day off (R15).
 */
const withoutIdToken = (body: string): string => {
  if (!body.includes('id_token')) return body;
  try {
    const { id_token: _, ...rest } = JSON.parse(body);
    return JSON.stringify(rest);
  } catch {
    return body;
  }
};

const responseOf = ({ status, headers, body }: HttpReply): Response => {
  const type = headers['content-type'];
  return new Response([204, 205, 304].includes(status) ? null : withoutIdToken(body), {
    status,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  });
};

type Fetched = oauth.CustomFetchOptions<string, URLSearchParams | undefined>;

/** The options for a call of the OAuth library to `url`: requests go through `send`, which follows no redirects. */
export const requestOptions = (url: string, send: Send, seen: (request: HttpRequest, reply?: HttpReply) => void) => ({
  [oauth.customFetch]: async (address: string, { method, headers, body }: Fetched) => {
    const sent = body === undefined ? {} : { body: String(body) };
    const request: HttpRequest = { method, url: address, headers: { ...headers }, ...sent, timeoutMs };
    seen(request);
    const reply = await send(request);
    seen(request, reply);
    return responseOf(reply);
  },
  [oauth.allowInsecureRequests]: isPlainHttp(url),
  headers: { 'user-agent': `sched/${version}` },
});

const wordsOf = ({ error, error_description: words }: oauth.ResponseBodyError): string => {
  const name = /^[a-z_]{1,40}$/.test(error) ? error : 'an unknown error';
  return words ? `${name}: ${cut(words, maxTextLength)}` : name;
};

/** Replaces errors of the OAuth library: they contain replies and parameters, so they never leave this file. */
const translated = (error: unknown, url: string, reply: HttpReply | undefined): unknown => {
  const http = exchangeWith(url);
  if (error instanceof SchedError) return error;
  if (error instanceof NetworkFailure)
    return new TokenEndpointUnavailable(`${error.host}: ${error.message}`, error.sent, http, error.advice);
  if (reply === undefined) return error;
  const { status } = reply;
  if (status >= 500 || status === 429 || status === 408)
    return new TokenEndpointUnavailable(`HTTP ${status}`, status !== 429, http);
  if (error instanceof oauth.ResponseBodyError) return new TokenRefused(error.error, wordsOf(error), http);
  if (status >= 400) return new TokenRefused('', `HTTP ${status}`, http);
  return malformed(status >= 300 ? "it is a redirect, which sched doesn't follow" : 'it has the wrong format', url);
};

/** Calls the OAuth library. Its errors become errors of sched. */
export const callLibrary = async <Value>(
  url: string,
  send: Send,
  work: (options: ReturnType<typeof requestOptions>) => Promise<Value>,
): Promise<Value> => {
  let seen: HttpReply | undefined;
  try {
    return await work(
      requestOptions(url, send, (_, reply) => {
        seen = reply;
      }),
    );
  } catch (error) {
    throw translated(error, url, seen);
  }
};

/** How the client identifies itself. */
export const authenticationOf = ({ server, secret }: AuthClient): oauth.ClientAuth => {
  if (secret === undefined) return oauth.None();
  return server.clientAuth === 'client_secret_basic' ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
};
