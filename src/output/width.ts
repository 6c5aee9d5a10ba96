import stringWidth from 'string-width';

let segmenter: Intl.Segmenter | undefined;

/** Making a segmenter takes ten milliseconds, and most text needs none. */
const clustersOf = (text: string): Intl.Segments => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
};

const ascii = /^[ -~]*$/;
const asciiRun = /[ -~]+(?=[ -~])/g;
/** Letters of Europe, ideographs, kana and Hangul syllables: each stands alone, the later ones two columns wide. */
const plain =
  /^[ -~\u00A1-\u00AC\u00AE-\u024F\u0391-\u03C9\u0410-\u044F\u2013\u2014\u2018-\u201D\u2026\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF\uAC00-\uD7A3]*$/;
const firstWide = 0x3041;
const severalLetters = /\p{L}.*\p{L}/su;
const jamo = /[\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB]/;

/** Columns a terminal gives to sanitised text. */
export const width = (text: string): number => {
  if (ascii.test(text)) return text.length;
  let columns = 0;
  // Cutting text into clusters is slow, and most text needs no cutting.
  if (plain.test(text)) {
    for (let i = 0; i < text.length; i += 1) columns += text.charCodeAt(i) < firstWide ? 1 : 2;
    return columns;
  }
  // Of a run of ASCII only the last character can have anything to do with what follows it.
  const rest = text.replace(asciiRun, '');
  columns += text.length - rest.length;
  for (const { segment } of clustersOf(rest)) columns += clusterWidth(segment);
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
  if (ascii.test(text)) return `${text.slice(0, columns - 1).trimEnd()}…`;
  let kept = '';
  let used = 0;
  for (const { segment } of clustersOf(text)) {
    used += clusterWidth(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
};

export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - width(text)));

const copied = /^(?:https?:\/\/|\/|sha256:|[\w.+-]+@)[!-~]+$/;

/** A word in pieces that fit. An address of a page or a person, a path or a hash stays whole: in pieces nobody could copy it. */
const pieces = (word: string, columns: number): string[] => {
  if (width(word) <= columns || copied.test(word)) return [word];
  const lines = [''];
  let used = 0;
  for (const { segment } of clustersOf(word)) {
    const taken = clusterWidth(segment);
    if (used + taken > columns && used > 0) {
      lines.push('');
      used = 0;
    }
    lines.push(lines.pop() + segment);
    used += taken;
  }
  return lines;
};

/** Sanitised text in lines of so many columns, broken between words where there are any. */
export const wrap = (text: string, columns: number): string[] => {
  if (width(text) <= columns) return [text];
  const lines: string[] = [];
  let used = columns;
  for (const piece of text.split(' ').flatMap((word) => pieces(word, columns))) {
    const taken = width(piece);
    if (used + 1 + taken <= columns) {
      lines.push(`${lines.pop()} ${piece}`);
      used += 1 + taken;
    } else {
      lines.push(piece);
      used = taken;
    }
  }
  return lines.map((line) => line.trimEnd());
};
