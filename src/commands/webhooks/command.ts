import { type SentWebhook, Webhook, webhooks } from '../../api/webhooks.ts';
import { fallBack } from '../../base/errors.ts';
import { textOf } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import { mapReply, type Plan, plan } from '../../cli/answer/plan.ts';
import type { ChoiceList, Command, Invocation } from '../../cli/command.ts';
import type { ValuesOf } from '../../cli/input/actions.ts';
import { both, type Call, type Input, input, related, taking } from '../../cli/input/input.ts';
import { toggle } from '../../cli/input/kinds.ts';
import { excludes } from '../../cli/input/relations.ts';
import { deleteRecord } from '../../cli/operation/change-record.ts';
import { type GenericCommand, operationInput } from '../../cli/operation/generic-command.ts';
import { requestInput } from '../../cli/operation/input.ts';
import { type OperationInput, runOperation } from '../../cli/operation/run-operation.ts';
import type { Facts } from '../../cli/session/prompt.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';
import type { View } from '../../output/view.ts';
import { backfillCommand } from './backfill.ts';
import { createWebhookCommand } from './create.ts';
import { listenCommand } from './listen.ts';
import { fieldsWithScope, withScopeFlags } from './scope.ts';
import { verifyCommand } from './verify.ts';
import { coverageFields } from './work-coverage.ts';

export const examples = {
  list: [
    'webhooks list',
    'webhooks list --org current --json=uri,callback_url,state',
    'webhooks list --scope group',
    'webhooks list --coverage',
  ],
  get: ['webhooks get PTGBNBHX7T75FDAG', 'webhooks get PTGBNBHX7T75FDAG --json'],
  create: [
    'webhooks create --url https://example.com/hooks --events invitee.created,invitee.canceled --signing-key-file hooks.key',
    'webhooks create --url http://127.0.0.1:8080/ --events invitee.created --org current --signing-key-file hooks.key',
    'webhooks create --url https://example.com/team --events invitee.created --group "Customer team"',
  ],
  delete: ['webhooks delete HRYEES8LDNT9R9YU', 'webhooks delete PTGBNBHX7T75FDAG --yes'],
};

/** `isOwn`: no value says whose webhooks are listed. */
const webhooksListInput = (command: GenericCommand): Input<OperationInput & { isOwn: boolean }> => {
  const fields = fieldsWithScope(operationInput(command));
  return {
    ...fields,
    draft: async (invocation, how) => {
      const isOwn = ['scope', 'org', 'user', 'group'].every((name) => how.given[name] === undefined);
      const finish = await fields.draft(invocation, how);
      return async (context) => ({ ...(await finish(context)), isOwn });
    },
  };
};

const coverageInput = input({
  coverage: toggle('show which webhook hears which event', {
    heading: 'Listing',
  }),
});

const listCommand = (generic: GenericCommand): Command => {
  const command = withScopeFlags(generic);
  const whole = related(
    both(coverageInput, webhooksListInput(command)),
    excludes('coverage', ['scope', 'org', 'user', 'group', 'sort', 'page-size']),
  );
  const { run } = taking(whole, async ({ isOwn, coverage, ...values }, { context }) => {
    if (coverage) return (await import('./coverage.ts')).listCoverage(context, values.bounds?.limit);
    const list = await runOperation(command, values, context);
    if (!isOwn) return list;
    const hint = words`Showing your webhooks. For the organization's: ${the('org')} current`;
    return mapReply(list, (answer) => ({ ...answer, below: async () => [hint] }));
  });
  return {
    ...command,
    run,
    flags: [...coverageInput.flags, ...command.flags],
    fields: [...Object.keys(Webhook.record.shape), ...coverageFields],
    notes: [
      ...(generic.notes ?? []),
      '--coverage has a row for each event of the organization, of each group and of you, with the webhooks that hear it. Its problems are unheard (by no active webhook), overlap (several webhooks send it to the same URL), failing (deliveries fail, and since when) and disabled (a webhook would hear it, but is disabled). It says unknown for unheard if the token may not read all webhooks.',
    ],
  };
};

/** Your webhooks and those of the organization, as far as the token may list them. */
const offerWebhooks = async ({ context }: Invocation): Promise<ChoiceList> => {
  const { identity } = context;
  const client = await context.client();
  const organization = await identity.organization();
  const queries: Record<string, string>[] = [
    { organization, scope: 'user', user: await identity.user() },
    { organization, scope: 'organization' },
  ];
  const rows: SentWebhook[] = [];
  for (const query of queries) {
    const pages = client.pages(webhooks.list, { query }, { keep: rowFilter(webhooks.list, query) });
    rows.push(...(await gather(pages).catch(fallBack([], 'forbidden'))));
  }
  const choices = rows.map(({ uri, callback_url: url, scope, state }) => ({
    value: idIn(uri),
    label: [textOf(url) ?? idIn(uri), scope, ...(state === 'active' ? [] : [state])].join(' · '),
  }));
  return { question: 'Which webhook?', choices };
};

const withOffer = <C extends Command>(command: C): C => ({
  ...command,
  arguments: command.arguments.map((argument) => ({ ...argument, offer: offerWebhooks })),
});

const webhookFacts = ({ events, scope, user, group }: SentWebhook): Facts => {
  const names = Array.isArray(events) ? events.map(String).join(', ') : '';
  const [owner, kind] = [textOf(user, group), textOf(scope)];
  return [
    ...(names === '' ? [] : [['events', names] as const]),
    ...(kind === undefined ? [] : [['scope', owner === undefined ? kind : `${kind} ${idIn(owner)}`] as const]),
  ];
};

const deleteInput = requestInput(webhooks.delete, []);

const deleteWebhook = async (
  { request: { path = {} } }: ValuesOf<typeof deleteInput>,
  { context }: Call,
  view: View,
): Promise<Plan> => {
  const client = await context.client();
  const find = () => client.call(webhooks.get, { path });
  return plan({
    requests: () => ({ operation: webhooks.delete, inputs: [{ path }] }),
    read: async () => {
      const webhook = await find();
      return { webhook, name: textOf(webhook.callback_url) ?? `webhook ${path.webhook}` };
    },
    question: ({ webhook, name }) => ({
      question: `Delete the webhook to ${name}?`,
      isFinal: true,
      action: `delete the webhook to ${name}`,
      facts: webhookFacts(webhook),
    }),
    send: async ({ webhook, name }) => {
      await deleteRecord(context, webhooks.delete, path, find);
      // The reply to the deletion is empty.
      return { kind: 'record', view, record: webhook, before: webhook, done: { log: `deleted: ${name}` } };
    },
  });
};

export const decorate = {
  list: listCommand,
  create: createWebhookCommand,
  get: (generic: GenericCommand): Command => withOffer(generic),
  delete: (generic: GenericCommand, { get }: Record<string, GenericCommand>): Command => ({
    ...withOffer(generic),
    view: get!.view,
    fields: Object.keys(Webhook.record.shape),
    notes: ['Shows the webhook and asks for confirmation. Deliveries that are still waiting are not sent.'],
    run: taking(deleteInput, (...call) => deleteWebhook(...call, get!.view)).run,
  }),
};

export const extra = (): Command[] => [listenCommand, verifyCommand, backfillCommand()];
