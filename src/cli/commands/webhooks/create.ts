import { webhooks } from '../../../api/webhooks.ts';
import type { Client } from '../../../client/client.ts';
import type { Input as Request } from '../../../client/wire.ts';
import { isOutcomeUnknown } from '../../../errors.ts';
import { readIfPossible } from '../../../jobs/read-back.ts';
import type { Json } from '../../../json.ts';
import type { View } from '../../../output/view.ts';
import type { Command } from '../../command.ts';
import type { ValuesOf } from '../../input/actions.ts';
import { both, type Call, type Input, input, taking } from '../../input/input.ts';
import { the, words } from '../../input/words.ts';
import { localCommand } from '../../messages/suggested-line.ts';
import type { FieldFlag } from '../../operation/field-flags.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import { type Draft, requestDraft } from '../../operation/input.ts';
import { recordOf, withFacts } from '../../operation/write-result.ts';
import type { Context } from '../../session/context.ts';
import { fillBody, scopeIssues, withScope, withScopeFlags } from './scope.ts';
import { createSigningKey, keyFileEntry, keyFileText, readSigningKey } from './signing-key.ts';

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
const createOrLookUp = async (context: Context, input: Request): Promise<Json> => {
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

const keyInput = input({ signingKeyFile: keyFileEntry(keyFileText, { heading: 'Safety' }) });

/** The fields of the request, with the scope that they mean. */
const scopedInput = (flags: FieldFlag[]): Input<{ request: Draft }> => {
  const fields = requestDraft(webhooks.create, flags);
  return {
    ...fields,
    draft: async (invocation, how) => {
      const { scope, group, body } = how.given;
      for (const issue of scopeIssues(how.given)) invocation.problems.report(issue);
      if (scope === 'group' && group === undefined && body === undefined) invocation.problems.missingFlag('group');
      return fields.draft(invocation, { ...how, given: withScope(how.given) });
    },
  };
};

const createInput = (flags: FieldFlag[]) => both(keyInput, scopedInput(flags));

const runCreate = async (
  { request, signingKeyFile: path }: ValuesOf<ReturnType<typeof createInput>>,
  { context, problems }: Call,
  view: View,
): Promise<void> => {
  const { settings, runtime, notes } = context;
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
  if (!hasKey) notes.info(`Deliveries are not signed. To sign them, use --signing-key-file`);
  await notes.done(`subscribed: ${webhook.callback_url ?? body.url}`);
  await context.printer.one(view, webhook);
};

export const createCommand = (generic: GenericCommand): Command => {
  const { flags, fieldFlags, ...rest } = withScopeFlags(generic);
  const isKey = ({ name }: { name: string }) => name === 'signing-key';
  const fields = fieldFlags.filter((flag) => !isKey(flag));
  const { run } = taking(createInput(fields), (...call) => runCreate(...call, rest.view));
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
