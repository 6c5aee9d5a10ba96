import { isLoopbackUrl } from '../../../api/loopback.ts';
import { isWebhookUrl, webhookEvents } from '../../../api/webhooks.ts';
import { isObject, type Json } from '../../../client/reading.ts';
import { SchedError } from '../../../errors.ts';
import { NetworkFailure } from '../../../http/failure.ts';
import { parseJson } from '../../../json.ts';
import type { View } from '../../../output/view.ts';
import { counted } from '../../../plural.ts';
import type { Runtime } from '../../../runtime.ts';
import { adminHeader } from '../../../sandbox/admin.ts';
import type { Serving } from '../../../sandbox/open.ts';
import type { Command, Invocation } from '../../command.ts';
import { noteHidden } from '../../operation/listing.ts';
import { openSandboxData } from '../../session/sandbox.ts';
import { dataFlag, readData } from './serve.ts';

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

const nothingRuns = (): SchedError =>
  new SchedError('environment', 'No sandbox is running with this data', {
    hint: { command: ['sandbox', 'start'] },
    outcome: 'not-sent',
  });

/** The running sandbox: the one around `sandbox run`, else the one that has this data open. */
const findServing = async (runtime: Runtime, data: string | undefined): Promise<Serving> => {
  const { SCHED_SANDBOX_ADMIN: secret, SCHED_BASE_URL: url } = runtime.env;
  // The secret goes to this machine only.
  if (data === undefined && secret && url && isLoopbackUrl(url)) return { url, secret };
  const sandbox = await openSandboxData(runtime, { data });
  try {
    const { serving } = sandbox;
    if (serving === undefined) throw nothingRuns();
    return serving;
  } finally {
    sandbox.close();
  }
};

/** Asks the running sandbox to send the samples. It replies when all of them were sent. */
const send = async ({ runtime }: Invocation['context'], { url, secret }: Serving, body: Json): Promise<Json[]> => {
  runtime.secrets.keep(secret);
  const request = {
    method: 'POST',
    url: `${url.replace(/\/+$/, '')}/__sandbox/trigger`,
    headers: { [adminHeader]: secret, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs: 30_000,
  };
  const reply = await runtime.send(request).catch((error: unknown) => {
    // A sandbox that was killed left its address behind.
    throw error instanceof NetworkFailure ? nothingRuns() : error;
  });
  const content = parseJson(reply.body);
  const { deliveries, message } = isObject(content) ? content : ({} as Json);
  if (reply.status === 200 && Array.isArray(deliveries)) return deliveries.filter(isObject);
  // Another server may use the port by now. It doesn't know the secret.
  if (typeof message !== 'string' || reply.status === 401) throw nothingRuns();
  throw new SchedError(reply.status === 404 ? 'not-found' : 'usage', "Can't send a sample", {
    reason: message,
    advice: 'to subscribe a URL, run sched webhooks create, or start the sandbox with --webhook-to',
    outcome: 'not-applied',
  });
};

const run = async (invocation: Invocation): Promise<void> => {
  const { context, args, typed, problems } = invocation;
  const [event] = args;
  const to = typed.to === undefined ? undefined : String(typed.to);
  const data = readData(invocation);
  if (event === undefined) problems.missingArgument('event');
  else if (!(webhookEvents as readonly string[]).includes(event))
    problems.add(`<event> must be one of ${webhookEvents.join(', ')}, not "${event}"`);
  if (to !== undefined && !isWebhookUrl(to)) problems.add(`--to must be the URL of a webhook, not "${to}"`);
  if (data === ':memory:') problems.add("--data :memory: can't be shared with a running sandbox");
  problems.check();
  const serving = await findServing(context.runtime, data);
  const deliveries = await send(context, serving, { event, ...(to === undefined ? {} : { to }) });
  const rows = deliveries.map(({ attempts, ...delivery }): Json => {
    const last: unknown = Array.isArray(attempts) ? attempts.at(-1) : undefined;
    return { ...delivery, ...(isObject(last) ? last : {}) };
  });
  async function* pages() {
    yield rows;
  }
  noteHidden(context.notes, (await context.printer.list(view, pages())).hiddenColumns);
  const accepted = rows.filter(({ state }) => state === 'delivered').length;
  context.notes.info(`${counted(rows.length, 'sample')} sent, ${accepted} accepted`);
};

export const triggerCommand: Command = {
  name: 'trigger',
  summary: 'Let a running sandbox send a sample of a webhook event',
  arguments: [{ name: 'event', description: 'kind of event', required: true, choices: webhookEvents }],
  flags: [{ name: 'to', value: 'URL', description: 'only to the webhooks with this URL', heading: 'Flags' }, dataFlag],
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
    'sandbox trigger routing_form_submission.created --data ./sandbox.db',
  ],
  notes: [
    'Sends to every active webhook that reports this event, and prints the answers. The sample is a record of the data: nothing is booked or canceled. A sample is sent once and not retried.',
    'Inside sandbox run, it uses that sandbox. Elsewhere it uses the running sandbox with the same data.',
  ],
  run,
};
