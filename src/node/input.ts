import type { Input } from '../runtime.ts';
import { isTerminal } from './output.ts';

export const inputOf = (interrupted: () => AbortSignal): Input => ({
  get isTerminal() {
    return isTerminal(0);
  },
  bytes: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
  line: async () => {
    const { createInterface } = await import('node:readline');
    const lines = createInterface({ input: process.stdin, terminal: false });
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        lines.once('line', resolve).once('close', () => resolve(undefined));
        const signal = interrupted();
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    } finally {
      lines.close();
    }
  },
});
