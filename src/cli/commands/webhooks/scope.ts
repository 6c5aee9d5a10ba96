import type { WebhookScope } from '../../../api/webhooks.ts';
import type { Json } from '../../../json.ts';
import type { Given } from '../../input/kind.ts';
import { type Issue, the, words } from '../../input/words.ts';
import type { GenericCommand } from '../../operation/generic-command.ts';
import type { Context } from '../../session/context.ts';

/** The scope that values mean: your own webhooks, unless they name a group or an organization. */
const scopeOf = ({ scope, group, user, org }: Record<string, unknown>): string => {
  if (scope !== undefined) return String(scope);
  if (group !== undefined) return 'group';
  return org !== undefined && user === undefined ? 'organization' : 'user';
};

const owners: readonly WebhookScope[] = ['user', 'group'];

/** An owner is named, but not in the scope. A whole body may have its own scope, see `fillBody`. */
export const scopeIssues = (given: Given): Issue[] =>
  owners
    .filter((name) => given[name] !== undefined && given.body === undefined && scopeOf(given) !== name)
    .map((name) => ({ words: words`${the(name)} can only be used with ${the('scope')} ${name}` }));

/** Fills in the scope, and whose webhooks are meant. The service needs the organization in any case. */
export const withScope = <G extends Given>(given: G): G => {
  if (given.body !== undefined) return given;
  const scope = scopeOf(given);
  const user = scope === 'user' ? { user: given.user ?? 'me' } : {};
  return { org: 'current', ...given, scope, ...user };
};

/** Fills in the same in the body of a request, as far as the body doesn't say it. */
export const fillBody = async (context: Context, body: Json, hasOrg: boolean): Promise<void> => {
  const { group, user } = body;
  body.scope ??= scopeOf({ group, user, org: hasOrg || undefined });
  if (body.scope === 'user') body.user ??= await context.identity.user();
};

const defaults: Record<string, string> = {
  scope: 'default: user; group with --group, organization with --org',
  user: 'default: you',
};

/** The flags of a command whose scope has a default. */
export const withScopeFlags = <C extends GenericCommand>(command: C): C => {
  const changed = <F extends { name: string; description: string }>(flag: F): F =>
    defaults[flag.name] === undefined
      ? flag
      : { ...flag, required: false, description: `${flag.description} (${defaults[flag.name]})` };
  return { ...command, flags: command.flags.map(changed), fieldFlags: command.fieldFlags.map(changed) };
};
