import type { HttpReply } from '../../http/message.ts';
import { counted } from '../../numbers.ts';
import { instantOf, wrongZone } from '../rules/local-time.ts';
import { timestamp } from '../store/names.ts';
import type { LocationRecord } from '../store/records.ts';
import { dateAndTime } from './booking.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, face, icon, page, stripe } from './layout.ts';
import { addDays, type Moments, momentsIn } from './moment.ts';
import type { Offer } from './offer.ts';
import { hostLink } from './person-page.ts';
import { type Start, startsBetween } from './starts.ts';
import type { PageRequest } from './visit.ts';
import { listed, minutes, placeName } from './words.ts';

/** How many days a page shows. */
const shownDays = 35;

/** No page shows days that are further away. */
const mostDays = 3_650;

/** A visitor at the address of an offer. */
export interface Visit {
  asked: PageRequest;
  offer: Offer;
  moments: Moments;
  /** A time zone that was asked for and doesn't exist. */
  unknownZone?: string;
}

export const isZone = (zone: string): boolean => wrongZone(zone).length === 0;

export const visitOf = (asked: PageRequest, offer: Offer): Visit => {
  const search = asked.url.searchParams;
  const zone = search.get('tz');
  const wrong = [search.get('zone'), zone].find((name) => name && !isZone(name));
  const shown = zone && isZone(zone) ? zone : (offer.moving?.invitee.timezone ?? offer.owner.timezone);
  return { asked, offer, moments: momentsIn(offer.known.type.locale, shown), ...(wrong && { unknownZone: wrong }) };
};

/** The same address with another query. `undefined` leaves a parameter out, and what isn't named stays. */
export const here = ({ url }: PageRequest, changes: Record<string, string | undefined>): string => {
  const search = new URLSearchParams(url.searchParams);
  for (const [name, value] of Object.entries({ zone: undefined, ...changes })) {
    if (value === undefined) search.delete(name);
    else search.set(name, value);
  }
  return search.size === 0 ? url.pathname : `${url.pathname}?${search}`;
};

const isOnline = (places: readonly LocationRecord[]): boolean =>
  places.every(({ kind }) => kind.endsWith('_conference'));

const placeFact = (places: readonly LocationRecord[]): Content => {
  const [first] = places;
  if (first === undefined) return undefined;
  if (places.length > 1) return [...new Set(places.map(({ kind }) => placeName(kind)))].join(' · ');
  const name = placeName(first.kind);
  if (isOnline(places)) return `${name}; the link comes with the confirmation`;
  return first.location ? html`${name}: <bdi>${first.location}</bdi>` : name;
};

export const fact = (drawn: Html, content: Content): Html => html`<li>${drawn}<span>${content}</span></li>`;

/** What is offered, by whom. */
export const about = (
  { offer: { known, owner, hosts, moving }, moments }: Visit,
  more: Content,
  isBrief = false,
): Html => {
  const { type, places, limit } = known;
  const place = placeFact(places);
  const name = html`<bdi>${type.name}</bdi>`;
  const questions = type.custom_questions.filter(({ enabled }) => enabled).length;
  return html`<section class="about">${badge}
<p class="who">${face(owner)}<span>${listed(hosts.map((host) => html`<bdi>${host}</bdi>`))}</span></p>
<h1>${moving && 'Reschedule '}${name}</h1>
<ul class="facts">${moving && fact(icon('calendar'), html`Now: ${dateAndTime(moments, Date.parse(moving.event.start_time))}`)}
${fact(icon('clock'), minutes(type.duration))}
${place && fact(icon(isOnline(places) ? 'video' : 'place'), place)}
${type.kind === 'group' && fact(icon('people'), `Up to ${counted(limit, 'person', 'people')}`)}
${!isBrief && questions > 0 && fact(icon('lines'), counted(questions, 'question'))}${more}</ul>
${!isBrief && type.description_plain !== null && html`<p class="soft pre"><bdi>${type.description_plain}</bdi></p>`}</section>`;
};

const zoneSwitch = ({ asked, offer, moments, unknownZone }: Visit): Html => {
  const { zone, clock } = moments;
  const clockIn = (name: string) => momentsIn(offer.known.type.locale, name).clock(asked.now);
  const others = [
    [offer.owner.timezone, `the host's, ${clockIn(offer.owner.timezone)}`],
    ['UTC', clockIn('UTC')],
  ].filter(([name]) => name !== zone);
  const kept = [...asked.url.searchParams].filter(([name]) => name !== 'zone' && name !== 'start');
  return html`<details class="zone"${unknownZone !== undefined && html` open`}>
<summary>${icon('globe')}<span>${zone}, now ${clock(asked.now)}</span><u>Change</u></summary>
<form method="get">${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<ul><li class="scripted"><a href="${here(asked, { tz: undefined })}">Your browser's time zone</a></li>
${others.map(([name, time]) => html`<li><a href="${here(asked, { tz: name })}">${name}</a><span class="soft">${time}</span></li>`)}</ul>
<div class="field"><label for="zone">Another time zone</label>
<input id="zone" type="text" name="zone" autocomplete="off" spellcheck="false" value="${unknownZone}"${
    unknownZone !== undefined && html` aria-invalid="true" aria-describedby="zone-problem"`
  }>
${unknownZone !== undefined && html`<p class="problem" id="zone-problem" role="alert">There is no time zone called <bdi>${unknownZone}</bdi>. Use a name such as Europe/Paris.</p>`}</div>
<div class="buttons"><button>Show times in this zone</button></div></form></details>`;
};

/** The dates of the weeks to show, and the one whose times are shown. */
const datesShown = ({ asked: { url, now }, moments }: Visit) => {
  const dateIn = (name: string): string | undefined => {
    const date = url.searchParams.get(name) ?? '';
    return /^\d{4}-\d\d-\d\d$/.test(date) && Date.parse(date) ? date : undefined;
  };
  const today = moments.dateOf(now);
  const thisWeek = moments.startOfWeek(today);
  const date = dateIn('date');
  const isLater = date !== undefined && date >= addDays(thisWeek, shownDays);
  const wanted = dateIn('week') ?? (isLater ? date : today);
  // The middle one: neither before this week nor too far away.
  const first = [thisWeek, moments.startOfWeek(wanted), addDays(thisWeek, mostDays)].sort()[1]!;
  return { today, thisWeek, first, date };
};

const calendar = (
  { asked, moments, offer }: Visit,
  { first, thisWeek, today }: { first: string; thisWeek: string; today: string },
  byDate: ReadonlyMap<string, readonly Start[]>,
  chosen: string | undefined,
): Html => {
  const dates = Array.from({ length: shownDays }, (_, index) => addDays(first, index));
  const weeks = dates.filter((_, index) => index % 7 === 0).map((_, index) => dates.slice(index * 7, index * 7 + 7));
  const weekLink = (week: string) => here(asked, { week, date: undefined, start: undefined });
  const earlier = [addDays(first, -shownDays), thisWeek].sort()[1]!;
  const { dates: limits } = offer.known;
  const isEnd = limits?.kind === 'days' && limits.last < addDays(first, shownDays);
  const cell = (date: string): Html => {
    const number = Number(date.slice(8));
    const label = html`<span><span class="unseen">${moments.weekday(date)} </span>${number}<b class="${number !== 1 && 'unseen'}"> ${moments.monthOf(date)}</b></span>`;
    const count = byDate.get(date)?.length;
    return html`<td class="${date === today && 'today'}">${
      count === undefined
        ? label
        : html`<a href="${here(asked, { date, start: undefined })}#times"${
            date === chosen && html` aria-current="date"`
          }>${label} <small>${count} free</small></a>`
    }</td>`;
  };
  return html`<div class="month"><h2 id="weeks">${moments.days(first, dates.at(-1)!)}</h2><nav aria-label="Weeks">
${first > thisWeek ? html`<a href="${weekLink(earlier)}" aria-label="Earlier weeks">‹</a>` : html`<span aria-hidden="true">‹</span>`}
${isEnd ? html`<span aria-hidden="true">›</span>` : html`<a href="${weekLink(addDays(first, shownDays))}" aria-label="Later weeks">›</a>`}
</nav></div>
<table class="days"><thead><tr>${weeks[0]!.map((date) => html`<th scope="col">${moments.weekday(date)}</th>`)}</tr></thead>
<tbody>${weeks.map((week) => html`<tr>${week.map(cell)}</tr>`)}</tbody></table>`;
};

const times = ({ asked, moments, offer: { known } }: Visit, date: string, starts: readonly Start[]): Html => {
  const list = (heading: string, some: readonly Start[]): Content =>
    some.length > 0 &&
    html`<div><h3>${heading}</h3><ul class="slots">${some.map(
      ({ at, seats }) =>
        html`<li><a href="${here(asked, { date, start: timestamp(at) })}">${moments.clock(at)}${
          seats !== undefined && html` <small>${seats} of ${counted(known.limit, 'seat')} left</small>`
        }</a></li>`,
    )}</ul></div>`;
  const isMorning = ({ at }: Start) => moments.isMorning(at);
  return html`<h2 id="times" tabindex="-1">${moments.day(date)}</h2><div class="halves">
${list('Morning', starts.filter(isMorning))}
${list(
  'Afternoon',
  starts.filter((start) => !isMorning(start)),
)}</div>${starts.length === 0 && html`<p>No free times on this day</p>`}`;
};

const lengths = ({ asked, offer: { lengths: all, known } }: Visit): Content =>
  all.length > 1 &&
  html`<nav class="lengths" aria-label="Length">${all.map(
    (length) =>
      html`<a href="${here(asked, { duration: String(length), start: undefined })}"${
        length === known.type.duration && html` aria-current="true"`
      }>${minutes(length)}</a>`,
  )}</nav>`;

/** Days and times to choose from. */
export const calendarPage = (visit: Visit, notice?: string): HttpReply => {
  const { asked, moments, offer } = visit;
  const { store, now, url } = asked;
  const shown = datesShown(visit);
  const midnight = (date: string) => instantOf(moments.zone, date, 0);
  const range = { from: midnight(shown.first), to: midnight(addDays(shown.first, shownDays)), now };
  const byDate = new Map<string, Start[]>();
  const present = offer.moving && Date.parse(offer.moving.event.start_time);
  for (const start of startsBetween(store, offer.known, range)) {
    if (start.at === present) continue;
    const date = moments.dateOf(start.at);
    byDate.set(date, [...(byDate.get(date) ?? []), start]);
  }
  const isShown = shown.date !== undefined && shown.first <= shown.date && shown.date < addDays(shown.first, shownDays);
  const chosen = isShown ? shown.date : byDate.keys().next().value;
  const isLimited = offer.known.dates !== null && shown.first === shown.thisWeek;
  const nothing = html`<h2 id="times" tabindex="-1">${isLimited ? 'No free times are left' : 'No free times in these weeks'}</h2>${hostLink(asked, offer.owner)}`;
  return page({
    url,
    needsZone: true,
    message: { version: 1, event: 'sched.event_type_viewed', payload: {} },
    title: `${offer.known.type.name} – ${offer.owner.name}`,
    main: 'wide',
    content: html`${stripe(offer.known.type.color)}<div class="columns">${about(visit, undefined)}
<section aria-labelledby="weeks">${notice !== undefined && html`<div class="alert" role="alert" tabindex="-1" autofocus>${notice}</div>`}
${lengths(visit)}${calendar(visit, shown, byDate, chosen)}${zoneSwitch(visit)}</section>
<section aria-labelledby="times">${chosen === undefined ? nothing : times(visit, chosen, byDate.get(chosen) ?? [])}</section></div>`,
  });
};
