import type { HttpReply } from '../../http/message.ts';
import { idIn } from '../../uri.ts';
import type { EventRecord, EventTypeRecord, InviteeRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type Content, html } from './html.ts';
import { badge, colorOf, page, stripe } from './layout.ts';
import { momentsIn } from './moment.ts';
import { isEmbedded, link, type PageRequest } from './visit.ts';
import { words } from './words.ts';

export interface Booking {
  invitee: InviteeRecord;
  event: EventRecord;
}

export const findBooking = (store: Store, id: string): Booking | undefined => {
  const invitee = store.get<InviteeRecord>('invitees', id);
  return invitee && { invitee, event: store.get<EventRecord>('events', idIn(invitee.event))! };
};

const tick = html`<svg class="tick" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28"/><path d="M17 29l8 8 15-17"/></svg>`;

const placeOf = ({ location }: EventRecord): Content => {
  if (location === null) return undefined;
  const { type, location: text, join_url: url } = location as { type: string; location?: string; join_url?: string };
  const shown = url?.replace(/^https?:\/\//, '');
  return [
    words.place(type),
    text && html`: <bdi>${text}</bdi>`,
    url && /^https?:\/\//.test(url) && html`, <a href="${url}">${shown}</a>`,
  ];
};

/** Shows a booking to the invitee. */
export const donePage = (asked: PageRequest, id = ''): HttpReply | undefined => {
  const { store, url } = asked;
  const booking = findBooking(store, id);
  if (booking === undefined) return undefined;
  const { invitee, event } = booking;
  const type = store.get<EventTypeRecord>('event_types', idIn(event.event_type ?? ''))!;
  const hosts = event.event_memberships.map(({ user }) => store.get<UserRecord>('users', idIn(user))!);
  const [host] = hosts;
  const names = hosts.map(({ name }) => html`<bdi>${name}</bdi>`);
  const zone = invitee.timezone ?? host!.timezone;
  const [start, end] = [Date.parse(event.start_time), Date.parse(event.end_time)];
  const moments = momentsIn(type.locale, zone);
  const hostTime = momentsIn(type.locale, host!.timezone).clock(start);
  const place = placeOf(event);
  const row = (term: Content, content: Content) => html`<dt>${term}</dt><dd>${content}</dd>`;
  const isActive = invitee.status === 'active';
  const queued = store.first<{ n: number }>(
    "SELECT count(*) AS n FROM deliveries WHERE subject = ? AND event = 'invitee.created'",
    invitee.uri,
  )!.n;
  const reschedule = html`<a href="${link(asked, invitee.reschedule_url)}">${words.reschedule}</a>`;
  const cancel = html`<a href="${link(asked, invitee.cancel_url)}">${words.cancel}</a>`;
  const title = (isActive ? words.bookedWith : words.canceledWith)(words.list(names));
  const uri = { event: { uri: `${asked.origin}${event.uri}` }, invitee: { uri: `${asked.origin}${invitee.uri}` } };
  return page({
    url,
    message: isActive ? { version: 1, event: 'sched.event_scheduled', payload: uri } : undefined,
    title: event.name,
    content: html`${stripe(type.color)}${badge}${isActive && tick}<h1>${title}</h1>
${isActive && html`<p class="soft">${words.noMail(html`<bdi>${invitee.email}</bdi>`)}</p>`}
<div class="sheet"><svg class="bar" aria-hidden="true"><rect width="100%" height="100%" fill="${colorOf(type.color)}"/></svg><dl>
${row(words.what, html`<strong><bdi>${event.name}</bdi></strong>, ${words.minutes((end - start) / 60_000)}`)}
${row(
  words.when,
  html`<strong>${moments.dayWithYear(moments.dateOf(start))}, ${moments.span(start, end)}</strong><br>
<span class="soft">${zone}${zone !== host!.timezone && html`; ${words.hostTime(hostTime, names[0], host!.timezone)}`}</span>`,
)}
${place && row(words.where, place)}
${row(words.who, words.list([html`<bdi>${invitee.name}</bdi>`, ...names]))}
${invitee.questions_and_answers.map(({ question, answer }) => row(html`<bdi>${question}</bdi>`, html`<bdi class="pre">${answer}</bdi>`))}
</dl></div>
<div class="buttons">${isActive && html`<a class="button primary" href="/bookings/${id}/meeting.ics">${words.addToCalendar}</a>`}
<a class="button" href="${link(asked, host!.scheduling_url)}">${words.bookAnother}</a></div>
${isActive && html`<p class="foot">${words.plansChange(reschedule, cancel)}</p>`}`,
    aside: isEmbedded(url)
      ? undefined
      : html`${words.forDevelopers}: <code>invitee.created</code> went to ${queued} ${queued === 1 ? 'webhook' : 'webhooks'} ·
<code>sched invitees get ${idIn(event.uri)} ${id}</code>`,
  });
};
