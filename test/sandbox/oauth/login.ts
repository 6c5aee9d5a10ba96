import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { AccessToken, OAuthError } from '../../../src/api/oauth.ts';
import type { World } from '../world.ts';

export const redirectUri = 'http://127.0.0.1:51515/callback';

export const verifier = 'a-verifier-of-forty-three-letters-or-more-0123456789';

export const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url');

export const scope = 'users:read scheduled_events:write';

/** The query of an authorization request; `undefined` leaves a parameter out. */
export const authorizeQuery = (changes: Record<string, string | undefined> = {}): string => {
  const parameters = {
    client_id: 'sched-cli',
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    scope,
    state: 'state-1',
    ...changes,
  };
  return String(
    new URLSearchParams(
      Object.entries(parameters).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as [string, string]],
      ),
    ),
  );
};

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' };

/** A client for the authorization server of a world. It checks every reply against its schema. */
export const oauthOf = ({ send }: Pick<World, 'send'>, origin = 'http://127.0.0.1:4010') => {
  const authorize = (changes?: Record<string, string | undefined>, more = '') =>
    send({ method: 'GET', url: `${origin}/oauth/authorize?${authorizeQuery(changes)}${more}`, headers: {} });

  const post = (path: string, form: Record<string, string> | string, headers: Record<string, string> = {}) =>
    send({
      method: 'POST',
      url: `${origin}${path}`,
      headers: { ...formHeaders, ...headers },
      body: String(new URLSearchParams(form)),
    });

  /** Sends the form of the consent page. */
  const decide = (page: string, fields: Record<string, string>, headers?: Record<string, string>) => {
    const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '';
    return post('/oauth/authorize', { ticket, user: 'owner', decision: 'allow', ...fields }, headers);
  };

  const codeIn = (location: string | undefined) =>
    new URL(location ?? 'http://nowhere.example').searchParams.get('code') ?? '';

  /** A code from a full run through the consent page. */
  const code = async (changes?: Record<string, string | undefined>, fields: Record<string, string> = {}) => {
    const page = await authorize(changes);
    return codeIn((await decide(page.body, fields)).headers.location);
  };

  const token = async (form: Record<string, string> | string) => {
    const { status, headers, body } = await post('/oauth/token', form);
    const json = JSON.parse(body);
    return {
      status,
      headers,
      json: status === 200 ? AccessToken.parse(json) : z.strictObject(z.required(OAuthError).shape).parse(json),
    } as {
      status: number;
      headers: Record<string, string>;
      // biome-ignore lint/suspicious/noExplicitAny: the status decides which of the two it is
      json: any;
    };
  };

  const redeem = (code: string, changes: Record<string, string> = {}) =>
    token({
      grant_type: 'authorization_code',
      client_id: 'sched-cli',
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
      ...changes,
    });

  const refresh = (refresh_token: string, changes: Record<string, string> = {}) =>
    token({ grant_type: 'refresh_token', client_id: 'sched-cli', refresh_token, ...changes });

  /** The tokens of a complete login. */
  const login = async (changes?: Record<string, string | undefined>, fields?: Record<string, string>) =>
    (await redeem(await code(changes, fields))).json;

  return { authorize, post, decide, code, codeIn, token, redeem, refresh, login };
};

export type OAuth = ReturnType<typeof oauthOf>;
