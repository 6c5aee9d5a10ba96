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

/** The checked reply of the token endpoint. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  readonly expiresInSeconds: number;
  readonly owner?: string;
  readonly organization?: string;
}

/** The token endpoint refused the request, with a code of RFC 6749 §5.2. */
export class TokenRefused extends SchedError {
  readonly code: string;

  constructor(code: string, reason: string) {
    super('auth', 'The service refused to issue a token', {
      reason,
      hint: { command: ['auth', 'login'] },
      outcome: 'not-applied',
      http: { method: 'POST', path: oauthPaths.token },
    });
    this.code = code;
  }
}

/** The token endpoint neither issued nor refused a token. `sent`: a single-use secret may have been spent. */
export class TokenEndpointUnavailable extends SchedError {
  readonly sent: boolean;

  constructor(reason: string, sent: boolean, advice?: string) {
    super('unavailable', "Can't get a token from the authorization server", {
      reason,
      ...(advice === undefined ? {} : { advice }),
      outcome: sent ? 'unknown' : 'not-sent',
      http: { method: 'POST', path: oauthPaths.token },
    });
    this.sent = sent;
  }
}

const timeoutMs = 20_000;
const maxTextLength = 200;

const malformed = (what: string): SchedError =>
  new SchedError('integrity', 'Invalid reply from the token endpoint', {
    reason: what,
    outcome: 'unknown',
    http: { method: 'POST', path: oauthPaths.token },
  });

/** Whether a token is plain ASCII without spaces, so that it can't change the header it is put in. */
const isToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);

const optionalText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Adapts `Send`, which follows no redirects, to the fetch function that the OAuth library calls. */
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
  return words ? `${name}: ${cut(words, maxTextLength)}` : name;
};

/** Replaces errors of the OAuth library: they contain replies and parameters, so they never leave this file. */
const translated = (error: unknown, reply: HttpReply | undefined): unknown => {
  if (error instanceof SchedError) return error;
  if (error instanceof NetworkFailure) {
    return new TokenEndpointUnavailable(`${error.host}: ${error.message}`, error.sent, error.advice);
  }
  if (reply === undefined) return error;
  const { status } = reply;
  if (status >= 500 || status === 429 || status === 408) {
    return new TokenEndpointUnavailable(`HTTP ${status}`, status !== 429);
  }
  if (error instanceof oauth.ResponseBodyError) return new TokenRefused(error.error, wordsOf(error));
  if (status >= 400) return new TokenRefused('', `HTTP ${status}`);
  return malformed(status >= 300 ? "it is a redirect, which sched doesn't follow" : 'it has the wrong format');
};

const tokensFrom = (reply: oauth.TokenEndpointResponse): Tokens => {
  if (!isToken(reply.access_token)) throw malformed('the access token is not plain ASCII without spaces');
  if (reply.token_type !== 'bearer') throw malformed('the token type is not bearer');
  const refreshToken = reply.refresh_token;
  if (refreshToken !== undefined && !isToken(refreshToken))
    throw malformed('the refresh token is not plain ASCII without spaces');
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

/** Exchanges a checked callback for tokens. */
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

/** Spends a refresh token. Caller must hold its lock. */
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

/** Revokes a token, best effort (RFC 7009). Returns undefined if the service confirmed it, or else the reason. */
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
