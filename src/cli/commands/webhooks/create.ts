import { webhooks } from '../../../api/webhooks.ts';
import type { Client } from '../../../client/client.ts';
import type { Input } from '../../../client/wire.ts';
import { isOutcomeUnknown } from '../../../errors.ts';
import { readIfPossible } from '../../../jobs/read-back.ts';
import type { Json } from '../../../json.ts';
import type { Command, Invocation } from '../../command.ts';
import { localCommand } from '../../messages/suggested-line.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import { readInput } from '../../operation/input.ts';
import { recordOf, withFacts } from '../../operation/write-result.ts';
import type { Context } from '../../session/context.ts';
import { fillBody, withScope, withScopeFlags } from './scope.ts';
import { createSigningKey, readSigningKey, signingKeyFlag, signingKeyPath } from './signing-key.ts';

/** Stands for the key in a request that is only printed. R12: too short a key would not be redacted. */
const hiddenKey = '[signing key]';

/** Allowed clock difference: an older webhook was not created by the current command. */
const skewMs = 5 * 60_000;

const without = ({ signing_key: _, ...body }: Json): Json => body;

const sameEvents = (one: unknown, other: unknown): boolean =>
  JSON.stringify([one].flat().sort()) === JSON.stringify([other].flat().sort());

/** The webhook with the URL, scope and events of the request, if it was created since `sentAt`. */
const findCreated = async (
  { runtime, now }: Context,
  client: Client,
  { url, events, ...body }: Json,
  sentAt: number,
): Promise<Json | undefined> => {
  const named = ['organization', 'scope', 'user', 'group'].filter((name) => body[name] !== undefined);
  const query = Object.fromEntries(named.map((name) => [name, String(body[name])]));
  for await (const page of client.pages(webhooks.list, { query })) {
    const found = page.find((webhook) => webhook.callback_url === url);
    if (found === undefined) continue;
    // The clocks may differ, so the webhook's age by the service's clock counts.
    const age = now() - Date.parse(String(found.created_at));
    return age <= runtime.clock.now() - sentAt + skewMs && sameEvents(found.events, events) ? found : undefined;
  }
  return undefined;
};

/**
 * R26: a creation is never sent twice. If its reply is lost, the webhook is looked up by its URL and scope, which the
 * service accepts only once.
 */
const createOrLookUp = async (context: Context, input: Input): Promise<Json> => {
  const client = await context.client();
  const body = input.body as Json;
  const sentAt = context.runtime.clock.now();
  const read = () => findCreated(context, client, body, sentAt);
  try {
    return await recordOf(context, await client.write(webhooks.create, input), { read, known: () => without(body) });
  } catch (error) {
    const found = isOutcomeUnknown(error) ? await readIfPossible(read) : undefined;
    if (found === undefined) throw error;
    context.notes.info('The reply was lost, but the service shows that the webhook was created');
    return withFacts(found, { reconciled: true });
  }
};

const runCreate = async ({ view, fieldFlags }: GenericCommand, typed: Invocation): Promise<void> => {
  const invocation = withScope(typed);
  const { context, problems } = invocation;
  const { settings, runtime, notes } = context;
  const { scope, group, body: file } = invocation.typed;
  if (scope === 'group' && group === undefined && file === undefined) problems.missingFlag('group');
  const path = signingKeyPath(invocation);
  const key = path === undefined ? undefined : await readSigningKey(path, runtime);
  const input = await readInput(invocation, webhooks.create, fieldFlags, async (body) => {
    if (body.signing_key !== undefined) runtime.secrets.keep(String(body.signing_key), 'signing key');
    if (path !== undefined && body.signing_key !== undefined)
      problems.add(`--${signingKeyFlag.name} and the signing_key in --body can't be used together`);
    await fillBody(invocation, body);
  });
  const body = input.body as Json;
  const hasKey = path !== undefined || body.signing_key !== undefined;
  if (settings.dryRun) {
    const shown = { ...input, body: hasKey ? { ...body, signing_key: hiddenKey } : body };
    return printRequest(context, webhooks.create, [shown]);
  }
  // The file is written before the request is sent: the service never shows the key again.
  const sent = path === undefined ? {} : { signing_key: key ?? (await createSigningKey(path, context)) };
  const webhook = await createOrLookUp(context, { ...input, body: { ...body, ...sent } });
  if ((await context.connection()).isUnserved)
    notes.info(`A sandbox delivers while it runs: ${localCommand('sandbox', 'start')}`);
  if (!hasKey) notes.info(`Deliveries are not signed. To sign them, use --${signingKeyFlag.name}`);
  await notes.done(`subscribed: ${webhook.callback_url ?? body.url}`);
  await context.printer.one(view, webhook);
};

export const createCommand = (generic: GenericCommand): Command => {
  const { flags, fieldFlags, ...rest } = withScopeFlags(generic);
  const isKey = ({ name }: { name: string }) => name === 'signing-key';
  const command: GenericCommand = {
    ...rest,
    flags: [...flags.filter((flag) => !isKey(flag)), signingKeyFlag],
    fieldFlags: fieldFlags.filter((flag) => !isKey(flag)),
    notes: [
      'Write several events as a list with commas. The URL must be https, or http on a loopback address.',
      'Every delivery is signed with the key: see the header Webhook-Signature. sched never prints the key.',
      'If the reply is lost, sched looks the webhook up by its URL and scope, and never sends the request twice.',
    ],
    run: (invocation) => runCreate(command, invocation),
  };
  return command;
};
