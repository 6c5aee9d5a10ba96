import { join } from 'node:path';
import type { Json } from '../../client/reading.ts';
import type { Booked, BookingOptions } from '../../jobs/booking.ts';
import type { BookingContext } from '../../jobs/booking-attempt.ts';
import { type Change, type ChangeOptions, change } from '../../jobs/read-back.ts';
import { fileLedger, noLedger, sandboxService, serviceName } from '../../state/ledger.ts';
import { directoryPath, homeMissing } from '../../state/paths.ts';
import type { Flag, Invocation } from '../command.ts';
import type { Context } from '../session/context.ts';
import { forSameAccount } from '../session/lost-creation.ts';
import { announceWaits, randomOf, serviceUnavailable, stateDirectory } from '../session/network.ts';
import { recordOf, type Source, sourceWords, withFacts } from './write-result.ts';

export const bookingFlags: Flag[] = [
  {
    name: 'if-absent',
    description: 'look at the service first, and take the booking if it is there: for scripts and CI',
    heading: 'Safety',
  },
  {
    name: 'allow-duplicate',
    description: 'book although the same is booked already, or may be',
    heading: 'Safety',
  },
];

/** What these flags say. */
export const bookingOptions = ({ typed }: Invocation): BookingOptions => ({
  ifAbsent: typed['if-absent'] === true,
  allowDuplicate: typed['allow-duplicate'] === true,
});

export const bookingTexts: Record<Booked['how'], string> = {
  booked: 'booked',
  reconciled: 'booked, as the service shows though its answer was lost',
  existing: 'already booked',
};

/** The record to print for a booking; what was asked for where the service shows none. */
export const bookedRecord = ({ notes }: Context, { record, how, unshown }: Booked, asked: Json): Json => {
  const source: Source = record === undefined ? 'request' : 'read';
  if (unshown !== undefined) notes.info(sourceWords(unshown, source));
  if (how === 'booked' && unshown === undefined) return record!;
  const isTold = unshown !== undefined || record === undefined;
  return withFacts(record ?? asked, { ...(how === 'booked' ? {} : { [how]: true }), ...(isTold ? { source } : {}) });
};

/** How older versions wrote down an address of this machine: as it was typed. */
const aliasesOf = (origin: string): string[] =>
  origin.includes('//127.0.0.1') ? ['localhost', '[::1]'].map((name) => origin.replace('127.0.0.1', name)) : [];

/** What booking needs of the world. */
export const bookingContextOf = async (context: Context): Promise<BookingContext> => {
  const { runtime, settings, notes } = context;
  const { baseUrl, isSandbox } = await context.connection();
  const state = stateDirectory(runtime);
  const origin = isSandbox ? sandboxService : serviceName(baseUrl);
  return {
    client: await context.client(),
    ledger:
      state === undefined
        ? noLedger(directoryPath('state', runtime), homeMissing(runtime))
        : fileLedger({ directory: join(state, 'bookings'), randomBytes: runtime.randomBytes }),
    clock: runtime.clock,
    interrupted: runtime.interrupted,
    origin,
    aliases: aliasesOf(origin),
    serviceTime: context.serviceTime,
    owner: context.identity,
    timeoutMs: settings.timeoutMs,
    pid: runtime.machine.pid,
    checkAgain: forSameAccount('sched invitees reconcile', settings),
    onUnkept: (reason) => notes.info(`booking without the ledger: ${reason}`),
  };
};

/** How a change is repeated; waits are announced as those of the network are. */
export const changeOptions = ({ runtime, settings, notes }: Context): ChangeOptions => {
  const announce = announceWaits(runtime, settings, notes);
  return {
    clock: runtime.clock,
    interrupted: runtime.interrupted,
    random: randomOf(runtime),
    maxWaitMs: settings.maxWaitMs,
    onWait: (seconds) => announce(serviceUnavailable, seconds),
    onRepeat: (attempt) => {
      if (settings.verbose) notes.warn(`attempt ${attempt}: its answer was lost, and the record shows no change`);
    },
  };
};

/**
 * Makes a change and returns the record to print. If its answer is lost, the record tells what became of it, and says so;
 * `known` is printed where a change was made and no record can be had.
 */
export const changeOrReadBack = async (
  context: Context,
  wanted: Change & { known(): Json | Promise<Json> },
): Promise<Json> => {
  const changed = await change(wanted, changeOptions(context));
  if (changed.status !== undefined) return recordOf(context, changed, wanted);
  context.notes.info('its answer was lost; the record was read, and shows that it was done');
  return withFacts(changed.record, { reconciled: true });
};
