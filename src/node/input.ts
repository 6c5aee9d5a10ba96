import { addAbortSignal } from 'node:stream';
import { TooLarge } from '../errors.ts';
import type { Input } from '../runtime.ts';
import { isTerminal } from './output.ts';

/** Lines that arrived together with an earlier answer, for example pasted ones. */
const linesAhead: string[] = [];

/** An open stdin keeps the process alive, so every read releases stdin when it ends, for any reason. */
export const inputOf = (interrupted: () => AbortSignal): Input => ({
  get isTerminal() {
    return isTerminal(0);
  },
  bytes: async (most = Number.POSITIVE_INFINITY) => {
    const signal = interrupted();
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of addAbortSignal(signal, process.stdin)) {
        chunks.push(chunk as Buffer);
        size += (chunk as Buffer).length;
        if (size > most) throw new TooLarge(most);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
    return Buffer.concat(chunks);
  },
  stream: () => process.stdin,
  line: async ({ prompt = '', unwanted } = {}) => {
    const signal = unwanted === undefined ? interrupted() : AbortSignal.any([interrupted(), unwanted]);
    signal.throwIfAborted();
    const { createInterface } = await import('node:readline');
    // On a terminal, readline handles the arrow keys, which the terminal itself would print as ^[[D.
    const terminal = isTerminal(0) && isTerminal(2);
    const screen = terminal ? { output: process.stderr, historySize: 0 } : {};
    const lines = createInterface({ input: process.stdin, terminal, prompt, signal, ...screen });
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
        .once('close', () => (signal.aborted ? reject(signal.reason) : resolve(undefined)));
      const ahead = linesAhead.shift();
      if (ahead !== undefined) lines.write(`${ahead}\n`);
      // After the end of the input, no second "end" event will come.
      else if (process.stdin.readableEnded) lines.close();
    });
  },
});
