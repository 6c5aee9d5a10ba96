import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const ascii = /^[ -~]*$/;
const severalLetters = /\p{L}.*\p{L}/su;
const jamo = /[\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB]/;

/** Columns a terminal gives to sanitised text. */
export const width = (text: string): number => {
  if (ascii.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += clusterWidth(segment);
  return columns;
};

// string-width counts one letter in a cluster, but Indic conjuncts and Thai sara am are drawn letter by letter (seen in
// tmux). Jamo do melt into one syllable, and emoji have no letters.
const clusterWidth = (cluster: string): number =>
  severalLetters.test(cluster) && !jamo.test(cluster)
    ? [...cluster].reduce((columns, char) => columns + stringWidth(char), 0)
    : stringWidth(cluster);

/** Text in at most so many columns; what is left out shows as `…`, and no character is split. */
export const shorten = (text: string, columns: number): string => {
  if (width(text) <= columns) return text;
  if (columns < 1) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += clusterWidth(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
};

export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - width(text)));
