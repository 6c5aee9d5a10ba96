/** Set by the build from package.json. */
declare const SCHED_VERSION: string;

export const version = SCHED_VERSION;

export type Env = Readonly<Record<string, string | undefined>>;

export type RandomBytes = (count: number) => Uint8Array;

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason if the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** This machine, the OS account, and this process. */
export interface Machine {
  readonly platform: string;
  readonly host: string;
  /** The account's home directory, regardless of `HOME`. */
  readonly accountHome: string;
  readonly pid: number;
  /** Version of the JavaScript runtime. */
  readonly version: string;
  /** Path of the JavaScript runtime. */
  readonly executable: string;
  /** The command that starts `sched` again, if known. */
  readonly program?: readonly string[];
  /** Whether `sched` is one file that contains the JavaScript runtime and the keychain binding. */
  readonly isStandalone?: boolean;
  isAlive(pid: number): boolean;
  /** On Windows: when this process was started, in milliseconds since 1970. It was created shortly before. */
  readonly startedAt?: number;
  /**
   * When a process was created, in the platform's format: on Windows in milliseconds since 1970. `''` if unknown. Not
   * used on Linux, which has files for that.
   */
  createdAt?(pid: number): Promise<string>;
}

/** Where a process finds its files. */
export interface System {
  readonly env: Env;
  readonly home: string;
  readonly platform: string;
  /** The effective user ID. Not available on Windows. */
  readonly uid?: number | undefined;
}
