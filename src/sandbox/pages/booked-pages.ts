import type { HttpReply } from '../../http/message.ts';
import { idIn } from '../../uri.ts';
import { cancelBooking } from '../rules/cancellation.ts';
import { type Booking, bookingSheet, closedBy, contextOf, dateAndTime, findBooking, momentsOf } from './booking.ts';
import { ticketField, withForm } from './forms.ts';
import { type Content, html } from './html.ts';
import { alert, badge, expired, page, seeOther, stripe } from './layout.ts';
import { link, type PageRequest } from './visit.ts';

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
