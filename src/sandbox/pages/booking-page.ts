import type { HttpReply } from '../../http/message.ts';
import { idIn } from '../../uri.ts';
import { type Detail, detail, notFound, Refusal, refuseInvalid } from '../error-replies.ts';
import { book, isBookedFor } from '../rules/booking-rules.ts';
import { instantOf } from '../rules/local-time.ts';
import { reschedule } from '../rules/reschedule.ts';
import { dayMilliseconds, lastMoment, timestamp } from '../store/names.ts';
import { closedPage } from './booked-pages.ts';
import { contextOf } from './booking.ts';
import { bookingIn, drawFields, drawProblems, formProblems, typedIn, type Values, valuesOf } from './booking-form.ts';
import { about, calendarPage, fact, here, isZone, type Visit, visitOf } from './calendar-page.ts';
import { changeOnce, type SentForm, ticketField, withForm } from './forms.ts';
import { type Content, html } from './html.ts';
import { alert, expired, icon, page, seeOther, stripe } from './layout.ts';
import { addDays } from './moment.ts';
import { findOffer, movingAt } from './offer.ts';
import { missingPage, usedPage } from './person-page.ts';
import { type Start, startsBetween } from './starts.ts';
import { link, type PageRequest } from './visit.ts';

/** A form that was sent, and why it is shown again. */
interface Again {
  status: number;
  problems: readonly Detail[];
  isExpired: boolean;
  /** Other starts of that day, if the chosen one is gone. */
  others?: readonly Start[];
}

const notFree = (time: string): string => `${time} is no longer free`;

const reasonOf = ({ asked, offer, moments }: Visit, start: number, values: Values, again: Again): Content => {
  const { status, problems, isExpired, others } = again;
  if (isExpired)
    return alert(expired, html`<p>Nothing was booked yet. What you typed is kept: look at it, and send it again.</p>`);
  if (others === undefined) return alert('Please check these fields', drawProblems(offer.known, problems));
  const time = moments.clock(start);
  const choices = others.map(
    ({ at }, index) =>
      html`<label><input type="radio" name="start" value="${timestamp(at)}" required${index === 0 && html` checked`}> ${moments.clock(at)}</label>`,
  );
  const otherDays = here(asked, { ...typedIn(offer.known, values), start: undefined });
  return alert(
    status === 409 ? `${time} was booked a moment ago` : notFree(time),
    html`<p>Nothing was booked for you, and what you typed is kept.</p>
${others.length > 0 ? html`<fieldset><legend>Choose another time on that day</legend><div class="choices flat">${choices}</div></fieldset>` : html`<p>No other time is free on that day.</p>`}
<p class="end"><a href="${otherDays}">Other days</a></p>`,
  );
};

/** Asks for the details of a booking. */
const detailsPage = (visit: Visit, start: number, values: Values, again?: Again): HttpReply => {
  const { asked, offer, moments } = visit;
  const { type } = offer.known;
  const span = moments.span(start, start + type.duration * 60_000);
  const isTaken = again?.others !== undefined;
  const isPossible = again?.others?.length !== 0;
  const verb = offer.moving ? 'Move the meeting to' : 'Book';
  const when = html`<strong>${moments.day(moments.dateOf(start))}</strong><br>
${isTaken ? html`<s>${span}</s> taken` : span}<br><a href="${here(asked, { start: undefined })}">Choose another time</a>`;
  return page({
    status: again?.status ?? 200,
    url: asked.url,
    // A reload would lose what was typed.
    needsZone: again === undefined,
    message: { version: 1, event: 'sched.date_and_time_selected', payload: {} },
    title: `Your details – ${type.name}`,
    main: 'wide',
    content: html`${stripe(type.color)}<div class="columns two">${about(visit, [fact(icon('calendar'), when), fact(icon('globe'), moments.zone)], true)}
<section aria-labelledby="details"><form method="post" action="${here(asked, {})}">${ticketField(asked)}
${again && reasonOf(visit, start, values, again)}
${!isTaken && html`<input type="hidden" name="start" value="${timestamp(start)}">`}
<h2 id="details">Your details</h2>${drawFields(offer.known, values, again?.problems)}
${isPossible && html`<div class="buttons"><button class="primary">${verb} ${isTaken ? 'the chosen' : 'this'} time</button></div>`}
</form></section></div>`,
  });
};

/** The start in a form or an address, or undefined if it has none. Years have four digits. */
const startIn = (text: string | undefined | null): number | undefined => {
  const start = Date.parse(text ?? '');
  return start > 0 && start < lastMoment - dayMilliseconds ? start : undefined;
};

/** A page in place of one that offers something. */
const noOffer = (asked: PageRequest, why: 'used' | 'closed' | undefined, status?: number): HttpReply => {
  if (why === 'closed') return closedPage(asked, movingAt(asked)!, status);
  return why === 'used' ? usedPage(asked) : missingPage(asked);
};

/** The page of an event type, a single-use link or a one-off meeting, or for moving a booking to another time. */
export const showBooking = (asked: PageRequest): HttpReply => {
  const offer = findOffer(asked);
  if (typeof offer !== 'object') return noOffer(asked, offer);
  const search = asked.url.searchParams;
  const typed = search.get('zone')?.trim();
  if (typed && isZone(typed)) return seeOther(here(asked, { tz: typed }));
  const visit = visitOf(asked, offer);
  const start = startIn(search.get('start'));
  if (start === undefined) return calendarPage(visit);
  const range = { from: start, to: start + 1, now: asked.now };
  const isFree = startsBetween(asked.store, offer.known, range, [start]).length > 0;
  if (!isFree) return calendarPage(visit, notFree(visit.moments.clock(start)));
  const known = offer.moving ? valuesOf(offer.known, offer.moving) : {};
  return detailsPage(visit, start, { ...known, ...Object.fromEntries(search) });
};

/** Up to three other starts on the same day, near the one that is gone. */
const otherStarts = ({ asked: { store, now }, offer, moments: { zone, dateOf } }: Visit, start: number): Start[] => {
  const date = dateOf(start);
  const range = { from: instantOf(zone, date, 0), to: instantOf(zone, addDays(date, 1), 0), now };
  return startsBetween(store, offer.known, range)
    .sort((one, other) => Math.abs(one.at - start) - Math.abs(other.at - start))
    .slice(0, 3)
    .sort((one, other) => one.at - other.at);
};

/** Shows the form again, with what was typed, after a refusal. Nothing was booked. */
const showAgain = (asked: PageRequest, values: Values, { status, more }: Refusal): HttpReply => {
  const offer = findOffer(asked);
  if (typeof offer !== 'object') return noOffer(asked, offer, 409);
  const start = startIn(values.start);
  if (start === undefined) return seeOther(here(asked, { start: undefined }));
  const visit = visitOf(asked, offer);
  const found = (more.details ?? []) as Detail[];
  const isExpired = found.some(({ parameter }) => parameter === 'ticket');
  const isTwice = status === 409 && isBookedFor(asked.store, offer.known, start, values.email ?? '');
  const problems = isTwice ? [detail('email', 'is already booked for this time')] : found;
  const isGone = !isTwice && (status === 409 || found.some(({ parameter }) => parameter === 'start_time'));
  const others = isGone ? { others: otherStarts(visit, start) } : {};
  return detailsPage(visit, start, values, { status, problems: isGone ? [] : problems, isExpired, ...others });
};

/** Books what a form asks for. Must run in a transaction, and throws a refusal if it can't. */
const bookWith = (asked: PageRequest, { values, isExpired }: SentForm): string => {
  const { store, url } = asked;
  const offer = findOffer(asked);
  if (typeof offer !== 'object') throw notFound('page');
  if (isExpired) refuseInvalid([detail('ticket', expired)]);
  const start = startIn(values.start);
  refuseInvalid([...formProblems(offer.known, values), ...(start ? [] : [detail('start_time', 'is required')])]);
  const { bookable, person, more } = bookingIn(offer.known, values, url.searchParams);
  const { zone: timezone } = visitOf(asked, offer).moments;
  const body = { start_time: timestamp(start!), invitee: { ...person, timezone }, ...more };
  const context = contextOf(asked, { organization: offer.organization, owner: offer.owner.uri });
  if (offer.moving) return idIn(reschedule(body, bookable, offer.moving.invitee, context).uri);
  const id = idIn(book(body, bookable, context).uri);
  if (offer.share) store.run('UPDATE shares SET used_by = ? WHERE id = ? AND used_by IS NULL', id, offer.share);
  return id;
};

/** Accepts the form of a booking. */
export const acceptBooking = (asked: PageRequest): HttpReply | undefined =>
  withForm(asked, (form) => {
    try {
      return seeOther(link(asked, `/bookings/${changeOnce(asked, form.nonce, () => bookWith(asked, form))}`));
    } catch (error) {
      if (error instanceof Refusal) return showAgain(asked, form.values, error);
      throw error;
    }
  });
