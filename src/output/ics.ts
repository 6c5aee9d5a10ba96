import { SchedError } from '../errors.ts';
import { recordsIn, textOf } from '../json.ts';
import { timestampOf } from '../time/wall.ts';
import { isNothing, plainCell } from './cells.ts';
import { valueAt } from './fields.ts';
import type { RowFormat } from './formats.ts';
import { answerTexts } from './question-columns.ts';
import { safe } from './sanitize.ts';

/** Longest line in octets, without its line break (RFC 5545 §3.1). */
const longestLine = 75;

/** Splits a long line. The rest goes to lines that begin with a space; no character is torn apart. */
const fold = (line: string): string => {
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > longestLine) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return `${folded}\r\n`;
};

/** Text without the characters that a calendar can't hold: control characters and half of a surrogate pair. */
const clean = (text: string): string =>
  text
    .replace(/\r\n|[\r\u0085\u2028\u2029]/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Surrogate}/gu, '\ufffd');

/** A value of type TEXT (RFC 5545 §3.3.11). */
const textValue = (text: string): string =>
  clean(text)
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

const parameterEscapes: Record<string, string> = { '^': '^^', '\n': '^n', '"': "^'" };

/** The value of a parameter, in quotes (RFC 6868). */
const parameterValue = (text: string): string =>
  `"${clean(text).replace(/[\^\n"]/g, (character) => parameterEscapes[character]!)}"`;

/** `20261116T090000Z` */
const timeText = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');

const timeAt = (event: object, field: string): number | undefined => timestampOf(String(valueAt(event, field)));

const refused = (event: object, problem: string): SchedError =>
  new SchedError('integrity', `An event ${problem}, so it can't be written to a calendar`, {
    reason: String(valueAt(event, 'uri')),
    hint: { flags: { output: 'json' } },
  });

const requiredTime = (event: object, field: string): number => {
  const at = timeAt(event, field);
  if (at === undefined) throw refused(event, `has no readable ${field}`);
  return at;
};

/** The start and end. An event ends after its start or has no end (RFC 5545 §3.8.2.2). */
const spanLines = (start: number, end: number): string[] => [
  `DTSTART:${timeText(start)}`,
  ...(end === start ? [] : [`DTEND:${timeText(end)}`]),
];

/** A web address with its special characters encoded, or undefined if it isn't one. */
const webAddress = (value: unknown): string | undefined => {
  const text = textOf(value);
  if (text === undefined || !/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
};

const statuses: Record<string, string> = { active: 'CONFIRMED', canceled: 'CANCELLED' };

/** A person's property, such as `ATTENDEE;CN="Ada":mailto:ada@example.com`. */
const person = (property: string, name: unknown, email: unknown, state = ''): string[] => {
  const address = textOf(email);
  if (address === undefined) return [];
  const mail = encodeURIComponent(clean(address)).replaceAll('%40', '@');
  return [
    `${property}${textOf(name) === undefined ? '' : `;CN=${parameterValue(String(name))}`}${state}:mailto:${mail}`,
  ];
};

/** The invitees as attendees, if they were read. Attendees need an organizer (RFC 5545 §3.8.4.1). */
const people = (event: object): string[] => {
  const invitees = recordsIn(valueAt(event, '_sched.invitees'));
  const [host] = recordsIn(valueAt(event, 'event_memberships'));
  if (invitees.length === 0) return [];
  return [
    ...(host === undefined ? [] : person('ORGANIZER', host.user_name, host.user_email)),
    ...invitees.flatMap(({ name, email, status }) =>
      person('ATTENDEE', name, email, `;PARTSTAT=${status === 'canceled' ? 'DECLINED' : 'ACCEPTED'}`),
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
  const text = (property: string, value: unknown): string[] =>
    textOf(value) === undefined ? [] : [`${property}:${textValue(String(value))}`];
  const time = (property: string, field: string): string[] => {
    const at = timeAt(event, field);
    return at === undefined ? [] : [`${property}:${timeText(at)}`];
  };
  const link = webAddress(valueAt(event, 'location.join_url'));
  const status = statuses[String(valueAt(event, 'status'))];
  const start = requiredTime(event, 'start_time');
  const end = requiredTime(event, 'end_time');
  if (end < start) throw refused(event, 'ends before it starts');
  return [
    'BEGIN:VEVENT',
    // The same event has the same UID in every export, so that a calendar updates it.
    ...text('UID', valueAt(event, 'uri')),
    `DTSTAMP:${timeText(timeAt(event, 'updated_at') ?? start)}`,
    ...spanLines(start, end),
    ...text('SUMMARY', valueAt(event, 'name')),
    ...(status === undefined ? [] : [`STATUS:${status}`]),
    ...text('LOCATION', textOf(valueAt(event, 'location.location'), link)),
    ...(link === undefined ? [] : [`URL:${link}`]),
    ...text('DESCRIPTION', [textOf(valueAt(event, 'meeting_notes_plain')) ?? [], ...answers(event)].flat().join('\n')),
    ...time('CREATED', 'created_at'),
    ...time('LAST-MODIFIED', 'updated_at'),
    ...people(event),
    'END:VEVENT',
  ];
};

const opening = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//sched//sched//EN'].map(fold).join('');
const closing = fold('END:VCALENDAR');

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
  .map(fold)
  .join('');

const eventText = (event: object, isTerminal: boolean): string =>
  eventLines(event)
    .map((line) => fold(isTerminal ? safe(line) : line))
    .join('');

/** Events as a calendar (RFC 5545). */
export const icsRows = (isTerminal: boolean): RowFormat => ({
  open: opening,
  between: '',
  close: closing,
  empty: `${opening}${onlyZone}${closing}`,
  row: (event) => eventText(event, isTerminal),
});

export const icsRecord = (event: object, isTerminal: boolean): string =>
  `${opening}${eventText(event, isTerminal)}${closing}`;
