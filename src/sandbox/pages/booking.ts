import { idIn } from '../../base/uri.ts';
import { wallClock } from '../../time/show.ts';
import type { BookingContext } from '../rules/booking-rules.ts';
import type { EventRecord, EventTypeRecord, InviteeRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type Content, type Html, html } from './html.ts';
import { colorOf } from './layout.ts';
import { type Moments, momentsIn, type Reader } from './moment.ts';
import { cityOf } from './places.ts';
import type { PageRequest } from './visit.ts';
import { joinList, minutes, placeName } from './words.ts';

/** A booking as its invitee sees it. */
export interface Booking {
  id: string;
  invitee: InviteeRecord;
  event: EventRecord;
  type: EventTypeRecord;
  hosts: UserRecord[];
  organization: string;
}

export const findBooking = (store: Store, id: string): Booking | undefined => {
  const invitee = store.get<InviteeRecord>('invitees', id);
  if (invitee === undefined) return undefined;
  const row = store.first<{ doc: string; event_type: string; organization: string }>(
    'SELECT doc, event_type, organization FROM events WHERE id = ?',
    idIn(invitee.event),
  )!;
  const event: EventRecord = JSON.parse(row.doc);
  const type = store.get<EventTypeRecord>('event_types', row.event_type)!;
  const hosts = event.event_memberships.map(({ user }) => store.get<UserRecord>('users', idIn(user))!);
  return { id, invitee, event, type, hosts, organization: row.organization };
};

/**
 * Assumed (invitees.by-page): a booking on a page has no `scheduling_method` and no `invitee_scheduled_by`. Who caused it,
 * in deliveries and the activity log, is the owner of the event type.
 */
export const contextOf = (
  { store, now, origin }: PageRequest,
  { organization, owner }: { organization: string; owner: string },
): BookingContext => ({ store, now, origin, caller: { organization, user: idIn(owner) }, method: null });

/** Why a booking can't be changed any more. */
export const closedBy = ({ invitee, event }: Booking, now: number): 'moved' | 'canceled' | 'past' | undefined => {
  if (invitee.status === 'canceled') return invitee.new_invitee === null ? 'canceled' : 'moved';
  return Date.parse(event.start_time) <= now ? 'past' : undefined;
};

/** Times as the invitee reads them. */
export const momentsOf = (reader: Reader, { invitee, type, hosts }: Booking): Moments =>
  momentsIn(reader, type.locale, invitee.timezone ?? hosts[0]!.timezone);

/** The time of the host, unless the visitor is in the same zone: `(same for Amara)`, or `· 09:00 for Amara in Berlin`. */
export const timeOfHost = (
  reader: Reader,
  { zone }: Moments,
  { timezone, name }: Pick<UserRecord, 'timezone' | 'name'>,
  at: number,
): Content => {
  if (timezone === zone) return undefined;
  const person = html`<bdi>${name.split(' ')[0]}</bdi>`;
  if (wallClock(timezone)(at) === wallClock(zone)(at)) return html` (same for ${person})`;
  const theirs = momentsIn(reader, 'en', timezone);
  const day = theirs.dateOf(at) !== momentsIn(reader, 'en', zone).dateOf(at) && `${theirs.weekday(theirs.dateOf(at))} `;
  return html` · ${day}${theirs.clock(at)} for ${person} in ${cityOf(timezone)}`;
};

/** `Wed 18 November 2026, 13:30` */
export const dateAndTime = ({ dayWithYear, dateOf, clock }: Moments, at: number): string =>
  `${dayWithYear(dateOf(at))}, ${clock(at)}`;

/** `09:30–10:00`, in one line, and in this order in every language. */
export const spanOf = ({ clock }: Moments, start: number, end: number): Html =>
  html`<bdi class="span" dir="ltr"><bdi>${clock(start)}</bdi>–<bdi>${clock(end)}</bdi></bdi>`;

/** The place of a meeting. Nobody joins one that was canceled. */
const placeContent = ({ location }: EventRecord, isActive: boolean): Content => {
  if (location === null) return undefined;
  const { type, location: text, join_url: url } = location as Record<string, string | null>;
  const label = url?.replace(/^https?:\/\//, '');
  return [
    placeName(type ?? ''),
    text ? html`: <bdi>${text}</bdi>` : undefined,
    // Meetings take place elsewhere.
    isActive && url && label !== url ? html`, <a href="${html`${url}`}">${label}</a>` : undefined,
  ];
};

const row = (term: Content, content: Content) => html`<dt>${term}</dt><dd>${content}</dd>`;

export const hostNames = ({ hosts }: Booking): Html[] => hosts.map(({ name }) => html`<bdi>${name}</bdi>`);

/** What was booked, when, where, and with whom. */
export const bookingSheet = (pageRequest: PageRequest, booking: Booking): Html => {
  const { invitee, event, type, hosts } = booking;
  const [start, end] = [Date.parse(event.start_time), Date.parse(event.end_time)];
  const moments = momentsOf(pageRequest, booking);
  const names = hostNames(booking);
  const place = placeContent(event, invitee.status === 'active');
  return html`<div class="sheet"><svg class="bar" aria-hidden="true"><rect width="100%" height="100%" fill="${colorOf(type.color)}"/></svg><dl>
${row('What', html`<strong><bdi>${event.name}</bdi></strong>, ${minutes((end - start) / 60_000)}`)}
${row(
  'When',
  html`<strong>${moments.dayWithYear(moments.dateOf(start))}, ${spanOf(moments, start, end)}</strong><br>
<span class="soft">${cityOf(moments.zone)} time${timeOfHost(pageRequest, moments, hosts[0]!, start)}</span>`,
)}
${place && row('Where', place)}
${row('Who', joinList([html`<bdi>${invitee.name}</bdi>`, ...names]))}
${invitee.questions_and_answers.map(({ question, answer }) => row(html`<bdi>${question}</bdi>`, html`<bdi class="pre">${answer}</bdi>`))}
</dl></div>`;
};
