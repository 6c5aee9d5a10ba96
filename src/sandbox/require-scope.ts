import type { Operation } from '../api/operation.ts';
import type { Caller } from './handler.ts';
import { Refusal } from './refusal.ts';

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
  );
};
