import { jsonText } from '../json.ts';
import { escapeUnsafe } from './sanitise.ts';

/*
 * JSON's values as YAML 1.2 in block style. Only words that no version of YAML reads as anything but text stand bare;
 * every other string is quoted with escapes, so it comes back exactly, and no raw character of it reaches a terminal.
 */

const bare = /^[A-Za-z_/](?:[\w./@+(),'-]|:(?=[\w/])| (?=[\w(]))*$/;
/** Read as something else without quotes by YAML 1.1 or 1.2; numbers and dates cannot begin like a bare word. */
const reserved = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

/** YAML knows no surrogate pairs: a character beyond the first plane has an escape of its own. */
const yamlEscape = (char: string): string => {
  const code = char.codePointAt(0)!;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
};

const quoted = (text: string): string => escapeUnsafe(JSON.stringify(text), yamlEscape);

const scalar = (value: unknown): string => {
  if (typeof value === 'string') return bare.test(value) && !reserved.test(value) ? value : quoted(value);
  // YAML 1.1, as PyYAML reads it, takes `1e-7` for a text.
  return (jsonText(value) ?? 'null').replace(/^(-?\d+)e/, '$1.0e');
};

const isBranch = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

const linesOf = (value: unknown): string[] => {
  if (!isBranch(value)) return [scalar(value)];
  return Array.isArray(value) ? value.flatMap(itemLines) : Object.entries(value).flatMap(entryLines);
};

const itemLines = (item: unknown): string[] => linesOf(item).map((line, i) => (i === 0 ? '- ' : '  ') + line);

/** A longer key must be announced, because a reader looks no further ahead (YAML 1.2.2 §7.4.2). */
const longestKey = 1000;

const entryLines = ([key, value]: [string, unknown]): string[] => {
  const name = scalar(key);
  const start = name.length > longestKey ? [`? ${name}`, ':'] : [`${name}:`];
  if (isBranch(value)) return [...start, ...linesOf(value).map((line) => `  ${line}`)];
  return start.with(-1, `${start.at(-1)} ${scalar(value)}`);
};

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

export const yamlDocument = (value: unknown): string => joined(linesOf(value));

/** One item of a sequence at the top, so that a list can be written as it arrives. */
export const yamlItem = (value: unknown): string => joined(itemLines(value));
