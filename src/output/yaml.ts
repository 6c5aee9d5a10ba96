import { jsonText } from '../base/json.ts';
import { escapeUnsafe, hex } from './sanitize.ts';

/*
 * Writes JSON values as YAML 1.2 in block style. Only strings that every version of YAML reads as text are unquoted.
 * All others are quoted with escapes, so that they parse back exactly and no raw character reaches a terminal.
 */

const bareScalar = /^[A-Za-z_/](?:[\w./@+(),'-]|:(?=[\w/])| (?=[\w(]))*$/;
/** Words that YAML 1.1 or 1.2 doesn't read as text. Numbers and dates never match `bare`. */
const reservedWord = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** YAML has no surrogate pairs: characters beyond the first plane use an 8-digit escape. */
const yamlEscape = (char: string): string => {
  const code = char.codePointAt(0)!;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
};

const quotedText = (text: string): string => escapeUnsafe(JSON.stringify(text), yamlEscape);

const scalar = (value: unknown): string => {
  if (typeof value === 'string') return bareScalar.test(value) && !reservedWord.test(value) ? value : quotedText(value);
  // PyYAML (YAML 1.1) reads `1e-7` as text.
  return (jsonText(value) ?? 'null').replace(/^(-?\d+)e/, '$1.0e');
};

const isMapOrList = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Text whose lines can stand in the file as they are: nothing hidden, nothing at their ends, no command for CI runners. */
const isBlock = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\S.*\n(.*\n)*.*\S\n?$/.test(value) &&
  !/[\0-\x09\x0b-\x1f]| $|^ *::/m.test(value) &&
  quotedText(value) === JSON.stringify(value);

const blockLines = (text: string): string[] => text.replace(/\n$/, '').split('\n');

const yamlLines = (value: unknown, hasBlocks: boolean): string[] => {
  if (!isMapOrList(value)) return [scalar(value)];
  return Array.isArray(value)
    ? value.flatMap((item) => itemLines(item, hasBlocks))
    : Object.entries(value).flatMap((entry) => yamlEntryLines(entry, hasBlocks));
};

const itemLines = (item: unknown, hasBlocks: boolean): string[] =>
  yamlLines(item, hasBlocks).map((line, i) => (i === 0 ? `- ${line}` : indent(line)));

const indent = (line: string): string => (line === '' ? '' : `  ${line}`);

/** Longer keys need an explicit `?`, because parsers don't look further ahead (YAML 1.2.2 §7.4.2). */
const longestKey = 1000;

const yamlEntryLines = ([key, value]: [string, unknown], hasBlocks: boolean): string[] => {
  // As in JSON.
  if (value === undefined) return [];
  const name = scalar(key);
  const start = name.length > longestKey ? [`? ${name}`, ':'] : [`${name}:`];
  if (isMapOrList(value)) return [...start, ...yamlLines(value, hasBlocks).map(indent)];
  if (hasBlocks && isBlock(value))
    return [
      ...start.with(-1, `${start.at(-1)} ${value.endsWith('\n') ? '|' : '|-'}`),
      ...blockLines(value).map(indent),
    ];
  return start.with(-1, `${start.at(-1)} ${scalar(value)}`);
};

const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** `hasBlocks`: text of several lines is written as such, for a file that people edit. */
export const yamlDocument = (value: unknown, hasBlocks = false): string => joinLines(yamlLines(value, hasBlocks));

/** One item of a top-level sequence, so that a list can be written as it arrives. */
export const yamlItem = (value: unknown): string => joinLines(itemLines(value, false));
