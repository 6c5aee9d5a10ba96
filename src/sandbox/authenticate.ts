import type { Caller } from './handler.ts';
import { timestamp } from './names.ts';
import { unauthenticated } from './refusal.ts';
import type { Store } from './store.ts';

/** Who the bearer token belongs to. */
export const authenticate = (store: Store, authorization: string | undefined, now: number): Caller => {
  const token = /^Bearer +(\S+)$/i.exec(authorization?.trim() ?? '')?.[1];
  if (token === undefined) throw unauthenticated('A bearer token is required.');
  const [caller] = store.all<Caller & { expires_at: string | null }>(
    `SELECT t.user, m.organization, m.role, t.expires_at
     FROM tokens t JOIN memberships m ON m.user = t.user WHERE t.token = ?`,
    token,
  );
  if (!caller) throw unauthenticated('The access token is invalid.');
  if (caller.expires_at !== null && caller.expires_at <= timestamp(now))
    throw unauthenticated('The access token has expired.');
  return { user: caller.user, organization: caller.organization, role: caller.role };
};
