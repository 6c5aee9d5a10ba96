import type { WebhookScope } from '../../api/webhooks.ts';
import type { Json } from '../../base/json.ts';
import { type Issue, type Sentence, the, words } from '../../base/words.ts';
import type { Given } from '../../cli/input/given.ts';
import type { Input } from '../../cli/input/input.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import type { Context } from '../../cli/session/context.ts';

/** The scope that values mean: your own webhooks, unless they name a group or an organization. */
const webhookScope = ({ scope, group, user, org }: Record<string, unknown>): string => {
  if (scope !== undefined) return String(scope);
  if (group !== undefined) return 'group';
  return org !== undefined && user === undefined ? 'organization' : 'user';
};

const owners: readonly WebhookScope[] = ['user', 'group'];

/** An owner is named, but not in the scope. A whole body may have its own scope, see `fillBody`. */
const scopeIssues = (given: Given): Issue[] =>
  owners
    .filter((name) => given[name] !== undefined && given.body === undefined && webhookScope(given) !== name)
    .map((name) => ({ words: words`${the(name)} can only be used with ${the('scope')} ${name}` }));

/** Fills in the scope, and whose webhooks are meant. The service needs the organization in any case. */
const withScope = (given: Given): Given => {
  if (given.body !== undefined) return given;
  const scope = webhookScope(given);
  const user = scope === 'user' ? { user: given.user ?? 'me' } : {};
  return { org: 'current', ...given, scope, ...user };
};

/** The fields of a request, with the scope that they mean. */
export const fieldsWithScope = <T>(fields: Input<T>): Input<T> => ({
  ...fields,
  draft: (invocation, how) => {
    for (const issue of scopeIssues(how.given)) invocation.problems.report(issue);
    return fields.draft(invocation, { ...how, given: withScope(how.given) });
  },
});

/** Fills in the same in the body of a request, as far as the body doesn't say it. */
export const fillBody = async (context: Context, body: Json, hasOrg: boolean): Promise<void> => {
  const { group, user } = body;
  body.scope ??= webhookScope({ group, user, org: hasOrg || undefined });
  if (body.scope === 'user') body.user ??= await context.identity.user();
};

const defaults: Record<string, Sentence> = {
  scope: words`default: user; group with ${the('group')}, organization with ${the('org')}`,
  user: 'default: you',
};

/** The flags of a command whose scope has a default. */
export const withScopeFlags = <C extends GenericCommand>(command: C): C => {
  const withDefault = <F extends { name: string; description: Sentence }>(flag: F): F =>
    defaults[flag.name] === undefined
      ? flag
      : { ...flag, required: false, description: words`${flag.description} (${defaults[flag.name]!})` };
  return { ...command, flags: command.flags.map(withDefault), fieldFlags: command.fieldFlags.map(withDefault) };
};
