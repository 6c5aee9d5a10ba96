import { isObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';

/*
 * Dotted field paths: `location.type`, `event_memberships.0.user`, `event_memberships.*.user_email`. A name applied to
 * a list selects from each item, so `event_memberships.user_email` works too. Only own properties are read.
 */

type Tree = Map<string, Tree>;

const isList = Array.isArray;
const ownValue = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : null;
const isIndex = (part: string) => /^\d+$/.test(part);

/** `a, b.c` ⇒ `['a', 'b.c']`. */
export const fieldList = (text: string): string[] =>
  text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '');

/** The value at a path: null if missing, a flat list if the path passes through a list. */
export const valueAt = (record: unknown, path: string): unknown => valueAtParts(record, path.split('.'));

/**
 * Reads a field of a value whose contents the service doesn't document, or of each item of such a list. A value without
 * this field is returned as it came.
 */
export const openValue =
  (path: string, name: string) =>
  (record: object): unknown => {
    const read = (value: unknown): unknown => (isObject(value) && Object.hasOwn(value, name) ? value[name] : value);
    const whole = valueAt(record, path);
    return isList(whole) ? whole.map(read) : read(whole);
  };

const valueAtParts = (value: unknown, parts: readonly string[]): unknown => {
  const [part, ...rest] = parts;
  if (part === undefined) return value ?? null;
  if (isList(value) && !isIndex(part)) {
    return value.flatMap((item) => valueAtParts(item, part === '*' ? rest : parts));
  }
  if (isObject(value) && part === '*') return Object.values(value).flatMap((item) => valueAtParts(item, rest));
  return isObject(value) || isList(value) ? valueAtParts(ownValue(value, part), rest) : null;
};

/**
 * The selected fields of a record, nested as in the record and in the requested order. Selected items of a list move
 * together unless `keepsPlaces` is set; then the list has holes for the others.
 */
export const select = (record: object, fields: readonly string[], keepsPlaces = false): object =>
  pickFields(record, treeOf(fields), keepsPlaces) as object;

const treeOf = (fields: readonly string[]): Tree => {
  const root: Tree = new Map();
  const whole = new Set(fields);
  for (const field of fields) {
    const parts = field.split('.');
    // `location,location.type` selects all of `location`.
    if (parts.some((_, i) => i > 0 && whole.has(parts.slice(0, i).join('.')))) continue;
    let tree = root;
    for (const part of parts) {
      if (!tree.has(part)) tree.set(part, new Map());
      tree = tree.get(part)!;
    }
  }
  return root;
};

const pickFields = (value: unknown, tree: Tree, keepsPlaces: boolean): unknown => {
  if (tree.size === 0) return value ?? null;
  if (isList(value)) return pickItems(value, tree, keepsPlaces);
  if (!isObject(value)) return null;
  const entries = [...tree].flatMap(([key, rest]) =>
    key === '*'
      ? Object.entries(value).map(([name, item]) => [name, pickFields(item, rest, keepsPlaces)] as const)
      : [[key, pickFields(ownValue(value, key), rest, keepsPlaces)] as const],
  );
  // fromEntries defines own properties, so that even `__proto__` stays plain data.
  return Object.fromEntries(entries);
};

const pickItems = (items: unknown[], tree: Tree, keepsPlaces: boolean): unknown[] => {
  const byName = new Map([...tree].filter(([key]) => key !== '*' && !isIndex(key)));
  const ofEach = [tree.get('*'), byName.size > 0 ? byName : undefined];
  if (ofEach.some((each) => each !== undefined))
    return items.map((item, index) => pickFields(item, mergeTrees(...ofEach, tree.get(String(index))), keepsPlaces));
  const single: unknown[] = [];
  for (const [key, rest] of tree) {
    const place = keepsPlaces ? Number(key) : single.length;
    if (Object.hasOwn(items, key)) single[place] = pickFields(items[Number(key)], rest, keepsPlaces);
  }
  return single;
};

/** The union of the trees. An empty tree selects everything. */
const mergeTrees = (...trees: (Tree | undefined)[]): Tree => {
  const all: Tree = new Map();
  for (const tree of trees) {
    if (tree?.size === 0) return tree;
    for (const [key, rest] of tree ?? []) all.set(key, mergeTrees(all.get(key), rest));
  }
  return all;
};

/** A record as paths and plain values, in the record's order. Empty objects and lists count as values. */
export const leaves = (value: unknown, path?: string): [path: string, value: unknown][] => {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return path === undefined ? [] : [[path, value]];
  return entries.flatMap(([key, item]) => leaves(item, path === undefined ? key : `${path}.${key}`));
};

/** The field path with typos in its first name fixed, or undefined if no known name is close. */
export const correctedField = (field: string, knownNames: readonly string[]): string | undefined => {
  const [first = '', ...rest] = field.split('.').filter((part) => part !== '');
  const suggestion = knownNames.includes(first) ? first : nearest(first, knownNames);
  return suggestion === undefined ? undefined : [suggestion, ...rest].join('.');
};

/** Problems with the selected fields. Only first names are checked, because nested fields depend on the service. */
export const checkFields = (fields: readonly string[], knownNames: readonly string[]): string[] => {
  const problems = fields.flatMap((field) => {
    const [first = '', ...rest] = field.split('.');
    if (first === '' || rest.includes('')) return [`"${field}" is not a valid field path`];
    if (knownNames.includes(first)) return [];
    const suggestion = nearest(first, knownNames);
    return [`Unknown field "${first}"${suggestion ? `. Did you mean "${suggestion}"?` : ''}`];
  });
  const choice =
    knownNames.length === 0 ? 'This command has no fields to select' : `Available fields: ${knownNames.join(', ')}`;
  const unique = [...new Set(problems)];
  const last = unique.pop();
  return last === undefined ? [] : [...unique, `${last}${last.endsWith('?') ? '' : '.'} ${choice}`];
};
