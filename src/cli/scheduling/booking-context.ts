import type { Operation } from '../../api/operation.ts';
import { capital } from '../../capital.ts';
import { hasCategory, SchedError } from '../../errors.ts';
import type { Booked, BookingOptions } from '../../jobs/booking.ts';
import type { BookingContext } from '../../jobs/booking-attempt.ts';
import type { Owner } from '../../jobs/look-up.ts';
import type { MoveContext } from '../../jobs/move-steps.ts';
import { type Change, type ChangeOptions, change, readIfPossible } from '../../jobs/read-back.ts';
import type { Json } from '../../json.ts';
import { sandboxService, serviceName } from '../../state/ledger.ts';
import { idIn } from '../../uri.ts';
import type { Flag, Invocation } from '../command.ts';
import { toggle } from '../input/kinds.ts';
import { commandHere } from '../messages/suggested-line.ts';
import { recordOf, type Source, sourceWords, withFacts } from '../operation/write-result.ts';
import type { Context } from '../session/context.ts';
import { announceWaits, randomOf, serviceUnavailable } from '../session/network.ts';

export const bookingFlags: Flag[] = [
  {
    name: 'if-absent',
    description: 'check the service first and keep an existing booking (for scripts and CI)',
    heading: 'Safety',
  },
  {
    name: 'allow-duplicate',
    description: 'book even if the same booking exists or may exist',
    heading: 'Safety',
  },
];

/** The same as values of an input. */
export const bookingEntries = {
  ifAbsent: toggle(bookingFlags[0]!.description, { heading: 'Safety' }),
  allowDuplicate: toggle(bookingFlags[1]!.description, { heading: 'Safety' }),
};

export const bookingOptions = ({ typed }: Invocation): BookingOptions => ({
  ifAbsent: typed['if-absent'] === true,
  allowDuplicate: typed['allow-duplicate'] === true,
});

export const bookingTexts: Record<Booked['how'], string> = {
  booked: 'booked',
  reconciled: 'booked (the reply was lost; confirmed by looking it up)',
  existing: 'already booked',
};

/** Tells a person how to undo a write. */
export const noteUndo = (context: Context, ...words: readonly string[]): void =>
  context.notes.footer(`Undo: ${commandHere(context, ...words)}`);

/** Says what was booked, and to a person also how to undo it. */
export const noteBooked = async (
  context: Context,
  { how, record }: Booked,
  when: string,
  { email, name, first_name, last_name }: Json & { email: string },
): Promise<void> => {
  const done = `${bookingTexts[how]}: ${when} for`;
  const who = name ?? ([first_name, last_name].filter(Boolean).join(' ') || email);
  await context.notes.done(`${done} ${email}`, `${capital(done)} ${who}`);
  if (typeof record?.event === 'string' && how !== 'existing')
    noteUndo(context, 'events', 'cancel', idIn(record.event));
};

/** The record to print for a booking, or the request if the service shows no record. */
export const bookedRecord = ({ notes }: Context, { record, how, unshown }: Booked, asked: Json): Json => {
  const source: Source = record === undefined ? 'request' : 'read';
  if (unshown !== undefined) notes.info(sourceWords(unshown, source));
  if (how === 'booked' && unshown === undefined) return record!;
  const hasSource = unshown !== undefined || record === undefined;
  return withFacts(record ?? asked, {
    ...(how === 'booked' ? {} : { [how]: true }),
    ...(hasSource ? { source } : {}),
  });
};

/** Whether the service took answers and doesn't show them. Its documentation has no field for them. */
export const hidesAnswers = ({ record }: Booked, { custom_questions: sent }: Json): boolean =>
  Array.isArray(sent) &&
  sent.length > 0 &&
  record !== undefined &&
  [record.questions_and_answers ?? []].flat().length === 0;

export const answersHidden = "The service doesn't show the answers, so they can't be read back: keep them yourself";

/** Whose events to look through for a booking. Without an organization, only the user's own. */
const ownerOf = async ({ identity }: Context): Promise<Owner> => {
  const user = await identity.user();
  const organization = await identity.organization().catch((error: unknown) => {
    if (hasCategory(error, 'usage', 'forbidden')) return '';
    throw error;
  });
  return { user, organization };
};

export const bookingContextOf = async (context: Context): Promise<BookingContext> => {
  const { runtime, settings, notes } = context;
  const { machine } = runtime;
  const { baseUrl, isSandbox } = await context.connection();
  return {
    client: await context.client(),
    ledger: (await context.sharedState()).ledger,
    clock: runtime.clock,
    interrupted: runtime.interrupted,
    origin: isSandbox ? sandboxService : serviceName(baseUrl),
    serviceTime: context.serviceTime,
    owner: () => ownerOf(context),
    timeoutMs: settings.timeoutMs,
    pid: machine.pid,
    host: machine.host,
    mayBeRunning: ({ pid, host = machine.host }) =>
      host !== machine.host || (pid !== machine.pid && machine.isAlive(pid)),
    applyPlanLimits: async () => (await import('../session/booking-limits.ts')).applyPlanLimits(context),
    onUnkept: (reason) => notes.info(`Booking without the ledger: ${reason}`),
  };
};

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

export const moveContextOf = async (context: Context): Promise<MoveContext> => ({
  booking: await bookingContextOf(context),
  change: changeOptions(context),
  moves: (await context.sharedState()).moves,
});

/** Rethrows an error. If it is a 404 and the record is there, then the 404 is about the path. */
const notOffered =
  (read: Change['read']) =>
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
    if (!isGone) await notOffered(read)(error);
  });
};

/**
 * Makes a change and returns the record to print. If the reply is lost, the record is read to find out whether the
 * change was made, and a note says so. `known` is printed if the change was made and the record can't be read. A record
 * that already had the change is marked with `_sched.already`.
 */
export const changeOrReadBack = async (
  context: Context,
  wanted: Change & { known(): Json | Promise<Json> },
): Promise<Json> => {
  const changed = await change(wanted, changeOptions(context)).catch(notOffered(wanted.read));
  if (changed.status !== undefined) return recordOf(context, changed, wanted);
  if (changed.refused !== undefined) return withFacts(changed.record, { already: true });
  context.notes.info('The reply was lost, but the record shows that the change was made');
  return withFacts(changed.record, { reconciled: true });
};
