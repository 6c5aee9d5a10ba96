import { isObject } from '../base/json.ts';
import { idIn } from '../base/uri.ts';

/** A part of a message as a service sends it, with our own names in braces: `{ owner: '{event_type}' }`. */
export type Template = string | number | boolean | null | readonly Template[] | { readonly [key: string]: Template };

/**
 * A name in braces. `id` stands for the ID in a URI; `null` is sent if the name has no value; `lower` is sent in lower
 * case. `kind=inbound_call` and `kind!=inbound_call` are about the field beside the name: otherwise it has no value.
 */
export interface Placeholder {
  name: string;
  filter?: string;
}

const braces = /\{([\w.-]+)(?:\|(id|null|lower|\w+!?=\w+))?\}/g;

interface Parts {
  /** The text before, between and after the placeholders. */
  constants: string[];
  placeholders: Placeholder[];
  /** The text is one placeholder and nothing else, so its value may be of any type. */
  isWhole: boolean;
}

const parseTemplate = (text: string): Parts => {
  const matches = [...text.matchAll(braces)];
  const ends = [0, ...matches.map((each) => each.index + each[0].length)];
  return {
    constants: ends.map((start, index) => text.slice(start, matches[index]?.index)),
    placeholders: matches.map(([, name, filter]) => ({
      name: name!,
      ...(filter && { filter }),
    })),
    isWhole: matches.length === 1 && matches[0]![0] === text,
  };
};

const childrenOf = (template: Template): Template[] =>
  typeof template === 'object' && template !== null ? Object.values(template) : [];

/** The names in a template with their places in the service's message: `['availability_rule.timezone', 'timezone']`. */
export const namesByPlace = (template: Template, place = ''): [place: string, name: string][] => {
  if (typeof template === 'string') {
    const { isWhole, placeholders } = parseTemplate(template);
    return isWhole ? [[place, placeholders[0]!.name]] : [];
  }
  if (typeof template !== 'object' || template === null) return [];
  return Object.entries(template).flatMap(([key, each]) => namesByPlace(each, place === '' ? key : `${place}.${key}`));
};

export const placeholdersIn = (template: Template | undefined): Placeholder[] => {
  if (typeof template === 'string') return parseTemplate(template).placeholders;
  return template === undefined ? [] : childrenOf(template).flatMap(placeholdersIn);
};

/** Whether a text has braces that are no placeholder. */
export const hasStrayBrace = (text: string): boolean => /[{}]/.test(parseTemplate(text).constants.join(''));

type LookUp = (name: string) => unknown;

/** Whether the field beside a name is as a filter such as `kind!=inbound_call` says. */
const isMeant = (name: string, filter: string, lookUp: LookUp): boolean => {
  const [field, value] = filter.split(/!?=/);
  return (lookUp(name.replace(/[^.]+$/, field!)) === value) !== filter.includes('!');
};

const applyFilter = ({ name, filter }: Placeholder, lookUp: LookUp): unknown => {
  const value = lookUp(name);
  if (value === undefined) return filter === 'null' ? null : undefined;
  if (filter === 'id') return idIn(value);
  if (filter === 'lower') return typeof value === 'string' ? value.toLowerCase() : value;
  return filter?.includes('=') && !isMeant(name, filter, lookUp) ? undefined : value;
};

const fillText = (text: string, lookUp: LookUp): unknown => {
  const { constants, placeholders, isWhole } = parseTemplate(text);
  const values = placeholders.map((each) => applyFilter(each, lookUp));
  if (isWhole) return values[0];
  if (values.some((value) => value === undefined || value === null)) return undefined;
  return constants.map((constant, index) => (index === 0 ? '' : String(values[index - 1])) + constant).join('');
};

/**
 * The message, with values for names. A key whose name has no value is left out, and so is an object or list in which
 * no name has one.
 */
export const fillTemplate = (template: Template, lookUp: LookUp): unknown => {
  if (typeof template === 'string') return fillText(template, lookUp);
  if (typeof template !== 'object' || template === null) return template;
  const names = placeholdersIn(template);
  if (names.length > 0 && names.every(({ name }) => lookUp(name) === undefined)) return undefined;
  if (Array.isArray(template))
    return template.map((each) => fillTemplate(each, lookUp)).filter((each) => each !== undefined);
  const entries = Object.entries(template).map(([key, each]) => [key, fillTemplate(each, lookUp)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
};

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

type Take = (placeholder: Placeholder, value: unknown) => void;

const matchText = (text: string, value: unknown, take: Take): boolean => {
  const { constants, placeholders, isWhole } = parseTemplate(text);
  if (isWhole) {
    const [whole] = placeholders;
    if (value !== null || whole!.filter !== 'null') take(whole!, value);
    return true;
  }
  const groups = placeholders.map(({ name }) => (name === 'root' ? '(.+)' : '([^/]+)'));
  const pattern = constants.map((constant, index) => `${escapePattern(constant)}${groups[index] ?? ''}`).join('');
  const match = typeof value === 'string' ? new RegExp(`^${pattern}$`).exec(value) : null;
  for (const [index, placeholder] of placeholders.entries()) if (match) take(placeholder, match[index + 1]);
  return match !== null;
};

/** The opposite of `fill`: hands over the value of each name. False if a constant of the template isn't there. */
export const matchTemplate = (template: Template, value: unknown, take: Take): boolean => {
  if (typeof template === 'string') return value === undefined || matchText(template, value, take);
  if (typeof template !== 'object' || template === null) return value === template;
  if (value === undefined) return true;
  if (Array.isArray(template))
    return (
      Array.isArray(value) && template.map((each, index) => matchTemplate(each, value[index], take)).every(Boolean)
    );
  if (!isObject(value)) return false;
  // All of them, even after one that doesn't fit: a reply is read as far as it can be.
  return Object.entries(template)
    .map(([key, each]) => matchTemplate(each, Object.hasOwn(value, key) ? value[key] : undefined, take))
    .every(Boolean);
};

/** The value at a dotted name: `tracking.utm_source`, `scheduling_links.0`. */
export const valueAtName = (value: unknown, name: string): unknown =>
  name
    .split('.')
    .reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, key)
          ? (at as Record<string, unknown>)[key]
          : undefined,
      value,
    );

/** Sets the value at a dotted name. Numbers are places in a list. */
export const setAtName = (target: Record<string, unknown>, name: string, value: unknown): void => {
  const keys = name.split('.');
  const last = keys.pop()!;
  const place = keys.reduce((at, key, index) => {
    if (!Object.hasOwn(at, key)) at[key] = /^\d+$/.test(keys[index + 1] ?? last) ? [] : {};
    return at[key] as Record<string, unknown>;
  }, target);
  place[last] = value;
};
