import { type WebhookEvent, webhookEvents } from '../../api/webhooks.ts';
import { self, words } from '../../base/words.ts';
import { entry } from '../../cli/input/entry.ts';
import { input, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { file, moment, toggle } from '../../cli/input/kinds.ts';
import type { RequestValues } from '../../cli/operation/input.ts';
import { handlerKind, headerKind, signingKeyFile } from './input.ts';
import { defaultSignatureHeader } from './work-signature.ts';

/** Of the others, nothing shows when they happened. */
const visibleEvents = ['invitee.created', 'invitee.canceled', 'routing_form_submission.created'] as const;
type VisibleEvent = (typeof visibleEvents)[number] & WebhookEvent;

const eventsKind: Kind<VisibleEvent[]> = {
  value: 'EVENTS',
  json: 'string',
  suggestions: visibleEvents,
  read: (raw) => {
    const names = raw.split(',').map((name) => name.trim());
    const unseen = names.find((name) => !visibleEvents.some((each) => each === name));
    if (unseen === undefined) return accept([...new Set(names as VisibleEvent[])]);
    return (webhookEvents as readonly string[]).includes(unseen)
      ? refuse(words`${self}: the service doesn't show when "${unseen}" happened`)
      : refuse(words`${self} must be some of ${visibleEvents.join(', ')}, not "${unseen}"`);
  },
};

const entries = {
  since: moment('deliveries of what happened at or after this time, such as -2h', {
    edge: 'since',
    in: 'past',
    needed: true,
    heading: 'Filters',
  }),
  until: moment('deliveries of what happened before this time (default: now)', {
    edge: 'until',
    in: 'past',
    heading: 'Filters',
  }),
  events: entry(eventsKind, 'which deliveries, separated by commas (default invitee.created,invitee.canceled)', {
    preset: 'invitee.created,invitee.canceled',
    heading: 'Filters',
  }),
  forwardTo: entry(handlerKind, 'handler to send them to: https, or http on this machine', { needed: true }),
  signingKeyFile,
  received: file('what the handler has received: JSONL of webhooks listen, or lines EVENT<TAB>INVITEE_URI'),
  skipFailed: toggle('go on if the handler does not accept a delivery after five attempts'),
  again: toggle('send again what the handler accepted from an earlier backfill'),
  allowHttp: toggle('send over http to another machine, where others may read it', { heading: 'Safety' }),
  signatureHeader: entry(headerKind, `header with the signature (default ${defaultSignatureHeader})`),
};

export const backfillInput = input(entries);

export type BackfillInput = Values<typeof entries> & { request: RequestValues };
