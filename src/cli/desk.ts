import { join } from 'node:path';
import type { Json } from '../client/reading.ts';
import type { Desk } from '../jobs/booking.ts';
import { type Change, change } from '../jobs/read-back.ts';
import { fileLedger, memoryLedger } from '../state/ledger.ts';
import type { Context } from './context.ts';
import { chanceOf, stateDirectory } from './network.ts';
import { marked } from './operation-command.ts';

/** What booking needs of the world. */
export const deskOf = async (context: Context): Promise<Desk> => {
  const { runtime, settings, notes } = context;
  const { baseUrl, isSandbox } = await context.connection();
  const directory = stateDirectory(runtime);
  if (directory === undefined && settings.verbose)
    notes.insist('bookings are not remembered from one command to the next: there is no home directory');
  return {
    client: await context.client(),
    ledger:
      directory === undefined
        ? memoryLedger()
        : fileLedger({
            directory: join(directory, 'bookings'),
            now: runtime.clock.now,
            randomBytes: runtime.randomBytes,
          }),
    clock: runtime.clock,
    interrupted: runtime.interrupted,
    // The embedded service has another port each time.
    origin: isSandbox ? 'sandbox' : new URL(baseUrl).origin,
    owner: context.identity,
    timeoutMs: settings.timeoutMs,
    pid: runtime.machine.pid,
    checkAgain: [
      'sched invitees reconcile',
      ...(settings.account === undefined ? [] : [`--profile ${settings.account.name}`]),
      ...(settings.sandbox ? ['--sandbox'] : []),
    ].join(' '),
  };
};

/** Makes a change and, if its answer is lost, finds out what became of it; the record then says so. */
export const changeOrReadBack = async ({ runtime, settings, notes }: Context, wanted: Change): Promise<Json> => {
  const { record, isReconciled } = await change(wanted, {
    clock: runtime.clock,
    interrupted: runtime.interrupted,
    random: chanceOf(runtime),
    onRepeat: (attempt) => {
      if (settings.verbose) notes.insist(`attempt ${attempt}: its answer was lost, and the record shows no change`);
    },
  });
  if (!isReconciled) return record;
  notes.say('its answer was lost; the record was read, and shows that it was done');
  return marked(record, { reconciled: true });
};
