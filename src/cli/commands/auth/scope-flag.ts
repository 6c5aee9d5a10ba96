import { knownScopes, type Scope } from '../../../api/scopes.ts';
import { nearest } from '../../../nearest.ts';
import type { Notes } from '../../messages/notes.ts';

/** Scopes that are requested only if the user names them. */
export const sensitiveScopes: readonly Scope[] = [
  'data_compliance:write',
  'activity_log:read',
  'organizations:write',
  'webhooks:read',
  'webhooks:write',
];

const usualScopes = knownScopes.filter((scope) => !sensitiveScopes.includes(scope));

const isKnown = (scope: string): boolean => (knownScopes as string[]).includes(scope);

/** Asks a server for a refresh token (OpenID Connect Core §11). */
export const offlineScope = 'offline_access';

/** Scopes that every OpenID provider knows. */
const openidScopes = ['openid', 'profile', 'email', offlineScope];

/** Servers have scopes of their own, so unknown ones are requested as typed. But they may be typing errors. */
export const noteUnknownScopes = (scopes: readonly string[], notes: Notes): void => {
  for (const scope of scopes.filter((each) => !isKnown(each) && !openidScopes.includes(each))) {
    const meant = nearest(scope, knownScopes);
    notes.info(
      `sched doesn't know the scope "${scope}"${meant ? ` (did you mean "${meant}"?)` : ''}. Requesting it as typed.`,
    );
  }
};

/** The scopes to request: the chosen ones, or all but the sensitive ones. `:write` includes `:read`. */
export const scopesToAsk = ({
  scopes,
  added,
  readOnly,
  held,
}: {
  scopes?: string[] | undefined;
  added?: string[] | undefined;
  readOnly: boolean;
  held: readonly string[];
}): string[] => {
  // Without a login, or if its scopes are unknown, --add-scopes adds to the usual ones.
  const wanted = scopes ?? [...(added === undefined || held.length === 0 ? usualScopes : held), ...(added ?? [])];
  const chosen = readOnly
    ? wanted.filter((scope) => (isKnown(scope) ? scope.endsWith(':read') : !scope.endsWith(':write')))
    : wanted;
  return [...new Set(chosen)].filter(
    (scope) => !isKnown(scope) || !chosen.includes(scope.replace(/:read$/, ':write')) || scope.endsWith(':write'),
  );
};
