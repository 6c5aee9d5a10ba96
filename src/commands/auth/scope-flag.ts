import { knownScopes, type Scope } from '../../api/scopes.ts';
import { nearest } from '../../base/nearest.ts';
import type { Notes } from '../../cli/messages/notes.ts';

/** Scopes that are requested only if the user names them. */
export const sensitiveScopes: readonly Scope[] = [
  'data_compliance:write',
  'activity_log:read',
  'organizations:write',
  'webhooks:read',
  'webhooks:write',
];

/** Requested only if the user names them, because few services know them. */
export const rareScopes: readonly Scope[] = ['scheduling_links:write'];

const usualScopes = knownScopes.filter((scope) => ![...sensitiveScopes, ...rareScopes].includes(scope));

const isKnownScope = (scope: string): boolean => (knownScopes as string[]).includes(scope);

/** Asks a server for a refresh token (OpenID Connect Core §11). */
export const offlineScope = 'offline_access';

/** Scopes that every OpenID provider knows. */
const openidScopes = ['openid', 'profile', 'email', offlineScope];

/** Servers have scopes of their own, so unknown ones are requested as typed. But they may be typing errors. */
export const noteUnknownScopes = (scopes: readonly string[], notes: Notes): void => {
  for (const scope of scopes.filter((each) => !isKnownScope(each) && !openidScopes.includes(each))) {
    const meant = nearest(scope, knownScopes);
    notes.info(
      `sched doesn't know the scope "${scope}"${meant ? ` (did you mean "${meant}"?)` : ''}. Requesting it as typed.`,
    );
  }
};

/** The scopes to request: the chosen ones, or all but the sensitive ones. `:write` includes `:read`. */
export const scopesToAsk = ({
  scopes,
  scopesToAdd,
  readOnly,
  currentScopes,
}: {
  scopes?: string[] | undefined;
  scopesToAdd?: string[] | undefined;
  readOnly: boolean;
  currentScopes: readonly string[];
}): string[] => {
  // Without a login, or if its scopes are unknown, --add-scopes adds to the usual ones.
  const requestedScopes = scopes ?? [
    ...(scopesToAdd === undefined || currentScopes.length === 0 ? usualScopes : currentScopes),
    ...(scopesToAdd ?? []),
  ];
  const narrowedScopes = readOnly
    ? requestedScopes.filter((scope) => (isKnownScope(scope) ? scope.endsWith(':read') : !scope.endsWith(':write')))
    : requestedScopes;
  return [...new Set(narrowedScopes)].filter(
    (scope) =>
      !isKnownScope(scope) || !narrowedScopes.includes(scope.replace(/:read$/, ':write')) || scope.endsWith(':write'),
  );
};
