import { escapeJson, safe, safeForRunner } from '../../output/sanitise.ts';
import type { Output } from '../../runtime.ts';

/** Everything that is said on stderr while a command runs: a sentence a line, or a JSON object a line. */
export interface Notes {
  /** Dropped by `--quiet`. */
  info(text: string): void;
  /** Said whatever the flags. */
  warn(text: string): void;
  /** Says, once and whatever the flags, that all this happens in the sandbox. */
  sandbox(): void;
  /** Lines for a terminal only: what a person wants to know and a script does not. */
  footer(text: string): void;
  /** The last line of a terminal, drawn again in place and below everything said; `''` takes it away. */
  status(text: string): void;
  /** Told of a wait for the rate limit instead of a line being said; set by whoever shows it in another way. */
  onWait?: ((seconds: number) => void) | undefined;
  /** How many requests are still to be sent, where that is known; set by whoever knows. `isMost`: there may be fewer. */
  ahead?: (() => { requests: number; isMost: boolean }) | undefined;
  /** Resolves when everything said has been written. */
  flush(): Promise<void>;
  quiet: boolean;
  readonly isJson: boolean;
}

/** Back to the first column, and nothing right of it (ECMA-48 §8.3.41). */
const clearLine = '\r\x1b[K';

/** A line break of ours in the middle would spoil these for whoever copies them. */
const isCopied = (line: string): boolean => /\bsched |\bexport |https?:\/\//.test(line);

/** A sentence in lines as wide as the terminal, broken between words. */
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
    // A closed stderr takes nothing more, and that must not end the command.
    written = written.then(async () => stderr.write(await text)).catch(() => {});
  };
  const shown = async (text: string): Promise<string> => {
    const line = safe(text);
    // A new line may begin with what stood safely in the middle.
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
