/** Help is laid out for this many columns where nobody says how wide the screen is. */
export const usualWidth = 80;

/** Words of a command line; what stands in quotes or in `$(…)` is one with what it touches. */
const wordsOf = (line: string): string[] => line.match(/(?:\$\([^)]*\)|'[^']*'|"[^"]*"|[^\s])+/g) ?? [];

/** A flag and its value, or an operator of the shell and its file, stay on one line. */
const chunksOf = (line: string): string[] => {
  const chunks: string[] = [];
  for (const word of wordsOf(line)) {
    const last = chunks.at(-1);
    const belongs = last !== undefined && /^(--?[\w-]+|[<>])$/.test(last) && !word.startsWith('-');
    if (belongs) chunks[chunks.length - 1] = `${last} ${word}`;
    else chunks.push(word);
  }
  return chunks;
};

/** A command line that can be copied as it stands: where it is too long it goes on behind a backslash. */
export const commandLines = (line: string, columns: number, indent = '  '): string[] => {
  if (indent.length + line.length <= columns) return [`${indent}${line}`];
  const lines: string[] = [];
  let current = '';
  for (const chunk of chunksOf(line)) {
    const longer = current === '' ? chunk : `${current} ${chunk}`;
    const used = indent.length + (lines.length > 0 ? 4 : 0);
    if (current !== '' && used + longer.length + 2 > columns) {
      lines.push(current);
      current = chunk;
    } else current = longer;
  }
  lines.push(current);
  return lines.map(
    (text, index) => `${indent}${index > 0 ? '    ' : ''}${text}${index < lines.length - 1 ? ' \\' : ''}`,
  );
};

/** A word in pieces that fit. An address stays whole: in pieces nobody could copy it. */
const pieces = (word: string, columns: number): string[] => {
  if (word.length <= columns || columns < 1 || /^https?:\/\//.test(word)) return [word];
  return word.match(new RegExp(`.{1,${columns}}`, 'g'))!;
};

/**
 * Our own words in lines that fit. Each of their characters is one column wide (a test sees to it), so nothing has to be
 * loaded that knows about wider ones: `output/width.ts` is for the words of others.
 */
export const wrapWords = (text: string, columns: number): string[] => {
  if (text.length <= columns) return [text];
  const lines: string[] = [];
  for (const piece of text.split(' ').flatMap((word) => pieces(word, columns))) {
    const longer = `${lines.at(-1)} ${piece}`;
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(piece);
  }
  return lines.map((line) => line.trimEnd());
};

/** Running text in lines that fit. What is indented is meant as it stands. */
export const paragraph = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap((line) => (line.startsWith('  ') ? [line] : wrapWords(line, columns)))
    .join('\n');

/** Terms and what they mean in two columns, the second one wrapped under itself. */
export const termRows = (
  pairs: readonly (readonly [string, string])[],
  columns: number = usualWidth,
  width: number = Math.max(...pairs.map(([term]) => term.length)) + 4,
): string[] =>
  pairs.flatMap(([term, text]) =>
    wrapWords(text, columns - width).map(
      (line, index) => `${index === 0 ? `  ${term}`.padEnd(width) : ' '.repeat(width)}${line}`,
    ),
  );
