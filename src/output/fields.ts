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

/**
 * The chosen fields of a record in the record's own nesting, in the order they were asked for. Single items of a list
 * close up, unless they are to keep their places: then the others are holes.
 */
export const select = (record: object, fields: readonly string[], keepsPlaces = false): object =>
  pick(record, treeOf(fields), keepsPlaces) as object;

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

const pick = (value: unknown, tree: Tree, keepsPlaces: boolean): unknown => {
  if (tree.size === 0) return value ?? null;
  if (isList(value)) return pickItems(value, tree, keepsPlaces);
  if (!isObject(value)) return null;
  const entries = [...tree].flatMap(([key, rest]) =>
    key === '*'
      ? Object.entries(value).map(([name, item]) => [name, pick(item, rest, keepsPlaces)] as const)
      : [[key, pick(ownValue(value, key), rest, keepsPlaces)] as const],
  );
  // fromEntries defines properties, so even `__proto__` stays plain data.
  return Object.fromEntries(entries);
};

const pickItems = (items: unknown[], tree: Tree, keepsPlaces: boolean): unknown[] => {
  const named = new Map([...tree].filter(([key]) => key !== '*' && !isIndex(key)));
  const ofEach = [tree.get('*'), named.size > 0 ? named : undefined];
  if (ofEach.some((each) => each !== undefined))
    return items.map((item, index) => pick(item, merged(...ofEach, tree.get(String(index))), keepsPlaces));
  const single: unknown[] = [];
  for (const [key, rest] of tree) {
    const place = keepsPlaces ? Number(key) : single.length;
    if (Object.hasOwn(items, key)) single[place] = pick(items[Number(key)], rest, keepsPlaces);
  }
  return single;
};

/** What any of them asks for; one without branches asks for all there is. */
const merged = (...trees: (Tree | undefined)[]): Tree => {
  const all: Tree = new Map();
  for (const tree of trees) {
    if (tree?.size === 0) return tree;
    for (const [key, rest] of tree ?? []) all.set(key, merged(all.get(key), rest));
  }
  return all;
};

/** A record as paths and plain values, in its own order; empty objects and lists are values. */
export const leaves = (value: unknown, path?: string): [path: string, value: unknown][] => {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return path === undefined ? [] : [[path, value]];
  return entries.flatMap(([key, item]) => leaves(item, path === undefined ? key : `${path}.${key}`));
};

/** A field path whose first name is known, or was nearly typed; nothing where nobody can tell. */
export const correctedField = (field: string, known: readonly string[]): string | undefined => {
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
