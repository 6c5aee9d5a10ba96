import { isWebhookUrl } from '../../../api/webhooks.ts';
import { SchedError } from '../../../errors.ts';
import type { HttpRequest } from '../../../http/message.ts';
import type { Runtime } from '../../../runtime.ts';
import { Refusal } from '../../../sandbox/error-replies.ts';
import type { Sandbox } from '../../../sandbox/open.ts';
import type { DelivererOptions } from '../../../sandbox/webhooks/deliverer.ts';
import { isLoopbackUrl } from '../../../uri.ts';
import { version } from '../../../version.ts';
import type { Flag, Invocation } from '../../command.ts';
import { signingKeyFlag, signingKeyOf, signingKeyPath } from '../webhooks/signing-key.ts';

export const webhookFlags: Flag[] = [
  {
    name: 'webhook-to',
    value: 'URL',
    description: 'while it runs, deliver all webhook events to this URL on this machine',
  },
  { ...signingKeyFlag, description: `with --webhook-to: ${signingKeyFlag.description}`, heading: 'More flags' },
];

/** How often a running sandbox looks for deliveries that are due because its clock was moved, or by another process. */
const pollMilliseconds = 250;

interface ReceiverAddress {
  url: string;
  key: string | undefined;
}

/** Reads `--webhook-to` and the key for it. */
export const readReceiver = async (invocation: Invocation): Promise<ReceiverAddress | undefined> => {
  const { typed, problems } = invocation;
  const url = typed['webhook-to'] === undefined ? undefined : String(typed['webhook-to']);
  if (url === undefined && signingKeyPath(invocation) !== undefined)
    problems.add(`--${signingKeyFlag.name} can only be used with --webhook-to`);
  if (url !== undefined && !(isWebhookUrl(url) && isLoopbackUrl(url)))
    problems.add(`--webhook-to must be a URL on a loopback address such as http://127.0.0.1:8080/, not "${url}"`);
  problems.check();
  return url === undefined ? undefined : { url, key: await signingKeyOf(invocation) };
};

/** Starts to send the deliveries of a sandbox, until closed. */
export const startDeliveries = async (
  sandbox: Sandbox,
  receiver: ReceiverAddress | undefined,
  runtime: Runtime,
  onAttempt?: DelivererOptions['onAttempt'],
) => {
  const [{ createDeliverer }, { deliveryCalls }, { clearLeftovers, subscribeTemporarily }] = await Promise.all([
    import('../../../sandbox/webhooks/deliverer.ts'),
    import('../../../sandbox/webhooks/delivery-admin.ts'),
    import('../../../sandbox/webhooks/temporary.ts'),
  ]);
  const { store, clock } = sandbox;
  clearLeftovers(store, runtime.machine.isAlive);
  const subscribe = (to: ReceiverAddress): (() => void) => {
    try {
      return subscribeTemporarily(store, { ...to, now: clock.now(), pid: runtime.machine.pid });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new SchedError('conflict', `Can't deliver to ${to.url}`, { reason: error.message, outcome: 'not-applied' });
    }
  };
  const unsubscribe = receiver && subscribe(receiver);
  const deliverer = createDeliverer({
    store,
    clock,
    system: runtime.clock,
    name: `${runtime.machine.pid}-${Buffer.from(runtime.randomBytes(6)).toString('hex')}`,
    userAgent: `sched-sandbox/${version}`,
    onAttempt,
  });
  const stopPolling = runtime.every(pollMilliseconds, deliverer.poll);
  // Deliveries of an earlier run may be left.
  deliverer.wake();
  return {
    /** The service, which sends what its writes cause. */
    service: async (request: HttpRequest) => {
      const reply = await sandbox.service(request);
      if (request.method !== 'GET') deliverer.wake();
      return reply;
    },
    calls: deliveryCalls({ store, clock, deliverer }),
    drain: deliverer.drain,
    close: async () => {
      stopPolling();
      await deliverer.close();
      unsubscribe?.();
    },
  };
};
