import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { SchedError } from './errors.ts';
import type { Send } from './http/message.ts';

/** The outside world as one value. No other module reads a stream, a clock, the environment or chance. */
export interface Runtime {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly systemZone: string;
  randomBytes(count: number): Uint8Array;
  /** The network; the HTTP library behind it is loaded by the first request. */
  readonly send: Send;
  /** Aborted by SIGINT or SIGTERM; its reason is the error to report. */
  readonly interrupted: AbortSignal;
}

export interface Input {
  readonly isTerminal: boolean;
  /** Everything up to the end of the input. */
  bytes(): Promise<Uint8Array>;
  /** One line typed by a person, without its line break; `undefined` at the end of the input. */
  line(): Promise<string | undefined>;
}

export interface Output {
  readonly isTerminal: boolean;
  /** Width of the terminal; meaningless elsewhere. */
  readonly columns: number;
  /** Resolves when the text is accepted; throws `ClosedPipe` when nobody reads any more. */
  write(text: string): Promise<void>;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The reader of our output has gone (`| head`): stop working, and that is no failure. */
export class ClosedPipe extends Error {}

const outputOf = (stream: NodeJS.WriteStream): Output => {
  // Failures reach us through the callback of each write; without a listener they would also end the process.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns ?? 80;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (!error) return resolve();
          const { code, message } = error as NodeJS.ErrnoException;
          if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return reject(new ClosedPipe());
          reject(new SchedError('environment', 'Cannot write the output', { reason: code ?? message }));
        });
      }),
  };
};

const inputOf = (stream: NodeJS.ReadStream, interrupted: AbortSignal): Input => ({
  isTerminal: stream.isTTY === true,
  bytes: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
  line: async () => {
    const { createInterface } = await import('node:readline');
    const lines = createInterface({ input: stream, terminal: false });
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        lines.once('line', resolve).once('close', () => resolve(undefined));
        interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
      });
    } finally {
      lines.close();
    }
  },
});

/** Longest single timer: beyond 2³¹ − 1 ms one would fire at once. */
const longestTimer = 2 ** 31 - 1;

const clock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal!.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(milliseconds, longestTimer),
      );
      signal?.addEventListener('abort', abort, { once: true });
    }),
};

/** SIGINT and SIGTERM, once each as an error to report; a second one ends the process at once. */
const interruption = (): AbortSignal => {
  const controller = new AbortController();
  const stop = (category: 'interrupted' | 'terminated', code: number) => () => {
    if (controller.signal.aborted) process.exit(code);
    controller.abort(new SchedError(category, category === 'interrupted' ? 'Interrupted' : 'Terminated'));
  };
  process.on('SIGINT', stop('interrupted', 130));
  process.on('SIGTERM', stop('terminated', 143));
  return controller.signal;
};

/** The real world. */
export const nodeRuntime = (): Runtime => {
  const interrupted = interruption();
  const { env } = process;
  let transport: Promise<Send> | undefined;
  const loadTransport = async (): Promise<Send> => {
    if (process.versions.node.startsWith('20.')) {
      // On Node 20 the HTTP parser's WebAssembly is recompiled at exit, which takes 200 ms; one tier is enough.
      const { setFlagsFromString } = await import('node:v8');
      setFlagsFromString('--liftoff-only');
    }
    const { createTransport } = await import('./http/transport.ts');
    return createTransport({ env, clock, interrupted });
  };
  return {
    env,
    home: homedir(),
    platform: process.platform,
    stdin: inputOf(process.stdin, interrupted),
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    clock,
    systemZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    randomBytes: (count) => randomBytes(count),
    send: async (request) => {
      transport ??= loadTransport();
      return (await transport)(request);
    },
    interrupted,
  };
};
