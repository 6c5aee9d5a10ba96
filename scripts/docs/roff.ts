import type { HelpLayout } from '../../src/cli/help/help-page.ts';
import { commandLines } from '../../src/cli/messages/command-lines.ts';

/*
 * Text in the language of man pages. A plain `-` or `'` would become a typographic one, which no shell understands, so
 * every one is escaped.
 */

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

const unicode = (character: string): string =>
  `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;

/** Any text, as part of a line. */
export const escaped = (text: string): string =>
  text.replace(/[\\'`^~-]/g, (character) => escapes[character]!).replace(/[^\x20-\x7e]/gu, unicode);

/** A line of text: `.` at its start would make it a request. */
const textLine = (line: string): string => (line.startsWith('.') ? `\\&${line}` : line);

/** Longer lines of source are hard to compare. */
const longest = 78;

/** Broken after each sentence, as roff wants it to space them, and wherever a line would be too long. */
export const wrapped = (text: string): string[] => {
  const lines: string[] = [];
  for (const sentence of text.split(/(?<=[.!?:]) +/)) {
    let line = '';
    for (const word of escaped(sentence).split(/ +/)) {
      if (line !== '' && line.length + 1 + word.length > longest) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines.map(textLine);
};

/** Flags in bold and the names of their values in italics; any other term in bold. */
const term = (text: string): string => {
  if (!text.startsWith('-')) return `\\fB${escaped(text)}\\fR`;
  return escaped(text)
    .replace(/(\\-)+[a-z](?:[a-z\d]|\\-)*/g, '\\fB$&\\fR')
    .replace(/(?<=[ =])[A-Z][A-Z|=]*/g, '\\fI$&\\fR');
};

/** Space for a command line where the page is 80 columns wide. */
const commandColumns = 70;

const commands = (lines: readonly string[]): string =>
  [
    '.PP',
    '.RS 4',
    '.EX',
    ...lines.flatMap((line) => commandLines(line, commandColumns, '')).map((line) => textLine(escaped(line))),
    '.EE',
    '.RE',
  ].join('\n');

const paragraph = (text: string): string => ['.PP', ...wrapped(text)].join('\n');

/** Lines of a text in runs of the same kind: indented command lines, or words. */
const runsOf = (text: string): string[][] => {
  const runs: string[][] = [];
  for (const line of text.split('\n')) {
    const last = runs.at(-1);
    if (last !== undefined && last[0]!.startsWith('  ') === line.startsWith('  ')) last.push(line);
    else runs.push([line]);
  }
  return runs;
};

const subsection = (heading: string): string => `.SS ${escaped(heading)}`;

export const roff: HelpLayout = {
  items: (pairs, heading) =>
    [
      ...(heading === undefined ? [] : [subsection(heading.replace(/:$/, ''))]),
      ...pairs.flatMap(([name, meaning]) => ['.TP', textLine(term(name)), ...wrapped(meaning)]),
    ].join('\n'),
  commands,
  text: (words) =>
    runsOf(words)
      .map((lines) =>
        lines[0]!.startsWith('  ') ? commands(lines.map((line) => line.trim())) : lines.map(paragraph).join('\n'),
      )
      .join('\n'),
};
