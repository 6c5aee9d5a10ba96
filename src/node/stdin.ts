import { closeSync, openSync } from 'node:fs';
import type { Input } from '../runtime.ts';
import { isTerminal } from './output.ts';

/** Something that can be read: stdin, or the terminal. */
interface InputSource {
  isTerminal(): boolean;
  stream(): NodeJS.ReadStream;
  /** Called when nobody reads any more. An open terminal would keep the process running. */
  release(): void;
  /** Lines that arrived together with an earlier answer, for example pasted ones. */
  linesAhead: string[];
}

export const stdin: InputSource = {
  isTerminal: () => isTerminal(0),
  stream: () => process.stdin,
  // A paused stdin doesn't keep the process running.
  release: () => {},
  linesAhead: [],
};

/** The terminal that this process was started from, if there is one. */
export const terminalOn = (platform: string): InputSource => {
  const path = platform === 'win32' ? '\\\\.\\CONIN$' : '/dev/tty';
  // Windows needs the right to write, too: reading single keys changes the mode of the console.
  const open = () => openSync(path, 'r+');
  let terminal: NodeJS.ReadStream | undefined;
  return {
    isTerminal: () => {
      // In the standalone file, a terminal that was opened by its path keeps the process running after the answer.
      if (process.versions.bun !== undefined) return false;
      try {
        closeSync(open());
        return true;
      } catch {
        return false;
      }
    },
    stream: () => {
      const { ReadStream } = process.getBuiltinModule('node:tty');
      terminal ??= new ReadStream(open());
      return terminal;
    },
    release: () => {
      terminal?.destroy();
      terminal = undefined;
    },
    linesAhead: [],
  };
};

const terminal = terminalOn(process.platform);

/** Where people type answers. */
export const keyboard = (): InputSource => (stdin.isTerminal() ? stdin : terminal);

/** An open stream keeps the process alive, so every read releases it when it ends, for any reason. */
export const inputOf = (source: () => InputSource, interrupted: () => AbortSignal): Input => ({
  get isTerminal() {
    return source().isTerminal();
  },
  bytes: async (most = Number.POSITIVE_INFINITY) => {
    const { readStream } = await import('../state/named-file.ts');
    return readStream(() => source().stream(), interrupted(), most);
  },
  stream: () => source().stream(),
  line: async ({ prompt = '', unwanted } = {}) => {
    const signal = unwanted === undefined ? interrupted() : AbortSignal.any([interrupted(), unwanted]);
    signal.throwIfAborted();
    const { createInterface } = await import('node:readline');
    // On a terminal, readline handles the arrow keys, which the terminal itself would print as ^[[D.
    const from = source();
    const { linesAhead } = from;
    const input = from.stream();
    const terminal = from.isTerminal() && isTerminal(2);
    const screen = terminal ? { output: process.stderr, historySize: 0 } : {};
    const lines = createInterface({ input, terminal, prompt, signal, ...screen });
    const onKey = (_: unknown, key?: { name?: string }) => {
      if (key?.name === 'escape') lines.close();
    };
    if (terminal) input.on('keypress', onKey);
    lines.prompt();
    return new Promise<string | undefined>((resolve, reject) => {
      lines
        .once('line', (text) => {
          resolve(text);
          lines.on('line', (next) => linesAhead.push(next));
          // Only after readline has seen all lines that arrived with this one.
          queueMicrotask(() => lines.close());
        })
        // The terminal doesn't send this signal while readline reads each key.
        .on('SIGINT', () => process.emit('SIGINT'))
        .once('close', () => {
          input.off('keypress', onKey);
          from.release();
          if (signal.aborted) reject(signal.reason);
          else resolve(undefined);
        });
      const ahead = linesAhead.shift();
      if (ahead !== undefined) lines.write(`${ahead}\n`);
      // After the end of the input, no second "end" event will come.
      else if (input.readableEnded) lines.close();
    });
  },
});
