import { nearest } from '../nearest.ts';

/*
 * Dotted field paths: `location.type`, `event_memberships.0.user`, `event_memberships.*.user_email`. A name that meets
 * a list means each of its items, so `event_memberships.user_email` works too. Only own properties are looked at.
 */

type Tree = Map<string, Tree>;

const isList = Array.isArray;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !isList(value);
const ownValue = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : null;
const isIndex = (part: string) => /^\d+$/.test(part);

/** The value at a path; null where there is none, a flat list where the path runs through a list. */
export const valueAt = (record: unknown, path: string): unknown => follow(record, path.split('.'));

const follow = (value: unknown, parts: readonly string[]): unknown => {
  const [part, ...rest] = parts;
  if (part === undefined) return value ?? null;
  if (isList(value) && !isIndex(part)) {
    return value.flatMap((item) => follow(item, part === '*' ? rest : parts));
  }
  if (isObject(value) && part === '*') return Object.values(value).flatMap((item) => follow(item, rest));
  return isObject(value) || isList(value) ? follow(ownValue(value, part), rest) : null;
};

/** The chosen fields of a record in the record's own nesting, in the order they were asked for. */
export const select = (record: object, fields: readonly string[]): object => pick(record, treeOf(fields)) as object;

const treeOf = (fields: readonly string[]): Tree => {
  const root: Tree = new Map();
  const whole = new Set(fields);
  for (const field of fields) {
    const parts = field.split('.');
    // `location,location.type` asks for all of it.
    if (parts.some((_, i) => i > 0 && whole.has(parts.slice(0, i).join('.')))) continue;
    let tree = root;
    for (const part of parts) {
      if (!tree.has(part)) tree.set(part, new Map());
      tree = tree.get(part)!;
    }
  }
  return root;
};

const pick = (value: unknown, tree: Tree): unknown => {
  if (tree.size === 0) return value ?? null;
  if (isList(value)) return pickItems(value, tree);
  if (!isObject(value)) return null;
  const entries = [...tree].flatMap(([key, rest]) =>
    key === '*'
      ? Object.entries(value).map(([name, item]) => [name, pick(item, rest)] as const)
      : [[key, pick(ownValue(value, key), rest)] as const],
  );
  // fromEntries defines properties, so even `__proto__` stays plain data.
  return Object.fromEntries(entries);
};

const pickItems = (items: unknown[], tree: Tree): unknown[] => {
  const [star] = [...tree].flatMap(([key, rest]) => (key === '*' ? [rest] : []));
  if (star) return items.map((item) => pick(item, star));
  if (![...tree.keys()].every(isIndex)) return items.map((item) => pick(item, tree));
  return [...tree].filter(([key]) => Object.hasOwn(items, key)).map(([key, rest]) => pick(items[Number(key)], rest));
};

/** A record as paths and plain values, in its own order; empty objects and lists are values. */
export const leaves = (value: unknown, path?: string): [path: string, value: unknown][] => {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return path === undefined ? [] : [[path, value]];
  return entries.flatMap(([key, item]) => leaves(item, path === undefined ? key : `${path}.${key}`));
};

/** A field path whose first name is known, or was nearly typed; nothing where nobody can tell. */
export const mendedField = (field: string, known: readonly string[]): string | undefined => {
  const [first = '', ...rest] = field.split('.').filter((part) => part !== '');
  const meant = known.includes(first) ? first : nearest(first, known);
  return meant === undefined ? undefined : [meant, ...rest].join('.');
};

/** What is wrong with chosen fields, in words; deeper parts are the service's own affair. */
export const checkFields = (fields: readonly string[], known: readonly string[]): string[] => {
  const problems = fields.flatMap((field) => {
    const [first = '', ...rest] = field.split('.');
    if (first === '' || rest.includes('')) return [`'${field}' is not a field path`];
    if (known.includes(first)) return [];
    const suggestion = nearest(first, known);
    return [`unknown field '${first}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`];
  });
  const choice = known.length === 0 ? 'there are no fields to choose from here' : `the fields are ${known.join(', ')}`;
  return problems.length === 0 ? [] : [...new Set(problems), choice];
};
