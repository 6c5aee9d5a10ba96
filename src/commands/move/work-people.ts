import type { SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { idIn } from '../../base/uri.ts';
import { activeBooking } from '../booking/work.ts';
import { bookingDigest, bookingUnknown, examine, settle } from '../booking/work-attempt.ts';
import { idKey, secondOf } from '../booking/work-look-up.ts';
import type { MoveEntry } from './work-record.ts';
import { claim, isCanceledRecord, NotMoved, type Run, readEvent, readEventInvitees } from './work-steps.ts';

/*
 * People come and go while their event is moved. They are known by their IDs, never by their number: one may leave while
 * another joins. R56: nobody is left out, and nobody is booked who has left, or the error names them.
 */

const isAmong = (uri: unknown, uris: readonly unknown[]): boolean => uris.some((other) => idIn(other) === idIn(uri));

/**
 * Reads the people of the old event again, right before its cancellation. Those who have left don't move. `joined` would
 * be left without a booking.
 */
export const readPeople = async (
  run: Run,
): Promise<{ newInvitees: SentInvitee[]; formerInvitees: string[]; isEmpty: boolean }> => {
  const all = await readEventInvitees(run.context, run.plan.event);
  const active = all.filter((each) => !isCanceledRecord(each));
  const movingUris = run.people.map(({ invitee }) => invitee);
  const isEmpty = active.length === 0;
  // If nobody is active, the event may have been canceled meanwhile. Then they still are the people to look for.
  const uris = active.map(({ uri }) => uri);
  if (!isEmpty) run.people = run.people.filter(({ invitee }) => isAmong(invitee, uris));
  return {
    newInvitees: active.filter(({ uri }) => !isAmong(uri, movingUris)),
    formerInvitees: all.filter(isCanceledRecord).map(({ uri }) => String(uri)),
    isEmpty,
  };
};

/**
 * The invitees who were canceled with the old event, so that they move. It shows all as canceled now. The others had
 * left: before the cancellation was sent, or in the moment between.
 */
const canceledWith = (
  { invitees: movingUris, left: formerInvitees }: MoveEntry,
  event: SentEvent,
  all: readonly SentInvitee[],
): SentInvitee[] => {
  // The service may note the same time on the event and on everybody who was canceled with it.
  const isNoted = all.some(({ updated_at: at }) => typeof at === 'string' && at === event.updated_at);
  const isEarlier = ({ updated_at: at }: SentInvitee) =>
    isNoted && Date.parse(String(at)) < Date.parse(String(event.updated_at));
  return all.filter((invitee) => {
    const { uri, rescheduled } = invitee;
    const isCandidate = formerInvitees === undefined ? isAmong(uri, movingUris) : !isAmong(uri, formerInvitees);
    return isCandidate && rescheduled !== true && !isEarlier(invitee);
  });
};

/**
 * After the cancellation: reads once more who was canceled with the old event. From the first booking on, the record names
 * them. The plan of this process may be older, and lack somebody who had joined.
 */
export const readCanceled = async (run: Run): Promise<void> => {
  const { context, plan } = run;
  const { entry } = run.lastClaim;
  const all = await readEventInvitees(context, plan.event);
  const isNamed = entry.phase === 'booking' || entry.phase === 'back';
  const moving = isNamed
    ? all.filter(({ uri }) => isAmong(uri, entry.invitees))
    : canceledWith(entry, await readEvent(context, plan.event), all);
  const uris = moving.map(({ uri }) => uri);
  const movingUris = run.people.map(({ invitee }) => invitee);
  run.people = [
    ...run.people.filter(({ invitee }) => isAmong(invitee, uris)),
    ...moving.filter(({ uri }) => !isAmong(uri, movingUris)).map(plan.personOf),
  ];
};

const mostNamed = 5;

/** `Ada Byron, Ben Okri`, or the first few and a number. */
export const inviteeNamesText = (records: readonly SentInvitee[]): string => {
  const names = records.slice(0, mostNamed).map(({ name, email, uri }) => String(name ?? email ?? idIn(uri)));
  const more = records.length - names.length;
  return `${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
};

/** What to say about people who are booked at the new time although they have left. */
export const straysText = (strays: readonly SentInvitee[]): string =>
  `${inviteeNamesText(strays)} left the old event meanwhile, and ${strays.length === 1 ? 'is' : 'are'} still booked at the new time`;

/** Only the people themselves can cancel one booking of several. */
export const straysAdvice = (strays: readonly SentInvitee[]): string =>
  ['cancel that booking on its page', ...strays.flatMap(({ cancel_url: page }) => page ?? [])].join(' ');

/** The bookings that this move made at that time for people who have left the old event since. */
export const straysAt = async (
  { context: { booking }, plan, people }: Run,
  start_time: string,
): Promise<SentInvitee[]> => {
  const { ledger, origin } = booking;
  const digests = people.map(({ body }) =>
    bookingDigest({ version: 2, origin }, { event_type: body.event_type, start_time }, body.invitee.email),
  );
  const second = secondOf(start_time) * 1000;
  const strays: SentInvitee[] = [];
  for (const attempt of await ledger.between(second, second + 1000)) {
    const { entry } = attempt;
    const isOurs = entry.moves !== undefined && idKey(entry.moves) === idKey(plan.event);
    if (!isOurs || entry.state === 'refused' || digests.includes(entry.digest)) continue;
    if (entry.state === 'booked') {
      const record = await activeBooking(booking, attempt);
      if (record !== undefined) strays.push(record);
      continue;
    }
    const { record, doubt } = await examine(booking, attempt);
    if (doubt !== undefined)
      throw bookingUnknown(booking, attempt, 'someone who has left the old event may be booked', doubt);
    if (record === undefined) continue;
    await settle(booking, attempt, record).catch(() => {});
    strays.push(record);
  }
  return strays;
};

/** Ends the move because nobody of the old event is left to move. */
export const endEmpty = async (run: Run): Promise<never> => {
  await claim(run, { phase: 'ended' });
  const strays = await straysAt(run, run.plan.to);
  throw new NotMoved('conflict', 'Everybody has left the old event, so there is nobody to move', {
    ...(strays.length === 0 ? {} : { reason: straysText(strays), advice: straysAdvice(strays) }),
    ...(strays.length > 0 || run.old === 'canceled' ? { outcome: 'applied' } : {}),
  });
};
