import * as oauth from 'oauth4webapi';
import { limits } from '../api/limits.ts';
import { SchedError } from '../base/errors.ts';
import { textOf } from '../base/json.ts';
import type { Send } from '../http/message.ts';
import type { AuthClient } from './auth-server.ts';
import type { Grant } from './callback.ts';
import { callLibrary, malformedReply } from './oauth-request.ts';

/** The checked reply of the token endpoint. */
export interface Tokens {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken?: string | undefined;
  readonly scope?: string | undefined;
  readonly owner?: string | undefined;
  readonly organization?: string | undefined;
}

/** Whether a token is plain ASCII without spaces, so that it can't change the header it is put in. */
const isToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);

export const tokensFrom = (reply: oauth.TokenEndpointResponse, url: string): Tokens => {
  const wrong = (what: string) => malformedReply(what, url);
  if (!isToken(reply.access_token)) throw wrong('the access token is not plain ASCII without spaces');
  if (reply.token_type !== 'bearer') throw wrong('the token type is not bearer');
  const refreshToken = reply.refresh_token;
  if (refreshToken !== undefined && !isToken(refreshToken))
    throw wrong('the refresh token is not plain ASCII without spaces');
  const seconds = reply.expires_in ?? limits.accessTokenSeconds;
  if (!Number.isFinite(seconds) || seconds <= 0 || seconds > 1e9) throw wrong('expires_in is not a number of seconds');
  return {
    accessToken: reply.access_token,
    expiresInSeconds: seconds,
    refreshToken,
    scope: textOf(reply.scope),
    owner: textOf(reply.owner),
    organization: textOf(reply.organization),
  };
};

/** Exchanges a checked callback for tokens. */
export const exchangeCode = async ({ client: authClient, parameters, redirectUri, verifier }: Grant, send: Send) => {
  const url = authClient.server.token;
  return callLibrary(authClient, url, send, async ({ server, client, secret, options }): Promise<Tokens> => {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      secret,
      parameters,
      redirectUri,
      verifier,
      options,
    );
    return tokensFrom(await oauth.processAuthorizationCodeResponse(server, client, response), url);
  });
};

/** Spends a refresh token. Caller must hold its lock. */
export const requestRefresh = async (authClient: AuthClient, refreshToken: string, send: Send): Promise<Tokens> => {
  const url = authClient.server.token;
  return callLibrary(authClient, url, send, async ({ server, client, secret, options }) => {
    const response = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, options);
    return tokensFrom(await oauth.processRefreshTokenResponse(server, client, response), url);
  });
};

/** Revokes a token, best effort (RFC 7009). Returns undefined if the service confirmed it, or else the reason. */
export const requestRevocation = async (
  authClient: AuthClient,
  token: string,
  send: Send,
): Promise<string | undefined> => {
  const { revoke: url } = authClient.server;
  if (url === undefined) return "the authorization server can't revoke tokens";
  const briefly: Send = (request) => send({ ...request, timeoutMs: 5_000 });
  try {
    await callLibrary(authClient, url, briefly, async ({ server, client, secret, options }) => {
      const response = await oauth.revocationRequest(server, client, secret, token, options);
      await oauth.processRevocationResponse(response);
    });
    return undefined;
  } catch (error) {
    return (error instanceof SchedError ? error.facts.reason : undefined) ?? 'the request could not be made';
  }
};
