import { input } from '@inquirer/prompts';
import { SchedError } from '../../base/errors.ts';
import { asciiForm, needsAscii } from '../../output/ascii.ts';
import { createPaint } from '../../output/paint.ts';
import { safe } from '../../output/sanitize.ts';
import { shorten, width, wrap } from '../../output/width.ts';
import {
  type Asker,
  type Choice,
  type ChooseOptions,
  endOfInput,
  labelText,
  missingText,
  offersFor,
  questionText,
} from './asker.ts';
import type { Context } from './context.ts';
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

interface PromptStreams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

/** Ends the prompt with the error of work that it waits for. The library would leave such an error unhandled. */
type OrFail = <Result>(work: Promise<Result>) => Promise<Result>;

/** Prompts that are redrawn while the user types and moves. */
export const promptAsker = ({ runtime, notes }: Context): Asker => {
  const look = notes.color ? {} : { theme: plainTheme };
  const paint = createPaint(notes.color);
  const isAscii = needsAscii(runtime.env);
  const drawable = (line: string): string => (isAscii ? asciiForm(line) : line);
  // Each choice takes one line, after two marks and a blank. Under the cursor it may take two.
  const columns = runtime.stderr.columns || 80;
  const room = columns - 4;

  /** Without this, Ctrl-D and Esc leave a prompt waiting forever. */
  const untilEnd = async <Answer>(
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
      if (error instanceof Error && error.name === 'ExitPromptError')
        throw new SchedError('interrupted', 'Interrupted');
      throw error;
    } finally {
      keyboard.off('keypress', onKey);
      release();
    }
  };

  const choose = (
    label: string,
    choices: readonly Choice[],
    isSeveral: boolean,
    { readOther, note, other = 'answer' }: ChooseOptions,
  ): Promise<string[]> => {
    const filter = readOther === undefined ? 'type to filter' : `type to filter, or type another ${other}`;
    const [move, take] = isAscii ? ['up/down', 'enter'] : ['↑↓', '⏎'];
    const keys = [filter, move!, ...(isSeveral ? ['space: several'] : []), `${take} choose`, 'esc stop'];
    /** On a narrow screen, the keys that everybody knows are left out first. A line that wraps would stay behind. */
    const keysLine = (parts: readonly string[], known = [move!, 'esc stop', `${take} choose`]): string => {
      const line = parts.join(isAscii ? ' | ' : ' · ');
      if (width(line) < columns || known.length === 0) return drawable(shorten(line, columns - 1));
      return keysLine(
        parts.filter((part) => part !== known[0]),
        known.slice(1),
      );
    };
    const noteLines = note === undefined ? [] : wrap(note, columns - 1);
    const fitLine = (text: string): string => drawable(shorten(labelText(text), room));
    const wholeOf = (text: string): { whole?: string } => {
      const lines = wrap(drawable(labelText(text)), room);
      return lines.length === 2 ? { whole: lines.join('\n    ') } : {};
    };
    return untilEnd((streams, orFail) =>
      pick(
        {
          message: questionText(label),
          isSeveral,
          help: (count, position) => {
            const line = keysLine([...(count > 0 ? [`${count} chosen`] : []), ...position, ...keys]);
            return [...noteLines, line].join('\n');
          },
          columns,
          // A question, a note, the keys and a problem need lines too.
          pageSize: Math.max(3, Math.min(12, (runtime.stderr.rows ?? 24) - 5 - Math.max(1, noteLines.length))),
          marks: isAscii ? { cursor: '>', checked: 'x' } : { cursor: '❯', checked: '✔' },
          theme: look.theme ?? {},
          paint,
          offers: (line) =>
            offersFor(choices, line, readOther).map((offer) => ({
              ...offer,
              label: fitLine(offer.label),
              ...wholeOf(offer.label),
            })),
          readOther:
            readOther &&
            (async (line) => {
              const read = await orFail(readOther(line));
              return 'problem' in read ? { problem: fitLine(read.problem) } : read;
            }),
        },
        streams,
      ),
    );
  };

  return {
    text: ({ label, what, preset, isOptional = false, check }) =>
      untilEnd((streams, orFail) =>
        input(
          {
            message: questionText(label),
            ...look,
            ...(preset === undefined ? {} : { default: safe(preset) }),
            validate: async (answer) => {
              if (answer.trim() === '' && !isOptional && preset === undefined)
                return missingText(what, ', or press esc to stop');
              return safe((check && (await orFail(check(answer.trim())))) ?? '') || true;
            },
          },
          streams,
        ).then((answer) => answer.trim()),
      ),
    choose: async (label, choices, options = {}) => (await choose(label, choices, false, options))[0]!,
    chooseSeveral: (label, choices, options = {}) => choose(label, choices, true, options),
  };
};
