/*
 * JSON that keeps whole numbers beyond 2^53. JavaScript's own numbers would silently change their last digits. Such a
 * number becomes a BigInt here. All other values are parsed as JSON.parse does.
 */

/** A record as the service sent it, including unknown fields. */
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Scalar = string | number | bigint | boolean | null | undefined;

/** A documented object. The service may send another kind of value in its place. */
export type MaybeObject<Fields> = Fields | Scalar;

/** A documented list. The service may send another kind of value in its place, or in place of an item. */
export type MaybeList<Item> = readonly (Item | Scalar)[] | Scalar;

/** The objects in a list, with their documented fields. None for any other value. */
export function recordsIn<Fields extends object>(value: MaybeList<Fields>): Fields[];
export function recordsIn(value: unknown): Json[];
export function recordsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The first of these values that is a text and not empty. */
export const textOf = (...values: unknown[]): string | undefined =>
  values.find((value) => typeof value === 'string' && value !== '') as string | undefined;

/** The value of a text, or undefined if the text is not JSON. */
export const jsonIn = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};

/** Escapes characters beyond ASCII in JSON. Line breaks stay: they are between its values. */
export const asciiJson = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Every reply is searched, and sixteen `\d` written out are four times as fast as `\d{16}`. */
const mayBeLarge = new RegExp('\\d'.repeat(16));
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Limited to 308 digits, about the range of a number: converting millions of digits would take minutes. */
const isLarge = (match: string): boolean => /^-?\d{16,308}$/.test(match) && !Number.isSafeInteger(Number(match));

/** A string that starts with NUL marks a large number: older Node has neither reviver sources nor JSON.rawJSON. */
const markNumber = (number: string): string => `"\\u0000${number}"`;

export const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  // JSON can write NUL only as \u0000. If the text has none, no string of the service looks like a mark.
  if (!mayBeLarge.test(text) || text.includes('\\u0000')) return value;
  try {
    const markedText = text.replace(stringOrNumber, (match) => (isLarge(match) ? markNumber(match) : match));
    return JSON.parse(markedText, (_, each) =>
      typeof each === 'string' && each.startsWith('\0') ? BigInt(each.slice(1)) : each,
    );
  } catch {
    // Too long or too deep for the reviver. The caller decides whether to accept such a reply.
    return value;
  }
};

export const jsonText = (value: unknown, indent?: number): string => {
  try {
    return JSON.stringify(value, null, indent);
  } catch {
    const withLarge = (mark: string, space?: number): string =>
      JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${mark}${each}` : each), space);
    // Use more NULs than any string starts with, so that no string is mistaken for a number.
    const runs = withLarge('').match(/"(?:\\u0000)+/g) ?? [];
    const count = runs.reduce((most, run) => Math.max(most, (run.length - 1) / 6), 0) + 1;
    const marks = new RegExp(`"(?:\\\\u0000){${count}}(-?\\d+)"`, 'g');
    return withLarge('\0'.repeat(count), indent).replace(marks, '$1');
  }
};
