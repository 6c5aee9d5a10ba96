import { parse as parseCsv } from 'csv-parse/sync';
import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type MachineFormat, machineFormats, recordText, writeRows } from '../../src/output/machine-formats.ts';
import { eventView, lacking, paper, pathsIn } from './samples.ts';

type Json = Record<string, unknown>;

const full = {
  uri: 'https://api.example.com/scheduled_events/ABC',
  name: 'Intro call',
  status: 'active',
  start_time: '2026-11-16T09:00:00.000000Z',
  end_time: '2026-11-16T09:30:00Z',
  created_at: '2026-11-01T08:00:00Z',
  updated_at: '2026-11-02T08:00:00Z',
  location: { type: 'zoom_conference', location: 'Room 1', join_url: 'https://meet.example/z/1?a=1' },
  invitees_counter: { total: 2, active: 1, limit: 5 },
  meeting_notes_plain: 'Bring a pen',
  event_memberships: [{ user: 'u', user_email: 'host@example.com', user_name: 'Amara' }],
  _sched: { invitees: [{ name: 'Ada', email: 'ada@example.com', status: 'active' }] },
};

const minutes = (count: number) => new Date(Date.parse(full.start_time) + count * 60_000).toISOString();

/** The least and the most that a field can be. */
const extremes: [string, unknown][] = [
  ...['', ' ', '-1', 'null', 'é'.repeat(1000), '"a", b;\nc\\'].map((text): [string, unknown] => ['name', text]),
  ...[0, 1 / 60, 1, 24 * 60, 400 * 24 * 60].map((length): [string, unknown] => ['end_time', minutes(length)]),
  ...['1970-01-01T00:00:00Z', '2026-11-16T14:30:00+05:30', '2026-11-15T21:15:00-11:45'].map((at): [string, unknown] => [
    'start_time',
    at,
  ]),
  ['end_time', '9999-12-31T23:59:59Z'],
  ...[0, Number.MAX_SAFE_INTEGER].map((count): [string, unknown] => [
    'invitees_counter',
    { total: count, active: count, limit: count },
  ]),
  ['event_memberships', []],
  [
    'event_memberships',
    Array.from({ length: 50 }, (_, number) => ({ user_name: `Host ${number}`, user_email: `h${number}@example.com` })),
  ],
  ['_sched', { invitees: [] }],
  ['status', 'canceled'],
  ['created_at', 'soon'],
  ['updated_at', 7],
];

const records: [string, object][] = [
  ['all fields', full],
  ...lacking(full),
  ...extremes.map(([name, value]): [string, object] => [
    `${name} ${JSON.stringify(value)}`,
    { ...full, [name]: value },
  ]),
];

const choices = { header: true, raw: true, isTerminal: false };
const fields = ['uri', 'name', 'start_time', 'location.type', 'invitees_counter.active', 'meeting_notes_plain'];

const one = (format: MachineFormat, record: object) => recordText(machineFormats[format](eventView, choices), record);
const list = async (format: MachineFormat, record: object, more = {}) => {
  const stdout = paper();
  const row = machineFormats[format](eventView, { ...choices, ...more });
  await writeRows(stdout, () => row, [[record], [record]], { rows: 0 });
  return stdout.text;
};

const valueAt = (record: object, path: string): unknown =>
  path.split('.').reduce((value: unknown, name) => (value as Json | null | undefined)?.[name], record);
const cell = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const unescaped = (text: string) =>
  text.replace(/\\([ntr\\])/g, (_, sign: string) => ({ n: '\n', t: '\t', r: '\r' })[sign] ?? sign);
const linesOf = (text: string) =>
  text
    .slice(0, -1)
    .split('\n')
    .map((line) => line.split('\t').map(unescaped));

/** The leaves of a record by their path. Empty objects and lists are leaves, too. */
const leavesOf = (record: object): Record<string, string> =>
  Object.fromEntries(
    pathsIn(record)
      .map((path): [string, unknown] => [path.join('.'), valueAt(record, path.join('.'))])
      .filter(([, value]) => value === null || typeof value !== 'object' || Object.keys(value).length === 0)
      .map(([path, value]) => [
        path,
        value !== null && typeof value === 'object' ? JSON.stringify(value) : cell(value),
      ]),
  );

/** What a calendar program must find. */
const calendarOf = (event: typeof full) => {
  const time = (text: unknown) => {
    const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
    return Number.isNaN(at) ? undefined : `${new Date(at).toISOString().slice(0, 19)}Z`;
  };
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const [host] = event.event_memberships ?? [];
  const guests = (event._sched?.invitees ?? []).filter((guest) => text(guest?.email) !== undefined);
  const hasGuests = (event._sched?.invitees ?? []).length > 0;
  return {
    uid: text(event.uri),
    summary: text(event.name),
    dtstart: time(event.start_time),
    dtend: time(event.end_time) === time(event.start_time) ? undefined : time(event.end_time),
    dtstamp: time(event.updated_at) ?? time(event.start_time),
    created: time(event.created_at),
    'last-modified': time(event.updated_at),
    status: text(event.status) && (event.status === 'canceled' ? 'CANCELLED' : 'CONFIRMED'),
    location: text(event.location?.location) ?? text(event.location?.join_url),
    url: text(event.location?.join_url),
    description: text(event.meeting_notes_plain),
    organizer: hasGuests && text(host?.user_email) ? `mailto:${host!.user_email}` : undefined,
    attendees: guests.map((guest) => `mailto:${guest.email}`),
  };
};

const readCalendar = (text: string) => {
  const [event] = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  const value = (name: string) => event!.getFirstPropertyValue(name)?.toString();
  const names = [
    'uid',
    'summary',
    'dtstart',
    'dtend',
    'dtstamp',
    'created',
    'last-modified',
    'status',
    'location',
    'url',
    'description',
    'organizer',
  ];
  return {
    ...Object.fromEntries(names.map((name) => [name, value(name)])),
    attendees: event!.getAllProperties('attendee').map((each) => String(each.getFirstValue())),
  };
};

/** How each format is read back, by a program that is not ours. */
const readers: Record<MachineFormat, (record: object) => Promise<void> | void> = {
  json: async (record) => {
    expect(JSON.parse(one('json', record))).toEqual(record);
    expect(JSON.parse(await list('json', record))).toEqual([record, record]);
  },
  jsonl: async (record) => {
    expect(JSON.parse(one('jsonl', record))).toEqual(record);
    expect(
      (await list('jsonl', record))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([record, record]);
  },
  yaml: async (record) => {
    expect(parseYaml(one('yaml', record))).toEqual(record);
    expect(parseYaml(await list('yaml', record))).toEqual([record, record]);
  },
  csv: async (record) => {
    expect(Object.fromEntries(parseCsv(one('csv', record)).slice(1))).toEqual(leavesOf(record));
    const cells = fields.map((field) => cell(valueAt(record, field)));
    expect(parseCsv(await list('csv', record, { fields }))).toEqual([fields, cells, cells]);
  },
  tsv: async (record) => {
    expect(Object.fromEntries(linesOf(one('tsv', record)).slice(1))).toEqual(leavesOf(record));
    const cells = fields.map((field) => cell(valueAt(record, field)));
    expect(linesOf(await list('tsv', record, { fields }))).toEqual([fields, cells, cells]);
  },
  id: (record) => {
    const { uri } = record as { uri?: unknown };
    if (typeof uri === 'string') expect(one('id', record)).toBe(`${uri}\n`);
    else expect(() => one('id', record)).toThrow('These records have no uri');
  },
  ics: (record) => {
    const wanted = calendarOf(record as typeof full);
    const isWhole = wanted.dtstart !== undefined && (record as Json).end_time != null;
    if (isWhole) expect(readCalendar(one('ics', record))).toEqual(wanted);
    else expect(() => one('ics', record)).toThrow(/^An event has no readable (start|end)_time/);
  },
};

test.each(Object.entries(readers))(
  '-o %s gives back what it was given, with and without each field',
  async (_, readBack) => {
    for (const [name, record] of records)
      try {
        await readBack(record);
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
      }
  },
);
