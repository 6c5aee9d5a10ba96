import { weekdays } from '../../api/weekdays.ts';
import { jsonText } from '../../base/json.ts';
import { capital, counted } from '../../base/numbers.ts';
import { type BlockStyle, labelLines, wrapSafely } from '../../output/block.ts';
import { cutLong, humanText } from '../../output/cells.ts';
import { pad, width } from '../../output/width.ts';
import { datesWords, isDate } from '../../time/availability-rules.ts';
import { nextDate, runsOf } from '../../time/days.ts';
import type { Change, FieldChange, Plan } from './work-model.ts';

/* A plan for people. */

/** What changes about one entry of the file: an event type and its hours are one entry. */
export interface Entry {
  action: Change['action'];
  title: string;
  line: number;
  /** Fields and their values. */
  rows: [label: string, text: string][];
  changes: Change[];
}

const days: readonly string[] = weekdays;
const labels: Readonly<Record<string, string>> = { description_plain: 'Description', timezone: 'Time zone' };

const fieldValueText = (name: string, value: unknown): string => {
  if (isDate(name) || days.includes(name))
    return value === 'usual' ? 'usual hours' : String(value).replaceAll('-', '–').replaceAll(',', ', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'object' && !Array.isArray(value) ? jsonText(value) : [value ?? []].flat().join(', ');
  if (value === null || text === '') return 'none';
  // JSON has the whole text.
  return name === 'duration' ? `${text} min` : cutLong(text, 500);
};

/** Weekdays and dates in a row that change in the same way have one label. */
const daysLabel = (run: readonly string[], today: string): string => {
  const [first, last] = [run[0]!, run.at(-1)!];
  if (isDate(first)) return datesWords(run, today);
  if (run.length > 1) return `${capital(first.slice(0, 3))}–${capital(last.slice(0, 3))}`;
  return labels[first] ?? capital(first.replaceAll('_', ' '));
};

const changeRows = (change: Change, isNew: boolean, today: string): Entry['rows'] => {
  if (change.action === 'delete') return [];
  const fields: Record<string, FieldChange> = { ...change.fields };
  // The title has it.
  if (isNew) delete fields.name;
  const names = Object.keys(fields).filter((name) => !days.includes(name) && !isDate(name));
  const dates = Object.keys(fields).filter(isDate).sort();
  const fieldNames = [...names, ...days.filter((day) => Object.hasOwn(fields, day)), ...dates];
  const textOf = (name: string): string => {
    const [before, after] = [fieldValueText(name, fields[name]!.before), fieldValueText(name, fields[name]!.after)];
    return isNew ? after : `${before} → ${after}`;
  };
  const follows = (name: string, before: string): boolean =>
    (isDate(before)
      ? nextDate(before) === name
      : days.includes(before) && days.indexOf(before) + 1 === days.indexOf(name)) && textOf(name) === textOf(before);
  const host = change.path[4] === 'hosts' ? ` (${change.path[5]})` : '';
  return runsOf(fieldNames, follows).map((run) => [`${daysLabel(run, today)}${host}`, textOf(run[0]!)]);
};

const changeTitle = ({ kind, label, path: [scope, name] }: Change): string => {
  const owner = { users: name === 'me' ? '' : ` · ${name}`, groups: ` · group ${name}` }[String(scope)];
  return `${kind === 'webhook' ? 'webhook ' : ''}${label}${owner ?? ' · organization'}`;
};

const remarks: Readonly<Record<string, string>> = {
  'create event type': "it can't be deleted later. To rename an event type instead, add renamed_from",
  'replace webhook': 'it is deleted and created again, and misses deliveries in between',
};

/** The key of an entry in the file. A webhook has its URL. */
export const entryKey = ({ kind, label, path }: Change): string => (kind === 'webhook' ? label : String(path[3]));

/** The entries of the file that change, in the order of the plan. `today` decides which dates show their year. */
export const planEntries = ({ changes }: Pick<Plan, 'changes'>, today: string): Entry[] => {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const key = JSON.stringify([change.path.slice(0, 2), change.kind === 'webhook', entryKey(change)]);
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()].map((group) => {
    const main = group.find(({ kind }) => kind !== 'schedule') ?? group[0]!;
    const { action, kind } = main;
    const remark = remarks[`${action} ${kind}`];
    const rows = group.flatMap((change) => changeRows(change, action === 'create', today));
    if (remark !== undefined) rows.push(['Note', remark]);
    return { action, title: changeTitle(main), line: main.line, rows, changes: group };
  });
};

export interface PlanFacts {
  plan: Plan;
  entries: readonly Entry[];
  /** Where the plan is for: organization, profile, service. */
  place: readonly string[];
  /** The beginning of the digest, as `--confirm` takes it. A person at a terminal confirms without it. */
  digest?: string | undefined;
  /** The command that applies the plan, if that is the next step. */
  apply?: string | undefined;
}

const actions = {
  update: ['~', 'update', 'warning'],
  create: ['+', 'creation', 'done'],
  replace: ['~', 'replacement', 'warning'],
  delete: ['-', 'deletion', 'danger'],
} as const;

/** `3 changes: 1 update, 2 creations` */
export const countText = (entries: readonly Entry[]): string => {
  const parts = Object.entries(actions).map(([action, [, noun]]) => {
    const count = entries.filter((entry) => entry.action === action).length;
    return count === 0 ? '' : counted(count, noun);
  });
  if (entries.length === 0) return 'No differences';
  return `${counted(entries.length, 'change')}: ${parts.filter((part) => part !== '').join(', ')}`;
};

/** How many changes there are, what the file leaves alone, and the digest. */
export const planSummary = ({ plan: { notInFile }, entries, digest }: Omit<PlanFacts, 'place'>): string => {
  const others = notInFile.length === 0 ? '' : ` · ${counted(notInFile.length, 'type')} not in the file`;
  if (digest === undefined) return `${countText(entries).replace(/^.*: /, '')}${others}`;
  return `${countText(entries)}${others}${entries.length === 0 ? '' : ` · digest ${digest}`}`;
};

/** A note of a plan as a person reads it: `1 event type shared with you was left out`. */
const noteText = (note: string): string =>
  note.replace(
    / that others share with (.+) (is|are) not managed$/,
    (_, key, verb) => ` shared with ${key === 'me' ? 'you' : key} ${verb === 'is' ? 'was' : 'were'} left out`,
  );

export type PlanStyle = Omit<BlockStyle, 'time'>;

const changeLines = (
  { action, title, line, rows }: Entry,
  column: number,
  { paint, available }: PlanStyle,
): string[] => {
  const [sign, , tone] = actions[action];
  const place = paint.faint(`line ${line}`);
  const head =
    column + 12 <= available
      ? [`${pad(humanText(title), column)}  ${place}`]
      : [...wrapSafely(humanText(title), available - 2), place];
  const widest = Math.max(0, ...rows.map(([label]) => width(humanText(label))));
  const below = rows.flatMap(([label, text]) =>
    labelLines(humanText(label), widest, wrapSafely(humanText(text), Math.max(20, available - widest - 6)), {
      paint,
      available: available - 4,
    }),
  );
  return [
    ...head.map((text, at) => `${at === 0 ? paint[tone](sign) : ' '} ${text}`),
    ...below.map((text) => `    ${text}`),
  ];
};

/** The same for screen readers: nothing is aligned or told by a sign. */
const spokenEntry = ({ action, title, line, rows }: Entry): string[] => [
  `${capital(actions[action][1])}: ${humanText(title)}, line ${line}`,
  ...rows.map(([label, text]) => humanText(`${label}: ${text.replace(' → ', ' to ')}`)),
];

export const drawnPlan = (facts: PlanFacts, style: PlanStyle, isSpoken: boolean): string => {
  const { plan, entries, place, apply } = facts;
  const { paint, available } = style;
  const column = Math.max(0, ...entries.map(({ title }) => width(humanText(title))));
  const fitted = (text: string) => (isSpoken ? [humanText(text)] : wrapSafely(humanText(text), available));
  const [first, ...rest] = fitted(`${plan.file} → ${place.join(' · ')}`);
  const lines = [
    `${paint.heading(first!)}${style.place?.() ?? ''}`,
    ...rest,
    ...entries.flatMap((entry) => (isSpoken ? spokenEntry(entry) : changeLines(entry, column, style))),
    ...plan.notes.flatMap((note) => fitted(`! ${noteText(note)}`).map(paint.faint)),
    ...fitted(planSummary(facts)),
    ...(apply === undefined || entries.length === 0 ? [] : [`Apply: ${apply}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
};
