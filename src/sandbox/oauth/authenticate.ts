import type { Operation } from '../../api/operation.ts';
import type { HttpRequest } from '../../http/message.ts';
import { Refusal, unauthenticated } from '../error-replies.ts';
import type { Caller } from '../handler.ts';
import { timestamp } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import { fingerprint } from './ready-tokens.ts';

/** The owner of a token, expired or not. */
export interface Holder {
  caller: Caller;
  expiresAt: string | null;
  /** The path of the resource that the token is for; `null` for the API. */
  resource: string | null;
  /** Made by its owner for any use, without a login. */
  isPersonal: boolean;
}

interface TokenRow extends Omit<Caller, 'scopes' | 'token'> {
  scopes: string | null;
  expires_at: string | null;
  resource: string | null;
  personal: number;
}

/** Whether the body is a form. */
export const isForm = ({ headers }: Pick<HttpRequest, 'headers'>): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '');

/** The bearer token in a header. */
export const tokenIn = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization?.trim() ?? '')?.[1];

/** A client's ID and secret in the header (RFC 6749 §2.3.1): each is encoded as in a form before they are put together. */
export const basicIn = ({ headers: { authorization = '' } }: HttpRequest) => {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const plain = (text: string) => new URLSearchParams(`x=${text}`).get('x') ?? '';
  return { id: plain(id), secret: plain(secret.join(':')) };
};

/** The owner of the token, or `undefined` if there is no bearer token or it is unknown. */
export const findHolder = (store: Store, authorization: string | undefined): Holder | undefined => {
  const secret = tokenIn(authorization);
  return secret === undefined ? undefined : store.recall(`holder ${secret}`, () => readHolder(store, secret));
};

const readHolder = (store: Store, secret: string): Holder | undefined => {
  const token = fingerprint(secret);
  const row = store.first<TokenRow>(
    `SELECT t.user, m.organization, m.role, o.doc ->> 'plan' AS plan, t.scopes, t.expires_at,
       t.resource, t.family IS NULL AS personal
     FROM access_tokens t JOIN memberships m ON m.user = t.user JOIN organizations o ON o.id = m.organization
     WHERE t.hash = ?`,
    token,
  );
  if (!row) return undefined;
  const { user, organization, role, plan, scopes, expires_at, resource, personal } = row;
  const caller = { user, organization, role, plan, token, scopes: scopes?.split(' ') ?? null };
  return { caller, expiresAt: expires_at, resource, isPersonal: personal === 1 };
};

/** Normal once: that is how a client learns that its token has expired. */
export const expiredRule =
  'RFC 6749 §1.5: when an access token has expired, get a new one with the refresh token, or with a new login.';

/**
 * Returns the caller, or throws a refusal if the token is missing, unknown, expired or for another resource. A personal
 * token is for all of them, and so is every token of a server that ignores resources.
 */
export const authenticate = (
  holder: Holder | undefined,
  authorization: string | undefined,
  now: number,
  resource: string | null = null,
  isAnyResource = false,
): Caller => {
  if (tokenIn(authorization) === undefined) throw unauthenticated('A bearer token is required.');
  if (!holder) throw unauthenticated('The access token is invalid.');
  if (holder.expiresAt !== null && holder.expiresAt <= timestamp(now))
    throw unauthenticated('The access token has expired.', expiredRule);
  if (holder.resource !== resource && !holder.isPersonal && !isAnyResource)
    throw unauthenticated(
      'The access token was issued for another resource.',
      'RFC 8707 §2: send resource with the URL of the API or of the MCP server, so that the token is for it.',
    );
  return holder.caller;
};

/** A `:write` scope includes the `:read` scope of its domain. */
const includes = (granted: readonly string[], needed: string): boolean =>
  granted.includes(needed) || (needed.endsWith(':read') && granted.includes(needed.replace(/:read$/, ':write')));

/**
 * Assumed (errors.scope): a refusal for a missing scope is 403 with the title "Insufficient scope" and
 * `required_scopes`. Its header follows RFC 6750 §3.1.
 */
export const requireScope = ({ scope }: Operation, { scopes }: Caller) => {
  if (scope === undefined || scopes === null || includes(scopes, scope)) return;
  throw new Refusal(
    403,
    'Insufficient scope',
    `The access token doesn't have the scope ${scope}.`,
    { required_scopes: [scope] },
    { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    `RFC 6750 §3.1: ask for the scope ${scope} when logging in.`,
  );
};
