import { counted } from '../../../numbers.ts';
import type { Day } from '../../../time/calendar.ts';
import { minute, monthName, spokenDate } from '../../../time/wall.ts';
import {
  type Agenda,
  clockChanges,
  clockOf,
  gapsOf,
  inOrder,
  isToday,
  isWithin,
  type Meeting,
  namesOf,
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
  const hosts = agenda.isShared && meeting.hosts.length > 0 ? `, hosted by ${namesOf(meeting)}` : '';
  const who = meeting.who === undefined ? '' : `, with ${meeting.who}`;
  return `${meeting.isCanceled ? 'Canceled: ' : ''}${start}${before} to ${end}: ${meeting.name}${who}${hosts}.`;
};

const spokenDay = (agenda: Agenda, day: Day): string[] => {
  const meetings = inOrder(agenda.meetings.filter((meeting) => isWithin(meeting, day)));
  const today = isToday(agenda, day) ? `, today, now ${clockOf(agenda, agenda.now)}` : '';
  const lines = [
    ...meetings.map((meeting) => ({ at: meeting.start, text: spokenMeeting(agenda, meeting, day) })),
    ...gapsOf(agenda, meetings, day).map(({ start, end }) => ({
      at: start,
      text: `${agenda.isShared ? 'No events' : 'Free'} from ${clockOf(agenda, start)} to ${clockOf(agenda, end)}.`,
    })),
  ];
  return [
    `${spokenDate(day.midnight)}${today}: ${tallyText(tallyOf(meetings))}.`,
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
