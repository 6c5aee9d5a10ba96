import type { WebhookScope } from '../../../api/webhooks.ts';
import type { Json } from '../../../json.ts';
import type { Invocation } from '../../command.ts';
import type { GenericCommand } from '../../operation/generic-command.ts';

/** The scope that the typed flags mean: your own webhooks, unless they name a group or an organization. */
const scopeOf = ({ scope, group, user, org }: Record<string, unknown>): string => {
  if (scope !== undefined) return String(scope);
  if (group !== undefined) return 'group';
  return org !== undefined && user === undefined ? 'organization' : 'user';
};

const owners: readonly WebhookScope[] = ['user', 'group'];

/** Fills in the scope, and whose webhooks are meant. The service needs the organization in any case. */
export const withScope = (invocation: Invocation): Invocation => {
  const { typed, problems } = invocation;
  // A whole body may have its own scope, see `fillBody`.
  if (typed.body !== undefined) return invocation;
  const scope = scopeOf(typed);
  for (const name of owners)
    if (typed[name] !== undefined && scope !== name) problems.add(`--${name} can only be used with --scope ${name}`);
  const user = scope === 'user' ? { user: typed.user ?? 'me' } : {};
  return { ...invocation, typed: { org: 'current', ...typed, scope, ...user } };
};

/** Fills in the same in the body of a request, as far as the body doesn't say it. */
export const fillBody = async ({ typed, context }: Invocation, body: Json): Promise<void> => {
  const { group, user } = body;
  body.scope ??= scopeOf({ group, user, org: typed.org });
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
