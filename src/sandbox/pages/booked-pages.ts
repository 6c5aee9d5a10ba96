import type { HttpReply } from '../../http/message.ts';
import { calendarOf, icsPerson, icsText, icsTime } from '../../ics-text.ts';
import { counted } from '../../numbers.ts';
import { idIn } from '../../uri.ts';
import { cancelBooking } from '../rules/cancellation.ts';
import {
  type Booking,
  bookingSheet,
  closedBy,
  contextOf,
  dateAndTime,
  findBooking,
  hostNames,
  momentsOf,
} from './booking.ts';
import { ticketField, withForm } from './forms.ts';
import { type Content, html } from './html.ts';
import { alert, badge, expired, page, seeOther, stripe } from './layout.ts';
import { isEmbedded, link, type PageRequest } from './visit.ts';
import { listed } from './words.ts';

const tick = html`<svg class="tick" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28"/><path d="M17 29l8 8 15-17"/></svg>`;

/** Shows a booking to the invitee. */
export const donePage = (asked: PageRequest, id = ''): HttpReply | undefined => {
  const { store, url } = asked;
  const booking = findBooking(store, id);
  if (booking === undefined) return undefined;
  const { invitee, event, type, hosts } = booking;
  const isActive = invitee.status === 'active';
  const queued = store.first<{ n: number }>(
    "SELECT count(*) AS n FROM deliveries WHERE subject = ? AND event = 'invitee.created'",
    invitee.uri,
  )!.n;
  const reschedule = html`<a href="${link(asked, invitee.reschedule_url)}">reschedule</a>`;
  const cancel = html`<a href="${link(asked, invitee.cancel_url)}">cancel</a>`;
  const names = listed(hostNames(booking));
  const title = isActive ? html`You are booked with ${names}` : html`The meeting with ${names} was canceled`;
  const uri = { event: { uri: `${asked.origin}${event.uri}` }, invitee: { uri: `${asked.origin}${invitee.uri}` } };
  return page({
    url,
    message: isActive ? { version: 1, event: 'sched.event_scheduled', payload: uri } : undefined,
    title: event.name,
    content: html`${stripe(type.color)}${badge}${isActive && tick}<h1>${title}</h1>
${isActive && html`<p class="soft">A real service would now send the invitation to <bdi>${invitee.email}</bdi>. The sandbox sends no mail.</p>`}
${bookingSheet(booking)}
<div class="buttons">${isActive && html`<a class="button primary" href="/bookings/${id}/meeting.ics">Add to calendar (.ics)</a>`}
<a class="button" href="${link(asked, hosts[0]!.scheduling_url)}">Book another meeting</a></div>
${isActive && html`<p class="foot">Plans change: ${reschedule} or ${cancel}.</p>`}`,
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
  const time = (property: string, text: string) => `${property}:${icsTime(Date.parse(text))}`;
  const where = location ?? join_url;
  const body = calendarOf([
    'BEGIN:VEVENT',
    // The same for everybody and in every file, so that a calendar updates the event.
    `UID:${idIn(event.uri)}@northlight.example`,
    time('DTSTAMP', event.updated_at),
    time('DTSTART', event.start_time),
    time('DTEND', event.end_time),
    `SUMMARY:${icsText(event.name)}`,
    `STATUS:${invitee.status === 'active' ? 'CONFIRMED' : 'CANCELLED'}`,
    ...(where ? [`LOCATION:${icsText(where)}`] : []),
    ...(join_url ? [`URL:${new URL(join_url).href}`] : []),
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

const reasonClosed = (asked: PageRequest, booking: Booking): Content => {
  const { id, invitee, event } = booking;
  const { store, now } = asked;
  const why = closedBy(booking, now);
  if (why === undefined) return html`<p>Its host no longer offers meetings of this kind. You can still cancel it.</p>`;
  if (why === 'past')
    return html`<p>It began on ${dateAndTime(momentsOf(booking), Date.parse(event.start_time))}, so it can't be changed any more.</p>`;
  if (why === 'moved')
    return html`<p><a href="${link(asked, `/bookings/${idIn(invitee.new_invitee!)}`)}">Show the new time</a></p>`;
  const canceled = store.first<{ reason: string | null; created_at: string }>(
    `SELECT reason, created_at FROM invitee_cancellations WHERE invitee = ?
     UNION ALL SELECT reason, created_at FROM cancellations WHERE event = ?`,
    id,
    idIn(event.uri),
  ) ?? { reason: null, created_at: invitee.updated_at };
  return html`<p>Canceled on ${dateAndTime(momentsOf(booking), Date.parse(canceled.created_at))}.
${canceled.reason !== null && html`Reason: <bdi class="pre">${canceled.reason}</bdi>`}</p>`;
};

const closedTitles = {
  canceled: 'This meeting was canceled',
  moved: 'This meeting was moved to another time',
  past: 'This meeting has begun',
  notOffered: "This meeting can't be moved",
};

/** A booking that can't be changed, and why. */
export const closedPage = (asked: PageRequest, booking: Booking, status = 200): HttpReply => {
  const title = closedTitles[closedBy(booking, asked.now) ?? 'notOffered'];
  return page({
    status,
    url: asked.url,
    title,
    content: html`${stripe(booking.type.color)}${badge}<h1>${title}</h1>${reasonClosed(asked, booking)}${bookingSheet(booking)}
<div class="buttons"><a class="button" href="${link(asked, booking.hosts[0]!.scheduling_url)}">Book another meeting</a></div>`,
  });
};

const cancelPage = (asked: PageRequest, booking: Booking, again?: { reason: string }): HttpReply =>
  page({
    status: again ? 400 : 200,
    url: asked.url,
    title: 'Cancel this meeting?',
    content: html`${stripe(booking.type.color)}${badge}<h1>Cancel this meeting?</h1>
${again && alert(expired, html`<p>Nothing was canceled yet. What you typed is kept: look at it, and send it again.</p>`)}${bookingSheet(booking)}
<form method="post" action="${link(asked, asked.url.pathname)}">${ticketField(asked)}
<div class="field"><label for="reason">Reason <span class="optional">(optional)</span></label>
<textarea id="reason" name="reason" rows="3">
${again?.reason}</textarea></div>
<div class="buttons"><button class="danger">Cancel the meeting</button>
<a class="button" href="${link(asked, booking.invitee.reschedule_url)}">Reschedule instead</a></div></form>`,
  });

export const showCancellation = (asked: PageRequest, id = ''): HttpReply | undefined => {
  const booking = findBooking(asked.store, id);
  if (booking === undefined) return undefined;
  return closedBy(booking, asked.now) ? closedPage(asked, booking) : cancelPage(asked, booking);
};

export const acceptCancellation = (asked: PageRequest, id = ''): HttpReply | undefined =>
  withForm(asked, ({ values: { reason = '' }, isExpired }) =>
    asked.store.transaction(() => {
      const booking = findBooking(asked.store, id);
      if (booking === undefined) return undefined;
      const why = closedBy(booking, asked.now);
      if (why !== undefined && why !== 'canceled') return closedPage(asked, booking, 409);
      if (why === undefined && isExpired) return cancelPage(asked, booking, { reason });
      const facts = { organization: booking.organization, owner: booking.type.profile!.owner };
      // A form that is sent twice leads to the same page.
      if (why === undefined) cancelBooking(contextOf(asked, facts), booking.invitee, reason.trim() || null);
      return seeOther(link(asked, asked.url.pathname));
    }),
  );
