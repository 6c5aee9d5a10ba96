import { capital } from '../../base/numbers.ts';
import type { Shell } from '../../base/shell-quote.ts';
import { type Sentence, type Spelling, spell, words } from '../../base/words.ts';
import type { Color } from '../../output/color.ts';
import type { Tone } from '../../output/paint.ts';
import { escapeJson, safe, safeForRunner } from '../../output/sanitize.ts';
import type { Output, StatusLine, TextLengths } from '../../runtime.ts';
import { commandAtEnd, commandLines, withTypedCommand } from './command-lines.ts';

/** A line below what was done, which may have a label: `Join  https://…`. */
export type Below = string | readonly [label: string, value: string] | undefined;

/** Writes notes to stderr while a command runs: one sentence or one JSON object per line. */
export interface Notes {
  /** Prints a note unless `--quiet` is set. */
  info(text: Sentence, style?: 'heading'): void;
  /** Prints a warning, even with `--quiet`. */
  warn(text: Sentence): void;
  /** Prints a note, even with `--quiet`. */
  always(text: Sentence): void;
  /**
   * Prints what a write has done: to a person as a sentence with a mark, and lines below it. Resolves when it is written.
   * Others read the command that undoes it as a sentence.
   */
  done(text: Sentence, sentence?: Sentence, below?: readonly Below[], undo?: string): Promise<void>;
  /** Prints what was refused, to a person with a mark. Resolves when it is written. */
  refused(text: Sentence): Promise<void>;
  /**
   * Prints once where answers come from if not from the only service: `sandbox`, or a profile. Several places stand beside
   * each other. `--quiet` drops them on a terminal.
   */
  place(name: string, readers?: 'people'): void;
  /** The place, if nobody has said it yet. The caller says it, in a heading. */
  takePlace(): string | undefined;
  /** Prints a note on a terminal only, for information that scripts don't need. */
  footer(text: Sentence): void;
  /** Returns the number of requests still to send, if set. `isMost`: the number is an upper limit. */
  ahead?: (() => { requests: number; isMost: boolean }) | undefined;
  problems: ProblemLog;
  /** Says how many rows of a list have arrived, and 0 at its end. */
  rows(count: number): void;
  /** Says why it waits for so many seconds, and counts them down if it can. */
  countDown(seconds: number, text: (seconds: number) => TextLengths): void;
  /** Draws a text as the last line of a terminal, again every second. Returns false if there is no such line. */
  draw(text: Parameters<StatusLine['draw']>[0]): boolean;
  /** Keeps the last line up to date, and says how to stop. Returns a function that ends that. */
  alive(text: () => Alive): () => void;
  /** Resolves when all notes are written. */
  flush(): Promise<void>;
  quiet: boolean;
  /** Whether stderr has colors. */
  readonly color: Color | undefined;
}

/** Problems that an answer will name. A log has each at once; a person who sees the answer reads them there. */
export interface ProblemLog {
  /** Says a problem now, unless a person will see the answer. */
  add(text: () => Promise<string> | string): Promise<void>;
  /** Says them to that person after all, because there will be no answer. */
  withoutAnswer(texts: readonly string[]): void;
}

/** What can be said while a command works. The shell says what it has done. */
export type WorkNotes = Pick<
  Notes,
  'info' | 'warn' | 'always' | 'refused' | 'problems' | 'place' | 'ahead' | 'rows' | 'countDown' | 'draw' | 'alive'
>;

/** What the last line of a terminal says. */
export interface Alive {
  name: string;
  at?: string;
  facts: readonly string[];
}

/** The command that undoes a write, as a sentence. */
export const undoWords = (line: string): string => `Undo: ${line}`;

/** Notes which columns are hidden because the terminal is too narrow. */
export const noteHidden = (notes: Notes, columns: readonly string[]): void => {
  if (columns.length > 0) notes.footer(`${columns.join(', ')} hidden: terminal too narrow`);
};

/** Wraps a sentence at spaces to the width of the terminal. A command at its end goes below, so that it can be copied. */
const fitSentence = async (line: string, columns: number, isWindows: boolean): Promise<string> => {
  if (line.length <= columns || (isWindows && commandAtEnd.test(line))) return line;
  const { wrap } = await import('../../output/width.ts');
  const sentence = (text: string) => wrap(text, columns - 2).join('\n  ');
  const [, words, command] = commandAtEnd.exec(line) ?? [];
  if (command !== undefined) {
    const indent = words!.startsWith(' ') ? '    ' : '  ';
    return [sentence(words!.trimEnd()), ...commandLines(command, columns, indent)].join('\n');
  }
  // A line break inside a command would make it useless. After a stop, sched is the subject of a sentence.
  return /(?<!^|[.,;] )\b(sched|export) /.test(line) ? line : sentence(line);
};

/** The parts of a line as a screen reader reads them: it would read the dots between them. */
export const spokenText = (text: string): string => text.replaceAll(' · ', ', ');

/** ` (sandbox)`, at the end of a heading. */
export const inBrackets = (place: string | undefined): string => (place === undefined ? '' : ` (${place})`);

type Write = (text: string, style?: Tone) => void;

/** The lines below what was done, with their labels in a column. Without a mark, a screen reader reads plain sentences. */
const belowLines = (below: readonly Below[], mark: string): string[] => {
  const labels = below.flatMap((line) => (line === undefined || typeof line === 'string' ? [] : [line[0].length]));
  const beside = mark === '' ? 0 : Math.max(0, ...labels) + 2;
  return below.flatMap((line) => {
    if (line === undefined) return [];
    const [label, text] = typeof line === 'string' ? ['', line] : [line[0].padEnd(beside), line[1]];
    return mark === '' ? spokenText([label, text].filter(Boolean).join(': ')) : `  ${label}${text}`;
  });
};

const notesTo = (
  write: Write,
  how: Pick<Notes, 'color' | 'flush'>,
  isJson: boolean,
  /** The mark before what was done, for a person. */
  doneMark: string | undefined,
  spelling?: Spelling,
): Notes => {
  const isForPerson = doneMark !== undefined;
  let place: { name: string; isDue: boolean } | undefined;
  const sayPlace = (): void => {
    const name = notes.takePlace();
    if (name !== undefined) write(isJson ? name : `[${name}]`, 'faint');
  };
  const say = (text: Sentence, style?: Tone): void => {
    sayPlace();
    write(spell(text, spelling), style);
  };
  const notes: Notes = {
    quiet: false,
    ...how,
    // Without a terminal, there is no reader to wait for an answer, and nothing can be drawn.
    problems: { add: async (text) => notes.warn(await text()), withoutAnswer: () => {} },
    rows: () => {},
    countDown: (seconds, text) => notes.info(text(seconds)[0]!),
    draw: () => false,
    alive: () => () => {},
    flush: () => {
      sayPlace();
      return how.flush();
    },
    info: (text, style) => {
      if (!notes.quiet) say(text, style);
    },
    warn: (text) => say(text, 'warning'),
    always: (text) => say(text),
    done: async (text, sentence = capital(spell(text, spelling)), rest = [], undo = undefined) => {
      if (notes.quiet) return;
      if (doneMark === undefined) {
        say(text);
        if (undo !== undefined) say(undoWords(undo));
      } else {
        const below = [...rest, undo === undefined ? undefined : (['Undo', undo] as const)];
        const [mark, place] = [doneMark, notes.takePlace()];
        const where = place === undefined ? '' : `${mark === '' ? ', ' : ' ·\u00A0'}${place}`;
        say(words`${mark}${sentence}${where}`, 'done');
        for (const line of belowLines(below, mark)) write(line);
      }
      await notes.flush();
    },
    refused: (text) => {
      notes.warn(doneMark ? words`✗ ${text}` : text);
      return notes.flush();
    },
    place: (name, readers) => {
      if (readers === 'people' && !isForPerson) return;
      const isKnown = place?.name.split(' · ').includes(name);
      place =
        place?.isDue && !isKnown ? { name: `${place.name} · ${name}`, isDue: true } : (place ?? { name, isDue: true });
      // A heading for people may say it.
      if (!isForPerson) sayPlace();
    },
    takePlace: () => {
      if (!place?.isDue) return undefined;
      place.isDue = false;
      return notes.quiet && isForPerson ? undefined : place.name;
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
  doneMark = '✔ ',
  shell: Shell = { platform: '' },
  /** The form of drawing characters that this terminal can show. */
  drawable: (text: string) => string = (text) => text,
): Notes => {
  let lastWrite: Promise<void> = Promise.resolve();
  const send = (text: string | Promise<string>): void => {
    // A closed stderr must not end the command.
    lastWrite = lastWrite.then(async () => stderr.write(await text)).catch(() => {});
  };
  const render = async (text: string, style?: Tone): Promise<string> => {
    const drawn = stderr.isTerminal ? drawable(text) : text;
    const line = safe(withTypedCommand(drawn, shell));
    // After wrapping: text that was harmless inside a line may now start one.
    const plain = safeForRunner(
      stderr.isTerminal && stderr.columns > 0
        ? await fitSentence(line, stderr.columns, shell.platform === 'win32')
        : line,
    );
    if (style === undefined || !color) return plain;
    const { createPaint } = await import('../../output/paint.ts');
    const paint = createPaint(color)[style];
    return style === 'done' ? plain.replace(/^\S+/, paint) : paint(plain);
  };
  const write: Write = (text, style) => {
    const line = isJson ? escapeJson(JSON.stringify({ note: text })) : render(text, style);
    send(Promise.resolve(line).then((each) => `${each}\n`));
  };
  return notesTo(write, { color, flush: () => lastWrite }, isJson, stderr.isTerminal && !isJson ? doneMark : undefined);
};

/** Notes that a program takes one by one instead of lines on stderr, in the words of its call. */
export const collectNotes = (take: (text: string) => void, spelling?: Spelling): Notes =>
  notesTo(take, { color: undefined, flush: async () => {} }, true, undefined, spelling);
