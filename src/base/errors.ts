import { type Name, type Sentence, type Spelling, spell, words } from './words.ts';

/** The kinds of failure, and the exit code of each. */
export const exitCodes = {
  internal: 1,
  usage: 2,
  environment: 3,
  auth: 4,
  forbidden: 5,
  'not-found': 6,
  conflict: 7,
  'rate-limited': 8,
  unavailable: 9,
  'outcome-unknown': 10,
  partial: 11,
  'confirmation-required': 12,
  integrity: 13,
  interrupted: 130,
  terminated: 143,
} as const;

export type Category = keyof typeof exitCodes;

/** Whether a failed command changed anything at the service. */
export type Outcome = 'not-sent' | 'not-applied' | 'applied' | 'unknown';

declare const commandLineBrand: unique symbol;

/** A command line that can be run as it is. Only `src/cli/messages/suggested-line.ts` makes one. */
export type CommandLine = string & { readonly [commandLineBrand]: true };

/** The words of another command, as data: only the code that parsed the command line knows the account to name. */
export interface OtherCommand {
  /** Without `sched`. */
  command: readonly string[];
  /** Flags to set. `true` is for a flag without a value; `false` removes the flag. */
  flags?: Readonly<Record<string, string | boolean>>;
}

/** A command to suggest. Without `command`, it is the user's own command. */
export interface Suggestion extends Partial<OtherCommand> {
  /** The arguments of the user's own command, if they change. */
  args?: readonly string[];
}

/** Suggests the user's own command, unchanged. */
export const sameCommand: Suggestion = {};

/** Words for people. A command in them is data until it is printed, and then names the account. */
export type Advice = string | readonly (string | Name | OtherCommand)[];

export interface ErrorFacts {
  /** Why the error happened, for the `cause:` line. */
  reason?: string;
  /** What the user can do if no single command does it. It ends the `cause:` line. */
  advice?: Advice;
  /** A command that fixes the problem, for the `try:` line. */
  hint?: CommandLine | Suggestion;
  /** Given values, and those that were probably meant. The hint is then the user's own command with them. */
  corrections?: readonly { from: string; to: string }[];
  /** `not-sent` by default. */
  outcome?: Outcome;
  /** Scopes that the token lacks. */
  scopes?: string[];
  retryAfterSeconds?: number;
  /** Waiting doesn't help: the service, or the way to it, will say the same again. */
  isLasting?: true;
  /** Starts that can be booked instead of the refused one, in UTC. */
  freeTimes?: string[];
  /** `isForeign`: a 404 that isn't in the service's form. */
  http?: { status?: number; method: string; path: string; requestId?: string; isForeign?: boolean };
  /** The reply was printed in full; only the exit code is left to report. */
  answered?: true;
  /** Where it happened if not at the service, on a terminal: `sandbox`. */
  place?: string;
  /** One sentence that replaces the message and the reason on a terminal. */
  screen?: string;
  /** Replaces the `error:`, `cause:` and `try:` lines if an error needs its own layout. */
  lines?: string[];
}

/** The facts as they are told: their sentences may name values. */
export type ErrorDetails = Omit<ErrorFacts, 'reason'> & { reason?: Sentence };

/** A reason as people read it. The ID of the request is for `-v` and JSON. */
export const withoutRequestId = (reason: string): string => reason.replace(/ \[request [^\]]*\]$/, '');

/** What the user can do about an error. */
export type NextStep = Pick<ErrorFacts, 'advice' | 'hint'>;

/** The facts in the words of a call. */
export const spelledFacts = ({ reason, ...facts }: ErrorDetails, spelling?: Spelling): ErrorFacts =>
  reason === undefined ? facts : { ...facts, reason: spell(reason, spelling) };

export class SchedError extends Error {
  readonly category: Category;
  /** The message and the facts, in which names of values are data. `message` and `facts` have them as flags. */
  readonly sentence: Sentence;
  readonly details: ErrorDetails;
  readonly facts: ErrorFacts;

  constructor(category: Category, message: Sentence, details: ErrorDetails = {}) {
    super(spell(message));
    this.name = 'SchedError';
    this.category = category;
    this.sentence = message;
    this.details = details;
    this.facts = spelledFacts(details);
  }

  /** The same error with other facts. */
  with(details: ErrorDetails): SchedError {
    return new SchedError(this.category, this.sentence, { ...this.details, ...details });
  }
}

export const hasCategory = (error: unknown, ...categories: Category[]): error is SchedError =>
  error instanceof SchedError && categories.includes(error.category);

/** Whether the same command may work later: the network, the service or the rate limit. */
export const isPassing = (error: unknown): error is SchedError =>
  hasCategory(error, 'unavailable', 'rate-limited') && !error.facts.isLasting;

/** For `catch`: continues with this value after an error of one of these categories, and throws any other error. */
export const fallBack =
  <Value>(value: Value, ...categories: Category[]) =>
  (error: unknown): Value => {
    if (!hasCategory(error, ...categories)) throw error;
    return value;
  };

/** The code of an error of the OS, such as ENOENT. Other errors have only a message. */
export const codeOf = (error: unknown): string => (error as { code?: string }).code ?? (error as Error).message;

const systemReasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file has reached its size limit',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'it already exists',
  ENOENT: 'no such directory',
  ELOOP: "it is a symbolic link, which sched doesn't follow",
  EISDIR: 'it is a directory',
};

/** Why the OS refused something, in words with the code: `the disk is full (ENOSPC)`. */
export const systemReason = (error: unknown): string => {
  const code = codeOf(error);
  return systemReasons[code] === undefined ? code : `${systemReasons[code]} (${code})`;
};

/** The output can't be written, for example because the disk is full. */
export class OutputFailure extends SchedError {
  constructor(reason: string, outcome: Outcome = 'not-applied') {
    super('environment', "Can't write the output", { reason, outcome });
  }
}

/** Most bytes of an input that is read whole. */
export const mostInputBytes = 32 * 1024 * 1024;

/** An input has more bytes than allowed, or never ends. */
export class TooLarge extends SchedError {
  constructor(most: number) {
    const mebibytes = most / 1024 / 1024;
    const size = mebibytes >= 1 ? `${mebibytes} MiB` : `${mebibytes * 1024} KiB`;
    super('usage', `The input is larger than ${size}`, { outcome: 'not-sent' });
  }
}

/** The program reading our output has exited (`| head`). The command stops, and this is not a failure. */
export class ClosedPipe extends Error {}

/** A program that `sched` ran for the user has exited. `sched` exits with the same code. */
export class ChildExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exited with code ${code}`);
    this.code = code;
  }
}

/** Joins two problems with a semicolon, or as two sentences after a question or before a capital letter. */
const join = (before: Sentence, next: Sentence): Sentence => {
  const isQuestion = spell(before).endsWith('?');
  return words`${before}${isQuestion ? '' : /^[A-Z]/.test(spell(next)) ? '.' : ';'} ${next}`;
};

/** Reports several wrong inputs as one error, so that users can fix them all at once. */
export const usageError = (problems: readonly Sentence[], details: ErrorDetails = {}): SchedError =>
  new SchedError('usage', problems.reduce(join), { outcome: 'not-sent', ...details });

/** Whether the request may or may not have been carried out. */
export const isOutcomeUnknown = (error: unknown): error is SchedError =>
  error instanceof SchedError && error.facts.outcome === 'unknown';

/** Reports a signal that came too late to stop a write. */
export const throwIfInterrupted = ({ aborted, reason }: AbortSignal, outcome: Outcome): void => {
  if (!aborted) return;
  throw reason instanceof SchedError ? new SchedError(reason.category, reason.message, { outcome }) : reason;
};
