import { day as dayLength } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import type { HttpReply } from '../../http/message.ts';
import { dayAt } from '../../time/calendar.ts';
import { type Detail, detail, notFound, Refusal, refuseInvalid } from '../error-replies.ts';
import { book, isBookedFor } from '../rules/booking-rules.ts';
import { reschedule } from '../rules/reschedule.ts';
import { lastMoment, timestamp } from '../store/names.ts';
import { closedPage } from './booked-pages.ts';
import { contextOf, spanOf, timeOfHost } from './booking.ts';
import { bookingIn, drawFields, drawProblems, filledIn, formProblems, type Values, valuesOf } from './booking-form.ts';
import { about, calendarPage, factItem, linkHere, type Visit, visitOf } from './calendar-page.ts';
import { changeOnce, type SentForm, ticketField, withForm } from './forms.ts';
import { type Content, html } from './html.ts';
import { alert, expired, icon, page, seeOther, stripe } from './layout.ts';
import { findOffer, movingAt, ownerOfShare } from './offer.ts';
import { missingPage, usedPage } from './person-page.ts';
import { cityOf, findPlaces } from './places.ts';
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

const againReason = ({ pageRequest, offer, moments }: Visit, start: number, values: Values, again: Again): Content => {
  const { status, problems, isExpired, others } = again;
  if (isExpired)
    return alert(expired, html`<p>Nothing was booked yet. What you typed is kept: look at it, and send it again.</p>`);
  if (others === undefined) return alert('Please check these fields', drawProblems(offer.eventType, problems));
  const time = moments.clock(start);
  const choices = others.map(
    ({ at }, index) =>
      html`<label><input type="radio" name="start" value="${timestamp(at)}" required${index === 0 && html` checked`}> ${moments.clock(at)}</label>`,
  );
  const otherDays = linkHere(pageRequest, { ...filledIn(offer.eventType, values), start: undefined });
  return alert(
    status === 409 ? `${time} was booked a moment ago` : notFree(time),
    html`<p>You're not booked yet. Your answers are still here.</p>
${others.length > 0 ? html`<fieldset><legend>Choose another time on that day</legend><div class="choices flat">${choices}</div></fieldset>` : html`<p>No other time is free on that day.</p>`}
<p class="end"><a href="${otherDays}">Other days</a></p>`,
  );
};

/** Asks for the details of a booking. */
const detailsPage = (visit: Visit, start: number, values: Values, again?: Again): HttpReply => {
  const { pageRequest, offer, moments } = visit;
  const { type } = offer.eventType;
  const span = spanOf(moments, start, start + type.duration * 60_000);
  const isTaken = again?.others !== undefined;
  const isPossible = again?.others?.length !== 0;
  const verb = offer.moving ? 'Move the meeting to' : 'Book';
  const when = html`<strong>${moments.day(moments.dateOf(start))}</strong><br>
${isTaken ? html`<s>${span}</s> taken` : span}<br><a href="${linkHere(pageRequest, { start: undefined })}">Choose another time</a>`;
  return page({
    status: again?.status ?? 200,
    url: pageRequest.url,
    // A reload would lose what was typed.
    needsZone: again === undefined,
    message: { version: 1, event: 'sched.date_and_time_selected', payload: {} },
    title: `Your details – ${type.name} – ${offer.owner.name}`,
    main: 'wide',
    language: type.locale,
    content: html`${stripe(type.color)}<div class="columns two">${about(visit, [factItem(icon('calendar'), when), factItem(icon('globe'), html`${cityOf(moments.zone)} time${timeOfHost(pageRequest, moments, offer.owner, start)}`)], true)}
<section aria-labelledby="details"><form method="post" action="${linkHere(pageRequest, {})}">${ticketField(pageRequest)}
${again && againReason(visit, start, values, again)}
${!isTaken && html`<input type="hidden" name="start" value="${timestamp(start)}">`}
<h2 id="details">Your details</h2>${drawFields(offer.eventType, values, again?.problems)}
${isPossible && html`<div class="buttons"><button class="primary">${verb} ${isTaken ? 'the chosen' : 'this'} time</button></div>`}
</form></section></div>`,
  });
};

/** The start in a form or an address, or undefined if it has none. Years have four digits. */
const startIn = (text: string | undefined | null): number | undefined => {
  const start = Date.parse(text ?? '');
  return start > 0 && start < lastMoment - dayLength ? start : undefined;
};

/** A page in place of one that offers something. */
const noOffer = (pageRequest: PageRequest, why: 'used' | 'closed' | undefined, status?: number): HttpReply => {
  if (why === 'closed') return closedPage(pageRequest, movingAt(pageRequest)!, status);
  return why === 'used' ? usedPage(pageRequest, ownerOfShare(pageRequest)) : missingPage(pageRequest);
};

/** The page of an event type, a single-use link or a one-off meeting, or for moving a booking to another time. */
export const showBooking = (pageRequest: PageRequest): HttpReply => {
  const offer = findOffer(pageRequest);
  if (typeof offer !== 'object') return noOffer(pageRequest, offer);
  const search = pageRequest.url.searchParams;
  const [place, ...others] = findPlaces(search.get('zone')?.trim() ?? '');
  if (place && others.length === 0) return seeOther(linkHere(pageRequest, { tz: place.zone }));
  const visit = visitOf(pageRequest, offer);
  const start = startIn(search.get('start'));
  if (start === undefined) return calendarPage(visit);
  const range = { from: start, to: start + 1, now: pageRequest.now };
  const isFree = startsBetween(pageRequest.store, offer.eventType, range, [start]).length > 0;
  if (!isFree) return calendarPage(visit, notFree(visit.moments.clock(start)));
  const earlier = offer.moving ? valuesOf(offer.eventType, offer.moving) : {};
  return detailsPage(visit, start, { ...earlier, ...Object.fromEntries(search) });
};

/** Up to three other starts on the same day, near the one that is gone. */
const otherStarts = (
  { pageRequest: { store, now }, offer, moments: { zone, dateOf } }: Visit,
  start: number,
): Start[] => {
  const date = dateOf(start);
  const { since: from, until: to } = dayAt(Date.parse(date), zone);
  return startsBetween(store, offer.eventType, { from, to, now })
    .sort((one, other) => Math.abs(one.at - start) - Math.abs(other.at - start))
    .slice(0, 3)
    .sort((one, other) => one.at - other.at);
};

/** Shows the form again, with what was typed, after a refusal. Nothing was booked. */
const showAgain = (pageRequest: PageRequest, values: Values, { status, more }: Refusal): HttpReply => {
  const offer = findOffer(pageRequest);
  if (typeof offer !== 'object') return noOffer(pageRequest, offer, 409);
  const start = startIn(values.start);
  if (start === undefined) return seeOther(linkHere(pageRequest, { start: undefined }));
  const visit = visitOf(pageRequest, offer);
  const details = (more.details ?? []) as Detail[];
  const isExpired = details.some(({ parameter }) => parameter === 'ticket');
  const isTwice = status === 409 && isBookedFor(pageRequest.store, offer.eventType, start, values.email ?? '');
  const problems = isTwice ? [detail('email', 'is already booked for this time')] : details;
  const isGone = !isTwice && (status === 409 || details.some(({ parameter }) => parameter === 'start_time'));
  const others = isGone ? { others: otherStarts(visit, start) } : {};
  return detailsPage(visit, start, values, { status, problems: isGone ? [] : problems, isExpired, ...others });
};

/** Books what a form asks for. Must run in a transaction, and throws a refusal if it can't. */
const bookWith = (pageRequest: PageRequest, { values, isExpired }: SentForm): string => {
  const { store, url } = pageRequest;
  const offer = findOffer(pageRequest);
  if (typeof offer !== 'object') throw notFound('page');
  if (isExpired) refuseInvalid([detail('ticket', expired)]);
  const start = startIn(values.start);
  refuseInvalid([...formProblems(offer.eventType, values), ...(start ? [] : [detail('start_time', 'is required')])]);
  const { bookable, person, more } = bookingIn(offer.eventType, values, url.searchParams);
  const { zone: timezone } = visitOf(pageRequest, offer).moments;
  const body = { start_time: timestamp(start!), invitee: { ...person, timezone }, ...more };
  const context = contextOf(pageRequest, { organization: offer.organization, owner: offer.owner.uri });
  if (offer.moving) return idIn(reschedule(body, bookable, offer.moving.invitee, context).uri);
  const id = idIn(book(body, bookable, context).uri);
  if (offer.share) store.run('UPDATE shares SET used_by = ? WHERE id = ? AND used_by IS NULL', id, offer.share);
  return id;
};

/** Accepts the form of a booking. */
export const acceptBooking = (pageRequest: PageRequest): HttpReply | undefined =>
  withForm(pageRequest, (form) => {
    try {
      return seeOther(
        link(pageRequest, `/bookings/${changeOnce(pageRequest, form.nonce, () => bookWith(pageRequest, form))}`),
      );
    } catch (error) {
      if (error instanceof Refusal) return showAgain(pageRequest, form.values, error);
      throw error;
    }
  });
