import type { Field, Shape } from '../../api/field.ts';
import { type Inspected, inspect } from '../../api/inspect.ts';
import type { Operation } from '../../api/operation.ts';
import { edgeOf } from '../../api/window.ts';
import { isNamed } from '../../client/ids.ts';
import type { Flag } from '../command.ts';

/** A flag that stands for one field of a request. */
export interface FieldFlag extends Flag {
  part: 'query' | 'body';
  /** Where in the query or body, outermost name first. */
  path: string[];
  field: Field;
  /** The service needs it, and so does everything around it. */
  required: boolean;
  /** Left out, it is the token's own user. */
  own?: true;
}

/** Fields whose flag is not simply their own last name. */
const names: Record<string, string> = {
  organization: 'org',
  invitee_email: 'invitee',
  start_time: 'start',
  'location.kind': 'location-kind',
  description_plain: 'description',
  duration_options: 'duration-option',
  co_hosts: 'co-host',
  period_type: 'period',
  // `--color` is about the screen, on every command.
  color: 'event-color',
};

/** What stands for a value in help. */
const placeholders: Record<string, string> = { datetime: 'TIME', email: 'EMAIL' };

/** References that may be given in other words than their ID; values.ts and references.ts read them. */
const words: Record<string, string> = {
  users: 'me|NAME|EMAIL|ID',
  organization_memberships: 'me|NAME|EMAIL|ID',
  organizations: 'current|ID',
};

/** Part of every list, and served by flags of their own. */
const paging = new Set(['count', 'page_token']);

/** What a word on the command line can stand for. */
const plainTypes = new Set(['string', 'number', 'boolean', 'enum']);

const placeholderOf = (name: string, { type, format, collection }: Inspected): string => {
  if (collection !== undefined) return words[collection] ?? (isNamed(collection) ? 'NAME|ID' : 'ID');
  if (type === 'enum') return 'WORD';
  if (type === 'number') return 'N';
  if (format !== undefined && placeholders[format] !== undefined) return placeholders[format];
  return name === 'timezone' ? 'ZONE' : 'TEXT';
};

const flagOf = (part: 'query' | 'body', path: string[], field: Field, required: boolean): FieldFlag => {
  const inspected = inspect(field);
  const { type, choices, collection, description = '', element, sortedBy } = inspected;
  if (element !== undefined) return { ...flagOf(part, path, element, required), repeat: true };
  const last = path.at(-1)!;
  // Whose it is need not be said: the token's own user or organization is meant.
  const isOwn = required && ['users', 'organizations'].includes(collection ?? '');
  return {
    name: names[path.join('.')] ?? (part === 'query' ? edgeOf(last)?.edge : undefined) ?? last.replaceAll('_', '-'),
    ...(type === 'boolean' ? { negatable: true } : { value: placeholderOf(last, inspected) }),
    ...(choices === undefined ? {} : { choices }),
    ...(sortedBy === undefined ? {} : { suggestions: sortedBy.flatMap((by) => [`${by}:asc`, `${by}:desc`]) }),
    description: `${description}${isOwn ? ' (default: your own)' : ''}`,
    heading: part === 'query' ? 'Filters' : 'Flags',
    part,
    path,
    field,
    required: required && !isOwn,
    ...(isOwn && part === 'body' ? { own: true } : {}),
  };
};

/** One flag per plain field or list of such; an object's fields each have their own, anything else is the command's. */
const flagsOf = (part: 'query' | 'body', fields: Shape, path: string[], required: boolean): FieldFlag[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const here = [...path, name];
    const { fields: inner, element, isOptional } = inspect(field);
    const needed = required && !isOptional;
    if (inner !== undefined) return flagsOf(part, inner, here, needed);
    return plainTypes.has(inspect(element ?? field).type) ? [flagOf(part, here, field, needed)] : [];
  });

/** The flags that an operation's query and body ask for. */
export const fieldFlags = (operation: Operation): FieldFlag[] => [
  ...(operation.query === undefined ? [] : flagsOf('query', operation.query.shape, [], true)).filter(
    ({ path }) => !paging.has(path[0]!),
  ),
  ...(operation.body === undefined ? [] : flagsOf('body', operation.body.shape, [], true)),
];
