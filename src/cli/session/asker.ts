import { SchedError } from '../../base/errors.ts';
import { fold } from '../../base/nearest.ts';
import { cutLong } from '../../output/cells.ts';
import { safe } from '../../output/sanitize.ts';

/** A value to choose, and how people see it. */
export interface Choice {
  value: string;
  label: string;
  /** The label for a screen reader, if it needs other words. */
  spoken?: string;
  /** More words that find it. */
  words?: readonly string[];
  /** The color of its mark `●`, as `#rrggbb`. */
  color?: unknown;
}

interface Question {
  label: string;
  /** What to enter: `an email address`. */
  what?: string | undefined;
  /** The answer if nothing is entered. */
  preset?: string;
  /** Enter leaves it empty. */
  isOptional?: boolean;
  /** The problem with an answer, or undefined if it is fine. */
  check?(answer: string): Promise<string | undefined>;
}

/** Reads an answer that is not in the list: its value, or the problem with it. */
export type ReadOther = (line: string) => Promise<{ value: string } | { problem: string }>;

export interface ChooseOptions {
  /** What to know about the list, such as that it is not complete. */
  note?: string | undefined;
  /** Accepts entered text too. Without it, only the list can be chosen from. */
  readOther?: ReadOther | undefined;
  /** What that text is: `time`. */
  other?: string;
}

/** Asks for values on the terminal. Ctrl-C interrupts the command; Ctrl-D and Esc end it with exit code 12. */
export interface Asker {
  text(question: Question): Promise<string>;
  choose(label: string, choices: readonly Choice[], options?: ChooseOptions): Promise<string>;
  /** At least one of the choices. */
  chooseSeveral(label: string, choices: readonly Choice[], options?: Pick<ChooseOptions, 'note'>): Promise<string[]>;
}

/** A name or question in a prompt. It comes from the network and may have any length: the rest must stay in sight. */
export const labelText = (text: string): string => safe(cutLong(text, 200));

export const endOfInput = (): SchedError =>
  new SchedError('confirmation-required', 'Stopped at a question. Nothing was changed', {
    lines: ['Stopped. Nothing was changed.'],
  });

/** What is missing if nothing was entered. */
export const missingText = (what = 'an answer', stop = ''): string => `Enter ${what}${stop}`;

/** A label as a question: `Group:`, `Which event type?`. */
export const questionText = (label: string): string => `${labelText(label)}${/[?:\]]$/.test(label) ? '' : ':'}`;

export interface Offer extends Choice {
  /** The label in two lines, if the screen is too narrow for it in one. */
  whole?: string;
  /** The value is text that was entered, and isn't read yet. */
  isOther?: true;
}

/**
 * The choices that have all the words, those that begin with them first. If other answers are accepted, the last offer
 * is the entered text itself.
 */
export const offersFor = (choices: readonly Choice[], line: string, readOther?: ReadOther): Offer[] => {
  const words = fold(line);
  const fits = choices
    .map((choice) => ({ choice, text: fold([choice.label, ...(choice.words ?? [])].join(' ')) }))
    .filter(({ text }) => words.split(' ').every((word) => text.includes(word)));
  const isFirst = ({ text }: { text: string }): boolean => text.startsWith(words);
  return [
    ...[...fits.filter(isFirst), ...fits.filter((fit) => !isFirst(fit))].map(({ choice }) => choice),
    ...(readOther === undefined || words === ''
      ? []
      : [{ value: line.trim(), label: `use "${line.trim()}"`, isOther: true as const }]),
  ];
};
