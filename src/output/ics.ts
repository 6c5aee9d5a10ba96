import { SchedError } from '../base/errors.ts';
import { foldIcs, icsClosing, icsOpening, icsPerson, icsText, icsTime } from '../base/ics-text.ts';
import { recordsIn, textOf } from '../base/json.ts';
import { timestampOf } from '../time/wall.ts';
import { isNothing, plainCell } from './cells.ts';
import { valueAt } from './fields.ts';
import type { RowFormat } from './formats.ts';
import { answerTexts } from './question-columns.ts';
import { safe } from './sanitize.ts';

const timeAt = (event: object, field: string): number | undefined => timestampOf(valueAt(event, field));

const icsProblem = (event: object, problem: string): SchedError =>
  new SchedError('integrity', `An event ${problem}, so it can't be written to a calendar`, {
    reason: String(valueAt(event, 'uri')),
    hint: { flags: { output: 'json' } },
  });

const requiredTime = (event: object, field: string): number => {
  const at = timeAt(event, field);
  if (at === undefined) throw icsProblem(event, `has no readable ${field}`);
  return at;
};

/** The start and end. An event ends after its start or has no end (RFC 5545 §3.8.2.2). */
const spanLines = (start: number, end: number): string[] => [
  `DTSTART:${icsTime(start)}`,
  ...(end === start ? [] : [`DTEND:${icsTime(end)}`]),
];

/** A web address with its special characters encoded, or undefined if it isn't one. */
const webAddress = (value: unknown): string | undefined => {
  const text = textOf(value);
  if (text === undefined || !/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
};

const statuses: Record<string, string> = { active: 'CONFIRMED', canceled: 'CANCELLED' };

/** The property of a person who has an address. */
const icsAddress = (property: string, name: unknown, email: unknown, state?: string): string[] => {
  const address = textOf(email);
  return address === undefined ? [] : [icsPerson(property, textOf(name), address, state)];
};

/** The invitees as attendees, if they were read. Attendees need an organizer (RFC 5545 §3.8.4.1). */
const icsPeople = (event: object): string[] => {
  const invitees = recordsIn(valueAt(event, '_sched.invitees'));
  const [host] = recordsIn(valueAt(event, 'event_memberships'));
  if (invitees.length === 0) return [];
  return [
    ...(host === undefined ? [] : icsAddress('ORGANIZER', host.user_name, host.user_email)),
    ...invitees.flatMap(({ name, email, status }) =>
      icsAddress('ATTENDEE', name, email, `;PARTSTAT=${status === 'canceled' ? 'DECLINED' : 'ACCEPTED'}`),
    ),
  ];
};

/** The answers of the invitees, if they were read: the name of each, and below it the answers. */
const answers = (event: object): string[] =>
  recordsIn(valueAt(event, '_sched.invitees')).flatMap((invitee) => {
    const given = answerTexts(invitee)
      .filter((text) => !isNothing(text))
      .map(plainCell);
    const name = textOf(invitee.name, invitee.email);
    return given.length === 0 || name === undefined ? given : [name, ...given];
  });

/** The lines of an event (RFC 5545 §3.6.1), not folded yet. */
const eventLines = (event: object): string[] => {
  const text = (property: string, value: unknown): string[] => {
    const shown = textOf(value);
    return shown === undefined ? [] : [`${property}:${icsText(shown)}`];
  };
  const time = (property: string, field: string): string[] => {
    const at = timeAt(event, field);
    return at === undefined ? [] : [`${property}:${icsTime(at)}`];
  };
  const link = webAddress(valueAt(event, 'location.join_url'));
  const status = statuses[String(valueAt(event, 'status'))];
  const start = requiredTime(event, 'start_time');
  const end = requiredTime(event, 'end_time');
  if (end < start) throw icsProblem(event, 'ends before it starts');
  return [
    'BEGIN:VEVENT',
    // The same event has the same UID in every export, so that a calendar updates it.
    ...text('UID', valueAt(event, 'uri')),
    `DTSTAMP:${icsTime(timeAt(event, 'updated_at') ?? start)}`,
    ...spanLines(start, end),
    ...text('SUMMARY', valueAt(event, 'name')),
    ...(status === undefined ? [] : [`STATUS:${status}`]),
    ...text('LOCATION', textOf(valueAt(event, 'location.location'), link)),
    ...(link === undefined ? [] : [`URL:${link}`]),
    ...text('DESCRIPTION', [textOf(valueAt(event, 'meeting_notes_plain')) ?? [], ...answers(event)].flat().join('\n')),
    ...time('CREATED', 'created_at'),
    ...time('LAST-MODIFIED', 'updated_at'),
    ...icsPeople(event),
    'END:VEVENT',
  ];
};

/** A calendar must have a component (RFC 5545 §3.6). Without events, this one says nothing. */
const onlyZone = [
  'BEGIN:VTIMEZONE',
  'TZID:UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
]
  .map(foldIcs)
  .join('');

/** Events as a calendar (RFC 5545). */
export const icsRows = (isTerminal: boolean): RowFormat => ({
  open: icsOpening,
  close: icsClosing,
  empty: `${icsOpening}${onlyZone}${icsClosing}`,
  row: (event) =>
    eventLines(event)
      .map((line) => foldIcs(isTerminal ? safe(line) : line))
      .join(''),
});
