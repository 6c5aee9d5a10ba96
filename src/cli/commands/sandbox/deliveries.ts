import { isWebhookUrl } from '../../../api/webhooks.ts';
import type { RunOptions } from '../../../sandbox/run.ts';
import { isLoopbackUrl } from '../../../uri.ts';
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

/** Reads `--webhook-to` and the key for it. */
export const readReceiver = async (invocation: Invocation): Promise<RunOptions['receiver']> => {
  const { typed, problems } = invocation;
  const url = typed['webhook-to'] === undefined ? undefined : String(typed['webhook-to']);
  if (url === undefined && signingKeyPath(invocation) !== undefined)
    problems.add(`--${signingKeyFlag.name} can only be used with --webhook-to`);
  if (url !== undefined && !(isWebhookUrl(url) && isLoopbackUrl(url)))
    problems.add(`--webhook-to must be a URL on a loopback address such as http://127.0.0.1:8080/, not "${url}"`);
  problems.check();
  return url === undefined ? undefined : { url, key: await signingKeyOf(invocation) };
};
