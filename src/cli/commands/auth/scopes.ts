import { scopes as allScopes, type Scope } from '../../../api/scopes.ts';
import type { Invocation } from '../../command.ts';

/** Scopes that are requested only if the user names them. */
export const sensitiveScopes: readonly Scope[] = [
  'data_compliance:write',
  'activity_log:read',
  'organizations:write',
  'webhooks:read',
  'webhooks:write',
];

export const knownScopes = Object.keys(allScopes) as Scope[];
const usualScopes = knownScopes.filter((scope) => !sensitiveScopes.includes(scope));

export const readScopes = (name: string, { typed, problems }: Invocation): string[] | undefined => {
  const raw = typed[name] as string | undefined;
  if (raw === undefined) return undefined;
  const asked = raw.split(/[\s,]+/).filter(Boolean);
  for (const scope of asked) {
    if (!(knownScopes as string[]).includes(scope))
      problems.add(`--${name}: "${scope}" is not a scope; choose from ${knownScopes.join(', ')}`);
  }
  return asked;
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
  const chosen = readOnly ? wanted.filter((scope) => scope.endsWith(':read')) : wanted;
  return [...new Set(chosen)].filter(
    (scope) => !chosen.includes(scope.replace(/:read$/, ':write')) || scope.endsWith(':write'),
  );
};
