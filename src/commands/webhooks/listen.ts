import { setMaxListeners } from 'node:events';
import { usageError } from '../../base/errors.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import { isLoopback, isLoopbackUrl } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, taking } from '../../cli/input/input.ts';
import { hasLastLine, showAlive, timeOfDay } from '../../cli/messages/live.ts';
import { inBrackets } from '../../cli/messages/notes.ts';
import { commandHere, localCommand } from '../../cli/messages/suggested-line.ts';
import type { Context } from '../../cli/session/context.ts';
import { forwardTo, targetName } from './forward-to.ts';
import { type ListenInput, listenInput } from './input.ts';
import { keepListening, watchClock } from './keep-listening.ts';
import { openRecentFile } from './recent-deliveries-file.ts';
import { createRefusalNotes } from './refusal-notes.ts';
import { type DeliveryOutput, deliveryFields, deliveryView, openDeliveryOutput } from './screen.ts';
import { readVerification } from './signature-check.ts';
import { ownKeyFile } from './signing-key.ts';
import type { Forward } from './work-forward.ts';
import { type Delivery, openReceiver, type Receiver, type ReceiverReply } from './work-receiver.ts';
import { createRecent, deliveryKey, type KeptDeliveries } from './work-recent-deliveries.ts';

interface DeliveryCounts {
  received: number;
  lastAt: number | undefined;
}

/** Forwards and prints a delivery, and then answers its sender. R51: 2xx only if nothing is left to do. */
const handleDeliveries = (
  context: Context,
  output: DeliveryOutput,
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
      await output.write({ ...content, _sched: facts });
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
    if (hasLastLine(context.runtime)) notes.info(`${heading}${inBrackets(notes.takePlace())}`, 'heading');
    else notes.info(`${heading} (Ctrl-C to stop)`);
    if (isNew !== undefined) notes.info(`${isNew ? 'A new' : 'The'} signing key is in ${signingKeyFile}`);
    if (target !== undefined) notes.info(`Forwarding to ${targetName(target)}`);
    if (!isLoopback(host))
      notes.warn(`Other machines can reach ${host}. Requests without a valid signature are refused`);
    for (const line of nextSteps(context, url, signingKeyFile)) notes.info(line);
  };
};

const runListen = async (given: ListenInput, { context, problems }: Call): Promise<void> => {
  const { runtime, notes, settings } = context;
  const { clock, interrupted } = runtime;
  const own = given.signingKeyFile === undefined ? await ownKeyFile(runtime) : undefined;
  const keyFile = given.signingKeyFile ?? own?.path;
  if (keyFile === undefined) problems.missingFlag('signing-key-file');
  problems.check();
  const values = { ...given, signingKeyFile: keyFile! };
  const { port, bind: host, forwardTo: target } = values;
  const verification = await readVerification(values, context);
  const { toleranceMs } = verification;
  // Without a fixed port, no sender finds the next listener.
  const keptDeliveries =
    port === 0 ? undefined : await openRecentFile(context, { keyFile: values.signingKeyFile, host, port, toleranceMs });
  if (settings.sandbox) notes.place('sandbox');

  runtime.stdout.unblock?.(interrupted);
  const over = new AbortController();
  const stop = () => over.abort();
  // Every delivery on its way listens to it. Node would warn about a leak at the eleventh.
  setMaxListeners(0, over.signal);
  interrupted.addEventListener('abort', stop, { once: true });
  if (interrupted.aborted) stop();
  const output = openDeliveryOutput(context);
  const counts: DeliveryCounts = { received: 0, lastAt: undefined };
  const refusals = createRefusalNotes(clock.now, notes.warn);
  const forward = target && forwardTo(context, target, over.signal);
  const onDelivery = handleDeliveries(context, output, forward, counts, keptDeliveries);
  const announce = announcer(values, context, own?.isNew);
  const aliveAt = (url: string) => () => ({
    name: 'Listening',
    at: `on ${url}`,
    facts: aliveFacts(counts, refusals.total, settings.zone),
  });
  let stopShowing: (() => void) | undefined;
  const stopWatching = watchClock(runtime, notes);
  const listening = keepListening({
    open: (at) =>
      openReceiver({ host, port: at, ...verification, now: clock.now, onDelivery, onRefusal: refusals.add }),
    port,
    clock,
    over: over.signal,
    onOpen: (receiver) => {
      announce(receiver);
      stopShowing ??= showAlive(runtime, notes, aliveAt(receiver.url));
    },
    onLost: (reason) => notes.warn(`Stopped listening (${reason}). Trying again`),
  }).finally(output.close);
  // Both end together: without output there is nothing to receive for, and without a receiver nothing to print.
  const ends = await Promise.allSettled([output.done.finally(stop), listening]);
  interrupted.removeEventListener('abort', stop);
  stopWatching();
  stopShowing?.();
  if (stopShowing !== undefined)
    notes.info(
      `Stopped: ${counted(counts.received, 'delivery', 'deliveries')} received, ${formatNumber(refusals.total)} refused`,
    );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
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
