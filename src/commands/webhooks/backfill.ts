import { events } from '../../api/events.ts';
import type { Command } from '../../cli/command.ts';
import { both, taking } from '../../cli/input/input.ts';
import { genericCommand } from '../../cli/operation/generic-command.ts';
import { requestInput } from '../../cli/operation/input.ts';
import { filterFlags } from '../events/input.ts';
import { backfillInput } from './backfill-input.ts';

const backfillFields = 'since until deliveries received earlier accepted failed left record'.split(' ');

export const backfillCommand = (): Command => {
  const filters = filterFlags(genericCommand('backfill', events.list), ['user', 'org', 'group']);
  return {
    name: 'backfill',
    summary: 'Send a handler the deliveries that it missed',
    ...taking(both(backfillInput, requestInput(events.list, filters)), async (...call) =>
      (await import('./run-backfill.ts')).runBackfill(...call),
    ),
    fields: [...backfillFields, 'event', 'created_at', 'uri'],
    effect: 'change',
    mirror: 'it must know what the service shows now',
    examples: [
      'webhooks backfill --since -2h --forward-to http://127.0.0.1:3000/ --signing-key-file hooks.key --dry-run',
      'webhooks backfill --since -2h --forward-to https://example.com/hooks --signing-key-file hooks.key --org current --yes',
      'webhooks backfill --since "yesterday 12:00" --forward-to https://example.com/hooks --signing-key-file hooks.key --received received.jsonl',
    ],
    notes: [
      'Builds the deliveries of a stretch of time from what the service shows now, signs them with the key, and sends them one by one, in the order in which things happened. They have the header Sched-Backfill: 1. docs/webhooks.md says how they differ from those of the service.',
      'A delivery counts as accepted after a 2xx. Each gets five attempts over about 30 seconds; a redirect is not followed. Then it stops with exit code 11, or goes on with --skip-failed. The next run goes on from there: it sends nothing that the handler accepted before. After a kill, at most the delivery that was on its way comes again, with the same event, created_at and payload.uri.',
      'Without --received, everything of the stretch is sent, after a question that counts. A handler has to know doubles anyway: compare event, created_at and payload.uri.',
      "It can't see no-shows, bookings that were deleted since, and cancellations of events that had started over an hour before --since.",
      'Sends personal data to the handler, and no token. The record on this machine has digests only.',
    ],
  };
};
