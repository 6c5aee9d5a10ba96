import type { EmbedMessage } from '../../api/embed.ts';
import { calendarOf, icsPerson, icsText, icsTime } from '../../base/ics-text.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { HttpReply } from '../../http/message.ts';
import { cancelBooking } from '../rules/cancellation.ts';
import type { Store } from '../store/store.ts';
import {
  type Booking,
  bookingSheet,
  closedBy,
  contextOf,
  dateAndTime,
  findBooking,
  hostNames,
  momentsOf,
  spanOf,
} from './booking.ts';
import { ticketField, withForm } from './forms.ts';
import { type Content, type Html, html } from './html.ts';
import { alert, badge, expired, page, seeOther, stripe } from './layout.ts';
import { isEmbedded, link, type PageRequest } from './visit.ts';
import { joinList } from './words.ts';

const tick = html`<svg class="tick" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28"/><path d="M17 29l8 8 15-17"/></svg>`;

/** Pages of other calendars that add an event. */
const calendarLinks = ({ event, hosts }: Booking): Html[] => {
  const { location, join_url } = (event.location ?? {}) as { location?: string | null; join_url?: string | null };
  const [start, end] = [event.start_time, event.end_time];
  const where = location ?? join_url ?? '';
  const what = hosts.length > 0 ? `${event.name} – ${hosts.map(({ name }) => name).join(', ')}` : event.name;
  const google = new URLSearchParams({
    action: 'TEMPLATE',
    text: what,
    dates: [start, end].map((time) => icsTime(Date.parse(time))).join('/'),
    location: where,
  });
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: what,
    startdt: start,
    enddt: end,
    location: where,
  });
  return [
    // These calendars are elsewhere.
    html`<a class="button" target="_blank" rel="noopener" href="${html`https://calendar.google.com/calendar/render?${String(google)}`}">Google Calendar</a>`,
    html`<a class="button" target="_blank" rel="noopener" href="${html`https://outlook.live.com/calendar/0/deeplink/compose?${String(outlook)}`}">Outlook</a>`,
  ];
};

/** When the meeting was before the invitee moved it. */
const formerStart = (store: Store, { invitee }: Booking): number | undefined => {
  const former = invitee.old_invitee === null ? undefined : findBooking(store, idIn(invitee.old_invitee));
  return former && Date.parse(former.event.start_time);
};

/** What an embedded page says about a booking. */
const bookingMessage = (
  { origin }: PageRequest,
  { event, invitee }: Booking,
  what: 'scheduled' | 'rescheduled' | 'canceled',
): EmbedMessage => ({
  version: 1,
  event: `sched.event_${what}`,
  payload: { event: { uri: `${origin}${event.uri}` }, invitee: { uri: `${origin}${invitee.uri}` } },
});

/** Shows a booking to the invitee. */
export const donePage = (pageRequest: PageRequest, id = ''): HttpReply | undefined => {
  const { store, url } = pageRequest;
  const booking = findBooking(store, id);
  if (booking === undefined) return undefined;
  const { invitee, event, type, hosts } = booking;
  const isActive = invitee.status === 'active';
  const moments = momentsOf(pageRequest, booking);
  const queued = store.first<{ n: number }>(
    "SELECT count(*) AS n FROM deliveries WHERE subject = ? AND event = 'invitee.created'",
    invitee.uri,
  )!.n;
  const reschedule = html`<a href="${link(pageRequest, invitee.reschedule_url)}">Reschedule</a>`;
  const cancel = html`<a href="${link(pageRequest, invitee.cancel_url)}">cancel</a>`;
  const names = joinList(hostNames(booking));
  const [start, end] = [Date.parse(event.start_time), Date.parse(event.end_time)];
  const former = isActive ? formerStart(store, booking) : undefined;
  const date = moments.day(moments.dateOf(start));
  const verb = isActive ? (former === undefined ? 'Booked' : 'Moved') : 'Canceled';
  const title = isActive ? html`You are booked with ${names}` : html`The meeting with ${names} was canceled`;
  return page({
    url,
    message: isActive
      ? bookingMessage(pageRequest, booking, former === undefined ? 'scheduled' : 'rescheduled')
      : undefined,
    title: `${verb}: ${event.name}, ${date}`,
    language: type.locale,
    content: html`${stripe(type.color)}${badge}${isActive && tick}<h1>${former === undefined ? title : html`Moved to ${date}, ${spanOf(moments, start, end)}`}</h1>
${former !== undefined && html`<p class="soft">was: <s>${dateAndTime(moments, former)}</s></p>`}
${isActive && html`<p class="soft">A real service would now send the invitation to <bdi>${invitee.email}</bdi>. The sandbox sends no mail.</p>`}
${bookingSheet(pageRequest, booking)}
${isActive && html`<h2>Add to calendar</h2><div class="buttons"><a class="button primary" href="/bookings/${id}/meeting.ics">File (.ics)</a>${calendarLinks(booking)}</div>`}
<p class="foot">${isActive && html`Need to change it? ${reschedule} or ${cancel}. `}<a href="${link(pageRequest, hosts[0]!.scheduling_url)}">Book another meeting</a></p>`,
    aside: isEmbedded(url)
      ? undefined
      : html`For developers: <code>invitee.created</code> queued for ${counted(queued, 'webhook')} · <a href="/">Desk</a> ·
<code>sched invitees get ${idIn(event.uri)} ${id}</code> · <code>sched sandbox notices</code>`,
  });
};

/** The booking for the invitee's calendar (RFC 5545). */
export const calendarFile = ({ store }: PageRequest, id = ''): HttpReply | undefined => {
  const booking = findBooking(store, id);
  if (booking === undefined) return undefined;
  const { event, invitee } = booking;
  const { location, join_url } = (event.location ?? {}) as { location?: string | null; join_url?: string | null };
  const [host] = event.event_memberships;
  const isActive = invitee.status === 'active';
  // Nobody joins a meeting that was canceled.
  const joinLink = isActive ? join_url : null;
  const time = (property: string, text: string) => `${property}:${icsTime(Date.parse(text))}`;
  const where = location ?? joinLink;
  const body = calendarOf([
    'BEGIN:VEVENT',
    // The same for everybody and in every file, so that a calendar updates the event.
    `UID:${idIn(event.uri)}@northlight.example`,
    time('DTSTAMP', event.updated_at),
    time('DTSTART', event.start_time),
    time('DTEND', event.end_time),
    `SUMMARY:${icsText(event.name)}`,
    `STATUS:${isActive ? 'CONFIRMED' : 'CANCELLED'}`,
    ...(where ? [`LOCATION:${icsText(where)}`] : []),
    ...(joinLink ? [`URL:${new URL(joinLink).href}`] : []),
    icsPerson('ORGANIZER', host!.user_name, host!.user_email),
    icsPerson('ATTENDEE', invitee.name, invitee.email, ';PARTSTAT=ACCEPTED'),
    'END:VEVENT',
  ]);
  return {
    status: 200,
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'attachment; filename="meeting.ics"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
};

const reasonClosed = (pageRequest: PageRequest, booking: Booking): Content => {
  const { id, invitee, event } = booking;
  const { store, now } = pageRequest;
  const why = closedBy(booking, now);
  if (why === undefined) return html`<p>Its host no longer offers meetings of this kind. You can still cancel it.</p>`;
  if (why === 'past')
    return html`<p>It began on ${dateAndTime(momentsOf(pageRequest, booking), Date.parse(event.start_time))}, so it can't be changed any more.</p>`;
  if (why === 'moved')
    return html`<p><a href="${link(pageRequest, `/bookings/${idIn(invitee.new_invitee!)}`)}">Show the new time</a></p>`;
  const canceled = store.first<{ reason: string | null; created_at: string }>(
    `SELECT reason, created_at FROM invitee_cancellations WHERE invitee = ?
     UNION ALL SELECT reason, created_at FROM cancellations WHERE event = ?`,
    id,
    idIn(event.uri),
  ) ?? { reason: null, created_at: invitee.updated_at };
  return html`<p>Canceled on ${dateAndTime(momentsOf(pageRequest, booking), Date.parse(canceled.created_at))}.
${canceled.reason !== null && html`Reason: <bdi class="pre">${canceled.reason}</bdi>`}</p>`;
};

const closedTitles = {
  canceled: 'This meeting was canceled',
  moved: 'This meeting was moved to another time',
  past: 'This meeting has begun',
  notOffered: "This meeting can't be moved",
};

/** A booking that can't be changed, and why. */
export const closedPage = (pageRequest: PageRequest, booking: Booking, status = 200): HttpReply => {
  const why = closedBy(booking, pageRequest.now);
  const title = closedTitles[why ?? 'notOffered'];
  return page({
    status,
    url: pageRequest.url,
    message: why === 'canceled' ? bookingMessage(pageRequest, booking, 'canceled') : undefined,
    title: `${title}: ${booking.event.name}`,
    language: booking.type.locale,
    content: html`${stripe(booking.type.color)}${badge}<h1>${title}</h1>${reasonClosed(pageRequest, booking)}${bookingSheet(pageRequest, booking)}
<div class="buttons"><a class="button" href="${link(pageRequest, booking.hosts[0]!.scheduling_url)}">Book another meeting</a></div>`,
  });
};

const cancelPage = (pageRequest: PageRequest, booking: Booking, again?: { reason: string }): HttpReply =>
  page({
    status: again ? 400 : 200,
    url: pageRequest.url,
    title: `Cancel ${booking.event.name}?`,
    language: booking.type.locale,
    content: html`${stripe(booking.type.color)}${badge}<h1>Cancel this meeting?</h1>
${again && alert(expired, html`<p>Nothing was canceled yet. What you typed is kept: look at it, and send it again.</p>`)}${bookingSheet(pageRequest, booking)}
<form method="post" action="${link(pageRequest, pageRequest.url.pathname)}">${ticketField(pageRequest)}
<div class="field"><label for="reason">Reason <span class="optional">(optional)</span></label>
<textarea id="reason" name="reason" rows="3">
${again?.reason}</textarea></div>
<div class="buttons"><button class="danger">Cancel the meeting</button>
<a class="button" href="${link(pageRequest, booking.invitee.reschedule_url)}">Reschedule instead</a></div></form>`,
  });

export const showCancellation = (pageRequest: PageRequest, id = ''): HttpReply | undefined => {
  const booking = findBooking(pageRequest.store, id);
  if (booking === undefined) return undefined;
  return closedBy(booking, pageRequest.now) ? closedPage(pageRequest, booking) : cancelPage(pageRequest, booking);
};

export const acceptCancellation = (pageRequest: PageRequest, id = ''): HttpReply | undefined =>
  withForm(pageRequest, ({ values: { reason = '' }, isExpired }) =>
    pageRequest.store.transaction(() => {
      const booking = findBooking(pageRequest.store, id);
      if (booking === undefined) return undefined;
      const why = closedBy(booking, pageRequest.now);
      if (why !== undefined && why !== 'canceled') return closedPage(pageRequest, booking, 409);
      if (why === undefined && isExpired) return cancelPage(pageRequest, booking, { reason });
      const facts = { organization: booking.organization, owner: booking.type.profile!.owner };
      // A form that is sent twice leads to the same page.
      if (why === undefined) cancelBooking(contextOf(pageRequest, facts), booking.invitee, reason.trim() || null);
      return seeOther(link(pageRequest, pageRequest.url.pathname));
    }),
  );
