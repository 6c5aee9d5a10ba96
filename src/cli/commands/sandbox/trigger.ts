import { isWebhookUrl, webhookEvents } from '../../../api/webhooks.ts';
import { type Json, recordsIn } from '../../../json.ts';
import { counted } from '../../../numbers.ts';
import type { View } from '../../../output/view.ts';
import type { Command, Invocation } from '../../command.ts';
import { readJsonFile } from '../../json-file.ts';
import { printRows } from '../../operation/listing.ts';
import { askRunning, findServing } from './running.ts';
import { readSharedData, sharedDataFlag } from './serving.ts';

const view: View = {
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

/** Reads `--set payload.name=Zoe`. */
const readValues = ({ typed, problems }: Invocation): Record<string, string> | undefined => {
  const values = [typed.set ?? []].flat().map((given) => {
    const text = String(given);
    const end = text.indexOf('=');
    if (end < 1) problems.add(`--set must be PATH=VALUE such as payload.name=Zoe, not "${text}"`);
    return [text.slice(0, end), text.slice(end + 1)] as const;
  });
  return values.length === 0 ? undefined : Object.fromEntries(values);
};

const run = async (invocation: Invocation): Promise<void> => {
  const { context, args, typed, problems } = invocation;
  const [event] = args;
  const to = typed.to === undefined ? undefined : String(typed.to);
  const data = readSharedData(invocation);
  if (event === undefined) problems.missingArgument('event');
  else if (!(webhookEvents as readonly string[]).includes(event))
    problems.add(`<event> must be one of ${webhookEvents.join(', ')}, not "${event}"`);
  if (to !== undefined && !isWebhookUrl(to)) problems.add(`--to must be the URL of a webhook, not "${to}"`);
  const payload =
    typed.body === undefined ? undefined : await readJsonFile(String(typed.body), '--body', context.runtime, problems);
  const set = readValues(invocation);
  problems.check();
  const serving = await findServing(context.runtime, data);
  const reply = await askRunning(context.runtime, serving, {
    call: 'POST /__sandbox/trigger',
    body: { event, to, payload, set },
    refusal: "Can't send a sample",
    advice: 'to subscribe a URL, use webhooks create, or start the sandbox with --webhook-to',
  });
  const rows = recordsIn(reply.deliveries).map(
    ({ attempts, ...delivery }): Json => ({ ...delivery, ...recordsIn(attempts).at(-1) }),
  );
  await printRows(context, view, [rows]);
  const accepted = rows.filter(({ state }) => state === 'delivered').length;
  const undelivered = rows.filter(({ status }) => typeof status !== 'number').length;
  const parts = [`${accepted} accepted`];
  if (undelivered > 0) parts.push(`${undelivered} not delivered`);
  if (accepted + undelivered < rows.length) parts.push(`${rows.length - accepted - undelivered} refused`);
  context.notes.info(`${counted(rows.length, 'sample')}: ${parts.join(', ')}`);
};

export const triggerCommand: Command = {
  name: 'trigger',
  summary: 'Send a sample of a webhook event from the running sandbox',
  arguments: [{ name: 'event', description: 'kind of event', required: true, choices: webhookEvents }],
  flags: [
    { name: 'to', value: 'URL', description: 'only to the webhooks with this URL' },
    {
      name: 'set',
      value: 'PATH=VALUE',
      repeat: true,
      description: 'change a value of the body, such as payload.name=Zoe or payload.questions_and_answers.0.answer=Yes',
    },
    {
      name: 'body',
      value: 'FILE',
      description: 'JSON file with the payload (- for stdin), instead of a record of the data',
    },
    sharedDataFlag,
  ],
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
  run,
};
