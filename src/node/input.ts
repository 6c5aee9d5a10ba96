import { addAbortSignal } from 'node:stream';
import type { Input } from '../runtime.ts';
import { isTerminal } from './output.ts';

/** An open stdin keeps the process alive, so every read releases stdin when it ends, for any reason. */
export const inputOf = (interrupted: () => AbortSignal): Input => ({
  get isTerminal() {
    return isTerminal(0);
  },
  bytes: async () => {
    const signal = interrupted();
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of addAbortSignal(signal, process.stdin)) chunks.push(chunk as Buffer);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
    return Buffer.concat(chunks);
  },
  line: async (unwanted) => {
    const signal = unwanted === undefined ? interrupted() : AbortSignal.any([interrupted(), unwanted]);
    signal.throwIfAborted();
    // After Ctrl-D, no second "end" event will come.
    if (process.stdin.readableEnded) return undefined;
    const { createInterface } = await import('node:readline');
    const lines = createInterface({ input: process.stdin, terminal: false, signal });
    return new Promise<string | undefined>((resolve, reject) => {
      lines
        .once('line', (text) => {
          resolve(text);
          lines.close();
        })
        .once('close', () => (signal.aborted ? reject(signal.reason) : resolve(undefined)));
    });
  },
});
