import { SchedError } from '../../base/errors.ts';
import type { Sentence } from '../../base/words.ts';

/** A problem with the input as a whole. The message never quotes an item, only names of columns and fields. */
export class BadInput extends SchedError {
  constructor(problem: Sentence) {
    super('usage', problem);
  }
}

/** Parts of an input that are neither an item nor a mistake. */
export type Skipped = 'header' | 'comment' | 'blank';

/** What a line of an input holds, or the reason why that is nothing. A problem is reported with its line. */
export type SourceContent<Value> = { value: Value } | { skipped: Skipped } | { problem: string };

/** The content of a line of the input. In a single JSON text (`isListed`) `line` is the position in its list. */
export type SourceEntry<Value> = { line: number; isListed?: true } & SourceContent<Value>;

/** Detects the encoding by the byte order mark. Without one, a zero byte in the first character means UTF-16. */
const encodingOf = ([first, second]: Uint8Array): string => {
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)) return 'utf-16be';
  return 'utf-8';
};

/** Decodes bytes as text: UTF-8 or UTF-16, with or without a byte order mark. */
export const decodeBytes = (bytes: Uint8Array): string => {
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
    // NUL is valid UTF-8 but never text: the input is binary.
    if (!text.includes('\0')) return text;
  } catch {}
  // The platform's error would quote the input.
  throw new BadInput('it is neither UTF-8 nor UTF-16 text');
};

/** The lines of a text, with line endings of Unix, Windows or old Macs. */
export const splitLines = (text: string): string[] => {
  const lines = text.split(/\r\n|\n|\r/);
  // What follows the last line ending is a line only if it has text.
  if (lines.at(-1) === '') lines.pop();
  return lines;
};
