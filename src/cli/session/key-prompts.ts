import { input, search } from '@inquirer/prompts';
import { SchedError } from '../../errors.ts';
import { safe } from '../../output/sanitize.ts';
import { shorten } from '../../output/width.ts';
import { type Asker, endOfInput, labelText, matching } from './asker.ts';
import type { Context } from './context.ts';

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
    searchTerm: unchanged,
    description: unchanged,
    keysHelpTip: (keys: [key: string, action: string][]) => keys.map((key) => key.join(' ')).join(' • '),
  },
};

interface PromptStreams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

/** Prompts that are redrawn while the user types and moves. */
export const promptAsker = ({ runtime, notes }: Context): Asker => {
  const look = notes.color ? {} : { theme: plainTheme };
  // Each choice takes one line, after a mark and a blank.
  const room = (runtime.stderr.columns || 80) - 3;

  /** Without this, Ctrl-D leaves a prompt waiting forever. */
  const untilCtrlD = async <Answer>(prompt: (streams: PromptStreams) => Promise<Answer>): Promise<Answer> => {
    await notes.flush();
    const { input: keyboard, output, release } = runtime.promptStreams!();
    const ended = new AbortController();
    const onKey = (_: unknown, key?: { ctrl?: boolean; name?: string }) => {
      if (key?.ctrl && key.name === 'd') ended.abort();
    };
    keyboard.on('keypress', onKey);
    try {
      const signal = AbortSignal.any([runtime.interrupted, ended.signal]);
      return await prompt({ input: keyboard, output, signal });
    } catch (error) {
      runtime.interrupted.throwIfAborted();
      if (ended.signal.aborted) throw endOfInput();
      // The prompt reads Ctrl-C as a key, so no signal is sent.
      if (error instanceof Error && error.name === 'ExitPromptError')
        throw new SchedError('interrupted', 'Interrupted');
      throw error;
    } finally {
      keyboard.off('keypress', onKey);
      release();
    }
  };

  return {
    text: ({ label, preset, check }) =>
      untilCtrlD((streams) =>
        input(
          {
            message: `${labelText(label)}:`,
            required: true,
            ...look,
            ...(preset === undefined ? {} : { default: safe(preset) }),
            validate: async (answer) => safe((await check?.(answer.trim())) ?? '') || true,
          },
          streams,
        ).then((answer) => answer.trim()),
      ),
    choose: (label, choices) =>
      untilCtrlD((streams) =>
        search(
          {
            message: `${labelText(label)}:`,
            pageSize: 12,
            ...look,
            source: (term = '') =>
              matching(choices, term).map(({ value, label }) => ({ value, name: shorten(labelText(label), room) })),
          },
          streams,
        ),
      ),
  };
};
