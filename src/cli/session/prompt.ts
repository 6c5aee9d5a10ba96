import { capital, formatNumber } from '../../base/numbers.ts';
import type { Shell } from '../../base/shell-quote.ts';
import type { Color } from '../../output/color.ts';
import { safe } from '../../output/sanitize.ts';
import { commandAtEnd, commandLines, withTypedCommand } from '../messages/command-lines.ts';

import type { Shell as Context } from './context.ts';

export type Facts = readonly (readonly [label: string, value: string])[];

/** A change to confirm. */
export interface Change {
  question: string;
  /** Whether the change can't be undone. */
  isFinal?: boolean | undefined;
  /** The things that change, one per line. A line has parts: `Mon 16 Nov 12:00–12:30  Consultation · Ada Byron`. */
  list?: readonly string[];
  /** How many things the list leaves out. */
  more?: number;
  /** The change itself in aligned lines: `from` and `to`. */
  details?: Facts;
  /** Facts shown with the question, so that a mistake is noticed. */
  facts: Facts;
  /** Where the change happens: organization, profile, service. */
  place?: Facts;
}

export interface YesNoQuestion extends Change {
  /** What each answer does, for `--accessible`. */
  yes: string;
  no: string;
}

/** The facts for a question, one per line. Not aligned in accessible mode, for screen readers. */
export const factLines = (facts: Facts, isAccessible: boolean): string[] => {
  const width = Math.max(...facts.map(([label]) => label.length));
  return facts.map(([label, value]) =>
    isAccessible ? `${capital(label)}: ${safe(value)}` : `  ${label.padEnd(width)}  ${safe(value)}`,
  );
};

const moreLines = (more: number | undefined): string[] => (more ? [`and ${formatNumber(more)} more`] : []);

/** The question for a screen reader: each answer is a line of its own. */
const numberedQuestion = ({
  question,
  list = [],
  more,
  details = [],
  facts,
  place = [],
  yes,
  no,
}: YesNoQuestion): string =>
  [
    `Question: ${safe(question)}`,
    ...[...list, ...moreLines(more)].map((line) => safe(line).replace(/ {2}| · /g, ', ')),
    ...factLines([...details, ...facts, ...place], true),
    `1: ${yes}`,
    `2: ${no}`,
    'Number, or Enter for 2: ',
  ].join('\n');

/** Sets a variable of the shell. A line break inside would make it useless. */
const settingLine = /: (export \w+=|\$env:)/;

/** The question for a terminal, wrapped to its width. */
export const laidOut = async (
  { question, isFinal, list = [], more, details = [], facts, place = [] }: Change,
  columns: number,
  color?: Color,
  shell: Shell = { platform: '' },
): Promise<string[]> => {
  const { wrap } = await import('../../output/width.ts');
  const { createPaint } = await import('../../output/paint.ts');
  const paint = createPaint(color);
  const most = columns > 0 ? columns : 80;
  const wrapLine = (line: string, indent: number, hanging = indent): string[] => {
    const [start, text] = [line.slice(0, indent), line.slice(indent)];
    const [first, ...rest] = wrap(text, Math.max(most - hanging, 20));
    return [`${start}${first}`, ...rest.map((each) => ' '.repeat(hanging) + each)];
  };
  /** A thing that changes, or a command to copy: that is folded, because pasted lines would run one by one. */
  const listLine = (text: string): string[] => {
    const line = withTypedCommand(text, shell);
    const [, words, command] = commandAtEnd.exec(line) ?? [];
    if (command !== undefined && shell.platform === 'win32') return [`  ${words} ${command}`];
    if (command === undefined || line.length + 2 <= most) return wrapLine(`  ${mark}${line}`, 2 + mark.length, 4);
    return [`  ${words}`, ...commandLines(command, most, ' '.repeat(4))];
  };
  const mark = isFinal ? '× ' : '';
  const indent = Math.max(...details.map(([label]) => label.length)) + 4;
  return [
    ...wrapLine(safe(question), 0).map(isFinal ? paint.danger : paint.heading),
    ...list.flatMap((line) => listLine(safe(line))),
    ...moreLines(more).map((line) => `  ${line}`),
    ...factLines(details, false).flatMap((line) => wrapLine(line, indent)),
    ...factLines(facts, true).flatMap((line) => (settingLine.test(line) ? [line] : wrapLine(line, 0, 2))),
    ...(place.length === 0 ? [] : wrapLine(place.map(([, value]) => safe(value)).join(' · '), 0).map(paint.faint)),
  ];
};

/** Prompts for a line. Returns undefined after Ctrl-D. */
export const askLine = async (
  { runtime, notes }: Pick<Context, 'runtime' | 'notes'>,
  text: string,
  unwanted?: AbortSignal,
): Promise<string | undefined> => {
  await notes.flush();
  const start = text.lastIndexOf('\n') + 1;
  if (start > 0) await runtime.stderr.write(text.slice(0, start));
  const prompt = text.slice(start);
  let answer: string | undefined;
  try {
    answer = await runtime.keyboard.line(unwanted === undefined ? { prompt } : { prompt, unwanted });
  } finally {
    // Ctrl-D and a timeout leave the cursor after the prompt. After Ctrl-C, the error report starts a new line.
    if (answer === undefined && !runtime.interrupted.aborted) await runtime.stderr.write('\n');
  }
  return answer?.trim();
};

/**
 * Prompts with `shown`, or with numbered answers in accessible mode. Call it only if `canAsk`. Returns true only for a
 * plain yes.
 */
export const askYes = async (context: Context, question: YesNoQuestion, prompt: string): Promise<boolean> => {
  const { accessible } = context.settings;
  const answer = (await askText(context, accessible ? numberedQuestion(question) : prompt)).toLowerCase();
  return answer === 'y' || answer === 'yes' || (accessible && answer === '1');
};

/** Prompts for text. Returns an empty string if nothing was entered. */
export const askText = async (context: Context, prompt: string): Promise<string> =>
  (await askLine(context, prompt)) ?? '';
