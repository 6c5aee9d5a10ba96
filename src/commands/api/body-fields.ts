import { the, words } from '../../base/words.ts';
import { readTextFile } from '../../cli/json-file.ts';
import { Problems } from '../../cli/messages/problems.ts';
import type { Context } from '../../cli/session/context.ts';

/** One `-f` or `-F`: a key and its value. */
export interface BodyField {
  /** `a[b][]` as it was given. */
  name: string;
  /** `['a', 'b', '']`; an empty key appends to a list. */
  keys: string[];
  /** `undefined` for `a[]` alone, which is an empty list. */
  value: unknown;
  /** Set if the value comes from a file: its placeholders aren't replaced. */
  fromFile?: true;
}

export interface GivenField {
  raw: string;
  /** `-F`: the type depends on the text, so `5` is a number. */
  isConverted: boolean;
}

const nameForm = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;
const constants: Record<string, unknown> = { true: true, false: false, null: null };

const fieldKeys = (name: string): string[] | undefined => {
  const match = nameForm.exec(name);
  if (match === null) return undefined;
  return [match[1]!, ...Array.from(match[2]!.matchAll(/\[([^[\]]*)\]/g), (part) => part[1]!)];
};

/**
 * Reads the fields in the order they were given. With `isPrivate`, problems name a field by its position and never quote
 * it.
 */
export const readFields = async (
  given: readonly GivenField[],
  { runtime }: Pick<Context, 'runtime'>,
  problems: Problems,
  isPrivate: boolean,
): Promise<BodyField[]> => {
  const fields: BodyField[] = [];
  for (const [index, { raw, isConverted }] of given.entries()) {
    const label = isPrivate ? `field ${index + 1}` : `${isConverted ? '-F' : '-f'} "${raw}"`;
    const equals = raw.indexOf('=');
    const name = equals < 0 ? raw : raw.slice(0, equals);
    const text = equals < 0 ? undefined : raw.slice(equals + 1);
    const keys = fieldKeys(name);
    if (keys === undefined || (text === undefined && keys.at(-1) !== '')) {
      problems.add(`${label} is not key=value, key[name]=value or key[]=value`);
    } else if (keys.some((key, place) => key === '' && keys[place + 1] === '')) {
      problems.report({ words: words`${label} nests a list in a list, which needs ${the('input')}` });
    } else if (isConverted && text?.startsWith('@')) {
      const ignored = new Problems();
      const value = await readTextFile(text.slice(1), label, runtime, isPrivate ? ignored : problems);
      if (isPrivate && value === undefined) problems.add(`${label}: can't read its file`);
      fields.push({ name, keys, value, fromFile: true });
    } else if (isConverted && text !== undefined && /^-?(0|[1-9]\d*)$/.test(text)) {
      if (!Number.isSafeInteger(Number(text)))
        problems.add(`${label} is too large for a number; use -f to send it as text`);
      fields.push({ name, keys, value: Number(text) });
    } else {
      const value = isConverted && text !== undefined && Object.hasOwn(constants, text) ? constants[text] : text;
      fields.push({ name, keys, value });
    }
  }
  return fields;
};

/** Objects without a prototype, so that `__proto__` is an ordinary key. */
type Node = Record<string, unknown>;
const node = (): Node => Object.create(null) as Node;
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;

class Clash extends Error {}

const put = (target: Node, [key, ...rest]: string[], value: unknown): void => {
  const there = target[key!];
  if (rest.length === 0) {
    if (there !== undefined) throw new Clash('is given twice');
    target[key!] = value;
  } else if (rest[0] !== '') {
    if (there !== undefined && !isNode(there)) throw new Clash('is given twice, once as an object and once not');
    target[key!] = there ?? node();
    put(target[key!] as Node, rest, value);
  } else {
    if (there !== undefined && !Array.isArray(there)) throw new Clash('is given twice, once as a list and once not');
    const list: unknown[] = there ?? [];
    target[key!] = list;
    const inner = rest.slice(1);
    if (inner.length === 0) {
      if (value !== undefined) list.push(value);
      return;
    }
    // Like gh: a key that the last object already has starts a new object, unless it holds a list to append to.
    const last = list.at(-1);
    const isSameItem = isNode(last) && (last[inner[0]!] === undefined || Array.isArray(last[inner[0]!]));
    const item = isSameItem ? last : node();
    if (!isSameItem) list.push(item);
    put(item, inner, value);
  }
};

export const bodyFromFields = (fields: readonly BodyField[], problems: Problems, isPrivate: boolean): object => {
  const body = node();
  for (const [index, { name, keys, value }] of fields.entries()) {
    try {
      put(body, keys, value);
    } catch (error) {
      if (!(error instanceof Clash)) throw error;
      problems.add(`${isPrivate ? `field ${index + 1}` : `"${name}"`} ${error.message}`);
    }
  }
  return body;
};

/** The fields as query parameters, with their names as given. null becomes an empty value. */
export const queryOf = (fields: readonly BodyField[]): [string, string][] =>
  fields.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, String(value ?? '')]);
