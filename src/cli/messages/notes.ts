import { escapeJson, safe, safeForRunner } from '../../output/sanitise.ts';
import type { Output } from '../../runtime.ts';

/** Writes notes to stderr while a command runs: one sentence or one JSON object per line. */
export interface Notes {
  /** Prints a note unless `--quiet` is set. */
  info(text: string): void;
  /** Prints a note, even with `--quiet`. */
  warn(text: string): void;
  /** Prints once, even with `--quiet`, that the command runs in the sandbox. */
  sandbox(): void;
  /** Prints a note on a terminal only, for information that scripts don't need. */
  footer(text: string): void;
  /** Shows a status as the last line of a terminal, below all notes. `''` removes it. */
  status(text: string): void;
  /** Called instead of printing a note when a request waits for the rate limit. Set by code with its own display. */
  onWait?: ((seconds: number) => void) | undefined;
  /** Returns the number of requests still to send, if set. `isMost`: the number is an upper limit. */
  ahead?: (() => { requests: number; isMost: boolean }) | undefined;
  /** Resolves when all notes are written. */
  flush(): Promise<void>;
  quiet: boolean;
  readonly isJson: boolean;
}

/** Moves to the first column and erases the line (ECMA-48 §8.3.41). */
const clearLine = '\r\x1b[K';

/** Whether a line holds a command or URL to copy. A line break would make it useless. */
const isCopied = (line: string): boolean => /\bsched |\bexport |https?:\/\//.test(line);

/** Wraps a sentence at spaces to the width of the terminal. */
const fitted = async (line: string, columns: number): Promise<string> => {
  if (line.length <= columns || isCopied(line)) return line;
  const { wrap } = await import('../../output/width.ts');
  return wrap(line, columns - 2).join('\n  ');
};

export const createNotes = (stderr: Output, isJson: boolean): Notes => {
  let written: Promise<void> = Promise.resolve();
  let status = '';
  let isSandboxSaid = false;
  const send = (text: string | Promise<string>): void => {
    // A closed stderr must not end the command.
    written = written.then(async () => stderr.write(await text)).catch(() => {});
  };
  const shown = async (text: string): Promise<string> => {
    const line = safe(text);
    // After wrapping: text that was harmless inside a line may now start one.
    return safeForRunner(stderr.isTerminal && stderr.columns > 0 ? await fitted(line, stderr.columns) : line);
  };
  const write = (text: string): void => {
    const [before, after] = status === '' ? ['', ''] : [clearLine, status];
    const line = isJson ? escapeJson(JSON.stringify({ note: text })) : shown(text);
    send(Promise.resolve(line).then((each) => `${before}${each}\n${after}`));
  };
  const notes: Notes = {
    quiet: false,
    isJson,
    info: (text) => {
      if (!notes.quiet) write(text);
    },
    warn: (text) => write(text),
    sandbox: () => {
      if (!isSandboxSaid) write(isJson ? 'sandbox' : '[sandbox]');
      isSandboxSaid = true;
    },
    footer: (text) => {
      if (!notes.quiet && stderr.isTerminal && !isJson) write(text);
    },
    status: (text) => {
      if (!stderr.isTerminal || isJson || (text === '' && status === '')) return;
      status = safe(text);
      send(`${clearLine}${status}`);
    },
    flush: () => written,
  };
  return notes;
};
