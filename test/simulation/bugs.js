/** Planted bugs: patches of src that break a promise. The simulator has to find each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('bugs/', import.meta.url));
const ending = '.patch';

/** What replaces what in a file. @typedef {{ file: string, old: string, new: string }} Change */

/** The old or the new text of a hunk, by the sign of its lines. @param {string[]} lines @param {'-' | '+'} sign */
const textOf = (lines, sign) =>
  lines
    .filter((line) => line.startsWith(' ') || line.startsWith(sign))
    .map((line) => `${line.slice(1)}\n`)
    .join('');

/** @param {string} diff The part of a patch that is about one file. @returns {Change[]} */
const changesIn = (diff) => {
  const [head = '', ...hunks] = diff.split(/^@@.*\n/m);
  const file = /^\+\+\+ b\/(.+)$/m.exec(head)?.[1] ?? '';
  return hunks.map((hunk) => {
    const lines = hunk.split('\n');
    return { file, old: textOf(lines, '-'), new: textOf(lines, '+') };
  });
};

export const bugNames = readdirSync(folder)
  .filter((name) => name.endsWith(ending))
  .map((name) => name.slice(0, -ending.length))
  .toSorted();

/** @param {string} name */
export const readBug = (name) => {
  const [text = '', ...diffs] = readFileSync(join(folder, name + ending), 'utf8').split(/^diff --git .*\n/m);
  return { text: text.trim(), changes: diffs.flatMap(changesIn) };
};

/** Plants the changes in the source of their file. @param {string} source @param {readonly Change[]} changes */
export const plantIn = (source, changes) =>
  changes.reduce((text, { file, old, new: planted }) => {
    const count = text.split(old).length - 1;
    if (count !== 1) throw new Error(`A planted bug no longer fits: ${file} has these lines ${count} times:\n${old}`);
    return text.replace(old, () => planted);
  }, source);
