import type { Send } from './http/message.ts';
import type { Secrets } from './redact.ts';

/** The outside world as one value. No other module reads a stream, a clock, the environment or chance. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
  /** The user we run as; not known everywhere. */
  readonly uid?: number | undefined;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  /** As the platform calls it; it has no name for some values of `TZ`. */
  readonly systemZone: string | undefined;
  randomBytes(count: number): Uint8Array;
  /** The network; the HTTP library behind it is loaded by the first request. */
  readonly send: Send;
  /**
   * Comes back when a request that is just being made has left, unless it has to wait for something: time for work that
   * is to be done while it is answered.
   */
  afterSend(): Promise<void>;
  /** Aborted by SIGINT or SIGTERM; its reason is the error to report. */
  readonly interrupted: AbortSignal;
  /** Starts a program that shows a stream page by page on the terminal; nothing where it cannot be started. */
  openPager?(command: readonly string[]): Promise<Pager | undefined>;
  /** The network for what must not be cut off by a signal: a spent token's answer exists nowhere else. */
  readonly sendToEnd: Send;
  /** Does a piece of work to its end, whatever signals come meanwhile; they take effect afterwards. */
  protect<Value>(work: () => Promise<Value>): Promise<Value>;
  readonly machine: Machine;
  /** Keeps what is compiled from now on for the next time, where this Node can do that, in a directory made for it. */
  keepCompiled?(makeDirectory: () => string): void;
  /** Whether a browser could be started with that address. */
  openBrowser(url: string): Promise<boolean>;
  /**
   * Runs a program on this terminal, without a shell, and tells the code it ended with; 128 and more for a signal.
   * Signals that reach us are passed on to it, and it does not outlive us. Rejects where it cannot be started.
   */
  spawn?(command: readonly string[], options: { env: Readonly<Record<string, string | undefined>> }): Promise<number>;
  /**
   * Starts this very program again as a helper, in a session of its own: what ends us, our process group or our terminal
   * does not reach it. Nothing where it cannot be started.
   */
  startRenewalHelper?(): Promise<ChildProcess | undefined>;
  /** For a helper: who started it. */
  parentProcess?(): Peer;
}

/** The outside world as commands see it: what goes to the terminal or a pipe holds no secret. */
export interface Runtime extends World {
  /** R12: a secret that is kept here is printed nowhere, in whatever form. */
  readonly secrets: Secrets;
  /** Writes to stdout as it is, for a command whose answer is a secret. */
  reveal(text: string): Promise<void>;
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

export interface ChildProcess extends Peer {
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
  /** One line typed by a person, without its line break; `undefined` at the end of the input. Rejects with the signal's reason. */
  line(unwanted?: AbortSignal): Promise<string | undefined>;
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

/** The one word that makes this program a helper; what else it must know comes through a pipe. */
export const helperArgument = '__refresh-helper';
