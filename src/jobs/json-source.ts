import { locateJsonError } from '../json-error.ts';
import { BadInput } from './bad-input.ts';
import { linesOf } from './text-source.ts';

/** Strings and punctuation: the tokens that give a valid JSON text its structure. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/g;

/**
 * Positions, counted from 1, in the list of a valid JSON text where an object has two fields of the same name.
 * `JSON.parse` would silently keep only the second one.
 */
export const placesWithDoubledNames = (json: string): Set<number> => {
  const places = new Set<number>();
  /** The field names so far of each open object; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  let place = 1;
  let text = '';
  for (const [mark] of json.matchAll(token)) {
    if (mark === '{') open.push(new Set());
    else if (mark === '[') open.push(undefined);
    else if (mark === '}' || mark === ']') open.pop();
    else if (mark === ',') {
      if (open.length === 1 && open[0] === undefined) place += 1;
    } else if (mark === ':') {
      const names = open.at(-1)!;
      // The same name can be written in several ways, such as "\u0065mail".
      const name = JSON.parse(text) as string;
      if (names.has(name)) places.add(place);
      names.add(name);
    } else text = mark;
  }
  return places;
};

/** A value of a JSON input. In a single JSON text (`isListed`), `line` is the position in its list. */
export type JsonEntry = { line: number; isListed?: true } & (
  | { value: unknown }
  | { problem: string }
  | { skipped: 'blank' }
);

const isDoubled = { problem: 'it has the same field twice' };

/** Whether the first line that isn't blank looks like JSON. An address may begin with `{` or a quote, too. */
export const isJsonStart = (start: string): boolean =>
  /^(?:\[|\{\s*(?:["}]|$)|"(?:[^"\\\r\n]|\\.)*"[^\S\r\n]*(?:[\r\n]|$))/.test(start.trimStart());

/** The values of a text with one JSON value per line. */
export async function* jsonlValues(text: AsyncIterable<string>): AsyncGenerator<JsonEntry> {
  for await (const { line, text: raw } of linesOf(text)) {
    if (raw.trim() === '') {
      yield { line, skipped: 'blank' };
      continue;
    }
    let value: unknown;
    try {
      value = JSON.parse(raw);
    } catch {
      // The platform's message quotes the text.
      yield { line, problem: 'it is not JSON' };
      continue;
    }
    yield placesWithDoubledNames(raw).size > 0 ? { line, ...isDoubled } : { line, value };
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** The values in the list of a JSON text, or its only value. A text with one value per line is read, too. */
export async function* jsonValues(text: AsyncIterable<string>): AsyncGenerator<JsonEntry> {
  let whole = '';
  for await (const piece of text) whole += piece;
  if (whole.trim() === '') return;
  let value: unknown;
  try {
    value = JSON.parse(whole);
  } catch {
    const isLines = /^[^\n]*[}"]\s*\r?\n\s*[{"]/.test(whole.trimStart());
    if (isLines) return yield* jsonlValues(once(whole));
    const place = locateJsonError(whole);
    throw new BadInput(`it is not JSON: ${place?.problem} at line ${place?.line}, column ${place?.column}`);
  }
  const doubled = placesWithDoubledNames(whole);
  let line = 0;
  for (const each of Array.isArray(value) ? value : [value]) {
    line += 1;
    yield { line, isListed: true, ...(doubled.has(line) ? isDoubled : { value: each }) };
  }
}
