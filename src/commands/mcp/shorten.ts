import { isObject } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import { safe } from '../../output/sanitize.ts';

/** How much of a value a result has. */
interface Caps {
  characters: number;
  items: number;
}

/** The first caps that make a record fit are used. */
const steps: readonly Caps[] = [
  { characters: 2000, items: 100 },
  { characters: 500, items: 25 },
  { characters: 100, items: 5 },
];

/** Deeper values are replaced: no record of the service is so deep. */
const mostDepth = 12;
const mostKeys = 200;

/** The field of a record that names what the record lacks here. */
const leftOut = '_left_out';

const mostCharacters = steps[0]!.characters;

/** Text without control characters, cut at a length. The mark says how long it was. */
export const cutText = (text: string, most: number = mostCharacters): string => {
  // Only the shown part is made safe: the service can send texts of any length. That can make it longer.
  const safeText = safe(text.slice(0, most));
  if (text.length <= most && safeText.length <= most) return safeText;
  return `${safeText.slice(0, most)}… [cut: ${text.length} characters]`;
};

const capValue = (value: unknown, caps: Caps, depth: number): unknown => {
  if (typeof value === 'string') return cutText(value, caps.characters);
  // The protocol's JSON has no large whole numbers.
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= mostDepth) return '[cut: too deeply nested]';
  if (Array.isArray(value)) {
    const items = value.slice(0, caps.items).map((item) => capValue(item, caps, depth + 1));
    return value.length > caps.items ? [...items, `[cut: ${value.length} items]`] : items;
  }
  const entries = Object.entries(value);
  const shownEntries = entries
    .slice(0, mostKeys)
    .map(([key, item]) => [cutText(key, 100), capValue(item, caps, depth + 1)]);
  const rest = entries.length - shownEntries.length;
  return Object.fromEntries([...shownEntries, ...(rest === 0 ? [] : [[leftOut, [counted(rest, 'more field')]]])]);
};

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** Fields that can be named as left out of a record. */
const mostNames = 20;

/** Removes the largest fields until the record fits, and names them. */
const withoutLargest = (record: Record<string, unknown>, most: number): Record<string, unknown> => {
  const { [leftOut]: before = [], ...remaining } = record;
  const removedNames: string[] = [];
  while (bytesOf(remaining) > most && Object.keys(remaining).length > 0) {
    const [largest] = Object.entries(remaining).toSorted(([, one], [, other]) => bytesOf(other) - bytesOf(one))[0]!;
    delete remaining[largest];
    removedNames.push(largest);
  }
  const rest = removedNames.length - mostNames;
  const more = rest > 0 ? [counted(rest, 'more field')] : [];
  return { ...remaining, [leftOut]: [...removedNames.slice(0, mostNames), ...more, ...(before as string[])] };
};

/** A record with safe texts that has at most this many bytes as JSON. */
export const fitRecord = (record: unknown, most: number): Record<string, unknown> => {
  const object = isObject(record) ? record : { value: record };
  for (const caps of steps) {
    const capped = capValue(object, caps, 0) as Record<string, unknown>;
    if (bytesOf(capped) <= most) return capped;
  }
  return withoutLargest(capValue(object, steps.at(-1)!, 0) as Record<string, unknown>, most);
};
