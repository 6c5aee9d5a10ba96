import { type SentWebhook, webhooks } from '../../api/webhooks.ts';
import { isOutcomeUnknown } from '../../base/errors.ts';
import { type Json, textOf } from '../../base/json.ts';
import { the, words } from '../../base/words.ts';
import type { Answer } from '../../cli/answer/answer.ts';
import { type Plan, plan } from '../../cli/answer/plan.ts';
import type { Command } from '../../cli/command.ts';
import type { ValuesOf } from '../../cli/input/actions.ts';
import { both, type Call, type Input, input, taking } from '../../cli/input/input.ts';
import { commandHere, localCommand } from '../../cli/messages/suggested-line.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import { type Draft, requestDraft } from '../../cli/operation/input.ts';
import { recordOfWrite, type Written, withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import type { Client } from '../../client/client.ts';
import type { Input as Request } from '../../client/wire.ts';
import type { View } from '../../output/view.ts';
import { fieldsWithScope, fillBody, withScopeFlags } from './scope.ts';
import { createSigningKey, keyFileEntry, keyFileText, readSigningKey } from './signing-key.ts';

/** Stands for the key in a request that is only printed. R12: too short a key would not be redacted. */
const hiddenKey = '[signing key]';

/** Allowed clock difference: an older webhook was not created by the current command. */
const skewMs = 5 * 60_000;

const withoutKey = ({ signing_key: _, ...body }: Json): Json => body;

const sameEvents = (one: unknown, other: unknown): boolean =>
  JSON.stringify([one].flat().sort()) === JSON.stringify([other].flat().sort());

/** The webhook with the URL, scope and events of the request, if it was created since `sentAt`. */
const findCreated = async (
  { runtime, now }: Context,
  client: Client,
  { url, events, ...body }: Json,
  sentAt: number,
): Promise<SentWebhook | undefined> => {
  const ownerKeys = ['organization', 'scope', 'user', 'group'].filter((name) => body[name] !== undefined);
  const query = Object.fromEntries(ownerKeys.map((name) => [name, String(body[name])]));
  for await (const page of client.pages(webhooks.list, { query })) {
    const sameUrl = page.find((webhook) => webhook.callback_url === url);
    if (sameUrl === undefined) continue;
    // The clocks may differ, so the webhook's age by the service's clock counts.
    const age = now() - Date.parse(String(sameUrl.created_at));
    return age <= runtime.clock.now() - sentAt + skewMs && sameEvents(sameUrl.events, events) ? sameUrl : undefined;
  }
  return undefined;
};

/**
 * R26: a creation is never sent twice. If its reply is lost, the webhook is looked up by its URL and scope, which the
 * service accepts only once.
 */
const createOrLookUp = async (context: Context, input: Request): Promise<Written<SentWebhook>> => {
  const client = await context.client();
  const body = input.body!;
  const sentAt = context.runtime.clock.now();
  const read = () => findCreated(context, client, body, sentAt);
  try {
    return await recordOfWrite<SentWebhook>(context, await client.write(webhooks.create, input), {
      read,
      fallback: () => withoutKey(body),
    });
  } catch (error) {
    const record = isOutcomeUnknown(error) ? await readIfPossible(read) : undefined;
    if (record === undefined) throw error;
    context.notes.info('The reply was lost, but the service shows that the webhook was created');
    return withFacts(record, { reconciled: true });
  }
};

const keyInput = input({ signingKeyFile: keyFileEntry(keyFileText, { heading: 'Safety' }) });

/** A webhook of a group needs one. */
const scopedInput = (flags: FieldFlag[]): Input<{ request: Draft }> => {
  const fields = fieldsWithScope(requestDraft(webhooks.create, flags));
  return {
    ...fields,
    draft: async (invocation, how) => {
      const { scope, group, body } = how.given;
      if (scope === 'group' && group === undefined && body === undefined) invocation.problems.missingFlag('group');
      return fields.draft(invocation, how);
    },
  };
};

const createInput = (flags: FieldFlag[]) => both(keyInput, scopedInput(flags));

const runCreateWebhook = async (
  { request, signingKeyFile: path }: ValuesOf<ReturnType<typeof createInput>>,
  { context, problems }: Call,
  view: View,
): Promise<Plan> => {
  const { runtime, notes } = context;
  const key = path === undefined ? undefined : await readSigningKey(path, runtime);
  const input = await request.finish(async (body) => {
    if (body.signing_key !== undefined) runtime.secrets.keep(String(body.signing_key), 'signing key');
    if (path !== undefined && body.signing_key !== undefined)
      problems.report({
        words: words`${the('signingKeyFile')} and the signing_key in ${the('body')} can't be used together`,
      });
    const hasOrg = request.values.some(([{ name }]) => name === 'org');
    await fillBody(context, body, hasOrg);
  });
  const body = input.body!;
  const hasKey = path !== undefined || body.signing_key !== undefined;
  const send = async (): Promise<Answer> => {
    // The file is written before the request is sent: the service never shows the key again.
    const signing = path === undefined ? {} : { signing_key: key ?? (await createSigningKey(path, context)) };
    const webhook = await createOrLookUp(context, { ...input, body: { ...body, ...signing } });
    if ((await context.connection()).isUnserved)
      notes.info(`A sandbox delivers while it runs: ${localCommand('sandbox', 'start')}`);
    if (!hasKey) notes.info(words`Deliveries are not signed. To sign them, use ${the('signingKeyFile')}`);
    const { uri } = webhook;
    const undo = typeof uri === 'string' ? commandHere(context, 'webhooks', 'delete', context.shownId(uri)) : undefined;
    const done = { log: `subscribed: ${textOf(webhook.callback_url) ?? body.url}`, undo };
    return { kind: 'record', view, record: webhook, done };
  };
  const shownInput = { ...input, body: hasKey ? { ...body, signing_key: hiddenKey } : body };
  return plan({ requests: () => ({ operation: webhooks.create, inputs: [shownInput] }), send });
};

export const createWebhookCommand = (generic: GenericCommand): Command => {
  const { flags, fieldFlags, ...rest } = withScopeFlags(generic);
  const isKey = ({ name }: { name: string }) => name === 'signing-key';
  const fields = fieldFlags.filter((flag) => !isKey(flag));
  const { run } = taking(createInput(fields), (...call) => runCreateWebhook(...call, rest.view));
  const command: GenericCommand = {
    ...rest,
    flags: [...flags.filter((flag) => !isKey(flag)), ...keyInput.flags],
    fieldFlags: fields,
    run,
    notes: [
      'Write several events as a list with commas. The URL must be https, or http on a loopback address.',
      'Every delivery is signed with the key: see the header Webhook-Signature. sched never prints the key.',
      'If the reply is lost, sched looks the webhook up by its URL and scope, and never sends the request twice.',
    ],
  };
  return command;
};
