import type { Operation } from '../../api/operation.ts';
import type { Client } from '../../client/client.ts';
import { SchedError } from '../../errors.ts';
import { isOutcomeUnknown } from '../../jobs/outcome-unknown.ts';
import type { Settings } from './settings.ts';

/** A command that means the same account as the one that was typed. */
export const forSameAccount = (command: string, { account, sandbox }: Settings): string =>
  [command, ...(account === undefined ? [] : [`--profile ${account.name}`]), ...(sandbox ? ['--sandbox'] : [])].join(
    ' ',
  );

const newest = (settings: Settings): string =>
  forSameAccount('sched event-types list --sort created_at:desc --limit 5', settings);

/** By path: where to see whether something was made. A booking is looked up, and needs no such place. */
const places: Record<string, (settings: Settings) => string> = {
  '/event_types': newest,
  '/one_off_event_types': newest,
  '/shares': () => 'the service lists no links: do it again only if a second link does no harm',
};

/** An error after which nobody knows whether something was made, with the place where it would be seen. */
export const addPlaceToLook = (error: unknown, operation: Operation | undefined, settings: Settings): unknown => {
  const place = operation?.effect === 'creation' ? places[operation.path] : undefined;
  if (place === undefined || !isOutcomeUnknown(error)) return error;
  return new SchedError('outcome-unknown', error.message, {
    ...error.facts,
    outcome: 'unknown',
    hint: place(settings),
  });
};

/** A client that says where to look when the answer to a creating write is lost: it is never sent again (R26). */
export const withPlaceToLook = (client: Client, settings: Settings): Client => ({
  ...client,
  write: (operation, ...rest) =>
    client.write(operation, ...rest).catch((error: unknown) => {
      throw addPlaceToLook(error, operation, settings);
    }),
});
