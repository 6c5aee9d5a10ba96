import type { ResourceName } from '../../api/catalogue.ts';
import { collections } from '../../api/collections.ts';
import { dateTime, type Field, type Shape } from '../../api/field.ts';
import { inspect } from '../../api/inspect.ts';
import type { Operation } from '../../api/operation.ts';
import { edgeOf, windowQuery } from '../../api/window.ts';
import { onceEach } from '../../base/once.ts';
import type { Flag } from '../command.ts';
import { present } from '../input/entry.ts';
import { fieldKind, type Value } from '../input/field-kinds.ts';
import type { Kind } from '../input/kind.ts';

/** A flag that sets one field of a request, or a condition on the rows of its reply. */
export interface FieldFlag extends Flag {
  /** `rows`: the service has no such filter, so sched applies it to the rows. */
  part: 'query' | 'body' | 'rows';
  /** The field's path in the query or body, outermost name first. */
  path: string[];
  field: Field;
  kind: Kind<Value>;
  /** Whether the field and all objects around it are required. */
  required: boolean;
  /** Defaults to the token's own user or organization. */
  own?: true;
  /** The command takes it as an argument. */
  place?: 'argument';
}

/** Flag names of fields whose flag differs from their own name. */
const flagNames: Record<string, string> = {
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

/** Fields of bodies, and objects of them, that few people set. */
const rare: ReadonlySet<string> = new Set(['tracking', 'invitee.first_name', 'invitee.last_name']);

/** Parameters of every list, set by `--limit`, `--all` and `--page-size`. */
const paging = new Set(['count', 'page_token']);

/** Types that one word on the command line can express. */
const plainTypes = new Set(['string', 'number', 'boolean', 'enum']);

const fieldFlag = (part: FieldFlag['part'], path: string[], field: Field, required: boolean): FieldFlag => {
  const { collection, description = '', element, opposite } = inspect(field);
  if (element !== undefined) return { ...fieldFlag(part, path, element, required), repeat: true };
  const last = path.at(-1)!;
  // Not required on the command line: defaults to the token's own user or organization.
  const isOwn = required && collection !== undefined && collections[collection].owner !== undefined;
  const owner = collection === 'users' ? 'you' : 'your own';
  const edge = part === 'body' ? undefined : edgeOf(last)?.edge;
  const kind = fieldKind(last, field, edge);
  return {
    name: flagNames[path.join('.')] ?? edge ?? last.replaceAll('_', '-'),
    kind,
    ...present({ choices: kind.choices, suggestions: kind.suggestions, negatable: opposite }),
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
const shapeFlags = (part: 'query' | 'body', fields: Shape, path: string[], required: boolean): FieldFlag[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const here = [...path, name];
    const { fields: inner, element, isOptional } = inspect(field);
    const isNeeded = required && !isOptional;
    if (inner !== undefined) return shapeFlags(part, inner, here, isNeeded);
    return plainTypes.has(inspect(element ?? field).type) ? [fieldFlag(part, here, field, isNeeded)] : [];
  });

/** A flag for a condition that only sched applies to the rows. */
export const rowFlag = (name: string, field: Field): FieldFlag => fieldFlag('rows', [name], field, false);

/** Records that show when they were created, while the service can't filter them by time. */
const timedTypes: ReadonlySet<string> = new Set<ResourceName>(['invitee', 'invitation', 'submission']);

const createdWindow = ({ reply: { kind, of } }: Operation): FieldFlag[] => {
  if (kind !== 'many' || !timedTypes.has(of.name)) return [];
  const fields = windowQuery('created_at', {
    since: `only ${of.name}s created at or after this time`,
    until: `only ${of.name}s created before this time`,
  });
  return Object.entries(fields).map(([name, text]) => rowFlag(name, dateTime(text!)));
};

/** The flags for the fields of an operation's query and body, and for the rows of its reply. Several commands may share them. */
export const fieldFlags = onceEach((operation: Operation): FieldFlag[] => [
  ...createdWindow(operation),
  ...(operation.query === undefined ? [] : shapeFlags('query', operation.query.shape, [], true)).filter(
    ({ path }) => !paging.has(path[0]!),
  ),
  ...(operation.body === undefined ? [] : shapeFlags('body', operation.body.shape, [], true)),
]);
