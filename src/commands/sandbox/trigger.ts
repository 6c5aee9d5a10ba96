import { isWebhookUrl, webhookEvents } from '../../api/webhooks.ts';
import { recordsIn } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import { self, words } from '../../base/words.ts';
import type { RowsAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { entry } from '../../cli/input/entry.ts';
import { type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { choice } from '../../cli/input/kinds.ts';
import { readObject } from '../../cli/json-file.ts';
import type { View } from '../../output/view.ts';
import { assignment, sharedData } from './input.ts';
import { askRunning, findServing } from './running.ts';

const samplesView: View = {
  columns: [
    { header: 'URL', path: 'url', priority: 4 },
    { header: 'EVENT', path: 'event', priority: 3 },
    { header: 'STATUS', path: 'status', priority: 5 },
    { header: 'TIME (MS)', path: 'milliseconds', priority: 1 },
    { header: 'ERROR', path: 'error', priority: 2 },
    { header: 'NUMBER', path: 'number', priority: 1 },
  ],
  id: 'number',
};

const receiverUrlKind: Kind<string> = {
  value: 'URL',
  json: 'string',
  read: (raw) => (isWebhookUrl(raw) ? accept(raw) : refuse(words`${self} must be the URL of a webhook, not "${raw}"`)),
};

const payloadKind: Kind<object> = {
  value: 'FILE',
  json: 'string',
  offers: 'files',
  read: (raw, { runtime }) => readObject(raw, runtime),
};

const entries = {
  event: choice(webhookEvents, 'kind of event', { place: 'argument', needed: true }),
  to: entry(receiverUrlKind, 'only to the webhooks with this URL'),
  set: entry(
    assignment,
    'change a value of the body, such as payload.name=Zoe or payload.questions_and_answers.0.answer=Yes',
    { many: true },
  ),
  body: entry(payloadKind, 'JSON file with the payload (- for stdin), instead of a record of the data'),
  data: sharedData,
};

const runTrigger = async (values: Values<typeof entries>, { context }: Call): Promise<RowsAnswer> => {
  const { event, to, data, body: payload } = values;
  const set = values.set.length === 0 ? undefined : Object.fromEntries(values.set);
  const serving = await findServing(context.runtime, data);
  const reply = await askRunning(context.runtime, serving, {
    call: 'POST /__sandbox/trigger',
    body: { event, to, payload, set },
    refusal: "Can't send a sample",
    advice: 'to subscribe a URL, use webhooks create, or start the sandbox with --webhook-to',
  });
  const rows = recordsIn(reply.deliveries).map(({ attempts, ...each }) => ({ ...each, ...recordsIn(attempts).at(-1) }));
  const acceptedCount = rows.filter(({ state }) => state === 'delivered').length;
  const undeliveredCount = rows.filter(({ status }) => typeof status !== 'number').length;
  const parts = [`${acceptedCount} accepted`];
  if (undeliveredCount > 0) parts.push(`${undeliveredCount} not delivered`);
  if (acceptedCount + undeliveredCount < rows.length)
    parts.push(`${rows.length - acceptedCount - undeliveredCount} refused`);
  const hints = [`${counted(rows.length, 'sample')}: ${parts.join(', ')}`];
  return { kind: 'rows', view: samplesView, pages: [rows], hints };
};

export const triggerCommand: Command = {
  name: 'trigger',
  summary: 'Send a sample of a webhook event from the running sandbox',
  ...taking(input(entries), runTrigger),
  fields: [
    'number',
    'webhook',
    'url',
    'event',
    'state',
    'created_at',
    'due_at',
    'body',
    'at',
    'status',
    'error',
    'milliseconds',
  ],
  local: true,
  examples: [
    'sandbox trigger invitee.created',
    'sandbox trigger invitee.canceled --to http://127.0.0.1:8080/ --json',
    'sandbox trigger invitee.created --set payload.name=Zoe --set payload.email=zoe@example.com',
    'sandbox trigger routing_form_submission.created --data ./sandbox.db',
  ],
  notes: [
    'Sends to every active webhook that reports this event, and prints the answers. The sample is a record of the data: nothing is booked or canceled. A sample is sent once and not retried.',
    'A value of --set becomes a text, a number, true or false like the value that it replaces; null, lists and objects are written as JSON. The body is signed as it is sent.',
    'Inside sandbox run, this command uses that sandbox. Elsewhere it uses the running sandbox with the same data.',
  ],
};
