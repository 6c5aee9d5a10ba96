import type { Operation } from '../../api/operation.ts';
import { hasCategory, SchedError } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { type Change, type ChangeOptions, change, readIfPossible } from '../../client/change.ts';
import type { Context } from '../session/context.ts';
import { announceWaits, randomOf, serviceUnavailable } from '../session/network.ts';
import { recordOfWrite, type Written, withFacts } from './write-result.ts';

/** Options for repeating a change. Its waits are announced like those of the network. */
export const changeOptions = ({ runtime, settings, notes }: Context): ChangeOptions => {
  const announce = announceWaits(runtime, settings, notes);
  return {
    clock: runtime.clock,
    interrupted: runtime.interrupted,
    random: randomOf(runtime),
    maxWaitMs: settings.maxWaitMs,
    onWait: (seconds) => announce(serviceUnavailable, seconds),
    onRepeat: (attempt) => {
      if (settings.verbose)
        notes.always(`Retrying (attempt ${attempt}): the reply was lost, and the record is unchanged`);
    },
  };
};

/** Rethrows an error. If it is a 404 and the record is there, then the 404 is about the path. */
const explainNotOffered =
  (read: Change<unknown>['read']) =>
  async (error: unknown): Promise<never> => {
    if (!hasCategory(error, 'not-found')) throw error;
    const { advice: _, ...facts } = error.facts;
    const { method, path } = facts.http ?? {};
    if (path === undefined || (await readIfPossible(read)) === undefined) throw error;
    throw new SchedError('not-found', `The service doesn't offer ${method} ${path}`, {
      ...facts,
      reason: 'the record exists, but the service found nothing at this path',
    });
  };

/** Deletes a record that was there. `read` finds it as long as it is not deleted. */
export const deleteRecord = async (
  context: Context,
  operation: Operation,
  path: Record<string, string>,
  read: () => Promise<Json | undefined>,
): Promise<void> => {
  const client = await context.client();
  let attempts = 0;
  const countAttempt = async () => {
    attempts += 1;
  };
  await client.write(operation, { path }, countAttempt).catch(async (error: unknown) => {
    // The reply to the first attempt was lost. It was carried out, because the record existed before.
    const isGone = hasCategory(error, 'not-found') && attempts > 1 && (await readIfPossible(read)) === undefined;
    if (!isGone) await explainNotOffered(read)(error);
  });
};

/**
 * Makes a change and returns the record to print. If the reply is lost, the record is read to find out whether the
 * change was made, and a note says so. `known` is printed if the change was made and the record can't be read. A record
 * that already had the change is marked with `_sched.already`.
 */
export const changeOrReadBack = async <Reply extends Json>(
  context: Context,
  recordChange: Change<Reply> & { fallback(): Json | Promise<Json> },
): Promise<Written<Reply>> => {
  const result = await change(recordChange, changeOptions(context)).catch(explainNotOffered(recordChange.read));
  if (result.status !== undefined) return recordOfWrite(context, result, recordChange);
  if (result.refused !== undefined) return withFacts(result.record, { already: true });
  context.notes.info('The reply was lost, but the record shows that the change was made');
  return withFacts(result.record, { reconciled: true });
};
