/** What can go wrong, and the exit code that tells a script which it was. */
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

/** What a failed command did to the service. */
export type Outcome = 'not-sent' | 'not-applied' | 'applied' | 'unknown';

export interface ErrorFacts {
  /** Why it happened, for the `cause:` line. */
  reason?: string;
  /** A command that fixes it, for the `try:` line. */
  hint?: string;
  outcome?: Outcome;
  /** What the token would have to be allowed. */
  scopes?: string[];
  retryAfterSeconds?: number;
  http?: { status?: number; method: string; path: string; requestId?: string };
  /** The answer was printed whole; only the exit code says more. */
  answered?: true;
  /** Replaces the three lines where an error needs a layout of its own. */
  lines?: string[];
}

export class SchedError extends Error {
  readonly category: Category;
  readonly facts: ErrorFacts;

  constructor(category: Category, message: string, facts: ErrorFacts = {}) {
    super(message);
    this.name = 'SchedError';
    this.category = category;
    this.facts = facts;
  }
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
export class ChildExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

/** Behind a question no semicolon is needed. */
const joined = (problems: readonly string[]): string => problems.join('; ').replaceAll('?; ', '? ');

/** Several wrong inputs reported as one error, so that nobody fixes them one run at a time. */
export const usageError = (problems: string[], facts: ErrorFacts = {}): SchedError =>
  new SchedError('usage', joined(problems), { outcome: 'not-sent', ...facts });
