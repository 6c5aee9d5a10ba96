import { input } from '@inquirer/prompts';
import { SchedError } from '../../base/errors.ts';
import { asciiForm, needsAscii } from '../../output/ascii.ts';
import { createPaint, type Paint } from '../../output/paint.ts';
import { safe } from '../../output/sanitize.ts';
import { shorten, width, wrap } from '../../output/width.ts';
import {
  type Asker,
  type Choice,
  type ChooseOptions,
  endOfInput,
  labelText,
  missingText,
  type Offer,
  offersFor,
  type Question,
  questionText,
} from './asker.ts';
import type { Shell } from './context.ts';
import { pick } from './picker.ts';

const unchanged = (text: string): string => text;

/** The library colors everything by itself, whatever the terminal and the user want. */
const plainTheme = {
  prefix: { idle: '?', done: '✔' },
  style: {
    answer: unchanged,
    message: unchanged,
    error: (text: string) => `> ${text}`,
    defaultAnswer: (text: string) => `(${text})`,
    help: unchanged,
    highlight: unchanged,
  },
};

/** A terminal, and how prompts look there. */
interface Screen extends Pick<Shell, 'runtime' | 'notes'> {
  columns: number;
  isAscii: boolean;
  paint: Paint;
  theme: Partial<typeof plainTheme>;
}

const screenOf = ({ runtime, notes }: Shell): Screen => ({
  runtime,
  notes,
  columns: runtime.stderr.columns || 80,
  isAscii: needsAscii(runtime.env),
  paint: createPaint(notes.color),
  theme: notes.color ? {} : plainTheme,
});

interface PromptStreams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

/** Ends the prompt with the error of work that it waits for. The library would leave such an error unhandled. */
type OrFail = <Result>(work: Promise<Result>) => Promise<Result>;

/** Without this, Ctrl-D and Esc leave a prompt waiting forever. */
const untilEnd = async <Answer>(
  { runtime, notes }: Screen,
  prompt: (streams: PromptStreams, orFail: OrFail) => Promise<Answer>,
): Promise<Answer> => {
  await notes.flush();
  const { input: keyboard, output, release } = runtime.promptStreams!();
  const end = new AbortController();
  const onKey = (_: unknown, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.name === 'escape' || (key?.ctrl && key.name === 'd')) end.abort(endOfInput());
  };
  const orFail: OrFail = (work) =>
    work.catch((error: unknown) => {
      end.abort(error);
      return new Promise(() => {});
    });
  keyboard.on('keypress', onKey);
  try {
    const signal = AbortSignal.any([runtime.interrupted, end.signal]);
    return await prompt({ input: keyboard, output, signal }, orFail);
  } catch (error) {
    runtime.interrupted.throwIfAborted();
    if (end.signal.aborted) throw end.signal.reason;
    // The prompt reads Ctrl-C as a key, so no signal is sent.
    if (error instanceof Error && error.name === 'ExitPromptError') throw new SchedError('interrupted', 'Interrupted');
    throw error;
  } finally {
    keyboard.off('keypress', onKey);
    release();
  }
};

const askText = (screen: Screen, { label, what, preset, isOptional = false, check }: Question): Promise<string> =>
  untilEnd(screen, async (streams, orFail) => {
    const validate = async (answer: string) => {
      if (answer.trim() === '' && !isOptional && preset === undefined)
        return missingText(what, ', or press esc to stop');
      return safe((check && (await orFail(check(answer.trim())))) ?? '') || true;
    };
    const presetText = preset === undefined ? {} : { default: safe(preset) };
    const answer = await input({ message: questionText(label), theme: screen.theme, ...presetText, validate }, streams);
    return answer.trim();
  });

const drawable = (isAscii: boolean, text: string): string => (isAscii ? asciiForm(text) : text);

/** Each choice takes one line, after two marks and a blank. Under the cursor it may take two. */
const choiceRoom = ({ columns }: Screen): number => columns - 4;

const fitLine = (screen: Screen, text: string): string =>
  drawable(screen.isAscii, shorten(labelText(text), choiceRoom(screen)));

const fitOffer = (screen: Screen, offer: Offer): Offer => {
  const lines = wrap(drawable(screen.isAscii, labelText(offer.label)), choiceRoom(screen));
  const whole = lines.length === 2 ? { whole: lines.join('\n    ') } : {};
  return { ...offer, label: fitLine(screen, offer.label), ...whole };
};

/** The keys of a list, after facts about it. */
const keysLine = (
  { columns, isAscii }: Screen,
  facts: readonly string[],
  isSeveral: boolean,
  { readOther, other = 'answer' }: ChooseOptions,
): string => {
  const filter = readOther === undefined ? 'type to filter' : `type to filter, or type another ${other}`;
  const [move, take, bar] = isAscii ? ['up/down', 'enter choose', ' | '] : ['↑↓', '⏎ choose', ' · '];
  let parts = [...facts, filter, move!, ...(isSeveral ? ['space: several'] : []), take!, 'esc stop'];
  // On a narrow screen, the keys that everybody knows are left out first. A line that wraps would stay behind.
  for (const known of [move, 'esc stop', take])
    if (width(parts.join(bar)) >= columns) parts = parts.filter((part) => part !== known);
  return drawable(isAscii, shorten(parts.join(bar), columns - 1));
};

const askChoices = (
  screen: Screen,
  label: string,
  choices: readonly Choice[],
  isSeveral: boolean,
  options: ChooseOptions,
): Promise<string[]> => {
  const { runtime, columns, isAscii, paint, theme } = screen;
  const { readOther, note } = options;
  const noteLines = note === undefined ? [] : wrap(note, columns - 1);
  return untilEnd(screen, (streams, orFail) =>
    pick(
      {
        message: questionText(label),
        isSeveral,
        help: (count, position) => {
          const facts = [...(count > 0 ? [`${count} chosen`] : []), ...position];
          return [...noteLines, keysLine(screen, facts, isSeveral, options)].join('\n');
        },
        columns,
        // A question, a note, the keys and a problem need lines too.
        pageSize: Math.max(3, Math.min(12, (runtime.stderr.rows ?? 24) - 5 - Math.max(1, noteLines.length))),
        marks: isAscii ? { cursor: '>', checked: 'x' } : { cursor: '❯', checked: '✔' },
        theme,
        paint,
        offers: (line) => offersFor(choices, line, readOther).map((offer) => fitOffer(screen, offer)),
        readOther:
          readOther &&
          (async (line) => {
            const read = await orFail(readOther(line));
            return 'problem' in read ? { problem: fitLine(screen, read.problem) } : read;
          }),
      },
      streams,
    ),
  );
};

/** Prompts that are redrawn while the user types and moves. */
export const promptAsker = (context: Shell): Asker => {
  const screen = screenOf(context);
  return {
    text: (question) => askText(screen, question),
    choose: async (label, choices, options = {}) => (await askChoices(screen, label, choices, false, options))[0]!,
    chooseSeveral: (label, choices, options = {}) => askChoices(screen, label, choices, true, options),
  };
};
