import { escapeJson, safe, safeForRunner } from '../output/sanitise.ts';
import type { Output } from '../runtime.ts';

/** Everything that is said on stderr while a command runs: a sentence a line, or a JSON object a line. */
export interface Notes {
  /** Dropped by `--quiet`. */
  say(text: string): void;
  /** Said whatever the flags. */
  insist(text: string): void;
  /** Lines for a terminal only: what a person wants to know and a script does not. */
  footer(text: string): void;
  /** Resolves when everything said has been written. */
  flush(): Promise<void>;
  quiet: boolean;
  readonly isJson: boolean;
}

export const createNotes = (stderr: Output, isJson: boolean): Notes => {
  let written: Promise<void> = Promise.resolve();
  const write = (text: string): void => {
    const line = isJson ? escapeJson(JSON.stringify({ note: text })) : safeForRunner(safe(text));
    // A closed stderr takes nothing more, and that must not end the command.
    written = written.then(() => stderr.write(`${line}\n`)).catch(() => {});
  };
  const notes: Notes = {
    quiet: false,
    isJson,
    say: (text) => {
      if (!notes.quiet) write(text);
    },
    insist: (text) => write(text),
    footer: (text) => {
      if (!notes.quiet && stderr.isTerminal && !isJson) write(text);
    },
    flush: () => written,
  };
  return notes;
};
