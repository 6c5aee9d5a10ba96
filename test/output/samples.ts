import type { View } from '../../src/output/view.ts';
import type { Output } from '../../src/runtime.ts';
import { timestampOf } from '../../src/time/wall.ts';
import { seeded } from '../support/random.ts';

export interface Paper extends Output {
  readonly writes: string[];
  readonly text: string;
}

/** A stdout that records what is written. */
export const paper = (isTerminal = false, columns = 80): Paper => {
  const writes: string[] = [];
  return {
    isTerminal,
    columns,
    writes,
    get text() {
      return writes.join('');
    },
    async write(text) {
      writes.push(text);
    },
  };
};

export const time = {
  showTime: (text: string) =>
    timestampOf(text) === undefined ? text : `Mon ${text.slice(0, 10)} ${text.slice(11, 16)}`,
  zoneLabel: 'Europe/Berlin',
  now: Date.parse('2026-11-15T18:00:00Z'),
};

export const hostile = [
  '\x1b]0;owned\x07',
  '\x1b[2J\x1b[H',
  '\x9b31m',
  'a\nb\r\nc\td',
  '\x00\x08\x7f\x85',
  'abc\u202Etxt.exe',
  '\u2066\u2069\u061C\u200E',
  'pay\u200Bpal\u2060\uFEFF\u00AD',
  '\u{E0041}\u{E007F}',
  'x\u2028y\u2029z',
  '\uD800 \uDC00',
  '\u3164\u115F\u1160\uFFA0\u180E',
  '::error::x ##[command] ##vso[task.setvariable]',
  '\u034F\uFFF9\uFFFB a\uFE0F\u200Db',
  '=HYPERLINK("https://evil.example","click")',
  '\x1b]8;;https://evil.example\x07click\x1b]8;;\x07',
  '\x1b]52;c;ZXZpbA==\x07',
];

/** Random strings from hostile text, syntax of the output formats and all of Unicode. */
export const madeUp = (count: number, seed: number): string[] => {
  const random = seeded(seed);
  const upTo = (limit: number) => Math.floor(random() * limit);
  const signs = [
    'a',
    ' ',
    '\\',
    '"',
    "'",
    ',',
    '👨',
    '\u200D',
    '\uFE0F',
    '葛',
    'م',
    '\u200C',
    '1',
    '##',
    '[',
    '::',
    '=',
    '-',
    '@',
  ];
  const alphabet = [
    ...hostile,
    ...signs,
    ': ',
    '- ',
    '#',
    '|',
    '~',
    'null',
    'yes',
    '.5',
    '%',
    '&',
    '*',
    '<<',
    '---',
    '\n  ',
  ];
  const piece = () => (random() < 0.6 ? alphabet[upTo(alphabet.length)]! : String.fromCharCode(upTo(0x10000)));
  return Array.from({ length: count }, () => Array.from({ length: upTo(12) }, piece).join(''));
};

export const event = (name: string | null, number = 1) => ({
  uri: `https://api.example.com/scheduled_events/EVENT${String(number).padStart(4, '0')}`,
  name,
  status: number % 2 ? 'active' : 'canceled',
  start_time: '2026-11-16T09:30:00.000000Z',
  location: number % 2 ? { type: 'zoom_conference', join_url: null } : null,
  invitees_counter: { active: number },
  event_memberships: [{ user_name: 'Ann' }, { user_name: 'Bob' }],
});

export const eventView: View = {
  columns: [
    { header: 'ID', path: 'uri', as: 'id', priority: 9 },
    { header: 'NAME', path: 'name', priority: 5 },
    { header: 'START', path: 'start_time', as: 'time', priority: 6 },
    { header: 'STATUS', path: 'status', as: 'status', priority: 4 },
    { header: 'INVITEES', path: 'invitees_counter.active', as: 'count', priority: 1 },
    { header: 'HOSTS', path: 'event_memberships.*.user_name', as: 'list', priority: 2 },
  ],
};

type Json = Record<string, unknown>;

/** The paths of all fields, those of objects and lists too. */
export const pathsIn = (value: unknown, path: string[] = []): string[][] =>
  value === null || typeof value !== 'object'
    ? []
    : Object.entries(value).flatMap(([name, inner]) => [[...path, name], ...pathsIn(inner, [...path, name])]);

/** A copy with another value at a path, or without the field. */
const changed = (record: object, path: readonly string[], change: (parent: Json, name: string) => void): object => {
  const copy = structuredClone(record) as Json;
  const parent = path.slice(0, -1).reduce((each, name) => each[name] as Json, copy);
  change(parent, path.at(-1)!);
  return Array.isArray(parent) ? changed(record, path.slice(0, -1), change) : copy;
};

/** The record without each of its fields, and with null instead, those of objects and lists too. */
export const lacking = (record: object): [name: string, record: object][] =>
  pathsIn(record).flatMap((path): [string, object][] => [
    [`no ${path.join('.')}`, changed(record, path, (parent, name) => delete parent[name])],
    [`${path.join('.')} null`, changed(record, path, (parent, name) => Object.assign(parent, { [name]: null }))],
  ]);
