import stringWidth from 'string-width';
import { once } from '../base/once.ts';

/** Made on first use: that takes ten milliseconds, and most text needs none. */
const segmenter = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));
const clustersOf = (text: string): Intl.Segments => segmenter().segment(text);

const ascii = /^[ -~]*$/;
const asciiRun = /[ -~]+(?=[ -~])/g;
/**
 * European letters, the dot of an event, blocks of bars, ideographs, kana and Hangul. None combine; those from
 * `firstWide` are wide.
 */
const plain =
  /^[ -~\u00A1-\u00AC\u00AE-\u024F\u0391-\u03C9\u0410-\u044F\u2013\u2014\u2018-\u201D\u2026\u2581-\u258F\u25CF\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF\uAC00-\uD7A3]*$/;
const firstWide = 0x3041;
const severalLetters = /\p{L}.*\p{L}/su;
const jamo = /[\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB]/;

/** The number of columns sanitized text takes on a terminal. */
export const width = (text: string): number => {
  if (ascii.test(text)) return text.length;
  let columns = 0;
  // Splitting text into clusters is slow, and most text doesn't need it.
  if (plain.test(text)) {
    for (let i = 0; i < text.length; i += 1) columns += text.charCodeAt(i) < firstWide ? 1 : 2;
    return columns;
  }
  // In a run of ASCII, only the last character can combine with the next one.
  const rest = text.replace(asciiRun, '');
  columns += text.length - rest.length;
  for (const { segment } of clustersOf(rest)) columns += clusterWidth(segment);
  return columns;
};

// string-width counts one letter per cluster, but terminals draw Indic conjuncts and Thai sara am letter by letter
// (seen in tmux). Jamo combine into one syllable, and emoji have no letters.
const clusterWidth = (cluster: string): number =>
  severalLetters.test(cluster) && !jamo.test(cluster)
    ? [...cluster].reduce((columns, char) => columns + stringWidth(char), 0)
    : stringWidth(cluster);

/** The columns of the widest line. */
export const widest = (text: string): number => Math.max(...text.split('\n').map(width));

/** Cuts text to at most this many columns. A cut is marked with `…` and never splits a character. */
export const shorten = (text: string, columns: number): string => {
  if (width(text) <= columns) return text;
  if (columns < 1) return '';
  if (ascii.test(text)) return `${text.slice(0, columns - 1).trimEnd()}…`;
  let start = '';
  let columnsUsed = 0;
  for (const { segment } of clustersOf(text)) {
    columnsUsed += clusterWidth(segment);
    if (columnsUsed > columns - 1) break;
    start += segment;
  }
  // A dot between two parts means nothing without the second one.
  return `${start.replace(/(\s+·)?\s*$/, '')}…`;
};

export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - width(text)));

const copyable = /^<?(?:https?:\/\/|~?\/|sha256:|[\w.+-]+@)[!-~]+$/;

/** Splits a word into pieces that fit. URLs, email addresses, paths and hashes stay whole, so users can copy them. */
const pieces = (word: string, columns: number): string[] => {
  if (width(word) <= columns || copyable.test(word)) return [word];
  const lines = [''];
  let columnsUsed = 0;
  for (const { segment } of clustersOf(word)) {
    const size = clusterWidth(segment);
    if (columnsUsed + size > columns && columnsUsed > 0) {
      lines.push('');
      columnsUsed = 0;
    }
    lines.push(lines.pop() + segment);
    columnsUsed += size;
  }
  return lines;
};

/** Wraps sanitized text to this many columns, between words if possible. */
export const wrap = (text: string, columns: number): string[] => {
  if (width(text) <= columns) return [text];
  const lines: string[] = [];
  let columnsUsed = columns;
  for (const piece of text.split(' ').flatMap((word) => pieces(word, columns))) {
    const size = width(piece);
    if (columnsUsed + 1 + size <= columns) {
      lines.push(`${lines.pop()} ${piece}`);
      columnsUsed += 1 + size;
    } else {
      lines.push(piece);
      columnsUsed = size;
    }
  }
  return lines.map((line) => line.trimEnd());
};
