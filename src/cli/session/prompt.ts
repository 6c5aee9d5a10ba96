import { safe } from '../../output/sanitise.ts';
import type { Context } from './context.ts';

/** A question to be answered with yes or no. */
export interface Question {
  question: string;
  /** What a mistake would show in, by its label. */
  facts: readonly (readonly [label: string, value: string])[];
  /** What follows from yes and from no, as a screen reader says it. */
  yes: string;
  no: string;
}

const capital = (label: string): string => label.charAt(0).toUpperCase() + label.slice(1);

/** The facts around a question, each on a line; for a screen reader nothing is lined up. */
export const factLines = (facts: Question['facts'], isAccessible: boolean): string[] => {
  const width = Math.max(...facts.map(([label]) => label.length));
  return facts.map(([label, value]) =>
    isAccessible ? `${capital(label)}: ${safe(value)}` : `  ${label.padEnd(width)}  ${safe(value)}`,
  );
};

/** The same question for a screen reader: every answer is a line of its own. */
const numbered = ({ question, facts, yes, no }: Question): string =>
  [`Question: ${safe(question)}`, ...factLines(facts, true), `1: ${yes}`, `2: ${no}`, 'Number, or Enter for 2: '].join(
    '\n',
  );

const answerTo = async ({ runtime, notes }: Context, prompt: string): Promise<string> => {
  await notes.flush();
  await runtime.stderr.write(prompt);
  return (await runtime.stdin.line())?.trim() ?? '';
};

/** Asks a person who is there (`canAsk`), in the words of `shown` unless answers are numbered. Nothing but a plain yes is one. */
export const askYes = async (context: Context, asked: Question, shown: string): Promise<boolean> => {
  const { accessible } = context.settings;
  const answer = (await answerTo(context, accessible ? numbered(asked) : shown)).toLowerCase();
  return answer === 'y' || answer === 'yes' || (accessible && answer === '1');
};

/** Asks for something to be typed; empty where nothing was. */
export const askText = (context: Context, prompt: string): Promise<string> => answerTo(context, prompt);
