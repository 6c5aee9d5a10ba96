import { twoDigits } from '../../base/numbers.ts';
import { onceEach } from '../../base/once.ts';
import { idIn } from '../../base/uri.ts';
import { dayAt } from '../../time/calendar.ts';
import { offsetIn } from '../../time/offset.ts';
import { type Content, type Html, html } from '../pages/html.ts';
import { colorOf } from '../pages/layout.ts';
import { addDays } from '../pages/moment.ts';
import { localTime } from '../rules/local-time.ts';
import { timestamp } from '../store/names.ts';
import type { EventRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { head } from './parts.ts';

/** What a visitor of the desk sees: the data now, in a time zone, in the week of a date. */
export interface DeskView {
  store: Store;
  now: number;
  zone: string;
  /** A date such as `2026-11-16`. */
  date: string;
  /** Whether the visitor has a session, and may see who the invitees are. */
  isPrivate: boolean;
}

/** How times and dates look on the desk. */
const shapes = {
  moment: {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' },
  day: { weekday: 'short', day: 'numeric' },
  dates: { day: 'numeric', month: 'long' },
  datesAndYear: { day: 'numeric', month: 'long', year: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Formats times on a wall clock. */
const formatOf = onceEach(
  (shape: keyof typeof shapes) => new Intl.DateTimeFormat('en-GB', { ...shapes[shape], timeZone: 'UTC' }),
);

/** A time as the clocks of a zone show it. */
export const shownAt = (at: number, zone: string, shape: keyof typeof shapes): string =>
  formatOf(shape).format(at + offsetIn(zone)(at));

/** The hours that are drawn to scale, in rows of 15 minutes. Meetings at other times are in lists above and below. */
const hours = { first: 8, end: 19 };
const rowMinutes = 15;
const rowCount = ((hours.end - hours.first) * 60) / rowMinutes;
const mostMeetings = 300;
const mostLanes = 6;
const mostColumns = 60;

/** The style of each place in the grid. The policy forbids style attributes, so each place is a class. */
export const weekStyle = [
  `.hours{grid-template:repeat(${rowCount},minmax(0,1fr))/repeat(${mostColumns},minmax(0,1fr))}`,
  ...Array.from({ length: rowCount }, (_, row) => `.r${row}{grid-row-start:${row + 1}}`),
  ...Array.from({ length: rowCount }, (_, span) => `.s${span + 1}{grid-row-end:span ${span + 1}}`),
  ...Array.from({ length: mostLanes }, (_, last) =>
    Array.from({ length: last + 1 }, (_, lane) => {
      const width = mostColumns / (last + 1);
      return `.l${lane}of${last + 1}{grid-column:${lane * width + 1}/span ${width}}`;
    }),
  ).flat(),
].join('\n');

/** The Monday of the week of a date. */
const mondayOf = (date: string): string => addDays(date, -((new Date(date).getUTCDay() + 6) % 7));

const meetingsFrom = ({ store, zone, isPrivate }: DeskView, monday: string) => {
  const invitees = `(SELECT json_group_array(json_object('id', i.id, 'name', i.doc ->> 'name'))
    FROM (SELECT * FROM invitees WHERE event = e.id ORDER BY created_at, id) i)`;
  const rows = store.all<{ doc: string; color: string; invitees: string | null }>(
    `SELECT e.doc, t.doc ->> 'color' AS color, ${isPrivate ? invitees : 'NULL'} AS invitees
     FROM events e JOIN event_types t ON t.id = e.event_type
     WHERE e.start_time >= ? AND e.start_time < ? ${isPrivate ? '' : "AND NOT t.doc ->> 'secret'"} ORDER BY e.start_time, e.id LIMIT ${mostMeetings + 1}`,
    timestamp(dayAt(Date.parse(monday), zone).since),
    timestamp(dayAt(Date.parse(addDays(monday, 6)), zone).until),
  );
  return rows.map(({ doc, color, invitees: people }) => {
    const event: EventRecord = JSON.parse(doc);
    const start = Date.parse(event.start_time);
    const { date, minutes } = localTime(zone, start);
    return {
      ...event,
      /** Minutes since midnight. */
      start: minutes,
      date,
      minutes: (Date.parse(event.end_time) - start) / 60_000,
      color: colorOf(color),
      hosts: event.event_memberships.map(({ user_name: name }) => name ?? ''),
      invitees: JSON.parse(people ?? '[]') as Array<{ id: string; name: string }>,
    };
  });
};

type Meeting = ReturnType<typeof meetingsFrom>[number];

interface Block {
  meeting: Meeting;
  row: number;
  span: number;
  lane: number;
  lanes: number;
}

/** Puts meetings that overlap side by side. */
const blocksOf = (meetings: readonly Meeting[]): Block[] => {
  const blocks: Block[] = [];
  /** The blocks that overlap with each other, directly or through a third one. */
  let cluster: Block[] = [];
  for (const meeting of meetings) {
    const row = Math.floor((meeting.start - hours.first * 60) / rowMinutes);
    // A line of text needs two rows.
    const span = Math.min(Math.max(2, Math.ceil(meeting.minutes / rowMinutes)), rowCount - row);
    const isFree = (lane: number) => !cluster.some((block) => block.lane === lane && block.row + block.span > row);
    if (!cluster.some((block) => block.row + block.span > row)) cluster = [];
    const lane = cluster.findIndex((_, index) => isFree(index));
    const block = { meeting, row, span, lane: Math.min(lane < 0 ? cluster.length : lane, mostLanes - 1), lanes: 1 };
    cluster.push(block);
    blocks.push(block);
    const lanes = Math.max(...cluster.map((each) => each.lane)) + 1;
    for (const each of cluster) each.lanes = lanes;
  }
  return blocks;
};

const clock = (minutes: number): string => [minutes / 60, minutes % 60].map(twoDigits).join(':');

/** Who meets: the invitee or the seats of a group, and the hosts. */
const peopleOf = ({ invitees, hosts, invitees_counter: { active, limit } }: Meeting): Html => {
  const [guest] = invitees;
  const [host = '', ...others] = hosts;
  const who = limit > 1 ? `${active} of ${limit} seats` : guest && html`<bdi>${guest.name}</bdi>`;
  return html`<span>${who}${who !== undefined && ', '}<bdi>${host}</bdi>${others.length > 0 && ` +${others.length}`}</span>`;
};

const chip = (meeting: Meeting, place: string): Html => {
  const { uri, name, status, start, color, invitees } = meeting;
  const title = html`<b>${clock(start)}</b> <bdi>${name}</bdi>`;
  const text = html`${status === 'canceled' ? html`<s>${title}</s>` : title} ${peopleOf(meeting)}`;
  return html`<li id="event-${idIn(uri)}" class="ev ${place}${status === 'canceled' && ' canceled'}"><svg class="tint" aria-hidden="true"><rect width="100%" height="100%" fill="${color}" opacity="0.14"/><rect width="4" height="100%" fill="${color}"/></svg>${
    invitees[0] ? html`<a href="/bookings/${invitees[0].id}">${text}</a>` : html`<div>${text}</div>`
  }</li>`;
};

const dayColumn = (date: string, meetings: readonly Meeting[], today: { date: string; minutes: number }): Html => {
  const isToday = date === today.date;
  const within = ({ start }: Meeting) => start >= hours.first * 60 && start < hours.end * 60;
  const row = Math.floor((today.minutes - hours.first * 60) / rowMinutes);
  const nowLine = (place: Content) => html`<li class="now ${place}" aria-hidden="true"></li>`;
  const edge = (those: readonly Meeting[], hasNow: boolean) => {
    const [before, after] = [true, false].map((isOver) =>
      those.filter(({ start }) => (hasNow && start <= today.minutes) === isOver).map((each) => chip(each, '')),
    );
    return html`<ul class="edge">${before}${hasNow && nowLine('')}${after}</ul>`;
  };
  return html`<section class="day${isToday && ' today'}"><h3>${formatOf('day').format(Date.parse(date))}${isToday && html` <small>today</small>`}</h3>
${edge(
  meetings.filter(({ start }) => start < hours.first * 60),
  isToday && row < 0,
)}
<ul class="hours">${isToday && row >= 0 && row < rowCount && nowLine(`r${row}`)}${blocksOf(meetings.filter(within)).map(
    ({ meeting, row, span, lane, lanes }) =>
      chip(meeting, `r${row} s${span} l${lane}of${lanes}${span > 3 ? ' tall' : ''}`),
  )}</ul>
${edge(
  meetings.filter(({ start }) => start >= hours.end * 60),
  isToday && row >= rowCount,
)}</section>`;
};

/** The meetings of the whole team in one week. */
export const weekPanel = (view: DeskView): Html => {
  const today = localTime(view.zone, view.now);
  const monday = mondayOf(view.date);
  const meetings = meetingsFrom(view, monday);
  const drawnMeetings = meetings.slice(0, mostMeetings);
  const weekend = addDays(monday, 5);
  const isOnWeekend = [today, ...drawnMeetings].some(({ date }) => date >= weekend && date < addDays(monday, 7));
  const dayCount = isOnWeekend ? 7 : 5;
  const days = Array.from({ length: dayCount }, (_, day) => addDays(monday, day));
  const shape = days.some((date) => date.slice(0, 4) !== today.date.slice(0, 4)) ? 'datesAndYear' : 'dates';
  const title = formatOf(shape).formatRange(Date.parse(monday), Date.parse(days.at(-1)!));
  const labels = Array.from({ length: hours.end - hours.first }, (_, hour) => html`<span>${hours.first + hour}</span>`);
  const step = (days: number) => `/?week=${addDays(monday, days)}`;
  return html`<section class="card week" id="week" aria-labelledby="week-title">${head('week', title, {
    isOpen: !view.isPrivate,
    more: html`<span class="soft">whole team · ${view.zone}${dayCount === 5 && ' · no meetings on Sat, Sun'}${meetings.length > mostMeetings && ` · only the first ${mostMeetings} meetings`}</span>
<nav class="acts" aria-label="Week"><a class="b" href="${step(-7)}" aria-label="Week before">‹</a><a class="b" href="/">Today</a><a class="b" href="${step(7)}" aria-label="Week after">›</a></nav>`,
  })}
<div class="grid${dayCount === 7 && ' whole'}"><div class="scale" aria-hidden="true"><span></span><span>early</span><div>${labels}</div><span>late</span></div>
${days.map((date) =>
  dayColumn(
    date,
    drawnMeetings.filter((each) => each.date === date),
    today,
  ),
)}</div></section>`;
};
