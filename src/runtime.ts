import { setMaxListeners } from 'node:events';
import { fstatSync, mkdirSync, readFileSync, writeSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { type Outcome, SchedError } from './errors.ts';
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
  /** Starts a program that shows a stream page by page on the terminal; nothing where it cannot be started. */
  openPager?(command: readonly string[]): Promise<Pager | undefined>;
  /** The network for what must not be cut off by a signal: a spent token's answer exists nowhere else. */
  readonly sendToEnd: Send;
  /** Does a piece of work to its end, whatever signals come meanwhile; they take effect afterwards. */
  protect<Value>(work: () => Promise<Value>): Promise<Value>;
  readonly machine: Machine;
  /** Keeps what is compiled from now on in a directory for the next time, where this Node can do that. */
  keepCompiled?(directory: string): void;
  /** Whether a browser could be started with that address. */
  openBrowser(url: string): Promise<boolean>;
  /**
   * Runs a program on this terminal, without a shell, and tells the code it ended with; 128 and more for a signal.
   * Signals that reach us are passed on to it, and it does not outlive us. Rejects where it cannot be started.
   */
  spawn?(command: readonly string[], options: { env: Readonly<Record<string, string | undefined>> }): Promise<number>;
  /**
   * Starts this very program again as a keeper, in a session of its own: what ends us, our process group or our terminal
   * does not reach it. Nothing where it cannot be started.
   */
  startKeeper?(): Promise<Apart | undefined>;
  /** For a keeper: who started it. */
  starter?(): Peer;
}

/** The other end of two pipes, spoken with in lines. */
export interface Peer {
  /** Nothing happens where nobody listens any more. */
  say(line: string): void;
  /** The next line; `undefined` when no more will come. */
  hear(): Promise<string | undefined>;
  /** Says and hears no more. */
  leave(): void;
}

export interface Apart extends Peer {
  readonly pid: number;
  /** Once it is false, the number may be another's. */
  isRunning(): boolean;
  kill(): void;
}

/** This machine, the account on it, and this process. */
export interface Machine {
  readonly platform: string;
  readonly host: string;
  /** The account's own home directory, whatever `HOME` says. */
  readonly accountHome: string;
  readonly pid: number;
  /** Of the program that runs JavaScript. */
  readonly version: string;
  /** The program that runs JavaScript. */
  readonly executable: string;
  /** The words that start this very program again; not known everywhere. */
  readonly program?: readonly string[];
  /** Whether the program is one file, with what runs JavaScript and the keychain binding inside. */
  readonly isStandalone?: boolean;
  isAlive(pid: number): boolean;
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
  /** Height of the terminal, where it is known. */
  readonly rows?: number;
  /** Resolves when the text is accepted; throws `ClosedPipe` when nobody reads any more. */
  write(text: string): Promise<void>;
}

export interface Pager extends Output {
  /** Says that nothing more comes, and resolves when the reader has put the pager away. */
  close(): Promise<void>;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** What was to be shown cannot be written, on a full disk for example. */
export class OutputFailure extends SchedError {
  constructor(reason: string, outcome: Outcome = 'not-applied') {
    super('environment', 'Cannot write the output', { reason, outcome });
  }
}

/** The reader of our output has gone (`| head`): stop working, and that is no failure. */
export class ClosedPipe extends Error {}

/** A program that was run in our place has ended; its exit code is ours. */
export class Ended extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

const failureOf = ({ code, message }: NodeJS.ErrnoException): Error =>
  code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' ? new ClosedPipe() : new OutputFailure(code ?? message);

const writeTo = (stream: NodeJS.WritableStream, text: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(failureOf(error)) : resolve()));
  });

/** What is no device is no terminal, and to know that nothing has to be loaded. */
const isTerminal = (descriptor: number): boolean => {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return process.getBuiltinModule('node:tty').isatty(descriptor);
};

/**
 * Opening a stream takes longer than writing a few lines. Node writes to files, pipes and terminals at once anyway but on
 * Windows, so elsewhere the system is asked directly; a stream is opened only for what is not taken at once.
 */
const outputOf = (descriptor: 1 | 2, open: () => NodeJS.WriteStream): Output => {
  let opened: NodeJS.WriteStream | undefined;
  let isATerminal: boolean | undefined;
  let mayBeDirect = process.platform !== 'win32';
  const stream = (): NodeJS.WriteStream => {
    // Failures reach us through the callback of each write; without a listener they would also end the process.
    opened ??= open().on('error', () => {});
    return opened;
  };
  /** What the system does not take at once. */
  const writeDirectly = (text: string): string | Uint8Array => {
    let left: string | Uint8Array = text;
    try {
      // As a string it needs no copy, and nearly always it is taken whole.
      const written = writeSync(descriptor, text);
      left = Buffer.from(written < Buffer.byteLength(text) ? text : '').subarray(written);
      while (left.length > 0) left = left.subarray(writeSync(descriptor, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw failureOf(error as NodeJS.ErrnoException);
      mayBeDirect = false;
    }
    return left;
  };
  const output = {
    get isTerminal() {
      isATerminal ??= isTerminal(descriptor);
      return isATerminal;
    },
    get columns() {
      return (output.isTerminal ? stream().columns : undefined) ?? 80;
    },
    get rows() {
      return (output.isTerminal ? stream().rows : undefined) ?? 24;
    },
    write: async (text: string) => {
      const left = mayBeDirect ? writeDirectly(text) : text;
      if (left.length > 0) await writeTo(stream(), left);
    },
  };
  return output;
};

/** Without a shell: what the environment says is words, not a script. */
const pagerIn = async ([program, ...words]: readonly string[], env: NodeJS.ProcessEnv): Promise<Pager | undefined> => {
  const { spawn } = await import('node:child_process');
  const child = spawn(program!, words, {
    stdio: ['pipe', 'inherit', 'inherit'],
    // Colour as it is, no screen of its own, and out at once where everything fits: as git does.
    env: { LESS: 'FRX', LV: '-c', ...env },
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!isStarted) return undefined;
  child.stdin.on('error', () => {});
  return {
    isTerminal: true,
    columns: process.stdout.columns ?? 80,
    write: (text) => writeTo(child.stdin, text),
    close: () => {
      child.stdin.end();
      return closed;
    },
  };
};

const runChild: NonNullable<Runtime['spawn']> = async ([program, ...words], { env }) => {
  const [{ spawn }, { constants }] = await Promise.all([import('node:child_process'), import('node:os')]);
  const child = spawn(program!, words, { stdio: 'inherit', env: env as NodeJS.ProcessEnv });
  // A terminal tells everybody on it of Ctrl-C and of its end; told twice, many a program would drop everything.
  const passedOn: NodeJS.Signals[] = isTerminal(0) ? ['SIGTERM'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  const endWithUs = () => child.kill('SIGKILL');
  for (const signal of passedOn) process.on(signal, passOn);
  process.on('exit', endWithUs);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
    });
  } finally {
    for (const signal of passedOn) process.off(signal, passOn);
    process.off('exit', endWithUs);
  }
};

const peerOver = (input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Omit<Peer, 'leave'> => {
  const lines: string[] = [];
  let rest = '';
  let isOver = false;
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  input.setEncoding('utf8');
  input.on('data', (text) => {
    const [last = '', ...whole] = (rest + text).split('\n').reverse();
    rest = last;
    lines.push(...whole.reverse());
    wake();
  });
  input.on('end', end).on('close', end).on('error', end);
  output.on('error', () => {});
  return {
    say: (line) => {
      output.write(`${line}\n`);
    },
    hear: async () => {
      while (lines.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return lines.shift();
    },
  };
};

/** The one word that makes this program a keeper; what else it must know comes through a pipe. */
export const keeperWord = '__keeper';

const startKeeper: NonNullable<Runtime['startKeeper']> = async () => {
  const { spawn } = await import('node:child_process');
  const [program, ...first] = machine.program!;
  // What we were told in private is not handed on; what the network needs (proxies, certificates) is.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SCHED_')));
  try {
    const child = spawn(program!, [...first, keeperWord], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env,
      windowsHide: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve).once('error', reject);
    });
    return {
      ...peerOver(child.stdout, child.stdin),
      pid: child.pid!,
      isRunning: () => child.exitCode === null && child.signalCode === null,
      kill: () => {
        child.kill('SIGKILL');
      },
      leave: () => {
        child.stdin.destroy();
        child.stdout.destroy();
        child.unref();
      },
    };
  } catch {
    return undefined;
  }
};

const starter = (): Peer => ({
  ...peerOver(process.stdin, process.stdout),
  leave: () => {
    process.stdin.destroy();
  },
});

const inputOf = (interrupted: () => AbortSignal): Input => ({
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

/** SIGINT and SIGTERM, once each as an error to report; a second one ends the process at once, or after protected work. */
const interruption = (): Pick<Runtime, 'interrupted' | 'protect'> => {
  const controller = new AbortController();
  // Every connection listens to it, and Node would take the eleventh for a leak and say so on stderr.
  setMaxListeners(0, controller.signal);
  let protectedWorks = 0;
  let atTheEnd: (() => void) | undefined;
  const stop = (category: 'interrupted' | 'terminated', code: number) => () => {
    if (controller.signal.aborted) {
      if (protectedWorks === 0) process.exit(code);
      atTheEnd = () => process.exit(code);
    }
    // The terminal shows ^C where Ctrl-C was typed, and what is said now begins a line of its own.
    else if (category === 'interrupted' && isTerminal(2)) process.stderr.write('\n');
    controller.abort(new SchedError(category, category === 'interrupted' ? 'Interrupted' : 'Terminated'));
  };
  process.on('SIGINT', stop('interrupted', 130));
  process.on('SIGTERM', stop('terminated', 143));
  return {
    interrupted: controller.signal,
    protect: async (work) => {
      // A closed terminal ends a process unless it listens.
      const hangUp = () => {
        atTheEnd ??= () => process.kill(process.pid, 'SIGHUP');
      };
      process.on('SIGHUP', hangUp);
      protectedWorks += 1;
      try {
        return await work();
      } finally {
        protectedWorks -= 1;
        process.off('SIGHUP', hangUp);
        if (protectedWorks === 0) atTheEnd?.();
      }
    },
  };
};

// A program that is compiled into one file has its script inside itself.
const isStandalone = /^(\/|[A-Z]:\\)(\$bunfs|~BUN)/.test(process.argv[1] ?? '');

/** Bun takes `HOME` for the account's own directory, so the list of accounts is asked; passwd(5). */
const homeInList = (): string | undefined => {
  try {
    const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
    return accounts.map((line) => line.split(':')).find(([, , user]) => user === String(process.getuid?.()))?.[5];
  } catch {
    return undefined;
  }
};

const accountHome = (): string => {
  try {
    return (isStandalone && homeInList()) || userInfo().homedir || homedir();
  } catch {
    // A container may run under a number that has no account.
    return homedir();
  }
};

const machine: Machine = {
  version: process.versions.node,
  platform: process.platform,
  get host() {
    return hostname();
  },
  get accountHome() {
    return accountHome();
  },
  pid: process.pid,
  executable: process.execPath,
  isStandalone,
  program: isStandalone ? [process.execPath] : [process.execPath, process.argv[1]!],
  isAlive: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
};

/** Some versions of Node warn of their own SQLite; that is nothing a user of ours can mend. */
const silenceSqliteWarning = (): void => {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!/SQLite is an experimental feature/.test(String(warning))) emitWarning.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
};

/** From Node 22.8 on. It saves time and nothing else: what cannot be kept is compiled again. */
const keepCompiled = (directory: string): void => {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    enableCompileCache?(directory: string): unknown;
  };
  if (enableCompileCache === undefined) return;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    enableCompileCache(directory);
  } catch {
    // There is nowhere to keep it.
  }
};

/** A command with so many requests goes on for a while. */
const manyRequests = 3;

/** Nothing of a page outlives it, so a long listing gains nothing from a heap with room to grow but a larger peak. */
const keepSmall = (): void => {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=60']) setFlagsFromString(flag);
};

/** The real world. */
export const nodeRuntime = (): Runtime => {
  silenceSqliteWarning();
  let made: ReturnType<typeof interruption> | undefined;
  // Signals end the program at once until somebody wants to be told of them: what is as short as --version never does.
  const signals = () => {
    made ??= interruption();
    return made;
  };
  const { env } = process;
  const loadTransport = async (signal: AbortSignal): Promise<Send> => {
    if (process.versions.node.startsWith('20.')) {
      // On Node 20 the HTTP parser's WebAssembly is recompiled at exit, which takes 200 ms; one tier is enough.
      const { setFlagsFromString } = await import('node:v8');
      setFlagsFromString('--liftoff-only');
    }
    const { createTransport } = await import('./http/transport.ts');
    return createTransport({ env, clock, interrupted: signal });
  };
  const sendUntil = (signal: () => AbortSignal): Send => {
    let transport: Promise<Send> | undefined;
    let requests = 0;
    return async (request) => {
      requests += 1;
      if (requests === manyRequests) keepSmall();
      transport ??= loadTransport(signal());
      return (await transport)(request);
    };
  };
  return {
    env,
    home: homedir(),
    platform: process.platform,
    stdin: inputOf(() => signals().interrupted),
    stdout: outputOf(1, () => process.stdout),
    stderr: outputOf(2, () => process.stderr),
    clock,
    get systemZone() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
    // Loaded when it is wanted: asking for the version should not have to wait for it.
    randomBytes: (count) => process.getBuiltinModule('node:crypto').randomBytes(count),
    send: sendUntil(() => signals().interrupted),
    get interrupted() {
      return signals().interrupted;
    },
    openPager: (command) => pagerIn(command, env),
    sendToEnd: sendUntil(() => new AbortController().signal),
    protect: (work) => signals().protect(work),
    machine,
    keepCompiled,
    openBrowser: async (url) => {
      const { openBrowser } = await import('./auth/browser.ts');
      return openBrowser(url, { env, platform: process.platform });
    },
    spawn: runChild,
    startKeeper,
    starter,
  };
};
