import { Webhook, webhooks } from '../../../api/webhooks.ts';
import { rowFilter } from '../../../client/filter.ts';
import { gather } from '../../../client/paginate.ts';
import { fallBack } from '../../../errors.ts';
import type { Json } from '../../../json.ts';
import { textOf } from '../../../json.ts';
import type { View } from '../../../output/view.ts';
import { idIn } from '../../../uri.ts';
import type { Command, Invocation, Offered } from '../../command.ts';
import type { ValuesOf } from '../../input/actions.ts';
import { type Call, taking } from '../../input/input.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import { requestInput } from '../../operation/input.ts';
import { deleteRecord } from '../../scheduling/booking-context.ts';
import { confirm } from '../../session/confirm.ts';
import type { Facts } from '../../session/prompt.ts';
import { createCommand } from './create.ts';
import { listenCommand } from './listen.ts';
import { scopeIssues, withScope, withScopeFlags } from './scope.ts';
import { verifyCommand } from './verify.ts';

export const examples = {
  list: ['webhooks list', 'webhooks list --org current --json=uri,callback_url,state', 'webhooks list --scope group'],
  get: ['webhooks get PTGBNBHX7T75FDAG', 'webhooks get PTGBNBHX7T75FDAG --json'],
  create: [
    'webhooks create --url https://example.com/hooks --events invitee.created,invitee.canceled --signing-key-file hooks.key',
    'webhooks create --url http://127.0.0.1:8080/ --events invitee.created --org current --signing-key-file hooks.key',
    'webhooks create --url https://example.com/team --events invitee.created --group "Customer team"',
  ],
  delete: ['webhooks delete HRYEES8LDNT9R9YU', 'webhooks delete PTGBNBHX7T75FDAG --yes'],
};

const listCommand = (generic: GenericCommand): Command => ({
  ...withScopeFlags(generic),
  run: async ({ typed, ...invocation }) => {
    const isOwn = ['scope', 'org', 'user', 'group'].every((name) => typed[name] === undefined);
    for (const issue of scopeIssues(typed)) invocation.problems.report(issue);
    await generic.run({ ...invocation, typed: withScope(typed) });
    if (isOwn) invocation.context.notes.footer("Showing your webhooks. For the organization's: --org current");
  },
});

/** Your webhooks and those of the organization, as far as the token may list them. */
const offerWebhooks = async ({ context }: Invocation): Promise<Offered> => {
  const { identity } = context;
  const client = await context.client();
  const organization = await identity.organization();
  const queries: Record<string, string>[] = [
    { organization, scope: 'user', user: await identity.user() },
    { organization, scope: 'organization' },
  ];
  const found: Json[] = [];
  for (const query of queries) {
    const pages = client.pages(webhooks.list, { query }, { keep: rowFilter(webhooks.list, query) });
    found.push(...(await gather(pages).catch(fallBack([], 'forbidden'))));
  }
  const choices = found.map(({ uri, callback_url: url, scope, state }) => ({
    value: idIn(uri),
    label: [textOf(url) ?? idIn(uri), scope, ...(state === 'active' ? [] : [state])].join(' · '),
  }));
  return { question: 'Which webhook?', choices };
};

const withOffer = <C extends Command>(command: C): C => ({
  ...command,
  arguments: command.arguments.map((argument) => ({ ...argument, offer: offerWebhooks })),
});

const factsOf = ({ events, scope, user, group }: Json): Facts => {
  const names = Array.isArray(events) ? events.map(String).join(', ') : '';
  const owner = textOf(user) ?? textOf(group);
  return [
    ...(names === '' ? [] : [['events', names] as const]),
    ...(textOf(scope) === undefined
      ? []
      : [['scope', owner === undefined ? String(scope) : `${scope} ${idIn(owner)}`] as const]),
  ];
};

const deleteInput = requestInput(webhooks.delete, []);

const runDelete = async (
  { request: { path = {} } }: ValuesOf<typeof deleteInput>,
  { context }: Call,
  view: View,
): Promise<void> => {
  const input = { path };
  if (context.settings.dryRun) return printRequest(context, webhooks.delete, [input]);
  const client = await context.client();
  // The reply to the deletion is empty, so this is also the record that is printed.
  const webhook = await client.call(webhooks.get, input);
  const name = textOf(webhook.callback_url) ?? `webhook ${path.webhook}`;
  await confirm(context, {
    question: `Delete the webhook to ${name}?`,
    isFinal: true,
    action: `delete the webhook to ${name}`,
    facts: factsOf(webhook),
  });
  await deleteRecord(context, webhooks.delete, path, () => client.call(webhooks.get, input));
  await context.notes.done(`deleted: ${name}`);
  await context.printer.one(view, webhook);
};

export const decorate = {
  list: listCommand,
  create: createCommand,
  get: (generic: GenericCommand): Command => withOffer(generic),
  delete: (generic: GenericCommand, { get }: Record<string, GenericCommand>): Command => ({
    ...withOffer(generic),
    view: get!.view,
    fields: Object.keys(Webhook.record.shape),
    notes: ['Shows the webhook and asks for confirmation. Deliveries that are still waiting are not sent.'],
    run: taking(deleteInput, (...call) => runDelete(...call, get!.view)).run,
  }),
};

export const extra = (): Command[] => [listenCommand, verifyCommand];
