import { capital } from '../../capital.ts';
import type { Color } from '../../output/color.ts';
import type { Tone } from '../../output/paint.ts';
import { escapeJson, safe, safeForRunner } from '../../output/sanitize.ts';
import type { Output } from '../../runtime.ts';
import { windowsLine } from '../../shell-quote.ts';
import { commandAtEnd, commandLines } from './command-lines.ts';

/** Writes notes to stderr while a command runs: one sentence or one JSON object per line. */
export interface Notes {
  /** Prints a note unless `--quiet` is set. */
  info(text: string, style?: 'heading'): void;
  /** Prints a warning, even with `--quiet`. */
  warn(text: string): void;
  /** Prints a note, even with `--quiet`. */
  always(text: string): void;
  /** Prints what a write has done: to a person as a sentence with a mark. Resolves when it is written. */
  done(text: string, sentence?: string): Promise<void>;
  /** Prints once that the command runs in the sandbox. Only on a terminal, `--quiet` drops it. */
  sandbox(): void;
  /** Whether the command runs in the sandbox and nobody has said so yet. The caller says it, in a heading. */
  takeSandbox(): boolean;
  /** Prints a note on a terminal only, for information that scripts don't need. */
  footer(text: string): void;
  /** Returns the number of requests still to send, if set. `isMost`: the number is an upper limit. */
  ahead?: (() => { requests: number; isMost: boolean }) | undefined;
  /** Resolves when all notes are written. */
  flush(): Promise<void>;
  quiet: boolean;
  /** Whether stderr has colors. */
  readonly color: Color | undefined;
}

/** Notes which columns are hidden because the terminal is too narrow. */
export const noteHidden = (notes: Notes, columns: readonly string[]): void => {
  if (columns.length > 0) notes.footer(`${columns.join(', ')} hidden: terminal too narrow`);
};

/** Wraps a sentence at spaces to the width of the terminal. A command at its end goes below, so that it can be copied. */
const fitted = async (line: string, columns: number, isWindows: boolean): Promise<string> => {
  if (line.length <= columns || (isWindows && commandAtEnd.test(line))) return line;
  const { wrap } = await import('../../output/width.ts');
  const sentence = (text: string) => wrap(text, columns - 2).join('\n  ');
  const [, words, command] = commandAtEnd.exec(line) ?? [];
  if (command !== undefined) return [sentence(words!), ...commandLines(command, columns)].join('\n');
  // A line break inside a command would make it useless. After a stop, sched is the subject of a sentence.
  return /(?<!^|[.,;] )\b(sched|export) /.test(line) ? line : sentence(line);
};

type Write = (text: string, style?: Tone) => void;

const notesTo = (
  write: Write,
  how: Pick<Notes, 'color' | 'flush'>,
  isJson: boolean,
  /** Returns the mark before what was done, for a person. */
  doneMark: (() => Promise<string>) | undefined,
): Notes => {
  const isForPerson = doneMark !== undefined;
  let sandbox: 'unsaid' | 'due' | 'said' = 'unsaid';
  const saySandbox = (): void => {
    if (notes.takeSandbox()) write(isJson ? 'sandbox' : '[sandbox]', 'faint');
  };
  const say: Write = (text, style) => {
    saySandbox();
    write(text, style);
  };
  const notes: Notes = {
    quiet: false,
    ...how,
    flush: () => {
      saySandbox();
      return how.flush();
    },
    info: (text, style) => {
      if (!notes.quiet) say(text, style);
    },
    warn: (text) => say(text, 'warning'),
    always: (text) => say(text),
    done: async (text, sentence = capital(text)) => {
      if (notes.quiet) return;
      if (doneMark === undefined) say(text);
      else say(`${await doneMark()}${sentence}${notes.takeSandbox() ? ' (sandbox)' : ''}`, 'done');
      await notes.flush();
    },
    sandbox: () => {
      if (sandbox === 'unsaid') sandbox = 'due';
      // A heading for people may say it.
      if (!isForPerson) saySandbox();
    },
    takeSandbox: () => {
      const isDue = sandbox === 'due';
      sandbox = isDue ? 'said' : sandbox;
      return isDue && !(notes.quiet && isForPerson);
    },
    footer: (text) => {
      if (!notes.quiet && isForPerson) say(text, 'faint');
    },
  };
  return notes;
};

export const createNotes = (
  stderr: Output,
  isJson: boolean,
  color?: Color,
  doneMark: () => Promise<string> = async () => '✔ ',
  isWindows = false,
): Notes => {
  let written: Promise<void> = Promise.resolve();
  const send = (text: string | Promise<string>): void => {
    // A closed stderr must not end the command.
    written = written.then(async () => stderr.write(await text)).catch(() => {});
  };
  const shown = async (text: string, style?: Tone): Promise<string> => {
    const forShell = (_: string, words: string, command: string) => `${words} ${windowsLine(command)}`;
    const line = safe(isWindows ? text.replace(commandAtEnd, forShell) : text);
    // After wrapping: text that was harmless inside a line may now start one.
    const plain = safeForRunner(
      stderr.isTerminal && stderr.columns > 0 ? await fitted(line, stderr.columns, isWindows) : line,
    );
    if (style === undefined || !color) return plain;
    const { createPaint } = await import('../../output/paint.ts');
    const paint = createPaint(color)[style];
    return style === 'done' ? plain.replace(/^\S+/, paint) : paint(plain);
  };
  const write: Write = (text, style) => {
    const line = isJson ? escapeJson(JSON.stringify({ note: text })) : shown(text, style);
    send(Promise.resolve(line).then((each) => `${each}\n`));
  };
  return notesTo(write, { color, flush: () => written }, isJson, stderr.isTerminal && !isJson ? doneMark : undefined);
};

/** Notes that a program takes one by one instead of lines on stderr. */
export const collectNotes = (take: (text: string) => void): Notes =>
  notesTo(take, { color: undefined, flush: async () => {} }, true, undefined);
