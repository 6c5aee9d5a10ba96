import { minute } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import type { HttpReply } from '../../http/message.ts';
import { dayAt } from '../../time/calendar.ts';
import { timestamp } from '../store/names.ts';
import type { LocationRecord } from '../store/records.ts';
import { dateAndTime, timeOfHost } from './booking.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, face, icon, page, stripe } from './layout.ts';
import { addDays, type Moments, momentsIn } from './moment.ts';
import type { Offer } from './offer.ts';
import { hostLink } from './person-page.ts';
import { cityOf, findPlaces, zoneIn } from './places.ts';
import { type Start, startsBetween } from './starts.ts';
import type { PageRequest } from './visit.ts';
import { joinList, minutes, placeName } from './words.ts';

/** How many days a page shows. */
const shownDays = 35;

/** No page shows days that are further away. */
const mostDays = 3_650;

/** A visitor at the address of an offer. */
export interface Visit {
  pageRequest: PageRequest;
  offer: Offer;
  moments: Moments;
  /** What was written as a city or zone, if it means none or several. */
  typedZone?: string;
}

export const visitOf = (pageRequest: PageRequest, offer: Offer): Visit => {
  const search = pageRequest.url.searchParams;
  const zone = zoneIn(search.get('tz'));
  const written = search.get('zone')?.trim() || (zone === undefined && search.get('tz')) || undefined;
  const zoneName = zone ?? offer.moving?.invitee.timezone ?? offer.owner.timezone;
  return {
    pageRequest,
    offer,
    moments: momentsIn(pageRequest, offer.eventType.type.locale, zoneName),
    ...(written !== undefined && { typedZone: written.slice(0, 60) }),
  };
};

/** The same address with another query. `undefined` leaves a parameter out, and what isn't named stays. */
export const linkHere = ({ url }: PageRequest, changes: Record<string, string | undefined>): string => {
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
  if (isOnline(places)) return `${name} (you'll get the link once you book)`;
  return first.location ? html`${name}: <bdi>${first.location}</bdi>` : name;
};

export const factItem = (drawn: Html, content: Content): Html => html`<li>${drawn}<span>${content}</span></li>`;

/** What is offered, by whom. */
export const about = (
  { offer: { eventType, owner, hosts, moving }, moments }: Visit,
  more: Content,
  isBrief = false,
): Html => {
  const { type, places, limit } = eventType;
  const place = placeFact(places);
  const name = html`<bdi>${type.name}</bdi>`;
  const present = moving && dateAndTime(moments, Date.parse(moving.event.start_time));
  const questions = type.custom_questions.filter(({ enabled }) => enabled).length;
  return html`<section class="about">${badge}
<p class="who">${face(owner)}<span>${joinList(hosts.map((host) => html`<bdi>${host}</bdi>`))}</span></p>
<h1>${moving && 'Reschedule '}${name}</h1>
<ul class="facts">${moving && factItem(icon('calendar'), isBrief ? html`was: <s>${present}</s>` : html`Now: ${present}`)}
${factItem(icon('clock'), minutes(type.duration))}
${place && factItem(icon(isOnline(places) ? 'video' : 'place'), place)}
${type.kind === 'group' && factItem(icon('people'), `Up to ${counted(limit, 'person', 'people')}`)}
${!isBrief && questions > 0 && factItem(icon('lines'), counted(questions, 'question'))}${more}</ul>
${!isBrief && type.description_plain !== null && html`<p class="soft pre"><bdi>${type.description_plain}</bdi></p>`}</section>`;
};

const zoneSwitch = ({ pageRequest, offer, moments, typedZone }: Visit): Html => {
  const { zone, clock } = moments;
  const { now, url } = pageRequest;
  const found = typedZone === undefined ? [] : findPlaces(typedZone);
  const isUnknown = typedZone !== undefined && found.length === 0;
  const usual = [offer.owner.timezone, 'UTC'].map((name) => ({ city: cityOf(name), zone: name }));
  const others = [...found, ...usual].filter(
    (place, index, all) => place.zone !== zone && all.findIndex((each) => each.zone === place.zone) === index,
  );
  const parameters = [...url.searchParams].filter(([name]) => name !== 'zone' && name !== 'start');
  const item = ({ city, zone: name }: (typeof others)[number]) => {
    const { clock: theirs } = momentsIn(pageRequest, offer.eventType.type.locale, name);
    const isHost = name === offer.owner.timezone;
    const note = isHost ? html`same as <bdi>${offer.owner.name}</bdi>` : name !== city && name.replaceAll('_', ' ');
    return html`<li><a href="${linkHere(pageRequest, { tz: name })}">${city}</a><b>${theirs(now)}</b><span class="soft">${note}</span></li>`;
  };
  return html`<details class="zone"${typedZone !== undefined && html` open`}>
<summary>${icon('globe')}<span>${cityOf(zone)} time, now ${clock(now)}${timeOfHost(pageRequest, moments, offer.owner, now)}</span><u>Change</u></summary>
<form method="get" action="${url.pathname}">${parameters.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="field"><label for="zone">City or time zone</label>
<div class="find"><input id="zone" type="text" name="zone" autocomplete="off" spellcheck="false" value="${typedZone}"${
    isUnknown && html` aria-invalid="true" aria-describedby="zone-problem"`
  }><button>Find</button></div>
${isUnknown && html`<p class="problem" id="zone-problem" role="alert">We can't find <bdi>${typedZone}</bdi>. Try a large city nearby, such as Paris or New York.</p>`}
${found.length > 1 && html`<p role="status">Which one do you mean?</p>`}</div>
<ul>${others.map(item)}
<li class="scripted"><a href="${linkHere(pageRequest, { tz: undefined })}">Your browser's time zone</a></li></ul></form></details>`;
};

/** The dates of the weeks to show, and the one whose times are shown. */
const visibleDates = ({ pageRequest: { url, now }, moments, offer: { moving } }: Visit) => {
  const dateIn = (name: string): string | undefined => {
    const date = url.searchParams.get(name) ?? '';
    return /^\d{4}-\d\d-\d\d$/.test(date) && Date.parse(date) ? date : undefined;
  };
  const today = moments.dateOf(now);
  const thisWeek = moments.startOfWeek(today);
  // The day of the meeting that is moved.
  const present = moving && moments.dateOf(Date.parse(moving.event.start_time));
  const date = dateIn('date') ?? (dateIn('week') ? undefined : present);
  const isLater = date !== undefined && date >= addDays(thisWeek, shownDays);
  const weekOf = dateIn('week') ?? (isLater ? date : today);
  // The middle one: neither before this week nor too far away.
  const first = [thisWeek, moments.startOfWeek(weekOf), addDays(thisWeek, mostDays)].sort()[1]!;
  return { today, thisWeek, first, date };
};

const calendar = (
  { pageRequest, moments, offer }: Visit,
  { first, thisWeek, today }: { first: string; thisWeek: string; today: string },
  byDate: ReadonlyMap<string, readonly Start[]>,
  chosen: string | undefined,
): Html => {
  const dates = Array.from({ length: shownDays }, (_, index) => addDays(first, index));
  const weeks = dates.filter((_, index) => index % 7 === 0).map((_, index) => dates.slice(index * 7, index * 7 + 7));
  const weekLink = (week: string) => linkHere(pageRequest, { week, date: undefined, start: undefined });
  const earlier = [addDays(first, -shownDays), thisWeek].sort()[1]!;
  const { dates: limits } = offer.eventType;
  const isEnd = limits?.kind === 'days' && limits.last < addDays(first, shownDays);
  const cell = (date: string): Html => {
    const number = Number(date.slice(8));
    const label = html`<span><span class="unseen">${moments.weekday(date)} </span>${number}<b class="${number !== 1 && 'unseen'}"> ${moments.monthOf(date)}</b></span>`;
    const count = byDate.get(date)?.length;
    return html`<td class="${date === today && 'today'}">${
      count === undefined
        ? label
        : html`<a href="${linkHere(pageRequest, { date, start: undefined })}#times"${
            date === chosen && html` aria-current="date"`
          }>${label} <small>${count}<span class="word"> free</span></small></a>`
    }</td>`;
  };
  return html`<div class="month"><h2 id="weeks" lang="${moments.language}">${moments.days(first, dates.at(-1)!)}</h2><nav aria-label="Weeks">
${first > thisWeek ? html`<a href="${weekLink(earlier)}" aria-label="Earlier weeks">‹</a>` : html`<span aria-hidden="true">‹</span>`}
${isEnd ? html`<span aria-hidden="true">›</span>` : html`<a href="${weekLink(addDays(first, shownDays))}" aria-label="Later weeks">›</a>`}
</nav></div>
<table class="days" lang="${moments.language}"><caption>Free times per day</caption><thead><tr>${weeks[0]!.map((date) => html`<th scope="col" abbr="${moments.weekday(date)}">${moments.weekdayHead(date)}</th>`)}</tr></thead>
<tbody>${weeks.map((week) => html`<tr>${week.map(cell)}</tr>`)}</tbody></table>`;
};

/** Whether the times fill a row per hour: there are four or more to an hour, and nothing but times to say. */
const hasRows = ({ type }: Offer['eventType']): boolean => type.duration <= 15 && type.kind !== 'group';

/** The start of the meeting that is moved. */
const presentStart = ({ moving }: Offer): number | undefined => moving && Date.parse(moving.event.start_time);

const presentTime = (time: Content): Html => html`<s class="present">${time}</s>`;

/** `09  :00 :15 :30 :45` */
const hourRows = ({ pageRequest, moments, offer }: Visit, date: string, starts: readonly Start[]): Content => {
  const rows = new Map<string, Html[]>();
  const isQuarterly = starts.every(({ at }) => at % (15 * minute) === 0);
  for (const { at } of starts) {
    const clock = moments.clock(at);
    const [, hour = '', minutes = '', rest = ''] = /^(\d+)(:\d\d)(.*)$/.exec(clock)!;
    const column = isQuarterly && `at${minutes.slice(1)}`;
    const item =
      at === presentStart(offer)
        ? presentTime(html`<span class="unseen">${clock}</span><span aria-hidden="true">${minutes}</span>`)
        : html`<a href="${linkHere(pageRequest, { date, start: timestamp(at) })}" aria-label="${clock}">${minutes}</a>`;
    rows.set(`${hour}${rest}`, [...(rows.get(`${hour}${rest}`) ?? []), html`<li class="${column}">${item}</li>`]);
  }
  return [...rows].map(
    ([hour, links]) => html`<div class="hour"><b aria-hidden="true">${hour}</b><ul class="slots">${links}</ul></div>`,
  );
};

const timeList = ({ pageRequest, moments, offer }: Visit, date: string, starts: readonly Start[]): Html => {
  const seatsLeft = (seats: number) => html` <small>${seats} of ${counted(offer.eventType.limit, 'seat')} left</small>`;
  const item = ({ at, seats }: Start) =>
    at === presentStart(offer)
      ? presentTime(moments.clock(at))
      : html`<a href="${linkHere(pageRequest, { date, start: timestamp(at) })}">${moments.clock(at)}${seats !== undefined && seatsLeft(seats)}</a>`;
  return html`<ul class="slots">${starts.map((start) => html`<li>${item(start)}</li>`)}</ul>`;
};

const times = (visit: Visit, date: string, starts: readonly Start[]): Html => {
  const { pageRequest, moments, offer } = visit;
  const isRows = hasRows(offer.eventType);
  const present = presentStart(offer);
  const isPresentDay = present !== undefined && moments.dateOf(present) === date;
  const shown = isPresentDay ? [...starts, { at: present }].sort((one, other) => one.at - other.at) : starts;
  const list = isRows ? hourRows : timeList;
  const parts = [...new Set(shown.map(({ at }) => moments.partOf(at)))];
  const cycle = (hours: '12' | '24') =>
    html`<a href="${linkHere(pageRequest, { hours })}#times"${moments.has12Hours === (hours === '12') && html` aria-current="true"`}>${hours}<span aria-hidden="true">h</span><span class="unseen"> hours</span></a>`;
  return html`<div class="when"><nav class="cycle" aria-label="Clock">${cycle('12')}${cycle('24')}</nav><h2 id="times" tabindex="-1" lang="${moments.language}">${moments.day(date)}</h2></div>
<div class="${isRows ? 'rows' : 'parts'}">${parts.map(
    (part) =>
      html`<div><h3>${part}</h3>${list(
        visit,
        date,
        shown.filter(({ at }) => moments.partOf(at) === part),
      )}</div>`,
  )}</div>${starts.length === 0 && html`<p>No free times on this day</p>`}`;
};

const lengths = ({ pageRequest, offer: { lengths: all, eventType } }: Visit): Content =>
  all.length > 1 &&
  html`<nav class="lengths" aria-label="Length">${all.map(
    (length) =>
      html`<a href="${linkHere(pageRequest, { duration: String(length), start: undefined })}"${
        length === eventType.type.duration && html` aria-current="true"`
      }>${minutes(length)}</a>`,
  )}</nav>`;

/** Days and times to choose from. */
export const calendarPage = (visit: Visit, notice?: string): HttpReply => {
  const { pageRequest, moments, offer } = visit;
  const { store, now, url } = pageRequest;
  const dates = visibleDates(visit);
  const dayOf = (date: string) => dayAt(Date.parse(date), moments.zone);
  const range = { from: dayOf(dates.first).since, to: dayOf(addDays(dates.first, shownDays - 1)).until, now };
  const byDate = new Map<string, Start[]>();
  const present = presentStart(offer);
  for (const start of startsBetween(store, offer.eventType, range)) {
    if (start.at === present) continue;
    const date = moments.dateOf(start.at);
    byDate.set(date, [...(byDate.get(date) ?? []), start]);
  }
  const isShown = dates.date !== undefined && dates.first <= dates.date && dates.date < addDays(dates.first, shownDays);
  const chosen = isShown ? dates.date : byDate.keys().next().value;
  const isLimited = offer.eventType.dates !== null && dates.first === dates.thisWeek;
  const nothing = html`<h2 id="times" tabindex="-1">${isLimited ? 'No free times are left' : 'No free times in these weeks'}</h2>${hostLink(pageRequest, offer.owner)}`;
  return page({
    url,
    needsZone: true,
    message: { version: 1, event: 'sched.event_type_viewed', payload: {} },
    title: `${offer.moving ? 'Reschedule ' : ''}${offer.eventType.type.name} – ${offer.owner.name}`,
    main: 'wide',
    language: offer.eventType.type.locale,
    content: html`<a class="skip" href="#times">Skip to the times</a>${stripe(offer.eventType.type.color)}<div class="columns">${about(visit, undefined)}
<section aria-labelledby="weeks">${notice !== undefined && html`<div class="alert" role="alert" tabindex="-1" autofocus>${notice}</div>`}
${lengths(visit)}${calendar(visit, dates, byDate, chosen)}${zoneSwitch(visit)}</section>
<section aria-labelledby="times">${chosen === undefined ? nothing : times(visit, chosen, byDate.get(chosen) ?? [])}</section></div>`,
  });
};
