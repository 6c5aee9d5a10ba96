import { describe, expect, test } from 'vitest';
import { mostDays, readHolidays } from '../../../src/commands/availability/work-holidays.ts';

const calendar = (...events: string[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Test//EN',
    ...events.map((event) => `BEGIN:VEVENT\nUID:${event.length}\n${event}\nEND:VEVENT`),
    'END:VCALENDAR',
    '',
  ]
    .join('\n')
    .replaceAll(/\r?\n/g, '\r\n');

const read = (text: string, more: Partial<Parameters<typeof readHolidays>[1]> = {}) =>
  readHolidays(text, { timed: false, since: 0, until: Date.parse('2027-12-31'), zone: 'Europe/Paris', ...more });

const datesIn = (text: string, more = {}): string[] => {
  const found = read(text, more);
  if (!found.ok) throw new Error(found.problem);
  expect(found.value.left).toEqual([]);
  return found.value.dates;
};

const christmas = 'DTSTART;VALUE=DATE:20261225';
const years = (...dates: string[]) => dates.flatMap((date) => [`2026-${date}`, `2027-${date}`]).sort();
const timed = { timed: true };

/** What calendars of countries, schools and firms look like (RFC 5545). */
const shapes: [name: string, text: string, dates: string[], choices?: object][] = [
  ['one day', calendar(christmas), ['2026-12-25']],
  ['the day before its end', calendar(`${christmas}\nDTEND;VALUE=DATE:20261226`), ['2026-12-25']],
  ['several days', calendar(`${christmas}\nDTEND;VALUE=DATE:20261228`), ['2026-12-25', '2026-12-26', '2026-12-27']],
  ['an end like the start', calendar(`${christmas}\nDTEND;VALUE=DATE:20261225`), ['2026-12-25']],
  ['DURATION in days', calendar(`${christmas}\nDURATION:P2D`), ['2026-12-25', '2026-12-26']],
  [
    'DURATION of a week',
    calendar('DTSTART;VALUE=DATE:20261230\nDURATION:P1W'),
    ['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02', '2027-01-03', '2027-01-04', '2027-01-05'],
  ],
  ['DURATION in hours', calendar(`${christmas}\nDURATION:PT24H`), ['2026-12-25']],
  [
    'over the end of a year',
    calendar('DTSTART;VALUE=DATE:20261231\nDTEND;VALUE=DATE:20270102'),
    ['2026-12-31', '2027-01-01'],
  ],
  ['a leap day', calendar('DTSTART;VALUE=DATE:20280229'), ['2028-02-29']],
  ['every year', calendar(`${christmas}\nRRULE:FREQ=YEARLY`), years('12-25')],
  [
    'every year, two days',
    calendar(`${christmas}\nDTEND;VALUE=DATE:20261227\nRRULE:FREQ=YEARLY`),
    years('12-25', '12-26'),
  ],
  [
    'since long ago',
    calendar('DTSTART;VALUE=DATE:19700101\nRRULE:FREQ=YEARLY'),
    Array.from({ length: 58 }, (_, index) => `${1970 + index}-01-01`),
  ],
  ['a number of times', calendar(`${christmas}\nRRULE:FREQ=YEARLY;COUNT=1`), ['2026-12-25']],
  ['up to a date', calendar(`${christmas}\nRRULE:FREQ=YEARLY;UNTIL=20270101`), ['2026-12-25']],
  ['up to a time in UTC', calendar(`${christmas}\nRRULE:FREQ=YEARLY;UNTIL=20271225T000000Z`), years('12-25')],
  [
    'the fourth Thursday',
    calendar('DTSTART;VALUE=DATE:20261126\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH'),
    ['2026-11-26', '2027-11-25'],
  ],
  [
    'the last Monday of May',
    calendar('DTSTART;VALUE=DATE:20260525\nRRULE:FREQ=YEARLY;BYDAY=-1MO;BYMONTH=5'),
    ['2026-05-25', '2027-05-31'],
  ],
  [
    'two months',
    calendar('DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=1'),
    years('01-01', '07-01'),
  ],
  [
    'the first Monday of months',
    calendar('DTSTART;VALUE=DATE:20260907\nRRULE:FREQ=MONTHLY;BYDAY=1MO;UNTIL=20261130'),
    ['2026-09-07', '2026-10-05', '2026-11-02'],
  ],
  [
    'the last day of months',
    calendar('DTSTART;VALUE=DATE:20260930\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3'),
    ['2026-09-30', '2026-10-31', '2026-11-30'],
  ],
  [
    'the last workday',
    calendar('DTSTART;VALUE=DATE:20260930\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2'),
    ['2026-09-30', '2026-10-30'],
  ],
  [
    'weeks',
    calendar('DTSTART;VALUE=DATE:20261204\nRRULE:FREQ=WEEKLY;COUNT=3'),
    ['2026-12-04', '2026-12-11', '2026-12-18'],
  ],
  [
    'every second week',
    calendar('DTSTART;VALUE=DATE:20261204\nRRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=2'),
    ['2026-12-04', '2026-12-18'],
  ],
  [
    'weekdays of weeks',
    calendar('DTSTART;VALUE=DATE:20261204\nRRULE:FREQ=WEEKLY;BYDAY=MO,FR;COUNT=3'),
    ['2026-12-04', '2026-12-07', '2026-12-11'],
  ],
  [
    'weeks that begin on Sunday',
    calendar('DTSTART;VALUE=DATE:20261204\nRRULE:FREQ=WEEKLY;WKST=SU;COUNT=2'),
    ['2026-12-04', '2026-12-11'],
  ],
  [
    'days in a row',
    calendar('DTSTART;VALUE=DATE:20261224\nRRULE:FREQ=DAILY;COUNT=3'),
    ['2026-12-24', '2026-12-25', '2026-12-26'],
  ],
  [
    'lower case',
    calendar('dtstart;value=date:20261225\nrrule:freq=yearly;count=2').replaceAll(
      'freq=yearly;count=2',
      'FREQ=YEARLY;COUNT=2',
    ),
    years('12-25'),
  ],
  ['EXDATE', calendar(`${christmas}\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20271225`), ['2026-12-25']],
  [
    'several EXDATEs',
    calendar('DTSTART;VALUE=DATE:20261201\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE;VALUE=DATE:20261202,20261203'),
    ['2026-12-01', '2026-12-04'],
  ],
  ['EXDATE of the first', calendar(`${christmas}\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20261225`), ['2027-12-25']],
  ['RDATE', calendar(`${christmas}\nRDATE;VALUE=DATE:20270105,20270106`), ['2026-12-25', '2027-01-05', '2027-01-06']],
  [
    'a day moved by RECURRENCE-ID',
    [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'UID:a',
      christmas,
      'RRULE:FREQ=YEARLY',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:a',
      'RECURRENCE-ID;VALUE=DATE:20271225',
      'DTSTART;VALUE=DATE:20271227',
      'END:VEVENT',
      'END:VCALENDAR',
    ].join('\r\n'),
    ['2026-12-25', '2027-12-27'],
  ],
  [
    'a day canceled by RECURRENCE-ID',
    [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'UID:a',
      christmas,
      'RRULE:FREQ=YEARLY',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:a',
      'STATUS:CANCELLED',
      'RECURRENCE-ID;VALUE=DATE:20271225',
      'DTSTART;VALUE=DATE:20271225',
      'END:VEVENT',
      'END:VCALENDAR',
    ].join('\r\n'),
    ['2026-12-25'],
  ],
  ['a canceled event', calendar(`${christmas}\nSTATUS:CANCELLED`, 'DTSTART;VALUE=DATE:20261226'), ['2026-12-26']],
  ['time that is shown as free', calendar(`${christmas}\nTRANSP:TRANSPARENT`), ['2026-12-25']],
  [
    'folded lines',
    calendar(`${christmas}\nSUMMARY:First day of\n  Christmas\\, a holiday\\; all\n  day`),
    ['2026-12-25'],
  ],
  ['a folded rule', calendar(`${christmas}\nRRULE:FREQ=YEARLY;CO\n UNT=2`), years('12-25')],
  [
    'escaped text',
    calendar(`${christmas}\nSUMMARY:A\\, B\\; C\\nD\\\\E\nDESCRIPTION:END:VEVENT in a text`),
    ['2026-12-25'],
  ],
  [
    'parameters with quotes',
    calendar(`${christmas}\nSUMMARY;ALTREP="http://example.com/a;b:c";LANGUAGE=de:Weihnachten`),
    ['2026-12-25'],
  ],
  ['letters of all alphabets', calendar(`${christmas}\nSUMMARY:क्रिसमस 🎄`), ['2026-12-25']],
  [
    'unknown properties',
    calendar(`${christmas}\nX-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC\nCLASS:PUBLIC`),
    ['2026-12-25'],
  ],
  ['alarms inside', calendar(`${christmas}\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT15M\nEND:VALARM`), ['2026-12-25']],
  [
    'time zones, tasks and busy times beside',
    calendar(christmas).replace(
      'BEGIN:VEVENT',
      'BEGIN:VTIMEZONE\r\nTZID:Europe/Paris\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VTODO\r\nDUE;VALUE=DATE:20261224\r\nEND:VTODO\r\nBEGIN:VEVENT',
    ),
    ['2026-12-25'],
  ],
  ['bare line feeds and a mark at the start', `\uFEFF${calendar(christmas).replaceAll('\r', '')}`, ['2026-12-25']],
  [
    'several calendars in a file',
    `${calendar(christmas)}${calendar('DTSTART;VALUE=DATE:20261226')}`,
    ['2026-12-25', '2026-12-26'],
  ],
  ['the same day twice', calendar(christmas, `${christmas}\nSUMMARY:Again`), ['2026-12-25']],
  [
    'no event at times of a day',
    calendar(christmas, 'DTSTART:20261226T090000Z\nDTEND:20261226T100000Z'),
    ['2026-12-25'],
  ],
  ['--timed: a time', calendar('DTSTART:20261226T090000\nDTEND:20261226T100000'), ['2026-12-26'], timed],
  [
    '--timed: a time in UTC is of the own day',
    calendar('DTSTART:20261225T233000Z\nDTEND:20261225T234500Z'),
    ['2026-12-26'],
    timed,
  ],
  [
    '--timed: a time with TZID is of its own day',
    calendar('DTSTART;TZID=America/New_York:20261225T233000\nDURATION:PT15M'),
    ['2026-12-25'],
    timed,
  ],
  ['--timed: to midnight', calendar('DTSTART:20261225T200000\nDTEND:20261226T000000'), ['2026-12-25'], timed],
  [
    '--timed: weeks with TZID, without one of them',
    calendar(
      'DTSTART;TZID=America/New_York:20261204T200000\nDTEND;TZID=America/New_York:20261204T210000\nRRULE:FREQ=WEEKLY;COUNT=3\nEXDATE;TZID=America/New_York:20261211T200000',
    ),
    ['2026-12-04', '2026-12-18'],
    timed,
  ],
  [
    '--timed: over midnight',
    calendar('DTSTART:20261225T200000\nDTEND:20261226T010000'),
    ['2026-12-25', '2026-12-26'],
    timed,
  ],
];

describe('holidays in a calendar', () => {
  test('have 50 shapes', () => expect(shapes.length).toBeGreaterThanOrEqual(50));

  test.each(shapes)('%s', (_, text, dates, choices) => {
    expect(datesIn(text, choices)).toEqual(dates);
  });
});

describe('a broken calendar', () => {
  const notOne = /^is not a calendar/;
  test.each<[string, string, RegExp]>([
    ['nothing', '', notOne],
    ['text', 'hello', notOne],
    ['a page', '<!doctype html><title>Log in</title>', notOne],
    ['JSON', '{"events":[]}', notOne],
    ['a card', 'BEGIN:VCARD\r\nFN:Ada\r\nEND:VCARD', notOne],
    ['no end', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20261225', notOne],
    ['a second calendar without an end', `${calendar(christmas)}BEGIN:VCALENDAR`, notOne],
    ['a line without a name', calendar(`${christmas}\nhello`), notOne],
    ['no events', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR', /with events$/],
    ['binary', '\u0000\u0001\u0002BEGIN:VCALENDAR', notOne],
    ['deep nesting', 'BEGIN:VCALENDAR\r\n'.repeat(20_000), notOne],
  ])('is refused: %s', (_, text, problem) => {
    expect(read(text)).toEqual({ ok: false, problem: expect.stringMatching(problem) });
  });

  test.each<[string, string, RegExp]>([
    ['no start', 'SUMMARY:Odd', /^Odd: its start is unreadable$/],
    ['a start that does not exist', 'SUMMARY:Odd\nDTSTART;VALUE=DATE:20261345', /its start is unreadable|^Odd/],
    ['a start before 1970', 'DTSTART;VALUE=DATE:19691231', /start is unreadable/],
    ['an end in words', `${christmas}\nDTEND;VALUE=DATE:tomorrow`, /end is unreadable/],
    ['a duration in words', `${christmas}\nDURATION:long`, /end is unreadable/],
    ['an end before its start', `${christmas}\nDTEND;VALUE=DATE:20261224`, /end is unreadable/],
    [
      'other dates that are periods',
      `${christmas}\nRDATE;VALUE=PERIOD:20261227T090000Z/PT1H`,
      /other dates are unreadable/,
    ],
    ...['INTERVAL=0', 'INTERVAL=-1', 'INTERVAL=1.5', 'INTERVAL=2x', 'COUNT=0', 'COUNT=-1', 'BYMONTHDAY=0', 'BYSETPOS=0']
      .concat('BYDAY=6MO', 'COUNT=2;INTER\r\n VAL=0')
      .map((part): [string, string, RegExp] => [
        part,
        `${christmas}\nRRULE:FREQ=MONTHLY;${part}`,
        /rule is unreadable/,
      ]),
    ['the second Monday of a week', `${christmas}\nRRULE:FREQ=WEEKLY;BYDAY=2MO`, /rule is unreadable/],
    ['a rule of seconds', `${christmas}\nRRULE:FREQ=SECONDLY`, /can't follow its rule/],
    ['weeks of the year', `${christmas}\nRRULE:FREQ=YEARLY;BYWEEKNO=20`, /can't follow its rule/],
    ['days of the year', `${christmas}\nRRULE:FREQ=YEARLY;BYYEARDAY=100`, /can't follow its rule/],
    ['two rules', `${christmas}\nRRULE:FREQ=YEARLY\nRRULE:FREQ=DAILY`, /several rules/],
    ['positions of a week', `${christmas}\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1`, /can't follow its rule/],
  ])('says which event is left out: %s', (_, event, reason) => {
    const found = read(calendar(event, 'DTSTART;VALUE=DATE:20261226'));
    if (!found.ok) return expect(found.problem).toMatch(/^is not a calendar/);
    expect(found.value.dates).toEqual(['2026-12-26']);
    expect(found.value.left).toEqual([expect.stringMatching(reason)]);
  });

  test('costs little, whatever its rules say', () => {
    for (const rule of [
      'DAILY;INTERVAL=7;BYDAY=MO',
      'DAILY;BYMONTH=2;BYMONTHDAY=30',
      'YEARLY;INTERVAL=999999',
      'DAILY;COUNT=999999999',
    ])
      expect(read(calendar(`DTSTART;VALUE=DATE:20261101\nRRULE:FREQ=${rule}`)).ok).toBe(true);
    const many = Array.from({ length: 200 }, () => 'DTSTART;VALUE=DATE:19700101\nRRULE:FREQ=DAILY;COUNT=30000');
    expect(read(calendar(...many))).toEqual({ ok: false, problem: 'has too many events that repeat' });
    const long = read(calendar('DTSTART;VALUE=DATE:20261101\nDURATION:P9999D'));
    expect(long.ok && long.value.dates.length).toBeGreaterThan(mostDays);
  });
});
