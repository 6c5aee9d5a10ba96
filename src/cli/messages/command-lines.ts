import { type Shell, typedLine } from '../../base/shell-quote.ts';

/** Splits a command line into words. Text in quotes or in `$(…)` belongs to the word it touches. */
const shellWords = (line: string): string[] => line.match(/(?:\$\([^)]*\)|'[^']*'|"[^"]*"|[^\s])+/g) ?? [];

/** A flag and its value, or an operator of the shell and its file, stay on one line. */
const chunksOf = (line: string): string[] => {
  const chunks: string[] = [];
  for (const word of shellWords(line)) {
    const last = chunks.at(-1);
    const belongs = last !== undefined && /^(--?[\w-]+|[<>])$/.test(last) && !word.startsWith('-');
    if (belongs) chunks[chunks.length - 1] = `${last} ${word}`;
    else chunks.push(word);
  }
  return chunks;
};

/** A command line that can be copied unchanged. If it is too long, it continues after a backslash. */
export const commandLines = (line: string, columns: number, indent = '  '): string[] => {
  if (indent.length + line.length <= columns) return [`${indent}${line}`];
  const lines: string[] = [];
  let current = '';
  const tooLong = (chunk: string) => indent.length + 4 + chunk.length + 2 > columns;
  for (const chunk of chunksOf(line).flatMap((each) => (tooLong(each) ? shellWords(each) : [each]))) {
    const longer = current === '' ? chunk : `${current} ${chunk}`;
    const width = indent.length + (lines.length > 0 ? 4 : 0);
    if (current !== '' && width + longer.length + 2 > columns) {
      lines.push(current);
      current = chunk;
    } else current = longer;
  }
  lines.push(current);
  return lines.map(
    (text, index) => `${indent}${index > 0 ? '    ' : ''}${text}${index < lines.length - 1 ? ' \\' : ''}`,
  );
};

/** A sentence or a label with a command to copy at its end. */
export const commandAtEnd = /^(.*?:| {2}[A-Z]\w+ +) ?((?:command |mkdir [^&]+&& )?s(?:ched|ked) .*)$/;

/** A sentence or a label with the command at its end, or in brackets, as this person types it. */
export const withTypedCommand = (line: string, shell: Shell): string =>
  line
    .replace(commandAtEnd, (whole, _, command: string) => whole.slice(0, -command.length) + typedLine(command, shell))
    .replace(/(?<=\(see )sched (?=\S)/, `${shell.calledAs ?? 'sched'} `);
