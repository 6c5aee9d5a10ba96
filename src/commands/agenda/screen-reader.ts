import { minute } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import type { Day } from '../../time/calendar.ts';
import { monthName, spokenDate } from '../../time/wall.ts';
import {
  type Agenda,
  clockChanges,
  clockOf,
  closedWord,
  endClock,
  hostNamesText,
  inTimeOrder,
  isOnDay,
  isToday,
  type Meeting,
  offsetLabel,
  tallyOf,
  tallyOn,
  tallyText,
} from './meetings.ts';

/** `2 hours 30 minutes` */
const spokenLength = (length: number): string => {
  const minutes = Math.round(length / minute);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const parts = [...(hours > 0 ? [counted(hours, 'hour')] : []), ...(rest > 0 ? [counted(rest, 'minute')] : [])];
  return parts.length === 0 ? 'no time' : parts.join(' ');
};

const spokenMeeting = (agenda: Agenda, meeting: Meeting, day: Day): string => {
  const { since, until } = day;
  const offset = offsetLabel(agenda, day, meeting.start);
  const clock = clockOf(agenda, meeting.start);
  const start = `${meeting.start < since ? 'since ' : ''}${clock}${offset === undefined ? '' : ` ${offset}`}`;
  const end = `${clockOf(agenda, meeting.end)}${meeting.end > until ? ' on the next day' : ''}`;
  const before = meeting.start < since ? ' the day before' : '';
  const hosts = agenda.isShared && meeting.hosts.length > 0 ? `, hosted by ${hostNamesText(meeting)}` : '';
  const who = meeting.who === undefined ? '' : `, with ${meeting.who}`;
  return `${meeting.isCanceled ? 'Canceled: ' : ''}${start}${before} to ${end}: ${meeting.name}${who}${hosts}.`;
};

const spokenDay = (agenda: Agenda, day: Day): string[] => {
  const meetings = inTimeOrder(agenda.meetings.filter((meeting) => isOnDay(meeting, day)));
  const today = isToday(agenda, day) ? `, today, now ${clockOf(agenda, agenda.now)}` : '';
  const lines = [
    ...meetings.map((meeting) => ({ at: meeting.start, text: spokenMeeting(agenda, meeting, day) })),
    ...(agenda.open?.openOn(day) ?? []).map((span) => ({
      at: span.start,
      text: `Open from ${clockOf(agenda, span.start)} to ${endClock(agenda, span.end, day)}.`,
    })),
  ];
  const closed = closedWord(agenda, day);
  return [
    `${spokenDate(day.midnight)}${today}: ${tallyText(tallyOf(meetings))}${closed === undefined ? '' : `, ${closed}`}.`,
    ...lines.toSorted((a, b) => a.at - b.at).map(({ text }) => text),
  ];
};

const spokenMonthDay = (agenda: Agenda, day: Day): string[] => {
  const own = tallyOn(agenda, [day]);
  if (own.active + own.canceled === 0 && !isToday(agenda, day)) return [];
  return [`${spokenDate(day.midnight)}${isToday(agenda, day) ? ', today' : ''}: ${tallyText(own, spokenLength)}.`];
};

const spokenTitle = ({ period, days, zone }: Agenda): string => {
  const [first, last] = [days[0]!.midnight, days.at(-1)!.midnight];
  const year = new Date(last).getUTCFullYear();
  const times = {
    day: spokenDate(first),
    week: `${spokenDate(first)} to ${spokenDate(last)}`,
    month: `${monthName(first)} ${year}`,
  }[period];
  return `${times}, time zone ${zone}.`;
};

/** An agenda in sentences, for screen readers. */
export const spokenAgenda = (agenda: Agenda): string => {
  const { period, days } = agenda;
  const lines = days.flatMap((day) => (period === 'month' ? spokenMonthDay(agenda, day) : spokenDay(agenda, day)));
  return [
    spokenTitle(agenda),
    `Altogether: ${tallyText(tallyOn(agenda, days), spokenLength)}.`,
    ...lines,
    ...(period === 'month' ? ['The other days have no events.'] : []),
    ...clockChanges(agenda).map((text) => `${text}.`),
  ]
    .map((line) => `${line}\n`)
    .join('');
};
