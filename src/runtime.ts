import type { Secrets } from './base/redact.ts';
import type { ProgramName } from './base/shell-quote.ts';
import type { Clock, Env, Machine, RandomBytes, System } from './base/system.ts';
import type { Send } from './http/message.ts';
import type { RedisAddress } from './state/redis/address.ts';
import type { RedisConnection } from './state/redis/redis-client.ts';

/** The outside world as one value. All streams, clocks, environment variables and random bytes come from here. */
export interface World extends System {
  readonly stdin: Input;
  /** Where people type answers: stdin, or the terminal itself if stdin is a file or a pipe. */
  readonly keyboard: Keyboard;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  /** The system time zone's name. Node has no name for some values of `TZ`. */
  readonly systemZone: string | undefined;
  /** Calls back at regular intervals until the returned function is called. It never keeps the process running. */
  every(milliseconds: number, call: () => void): () => void;
  readonly randomBytes: RandomBytes;
  /** Sends a request over the network. The first request loads the HTTP library. */
  readonly send: Send;
  /** Opens a connection to Redis. The first one loads the client. */
  connectRedis(address: RedisAddress, clock: Clock): Promise<RedisConnection>;
  /**
   * Resolves when a request that was just started has left, unless that request has to wait. Callers then work while
   * the reply is on its way.
   */
  afterSend(): Promise<void>;
  /** Aborted by SIGINT or SIGTERM. The abort reason is the error to report. */
  readonly interrupted: AbortSignal;
  /** Rejects if nothing is left to wait for. Node then ends the program without a word, whatever is unfinished (R65). */
  untilIdle?(): Promise<never>;
  /** Streams for a prompt that reads single keys. `release` lets the program end. */
  promptStreams?(): { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; release(): void };
  /** Starts a pager on the terminal. Returns undefined if it can't be started. */
  openPager?(command: readonly string[]): Promise<Pager | undefined>;
  /** Like `send`, but not aborted by signals: the reply to a spent refresh token exists nowhere else. */
  readonly sendToEnd: Send;
  /** Runs work to its end. Signals that arrive meanwhile take effect afterwards. */
  protect<Value>(work: () => Promise<Value>): Promise<Value>;
  readonly machine: Machine;
  /** How the program was called. Lines for people use this name; files, JSON and documents say `sched`. */
  readonly calledAs?: ProgramName;
  /** Caches compiled code in the given directory for the next command, if this version of Node can do that. */
  keepCompiled?(makeDirectory: () => string): void;
  /** Opens the URL in a browser. Returns whether one could be started. */
  openBrowser(url: string): Promise<boolean>;
  /**
   * Runs a program on this terminal, without a shell, and returns its exit code, or 128 plus the signal's number.
   * Passes signals on to the program, which does not outlive `sched`. Rejects if the program can't be started.
   */
  spawn?(command: readonly string[], options: { env: Env }): Promise<number>;
  /**
   * Starts a program that talks through pipes, without a shell. If it is detached, it gets a process session of its own,
   * so that a signal to this process, its group or its terminal does not reach it. Rejects if it can't be started.
   */
  startChild(command: readonly string[], options: { env: Env; isDetached?: boolean }): Promise<ChildProcess>;
  /**
   * For a helper: the process that started it. If it is bound to that, it ends at once with it, whatever its threads do.
   */
  parentProcess?(isBound?: boolean): Peer;
}

/** The outside world as commands see it: its output streams redact secrets. */
export interface Runtime extends World {
  /** R12: secrets kept here are never printed, in any form. */
  readonly secrets: Secrets;
  /** Writes to stdout without redaction, for a command whose output is a secret. */
  reveal(text: string): Promise<void>;
  /** The status line. Missing in CI, with `--quiet`, and if stderr is not a terminal. */
  readonly status?: StatusLine;
}

/** The same without output, prompts and a screen: what work needs. */
export type HeadlessRuntime = Omit<
  Runtime,
  'stdout' | 'stderr' | 'keyboard' | 'status' | 'reveal' | 'openPager' | 'promptStreams'
>;

/** A text in several lengths, the longest first. The first one that fits is shown. */
export type TextLengths = readonly string[];

/** The last line of a terminal, which says what the command waits for. Everything else that is written erases it. */
export interface StatusLine {
  /** Whether it prints plain lines now and then, for screen readers and terminals that can't erase a line. */
  readonly isPlain: boolean;
  /** Counts down the seconds of a wait. */
  countDown(seconds: number, text: (seconds: number) => TextLengths): void;
  /** Sets how many rows of a list have arrived. */
  rows(count: number): void;
  /** Draws this text at once and every second instead of any other. Undefined ends that. */
  draw(text: ((waitUntil: number | undefined, columns: number) => string | TextLengths) | undefined): void;
  /** Shows lines above the line until the next output replaces them, or other lines. What the screen can't hold is cut. */
  draft(lines: readonly string[]): void;
  /** Erases the line for good. */
  end(): Promise<void>;
}

/** A process at the other end of two pipes. Messages are lines. */
export interface Peer {
  /** Sends a line. Does nothing if the other side is gone. */
  say(line: string): void;
  /** The next line, or `undefined` after the last one. */
  hear(): Promise<string | undefined>;
  /** Closes the connection. */
  leave(): void;
}

export interface ChildProcess extends Peer {
  readonly pid: number;
  /** Once this is false, the OS may have given the PID to another process. */
  isRunning(): boolean;
  kill(): void;
}

export interface Input {
  readonly isTerminal: boolean;
  /** Reads to the end of the input. Throws `TooLarge` if it has more than `most` bytes. */
  bytes(most?: number): Promise<Uint8Array>;
  /** The input as a stream, for a protocol that reads until its end. */
  stream(): NodeJS.ReadableStream;
  /** Reads one typed line without its line break; `undefined` at the end of input. Rejects with the signal's reason. */
  line(options?: LineOptions): Promise<string | undefined>;
}

type Keyboard = Pick<Input, 'isTerminal' | 'line'>;

interface LineOptions {
  /** One line, shown on stderr before the answer. */
  prompt?: string;
  /** Stops the reading. */
  unwanted?: AbortSignal;
}

export interface Output {
  readonly isTerminal: boolean;
  /** Width of the terminal. Meaningless if the output is not a terminal. */
  readonly columns: number;
  /** Height of the terminal, if known. */
  readonly rows?: number;
  /** Resolves when the text is accepted. Throws `ClosedPipe` if the reader is gone. */
  write(text: string): Promise<void>;
  /**
   * For commands that run until they are stopped: a reader that stops reading no longer stops the program. A write that
   * waits for the reader is given up when the signal is aborted.
   */
  unblock?(signal: AbortSignal): void;
}

export interface Pager extends Output {
  /** Ends the input of the pager, and resolves when the user has quit it. */
  close(): Promise<void>;
}

/** The only argument of a helper process. Everything else it needs comes through a pipe. */
export const helperArgument = '__refresh-helper';

/** The same for the process of a query of `mirror sql`. */
export const queryArgument = '__mirror-query';

/** The first argument of the command that the completion scripts run: see src/cli/complete/complete.ts. */
export const completeArgument = '__complete';

/** The environment for other programs. R12: variables of `sched` (on Windows in any case) may hold secrets. */
export const childEnvironment = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^SCHED_/i.test(name)));
