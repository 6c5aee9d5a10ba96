import { setMaxListeners } from 'node:events';
import { usageError } from '../../base/errors.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import { isLoopback, isLoopbackUrl } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Beginning, StreamAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, taking } from '../../cli/input/input.ts';
import { timeOfDay } from '../../cli/messages/live.ts';
import { commandHere, localCommand } from '../../cli/messages/suggested-line.ts';
import type { Context } from '../../cli/session/context.ts';
import { createQueue, type DeliveryQueue } from './delivery-queue.ts';
import { forwardTo, targetName } from './forward-to.ts';
import { type ListenInput, listenInput } from './input.ts';
import { keepListening, watchClock } from './keep-listening.ts';
import { openRecentFile } from './recent-deliveries-file.ts';
import { createRefusalNotes } from './refusal-notes.ts';
import { columns, type DeliveryRecord, deliveryFields, deliveryView, happeningOf, paintDelivery } from './screen.ts';
import { readVerification } from './signature-check.ts';
import { ownKeyFile } from './signing-key.ts';
import type { Forward } from './work-forward.ts';
import { type Delivery, openReceiver, type Receiver, type ReceiverReply } from './work-receiver.ts';
import { createRecent, deliveryKey, type KeptDeliveries } from './work-recent-deliveries.ts';

interface DeliveryCounts {
  received: number;
  lastAt: number | undefined;
}

/** Forwards and shows a delivery, and then answers its sender. R51: 2xx only if nothing is left to do. */
const handleDeliveries = (
  context: Context,
  queue: DeliveryQueue,
  forward: Forward | undefined,
  counts: DeliveryCounts,
  keptDeliveries: KeptDeliveries | undefined,
) => {
  const { clock } = context.runtime;
  const recent = createRecent(keptDeliveries);
  return async (delivery: Delivery): Promise<ReceiverReply> => {
    const { content, body } = delivery;
    const receivedAt = clock.now();
    const { accepted, isDouble } = await recent.handle(deliveryKey(content, body), async (attempt) => {
      const { status, durationMs, problem, accepted = true } = (await forward?.(delivery)) ?? {};
      const received_at = new Date(receivedAt).toISOString();
      const facts = { received_at, attempt, status, duration_ms: durationMs, error: problem };
      await queue.add({ ...content, _sched: facts });
      counts.received += attempt === 1 ? 1 : 0;
      counts.lastAt = receivedAt;
      return accepted;
    });
    if (!accepted) return { status: 502, text: 'The handler did not accept the delivery.' };
    return { status: 200, text: isDouble ? 'Received before.' : 'Received.' };
  };
};

/** What to do next, for the notes at the start. */
const nextSteps = (context: Context, url: string, keyFile: string): string[] => {
  const { settings, runtime } = context;
  const key = ['--signing-key-file', keyFile];
  if (settings.sandbox)
    return [
      `Deliver from a sandbox: ${localCommand('sandbox', 'start', '--webhook-to', url, ...key)}`,
      `Then book something, or send a sample: ${localCommand('sandbox', 'trigger', 'invitee.created')}`,
    ];
  const subscribe = (to: string) =>
    commandHere(context, 'webhooks', 'create', '--url', to, '--events', 'invitee.created,invitee.canceled', ...key);
  // A service on this machine, such as a running sandbox, needs no tunnel.
  if (runtime.env.SCHED_BASE_URL && isLoopbackUrl(runtime.env.SCHED_BASE_URL)) return [`Subscribe: ${subscribe(url)}`];
  return [
    `The service needs a public URL: point a tunnel such as cloudflared or ngrok at ${url}`,
    `Then subscribe: ${subscribe('https://YOUR-TUNNEL.example/')}`,
  ];
};

const aliveFacts = (counts: DeliveryCounts, refused: number, zone: string): string[] => [
  `${formatNumber(counts.received)} received`,
  ...(refused === 0 ? [] : [`${formatNumber(refused)} refused`]),
  ...(counts.lastAt === undefined ? [] : [`last ${timeOfDay(counts.lastAt, zone)}`]),
];

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

type VerifiedInput = ListenInput & { signingKeyFile: string };

/** Says where it listens and what to do next. Returns a function to call if it listens again after a failure. */
const announcer = (
  { forwardTo: target, bind: host, signingKeyFile }: VerifiedInput,
  context: Context,
  isNew: boolean | undefined,
  announce: (beginning: Beginning) => void,
) => {
  const { notes } = context;
  let isFirst = true;
  return ({ url, port }: Receiver): void => {
    const isSamePort = target !== undefined && portOf(target) === port;
    if (isSamePort && (isLoopback(target.hostname) || target.hostname === host))
      throw usageError([words`${the('forwardTo')} is the address of this listener`]);
    if (!isFirst) return void notes.info(`Listening on ${url} again`);
    isFirst = false;
    const heading = `Listening on ${url}`;
    announce({ heading, details: [], lines: [`${heading} (Ctrl-C to stop)`] });
    if (isNew !== undefined) notes.info(`${isNew ? 'A new' : 'The'} signing key is in ${signingKeyFile}`);
    if (target !== undefined) notes.info(`Forwarding to ${targetName(target)}`);
    if (!isLoopback(host))
      notes.warn(`Other machines can reach ${host}. Requests without a valid signature are refused`);
    for (const line of nextSteps(context, url, signingKeyFile)) notes.info(line);
  };
};

/** What a listener counts, and where it listens. */
interface Listening extends DeliveryCounts {
  refused(): number;
  url: string;
}

/** Aborted when the listener must stop. Every delivery on its way listens to it. */
const createStop = (interrupted: AbortSignal): AbortController => {
  const over = new AbortController();
  // Node would warn about a leak at the eleventh.
  setMaxListeners(0, over.signal);
  if (interrupted.aborted) over.abort();
  else interrupted.addEventListener('abort', () => over.abort(), { once: true, signal: over.signal });
  return over;
};

/** Listens, and yields each delivery. Its sender gets an answer when the next one is asked for. */
async function* deliveries(
  values: VerifiedInput,
  context: Context,
  verification: Awaited<ReturnType<typeof readVerification>>,
  { keptDeliveries, isNew }: { keptDeliveries: KeptDeliveries | undefined; isNew: boolean | undefined },
  { facts, onBegin }: { facts: Listening; onBegin(): void },
  announce: (beginning: Beginning) => void,
): AsyncGenerator<DeliveryRecord> {
  const { runtime, notes } = context;
  const { clock, interrupted } = runtime;
  const { port, bind: host, forwardTo: target } = values;
  const over = createStop(interrupted);
  const queue = createQueue();
  const refusals = createRefusalNotes(clock.now, notes.warn);
  facts.refused = () => refusals.total;
  const forward = target && forwardTo(context, target, over.signal);
  const onDelivery = handleDeliveries(context, queue, forward, facts, keptDeliveries);
  const onListening = announcer(values, context, isNew, announce);
  const stopWatching = watchClock(runtime, notes);
  let isOpen = false;
  const listening = keepListening({
    open: (at) =>
      openReceiver({ host, port: at, ...verification, now: clock.now, onDelivery, onRefusal: refusals.add }),
    port,
    clock,
    over: over.signal,
    onOpen: (receiver) => {
      onListening(receiver);
      if (isOpen) return;
      isOpen = true;
      facts.url = receiver.url;
      onBegin();
    },
    onLost: (reason) => notes.warn(`Stopped listening (${reason}). Trying again`),
  }).finally(queue.close);
  // Both end together: without a reader there is nothing to receive for, and without a receiver nothing to read.
  const ended = listening.catch(() => {});
  try {
    yield* queue.records();
    await listening;
  } finally {
    over.abort();
    await ended;
    stopWatching();
    if (isOpen)
      notes.info(
        `Stopped: ${counted(facts.received, 'delivery', 'deliveries')} received, ${formatNumber(refusals.total)} refused`,
      );
  }
}

const runListen = async (given: ListenInput, { context, problems }: Call): Promise<StreamAnswer<DeliveryRecord>> => {
  const { runtime, notes, settings } = context;
  const own = given.signingKeyFile === undefined ? await ownKeyFile(runtime) : undefined;
  const keyFile = given.signingKeyFile ?? own?.path;
  if (keyFile === undefined) problems.missingFlag('signing-key-file');
  problems.check();
  const values = { ...given, signingKeyFile: keyFile! };
  const { port, bind: host } = values;
  const verification = await readVerification(values, context);
  const { toleranceMs } = verification;
  // Without a fixed port, no sender finds the next listener.
  const keptDeliveries =
    port === 0 ? undefined : await openRecentFile(context, { keyFile: values.signingKeyFile, host, port, toleranceMs });
  if (settings.sandbox) notes.place('sandbox');
  const facts: Listening = { received: 0, lastAt: undefined, refused: () => 0, url: '' };
  let onBegin = () => {};
  const begun = new Promise<void>((resolve) => {
    onBegin = resolve;
  });
  return {
    kind: 'stream',
    view: deliveryView,
    items: (announce) =>
      deliveries(values, context, verification, { keptDeliveries, isNew: own?.isNew }, { facts, onBegin }, announce),
    record: (record) => ({ ...record }),
    happening: (record) => happeningOf(record, settings.zone),
    columns,
    paint: paintDelivery,
    isEach: true,
    begun,
    alive: () => ({
      name: 'Listening',
      at: `on ${facts.url}`,
      facts: aliveFacts(facts, facts.refused(), settings.zone),
    }),
  };
};

export const listenCommand: Command = {
  name: 'listen',
  summary: 'Receive deliveries on this machine, check and forward them',
  ...taking(listenInput, runListen),
  fields: deliveryFields,
  view: deliveryView,
  local: true,
  examples: [
    'webhooks listen --signing-key-file hooks.key',
    'webhooks listen --signing-key-file hooks.key --forward-to http://127.0.0.1:3000/hooks',
    'webhooks listen --signing-key-file hooks.key --sandbox -o jsonl >> deliveries.jsonl',
  ],
  notes: [
    'Accepts only deliveries that are signed with the key, less than three minutes old and at most 1 MiB. All others get 401, 400, 408 or 413 and are never shown or forwarded. A delivery that comes twice is shown and forwarded once, even if you restart the listener on the same port.',
    "With --forward-to, the sender gets 200 when the handler has answered 2xx, and 502 if it hasn't, so that the sender repeats the delivery. A handler that is down is tried four times. Redirects are not followed, and no token is forwarded.",
    'Runs until you stop it with Ctrl-C. Needs no account.',
  ],
};
