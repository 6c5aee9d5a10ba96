/*
 * JSON in which whole numbers beyond 2^53 come through: JavaScript's own numbers would change their last digits without a
 * word. Such a number is a BigInt here, and every other value what JSON.parse makes of it.
 */

/** Written out, the sixteen digits are looked for four times as fast as `\d{16}`: every reply is searched. */
const mayBeLarge = new RegExp('\\d'.repeat(16));
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Up to what a number could nearly hold: millions of digits would take minutes to read. */
const isLarge = (found: string): boolean => /^-?\d{16,308}$/.test(found) && !Number.isSafeInteger(Number(found));

/** A text that begins with NUL stands for a number, as older platforms show a reviver no source and print no raw JSON. */
const marked = (number: string): string => `"\\u0000${number}"`;

export const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  // JSON has one way only to write NUL: without it no string of the service can be taken for a mark.
  if (!mayBeLarge.test(text) || text.includes('\\u0000')) return value;
  try {
    const replaced = text.replace(stringOrNumber, (found) => (isLarge(found) ? marked(found) : found));
    return JSON.parse(replaced, (_, each) =>
      typeof each === 'string' && each.startsWith('\0') ? BigInt(each.slice(1)) : each,
    );
  } catch {
    // So long or so deep that only JSON.parse itself can follow; that is for others to judge.
    return value;
  }
};

export const jsonText = (value: unknown, indent?: number): string => {
  try {
    return JSON.stringify(value, null, indent);
  } catch {
    const withLarge = (mark: string, space?: number): string =>
      JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${mark}${each}` : each), space);
    // More NULs than any text begins with, so that no text is taken for a number.
    const runs = withLarge('').match(/"(?:\\u0000)+/g) ?? [];
    const count = runs.reduce((most, run) => Math.max(most, (run.length - 1) / 6), 0) + 1;
    const marks = new RegExp(`"(?:\\\\u0000){${count}}(-?\\d+)"`, 'g');
    return withLarge('\0'.repeat(count), indent).replace(marks, '$1');
  }
};
