import type * as z from 'zod';
import type { Operation } from '../api/operation.ts';
import { choicesOf, definition, elementOf, fieldsOf, isOptional, meta, unwrap } from '../api/schema.ts';
import type { Flag } from './command.ts';
import { isNamed } from './ids.ts';

/** A flag that stands for one field of a request. */
export interface FieldFlag extends Flag {
  part: 'query' | 'body';
  /** Where in the query or body, outermost name first. */
  path: string[];
  schema: z.ZodType;
  /** The service needs it, and so does everything around it. */
  required: boolean;
  /** Left out, it is the token's own user. */
  own?: true;
}

/** Fields whose flag is not simply their own last name. */
const names: Record<string, string> = {
  organization: 'org',
  invitee_email: 'invitee',
  min_start_time: 'since',
  max_start_time: 'until',
  min_occurred_at: 'since',
  max_occurred_at: 'until',
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
const words: Record<string, string> = { users: 'me|EMAIL|ID', organizations: 'current|ID' };

/** Part of every list, and served by flags of their own. */
const paging = new Set(['count', 'page_token']);

/** What a word on the command line can stand for. */
const plainTypes = new Set(['string', 'number', 'boolean', 'enum']);

const placeholderOf = (name: string, schema: z.ZodType): string => {
  const { type, format } = definition(unwrap(schema));
  const { collection } = meta(schema);
  if (collection !== undefined) return words[collection] ?? (isNamed(collection) ? 'NAME|ID' : 'ID');
  if (choicesOf(schema) !== undefined) return 'WORD';
  if (type === 'number') return 'N';
  if (format !== undefined && placeholders[format] !== undefined) return placeholders[format];
  return name === 'timezone' ? 'ZONE' : 'TEXT';
};

const flagOf = (part: 'query' | 'body', path: string[], schema: z.ZodType, required: boolean): FieldFlag => {
  const field = path.at(-1)!;
  const element = elementOf(schema);
  if (element !== undefined) return { ...flagOf(part, path, element, required), repeat: true };
  const name = names[path.join('.')] ?? field.replaceAll('_', '-');
  const isSwitch = definition(unwrap(schema)).type === 'boolean';
  const choices = choicesOf(schema);
  const { fields: order } = meta(schema);
  // Whose it is need not be said: the token's own user or organization is meant.
  const isOwn = required && ['users', 'organizations'].includes(meta(schema).collection ?? '');
  return {
    name,
    ...(isSwitch ? { negatable: true } : { value: placeholderOf(field, schema) }),
    ...(choices === undefined ? {} : { choices }),
    ...(order === undefined ? {} : { suggestions: order.flatMap((by) => [`${by}:asc`, `${by}:desc`]) }),
    description: `${meta(schema).description ?? ''}${isOwn ? ' (default: your own)' : ''}`,
    heading: part === 'query' ? 'Filters' : 'Flags',
    part,
    path,
    schema,
    required: required && !isOwn,
    ...(isOwn && part === 'body' ? { own: true } : {}),
  };
};

/** One flag per plain field or list of such; an object's fields each have their own, anything else is the command's. */
const flagsOf = (part: 'query' | 'body', schema: z.ZodType, path: string[], required: boolean): FieldFlag[] =>
  Object.entries(fieldsOf(schema) ?? {}).flatMap(([name, field]) => {
    const here = [...path, name];
    const needed = required && !isOptional(field);
    if (fieldsOf(field) !== undefined) return flagsOf(part, field, here, needed);
    const element = elementOf(field) ?? field;
    return plainTypes.has(definition(unwrap(element)).type) ? [flagOf(part, here, field, needed)] : [];
  });

/** The flags that an operation's query and body ask for. */
export const fieldFlags = (operation: Operation): FieldFlag[] => [
  ...(operation.query === undefined ? [] : flagsOf('query', operation.query, [], true)).filter(
    ({ path }) => !paging.has(path[0]!),
  ),
  ...(operation.body === undefined ? [] : flagsOf('body', operation.body, [], true)),
];
