import type { ResourceName } from '../../api/catalogue.ts';
import { type Collection, collections } from '../../api/collections.ts';
import { dateTime, type Field, type Shape } from '../../api/field.ts';
import { type Inspected, inspect } from '../../api/inspect.ts';
import type { Operation } from '../../api/operation.ts';
import { edgeOf, windowQuery } from '../../api/window.ts';
import { waysToName } from '../../client/ids.ts';
import type { Flag } from '../command.ts';

/** A flag that sets one field of a request, or a condition on the rows of its reply. */
export interface FieldFlag extends Flag {
  /** `rows`: the service has no such filter, so sched applies it to the rows. */
  part: 'query' | 'body' | 'rows';
  /** The field's path in the query or body, outermost name first. */
  path: string[];
  field: Field;
  /** Whether the field and all objects around it are required. */
  required: boolean;
  /** Defaults to the token's own user or organization. */
  own?: true;
}

/** Flag names of fields whose flag differs from their own name. */
const names: Record<string, string> = {
  organization: 'org',
  invitee_email: 'invitee',
  start_time: 'start',
  'location.kind': 'location-kind',
  description_plain: 'description',
  duration_options: 'duration-option',
  co_hosts: 'co-host',
  period_type: 'period',
  // `--color` is about the terminal, on every command.
  color: 'event-color',
};

/** Fields that are required unless another one is given, with the flag of the other. */
const alternatives: Record<string, string> = { 'invitee.name': 'first-name' };

/** Placeholders of values in help. */
const placeholders: Record<string, string> = { datetime: 'TIME', email: 'EMAIL' };

/** Fields of bodies, and objects of them, that few people set. */
const rare: ReadonlySet<string> = new Set(['tracking', 'invitee.first_name', 'invitee.last_name']);

/** The placeholder of a reference and the value to offer for it. */
export const referenceWords = (collection: Collection): Pick<Flag, 'value' | 'suggestions'> => {
  const { self } = collections[collection];
  const words = waysToName(collection).map((way) => (way === self ? way : way.toUpperCase()));
  return { value: words.join('|'), ...(self === undefined ? {} : { suggestions: [self] }) };
};

/** Parameters of every list, set by `--limit`, `--all` and `--page-size`. */
const paging = new Set(['count', 'page_token']);

/** Types that one word on the command line can express. */
const plainTypes = new Set(['string', 'number', 'boolean', 'enum']);

const placeholderOf = (name: string, { type, format, sortedBy }: Inspected): string => {
  if (sortedBy !== undefined) return 'FIELD[:desc]';
  if (type === 'enum') return 'WORD';
  if (type === 'number') return 'N';
  if (format !== undefined && placeholders[format] !== undefined) return placeholders[format];
  return name === 'timezone' ? 'ZONE' : 'TEXT';
};

/** The placeholder of a value, and the values to offer: the user's own record, or the orders that a list can have. */
const valueWords = (name: string, inspected: Inspected): Pick<Flag, 'value' | 'suggestions'> => {
  const { collection, sortedBy } = inspected;
  if (collection !== undefined) return referenceWords(collection);
  const orders = sortedBy?.flatMap((by) => [`${by}:asc`, `${by}:desc`]);
  return { value: placeholderOf(name, inspected), ...(orders === undefined ? {} : { suggestions: orders }) };
};

const flagOf = (part: FieldFlag['part'], path: string[], field: Field, required: boolean): FieldFlag => {
  const inspected = inspect(field);
  const { type, choices, collection, description = '', element, opposite } = inspected;
  if (element !== undefined) return { ...flagOf(part, path, element, required), repeat: true };
  const last = path.at(-1)!;
  // Not required on the command line: defaults to the token's own user or organization.
  const isOwn = required && collection !== undefined && collections[collection].owner !== undefined;
  const owner = collection === 'users' ? 'you' : 'your own';
  return {
    name: names[path.join('.')] ?? (part === 'body' ? undefined : edgeOf(last)?.edge) ?? last.replaceAll('_', '-'),
    ...(type !== 'boolean' ? valueWords(last, inspected) : opposite === undefined ? {} : { negatable: opposite }),
    ...(choices === undefined ? {} : { choices }),
    collection,
    description: `${description}${isOwn ? ` (default: ${owner})` : ''}`,
    heading: part !== 'body' ? 'Filters' : rare.has(path[0]!) || rare.has(path.join('.')) ? 'More flags' : 'Flags',
    part,
    path,
    field,
    required: required && !isOwn,
    ...(alternatives[path.join('.')] === undefined ? {} : { unless: alternatives[path.join('.')]! }),
    ...(isOwn && part === 'body' ? { own: true } : {}),
  };
};

/** One flag per plain field or list of plain fields, including fields of objects. Commands handle all other fields. */
const flagsOf = (part: 'query' | 'body', fields: Shape, path: string[], required: boolean): FieldFlag[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const here = [...path, name];
    const { fields: inner, element, isOptional } = inspect(field);
    const needed = required && !isOptional;
    if (inner !== undefined) return flagsOf(part, inner, here, needed);
    return plainTypes.has(inspect(element ?? field).type) ? [flagOf(part, here, field, needed)] : [];
  });

/** A flag for a condition that only sched applies to the rows. */
export const rowFlag = (name: string, field: Field): FieldFlag => flagOf('rows', [name], field, false);

/** Records that show when they were created, while the service can't filter them by time. */
const timed: ReadonlySet<string> = new Set<ResourceName>(['invitee', 'invitation', 'submission']);

const createdWindow = ({ reply: { kind, of } }: Operation): FieldFlag[] => {
  if (kind !== 'many' || !timed.has(of.name)) return [];
  const fields = windowQuery('created_at', {
    since: `only ${of.name}s created at or after this time`,
    until: `only ${of.name}s created before this time`,
  });
  return Object.entries(fields).map(([name, text]) => rowFlag(name, dateTime(text!)));
};

/** The flags for the fields of an operation's query and body, and for the rows of its reply. */
export const fieldFlags = (operation: Operation): FieldFlag[] => [
  ...createdWindow(operation),
  ...(operation.query === undefined ? [] : flagsOf('query', operation.query.shape, [], true)).filter(
    ({ path }) => !paging.has(path[0]!),
  ),
  ...(operation.body === undefined ? [] : flagsOf('body', operation.body.shape, [], true)),
];
