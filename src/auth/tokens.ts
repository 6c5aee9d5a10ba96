import * as oauth from 'oauth4webapi';
import { limits } from '../api/limits.ts';
import { oauthPaths } from '../api/oauth-paths.ts';
import { SchedError } from '../errors.ts';
import { NetworkFailure } from '../http/failure.ts';
import type { HttpReply, Send } from '../http/message.ts';
import { cut } from '../redact.ts';
import { version } from '../version.ts';
import type { Grant } from './callback.ts';
import { allowsPlainHttp, type Issuer, serverOf } from './issuer.ts';

/** What the token endpoint gave, checked. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  readonly expiresInSeconds: number;
  readonly owner?: string;
  readonly organization?: string;
}

/** The token endpoint said no, with a code of RFC 6749 §5.2. */
export class TokenRefused extends SchedError {
  readonly code: string;

  constructor(code: string, reason: string) {
    super('auth', 'The service refused to issue a token', {
      reason,
      hint: 'sched auth login',
      outcome: 'not-applied',
      http: { method: 'POST', path: oauthPaths.token },
    });
    this.code = code;
  }
}

/** No verdict came back. `sent` tells whether a single-use secret may be spent. */
export class TokenEndpointUnavailable extends SchedError {
  readonly sent: boolean;

  constructor(reason: string, sent: boolean, hint?: string) {
    super('unavailable', 'The authorization server gave no token', {
      reason,
      ...(hint === undefined ? {} : { hint }),
      outcome: sent ? 'unknown' : 'not-sent',
      http: { method: 'POST', path: oauthPaths.token },
    });
    this.sent = sent;
  }
}

const timeoutMs = 20_000;
const longestWords = 200;

const malformed = (what: string): SchedError =>
  new SchedError('integrity', 'The reply of the token endpoint is not usable', {
    reason: what,
    outcome: 'unknown',
    http: { method: 'POST', path: oauthPaths.token },
  });

/** One word of plain ASCII, so that it can stand in a header and in no other place. */
const isToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);

const optionalText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The protocol library speaks fetch; the network is a `Send`, which follows no redirect. */
const fetchThrough =
  (send: Send, seen: (reply: HttpReply) => void) =>
  async (url: string, { method, headers, body }: oauth.CustomFetchOptions<'POST', URLSearchParams>) => {
    const reply = await send({ method, url, headers: { ...headers }, body: String(body), timeoutMs });
    seen(reply);
    const type = reply.headers['content-type'];
    const hasBody = ![204, 205, 304].includes(reply.status);
    return new Response(hasBody ? reply.body : null, {
      status: reply.status,
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
    });
  };

const optionsFor = (issuer: Issuer, send: Send, seen: (reply: HttpReply) => void) => ({
  [oauth.customFetch]: fetchThrough(send, seen),
  [oauth.allowInsecureRequests]: allowsPlainHttp(issuer),
  headers: { 'user-agent': `sched/${version}` },
});

const wordsOf = ({ error, error_description: words }: oauth.ResponseBodyError): string => {
  const name = /^[a-z_]{1,40}$/.test(error) ? error : 'an unknown error';
  return words ? `${name}: ${cut(words, longestWords)}` : name;
};

/** Errors of the library carry replies and parameters, so none of them leaves this file. */
const translated = (error: unknown, reply: HttpReply | undefined): unknown => {
  if (error instanceof SchedError) return error;
  if (error instanceof NetworkFailure) {
    return new TokenEndpointUnavailable(`${error.host}: ${error.message}`, error.sent, error.hint);
  }
  if (reply === undefined) return error;
  const { status } = reply;
  if (status >= 500 || status === 429 || status === 408) {
    return new TokenEndpointUnavailable(`HTTP ${status}`, status !== 429);
  }
  if (error instanceof oauth.ResponseBodyError) return new TokenRefused(error.error, wordsOf(error));
  if (status >= 400) return new TokenRefused('', `HTTP ${status}`);
  return malformed(status >= 300 ? 'it redirects elsewhere, and redirects are not followed' : 'it has the wrong shape');
};

const tokensFrom = (reply: oauth.TokenEndpointResponse): Tokens => {
  if (!isToken(reply.access_token)) throw malformed('the access token is not one word of plain ASCII');
  if (reply.token_type !== 'bearer') throw malformed('it is not a bearer token');
  const refreshToken = reply.refresh_token;
  if (refreshToken !== undefined && !isToken(refreshToken))
    throw malformed('the refresh token is not one word of plain ASCII');
  const seconds = reply.expires_in ?? limits.accessTokenSeconds;
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > 1e9)
    throw malformed('expires_in is not a number of seconds');
  const [scope, owner, organization] = [reply.scope, reply.owner, reply.organization].map(optionalText);
  return {
    accessToken: reply.access_token,
    expiresInSeconds: seconds,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scope === undefined ? {} : { scope }),
    ...(owner === undefined ? {} : { owner }),
    ...(organization === undefined ? {} : { organization }),
  };
};

/** Turns a checked callback into tokens. */
export const exchange = async (grant: Grant, send: Send): Promise<Tokens> => {
  const { server, client } = serverOf(grant.issuer);
  let seen: HttpReply | undefined;
  const options = optionsFor(grant.issuer, send, (reply) => {
    seen = reply;
  });
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      grant.parameters,
      grant.redirectUri,
      grant.verifier,
      options,
    );
    return tokensFrom(await oauth.processAuthorizationCodeResponse(server, client, response));
  } catch (error) {
    throw translated(error, seen);
  }
};

/** Spends a refresh token. Only the holder of its lock may call this. */
export const refresh = async (issuer: Issuer, refreshToken: string, send: Send): Promise<Tokens> => {
  const { server, client } = serverOf(issuer);
  let seen: HttpReply | undefined;
  const options = optionsFor(issuer, send, (reply) => {
    seen = reply;
  });
  try {
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options);
    return tokensFrom(await oauth.processRefreshTokenResponse(server, client, response));
  } catch (error) {
    throw translated(error, seen);
  }
};

/** Best effort (RFC 7009): nothing where the service confirmed that the token is dead, else why it did not. */
export const revoke = async (issuer: Issuer, token: string, send: Send): Promise<string | undefined> => {
  const { server, client } = serverOf(issuer);
  let seen: HttpReply | undefined;
  const options = optionsFor(
    issuer,
    (request) => send({ ...request, timeoutMs: 5_000 }),
    (reply) => {
      seen = reply;
    },
  );
  try {
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, oauth.None(), token, options));
    return undefined;
  } catch (error) {
    const why = translated(error, seen);
    return (why instanceof SchedError ? why.facts.reason : undefined) ?? 'the request could not be made';
  }
};
