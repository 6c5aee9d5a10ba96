import type { Operation } from '../../api/operation.ts';
import type { Client } from '../../client/client.ts';
import { isOutcomeUnknown, type NextStep, SchedError, sameCommand } from '../../errors.ts';
import type { Settings } from './settings.ts';

/** Adds the flags that make a command use the same account as the current one. */
export const forSameAccount = (command: string, { account, sandbox }: Settings): string =>
  [command, ...(account === undefined ? [] : [`--profile ${account.name}`]), ...(sandbox ? ['--sandbox'] : [])].join(
    ' ',
  );

const newest: NextStep = {
  hint: { command: ['event-types', 'list'], flags: { sort: 'created_at:desc', limit: '5' } },
};

/** By path: how to check whether something was created. Bookings need nothing, because sched looks them up. */
const places: Record<string, NextStep> = {
  '/event_types': newest,
  '/one_off_event_types': newest,
  '/webhook_subscriptions': {
    // Assumed (webhooks.once): creating a webhook again with the same URL and scope is refused with 409.
    advice: 'you can run the command again: sched assumes that the service accepts a URL only once per scope',
    hint: sameCommand,
  },
  '/shares': {
    advice: 'run the command again only if a second link does no harm: the service has no list of links to check',
  },
};

/** Adds to an error with an unknown outcome how to check whether something was created. */
export const addPlaceToLook = (error: unknown, operation: Operation | undefined): unknown => {
  const place = operation?.effect === 'creation' ? places[operation.path] : undefined;
  if (place === undefined || !isOutcomeUnknown(error)) return error;
  return new SchedError('outcome-unknown', error.message, {
    ...error.facts,
    outcome: 'unknown',
    ...place,
  });
};

/** A client that adds this if the reply to a creating write is lost, because sched never sends it again (R26). */
export const withPlaceToLook = (client: Client): Client => ({
  ...client,
  write: (operation, ...rest) =>
    client.write(operation, ...rest).catch((error: unknown) => {
      throw addPlaceToLook(error, operation);
    }),
});
