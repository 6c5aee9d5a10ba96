import { once } from '../../base/once.ts';
import type { ChangeContext } from '../handler.ts';
import { timestamp } from '../store/names.ts';
import type { EventRecord, InviteeRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/**
 * Assumed (notices.kinds): the service writes to the invitee and the hosts of a booked or canceled event, to an invited
 * person, to a removed member, to the user who requested a data deletion when it is done, and to the user (or the owner of
 * the organization) whose webhook is disabled. Nobody hears of a no-show or a revoked invitation. The documentation only
 * says that a cancellation notifies the invitees.
 */
export const noticeKinds = [
  'event.confirmed',
  'event.canceled',
  'invitation.sent',
  'member.removed',
  'data.deleted',
  'webhook.disabled',
] as const;

interface Notice {
  /** By default an email. */
  channel?: 'email' | 'text';
  /** An email address, or the phone number of a text message. */
  to: string;
  kind: (typeof noticeKinds)[number];
  /** The URI of the record. */
  about: string;
  subject: string;
  details?: Record<string, unknown>;
}

/** Above this number, the oldest notices are dropped. */
export const mostNotices = 1_000;

/** Stores what the service would send, in the transaction of the change. Nothing is sent. */
export const addNotice = (store: Store, now: number, { channel = 'email', details = {}, ...notice }: Notice) => {
  store.add('notices', { ...notice, channel, created_at: timestamp(now), details: JSON.stringify(details) });
  store.run('DELETE FROM notices WHERE number <= (SELECT max(number) FROM notices) - ?', mostNotices);
};

/** On first use: loading the data of `Intl` takes as long as starting Node does. */
const names = once(() => new Intl.ListFormat('en'));

/** Such as `Intro call with Ada Lovelace, 2026-11-16 08:00 UTC`. */
const meetingWith = ({ name, start_time }: EventRecord, people: readonly string[]): string =>
  `${name} with ${names().format(people)}, ${start_time.slice(0, 16).replace('T', ' ')} UTC`;

const hostsOf = ({ event_memberships: hosts }: EventRecord): string[] => hosts.map(({ user_name: name }) => name ?? '');

export const noticeBooking = ({ store, now }: ChangeContext, invitee: InviteeRecord, event: EventRecord) => {
  const notice = { kind: 'event.confirmed', about: invitee.uri } as const;
  addNotice(store, now, { ...notice, to: invitee.email, subject: `Confirmed: ${meetingWith(event, hostsOf(event))}` });
  for (const { user_email: to } of event.event_memberships)
    addNotice(store, now, { ...notice, to, subject: `New booking: ${meetingWith(event, [invitee.name])}` });
};

/** The reason of a cancellation that comes with a booking for another time. */
export const rescheduled = 'Rescheduled';

/**
 * Assumed (notices.cancellation): every invitee and every host hears who canceled the event and why. An invitee with a
 * `text_reminder_number` gets a text message too. If a group event goes on, its hosts hear who left.
 */
export const noticeCancellation = (
  { store, now }: ChangeContext,
  event: EventRecord,
  invitees: InviteeRecord[],
  details: { canceled_by: string; reason: string | null },
) => {
  const what = `${details.reason === rescheduled ? 'Moved' : 'Canceled'} by ${details.canceled_by}`;
  const notice = {
    kind: 'event.canceled',
    details,
    subject: `${what}: ${meetingWith(event, hostsOf(event))}`,
  } as const;
  for (const { uri: about, email, text_reminder_number: number } of invitees) {
    addNotice(store, now, { ...notice, about, to: email });
    if (number !== null) addNotice(store, now, { ...notice, about, to: number, channel: 'text' });
  }
  const people = invitees.map(({ name }) => name);
  const isOver = event.status === 'canceled';
  // The hosts know who they are: they hear with whom they don't meet.
  const subject = isOver
    ? `${what}: ${meetingWith(event, people)}`
    : `${names().format(people)} left: ${meetingWith(event, hostsOf(event))}`;
  for (const { user_email: to } of event.event_memberships)
    addNotice(store, now, { ...notice, subject, about: event.uri, to });
};

const mostListedNotices = 100;

/** The newest notices first, limited by `to`, `kind` and `since` in the query of the URL. */
export const listNotices = (store: Store, { origin, searchParams }: URL) =>
  store
    .all<Record<'about' | 'details', string>>(
      `SELECT * FROM notices WHERE coalesce("to" = ?1, 1) AND coalesce(kind = ?2, 1) AND number > ?3
       ORDER BY number DESC LIMIT ?4`,
      searchParams.get('to'),
      searchParams.get('kind'),
      Number(searchParams.get('since')),
      searchParams.has('since') ? mostNotices : mostListedNotices,
    )
    .map(({ about, details, ...row }) => ({ ...row, about: `${origin}${about}`, details: JSON.parse(details) }));
