import { jsonIn } from '../../base/json.ts';
import { endOfString, locateJsonError } from '../../base/json-error.ts';
import { BadInput, type SourceEntry, splitLines } from './work-text-source.ts';

/**
 * The names that an object of a valid JSON text has twice, each with the position in the list of the text, counted from
 * 1. `JSON.parse` would silently keep only the second field. `fold` returns the form in which names are compared.
 */
export function* repeatedNames(
  json: string,
  fold = (name: string): string => name,
): Generator<{ name: string; place: number }> {
  /** The field names so far of each open object; undefined for a list. */
  const openObjects: (Set<string> | undefined)[] = [];
  let place = 1;
  let text = '';
  /** The tokens that give a valid JSON text its structure: punctuation, and the first quote of a string. */
  const token = /["[\]{},:]/g;
  for (let match = token.exec(json); match !== null; match = token.exec(json)) {
    const [mark] = match;
    if (mark === '{') openObjects.push(new Set());
    else if (mark === '[') openObjects.push(undefined);
    else if (mark === '}' || mark === ']') openObjects.pop();
    else if (mark === ',') {
      if (openObjects.length === 1 && openObjects[0] === undefined) place += 1;
    } else if (mark === ':') {
      const names = openObjects.at(-1)!;
      // The same name can be written in several ways, such as "\u0065mail".
      const name = JSON.parse(text) as string;
      if (names.has(fold(name))) yield { name, place };
      names.add(fold(name));
    } else {
      token.lastIndex = endOfString(json, token.lastIndex)!;
      text = json.slice(match.index, token.lastIndex);
    }
  }
}

const isDoubled = { problem: 'it has the same field twice' };

/** Longer than the first line of any text that isn't JSON. */
const longestStart = 65_536;

/** Whether the first line that isn't blank looks like JSON. An address may begin with `{` or a quote, too. */
export const isJsonStart = (text: string): boolean =>
  /^(?:\[|\{\s*(?:["}]|$)|"(?:[^"\\\r\n]|\\.)*"[^\S\r\n]*(?:[\r\n]|$))/.test(text.trimStart().slice(0, longestStart));

/** The values of a text with one JSON value per line. */
export function* jsonlValues(text: string): Generator<SourceEntry<unknown>> {
  for (const [index, raw] of splitLines(text).entries()) {
    const line = index + 1;
    if (raw.trim() === '') {
      yield { line, skipped: 'blank' };
      continue;
    }
    const value = jsonIn(raw);
    if (value === undefined) yield { line, problem: 'it is not JSON' };
    else yield repeatedNames(raw).next().done ? { line, value } : { line, ...isDoubled };
  }
}

/** Whether a text seems to have one JSON value per line, by its first two lines that aren't blank. */
const isJsonl = (whole: string): boolean => {
  const text = whole.trimStart();
  const end = text.indexOf('\n');
  return end > 0 && /[}"]$/.test(text.slice(0, end).trimEnd()) && /^[{"]/.test(text.slice(end).trimStart());
};

/** The values in the list of a JSON text, or its only value. A text with one value per line is read, too. */
export function* jsonValues(text: string): Generator<SourceEntry<unknown>> {
  if (text.trim() === '') return;
  const value = jsonIn(text);
  if (value === undefined) {
    if (isJsonl(text)) return yield* jsonlValues(text);
    const place = locateJsonError(text);
    throw new BadInput(`it is not JSON: ${place?.problem} at line ${place?.line}, column ${place?.column}`);
  }
  const doubled = new Set(Array.from(repeatedNames(text), ({ place }) => place));
  let line = 0;
  for (const each of Array.isArray(value) ? value : [value]) {
    line += 1;
    yield { line, isListed: true, ...(doubled.has(line) ? isDoubled : { value: each }) };
  }
}
