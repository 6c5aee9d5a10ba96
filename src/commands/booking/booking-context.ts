import type { SentInvitee } from '../../api/invitees.ts';
import { hasCategory } from '../../base/errors.ts';
import { capital } from '../../base/numbers.ts';
import type { Done } from '../../cli/answer/answer.ts';
import { toggle } from '../../cli/input/kinds.ts';
import { readEventOf } from '../../cli/operation/print-record.ts';
import { type Source, sourceWords, withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { bookings } from '../../state/ledger-entry.ts';
import { sandboxService, serviceName } from '../../state/service-name.ts';
import { timeLabel } from '../../time/label.ts';
import { utcText } from '../../time/wall.ts';
import type { Booked, DraftBody } from './work.ts';
import type { BookingContext } from './work-attempt.ts';
import type { Owner } from './work-look-up.ts';

export const bookingEntries = {
  ifAbsent: toggle('check the service first and keep an existing booking (for scripts and CI)', { heading: 'Safety' }),
  allowDuplicate: toggle('book even if the same booking exists or may exist', { heading: 'Safety' }),
};

const bookingTexts: Record<Booked['how'], string> = {
  booked: 'booked',
  reconciled: 'booked (the reply was lost; confirmed by looking it up)',
  existing: 'already booked',
};

/** `booked by another run (process 4711 on ci-3, Thu 19 Nov 17:20)` */
export const bookingText = ({ settings, runtime }: Context, { how, by }: Booked): string => {
  if (by === undefined) return bookingTexts[how];
  const { pid, host, at } = by;
  const process = `process ${pid}${host === undefined ? '' : ` on ${host}`}`;
  return `booked by another run (${process}, ${timeLabel(utcText(at), settings.zone, runtime.clock.now())})`;
};

/** What was booked. A person who reads no record also reads when it is for whom, and how to join. */
export const bookingDone = async (
  context: Context,
  booked: Booked,
  when: string,
  { email, name, first_name, last_name, timezone }: SentInvitee,
): Promise<Done> => {
  const who = name ?? ([first_name, last_name].filter(Boolean).join(' ') || email);
  const { how, record } = booked;
  const text = bookingText(context, booked);
  const done = capital(text);
  const { hostText, joinLine, undoLine, whenText } = await import('../events/answer.ts');
  const undo = how === 'existing' ? undefined : undoLine(context, 'cancel', record?.event);
  return {
    log: `${text}: ${when} for ${email}`,
    sentence: `${done}: ${when} for ${who}`,
    below: [undo],
    saysAll: true,
    closer: async () => {
      const event = record === undefined ? undefined : await readEventOf(context, record);
      if (event === undefined) return {};
      const times = [whenText(context, event, [timezone]), await hostText(context, event)].filter(Boolean);
      return {
        sentence: `${done}: ${event.name ?? 'event'} with ${who}`,
        below: [times.join(' · '), joinLine(event), undo],
      };
    },
  };
};

/** The record to print for a booking, or the request if the service shows no record. */
export const bookedRecord = ({ notes }: Context, { record, how, unshown }: Booked, request: DraftBody) => {
  const source: Source = record === undefined ? 'request' : 'read';
  if (unshown !== undefined) notes.info(sourceWords(unshown, source));
  else if (record === undefined)
    notes.info("The record of that run says that the service accepted this booking. The service doesn't show it.");
  if (how === 'booked' && unshown === undefined) return record!;
  const hasSource = unshown !== undefined || record === undefined;
  return withFacts(record ?? request, {
    ...(how === 'booked' ? {} : { [how]: true }),
    ...(how === 'existing' ? { already: true } : {}),
    ...(hasSource ? { source } : {}),
  });
};

/** Whether the service took answers and doesn't show them. Its documentation has no field for them. */
export const hidesAnswers = ({ record }: Booked, { custom_questions: answers }: DraftBody): boolean =>
  Array.isArray(answers) &&
  answers.length > 0 &&
  record !== undefined &&
  [record.questions_and_answers ?? []].flat().length === 0;

export const answersHidden = "The service doesn't show the answers, so they can't be read back: keep them yourself";

/** Whose events to look through for a booking. Without an organization, only the user's own. */
const readOwner = async ({ identity }: Context): Promise<Owner> => {
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
    ledger: (await context.sharedState()).ledger(bookings),
    clock: runtime.clock,
    interrupted: runtime.interrupted,
    origin: isSandbox ? sandboxService : serviceName(baseUrl),
    serviceTime: context.serviceTime,
    owner: () => readOwner(context),
    timeoutMs: settings.timeoutMs,
    pid: machine.pid,
    host: machine.host,
    mayBeRunning: ({ pid, host = machine.host }) =>
      host !== machine.host || (pid !== machine.pid && machine.isAlive(pid)),
    applyPlanLimits: async () => (await import('../../cli/session/booking-limits.ts')).applyPlanLimits(context),
    onUnkept: (reason) => notes.info(`Booking without the ledger: ${reason}`),
  };
};
