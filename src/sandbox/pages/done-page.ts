import type { HttpReply } from '../../http/message.ts';
import { counted } from '../../numbers.ts';
import { idIn } from '../../uri.ts';
import { bookingSheet, findBooking, hostNames } from './booking.ts';
import { html } from './html.ts';
import { badge, page, stripe } from './layout.ts';
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
