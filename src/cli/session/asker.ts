import { SchedError } from '../../errors.ts';
import { cutLong } from '../../output/cells.ts';
import { safe } from '../../output/sanitize.ts';

/** A value to choose, and how people see it. */
export interface Choice {
  value: string;
  label: string;
}

export interface Question {
  label: string;
  /** The answer if nothing is typed. */
  preset?: string;
  /** The problem with an answer, or undefined if it is fine. */
  check?(answer: string): Promise<string | undefined>;
}

/** Asks for values on the terminal. Ctrl-C interrupts the command; Ctrl-D ends it with exit code 12. */
export interface Asker {
  text(question: Question): Promise<string>;
  choose(label: string, choices: readonly Choice[]): Promise<string>;
}

/** A name or question in a prompt. It comes from the network and may have any length: the rest must stay in sight. */
export const labelText = (text: string): string => safe(cutLong(text, 200));

export const endOfInput = (): SchedError =>
  new SchedError('confirmation-required', 'Stopped at a question. Nothing was changed');

export const matching = (choices: readonly Choice[], term: string): Choice[] =>
  choices.filter(({ label }) => label.toLowerCase().includes(term.trim().toLowerCase()));
