import { weekdays } from '../../../api/weekdays.ts';
import { capital } from '../../../capital.ts';
import type { Change, ConfigPath, FieldChange, Plan, WebhookChange } from '../../../config/model.ts';
import { jsonText } from '../../../json.ts';
import { counted } from '../../../numbers.ts';
import { cutLong } from '../../../output/cells.ts';
import { datesWords, isDate } from '../../../time/availability-rules.ts';
import { nextDate, runsOf } from '../../../time/days.ts';

/* A plan in the words of people. */

/** A field that changes. A new record has no value before. */
export interface Row {
  label: string;
  before?: string | undefined;
  after: string;
}

/** What changes about one entry of the file: an event type and its hours are one entry. */
export interface Entry {
  action: Change['action'];
  title: string;
  line: number;
  remark?: string | undefined;
  rows: Row[];
  changes: Change[];
}

const labels: Readonly<Record<string, string>> = { description_plain: 'Description', timezone: 'Time zone' };

/** JSON has the whole value. */
const longest = 500;

const valueText = (field: string, value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(String).join(', ') || 'none';
  if (typeof value === 'object') return cutLong(jsonText(value), longest);
  return field === 'duration' ? `${value} min` : cutLong(String(value), longest);
};

const hoursText = (value: unknown): string =>
  value === 'usual' ? 'usual hours' : String(value).replaceAll('-', '–').replaceAll(',', ', ');

const rowOf = (field: string, { before, after }: FieldChange, isNew: boolean): Row => ({
  label: labels[field] ?? capital(field),
  before: isNew ? undefined : valueText(field, before),
  after: valueText(field, after),
});

const dayNumber = (day: string): number => (weekdays as readonly string[]).indexOf(day);

const daysText = (days: readonly string[], today: string): string => {
  const [first, last] = [days[0]!, days.at(-1)!];
  if (isDate(first)) return datesWords(days, today);
  const short = (day: string) => capital(day.slice(0, 3));
  return days.length === 1 ? capital(first) : `${short(first)}–${short(last)}`;
};

/** Weekdays and dates in a row that change in the same way have one row. */
const dayRows = (fields: Change['fields'], isNew: boolean, today: string): Row[] => {
  const names = Object.keys(fields);
  const days = [...weekdays.filter((day) => names.includes(day)), ...names.filter(isDate).sort()];
  const follows = (day: string, before: string): boolean =>
    (isDate(before) ? nextDate(before) === day : dayNumber(before) + 1 === dayNumber(day)) &&
    fields[day]!.before === fields[before]!.before &&
    fields[day]!.after === fields[before]!.after;
  return runsOf(days, follows).map((run) => {
    const { before, after } = fields[run[0]!]!;
    return {
      label: daysText(run, today),
      before: isNew ? undefined : hoursText(before),
      after: hoursText(after),
    };
  });
};

const keyText = ({ wanted }: WebhookChange): Row[] => {
  if (wanted === undefined) return [];
  const from = wanted.signing_key_env ?? wanted.signing_key_file;
  return [{ label: 'Signing key', after: from === undefined ? 'none' : `from ${from}` }];
};

const rowsOf = (change: Change, isNew: boolean, today: string): Row[] => {
  if (change.action === 'delete') return [];
  const { fields, path } = change;
  const names = Object.keys(fields).filter((name) => dayNumber(name) < 0 && !isDate(name));
  // The title of a new type has its name and duration.
  const shown = isNew ? names.filter((name) => name !== 'name' && name !== 'duration') : names;
  const rows = [
    ...shown.map((name) => rowOf(name, fields[name]!, isNew)),
    ...dayRows(fields, isNew, today),
    ...(change.kind === 'webhook' ? keyText(change) : []),
    ...(change.kind === 'event type' && change.location !== undefined
      ? [rowOf('location', { before: undefined, after: change.location }, true)]
      : []),
  ];
  const host = path[4] === 'hosts' ? ` (${path[5]})` : '';
  return rows.map((row) => ({ ...row, label: `${row.label}${host}` }));
};

/** Whose it is, unless it is the user's own. */
const ownerText = ([scope, name]: ConfigPath): string => {
  if (scope === 'groups') return ` · group ${name}`;
  if (scope === 'organization') return ' · organization';
  return name === 'me' ? '' : ` · ${name}`;
};

const titleOf = ({ kind, label, fields, path, action }: Change): string => {
  const name = kind === 'webhook' ? `webhook ${label}` : label;
  const duration = action === 'create' ? fields.duration?.after : undefined;
  return `${name}${duration === undefined ? '' : ` · ${duration} min`}${ownerText(path)}`;
};

const remarkOf = ({ kind, action }: Change): string | undefined => {
  if (kind === 'event type' && action === 'create') return "can't be deleted later";
  return action === 'replace' ? 'deleted and created again: misses deliveries for a moment' : undefined;
};

/** The key of an entry in the file. A webhook has its URL. */
export const keyOf = ({ kind, label, path }: Change): string => (kind === 'webhook' ? label : String(path[3]));

const entryKey = (change: Change): string =>
  JSON.stringify([...change.path.slice(0, 2), change.kind === 'webhook', keyOf(change)]);

/** The entries of the file that change, in the order of the plan. `today` decides which dates show their year. */
export const entriesOf = ({ changes }: Pick<Plan, 'changes'>, today: string): Entry[] => {
  const groups = new Map<string, Change[]>();
  for (const change of changes) groups.set(entryKey(change), [...(groups.get(entryKey(change)) ?? []), change]);
  return [...groups.values()].map((group) => {
    const main = group.find(({ kind }) => kind !== 'schedule') ?? group[0]!;
    const { action } = main;
    return {
      action,
      title: titleOf(main),
      line: Math.min(...group.map(({ line }) => line)),
      remark: remarkOf(main),
      rows: group.flatMap((change) => rowsOf(change, action === 'create', today)),
      changes: group,
    };
  });
};

const nouns: Readonly<Record<Entry['action'], string>> = {
  update: 'update',
  create: 'creation',
  replace: 'replacement',
  delete: 'deletion',
};

/** `3 changes: 1 update, 2 creations` */
export const countText = (entries: readonly Entry[]): string => {
  const parts = Object.entries(nouns).flatMap(([action, noun]) => {
    const count = entries.filter((entry) => entry.action === action).length;
    return count === 0 ? [] : [counted(count, noun)];
  });
  return entries.length === 0 ? 'No differences' : `${counted(entries.length, 'change')}: ${parts.join(', ')}`;
};
