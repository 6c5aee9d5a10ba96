import type { CreatedName } from '../../api/catalogue.ts';
import type { Operation } from '../../api/operation.ts';
import { isOutcomeUnknown, type NextStep, SchedError, sameCommand } from '../../errors.ts';

/** How to check whether something was created. Without an entry the code doesn't compile. */
const places: Record<CreatedName, NextStep> = {
  'event type': { hint: { command: ['event-types', 'list'], flags: { sort: 'created_at:desc', limit: '5' } } },
  // Bookings need nothing, because sched looks them up.
  invitee: {},
  invitation: { hint: { command: ['invitations', 'list'], flags: { status: 'pending' } } },
  webhook: {
    // Assumed (webhooks.once): creating a webhook again with the same URL and scope is refused with 409.
    advice: 'you can run the command again: sched assumes that the service accepts a URL only once per scope',
    hint: sameCommand,
  },
  share: {
    advice: 'run the command again only if a second link does no harm: the service has no list of links to check',
  },
};

/** Adds to an error with an unknown outcome how to check whether something was created. */
export const addPlaceToLook = (error: unknown, operation: Operation | undefined): unknown => {
  if (operation?.effect !== 'creation' || !isOutcomeUnknown(error)) return error;
  return new SchedError('outcome-unknown', error.message, {
    ...error.facts,
    outcome: 'unknown',
    ...places[operation.reply.of.name as CreatedName],
  });
};
