import { exitCodes, SchedError } from '../../errors.ts';
import { escapeJson, safe, safeForRunner } from '../../output/sanitise.ts';
import { commandLines } from './command-lines.ts';

const retryable = new Set(['rate-limited', 'unavailable']);

/** Somebody removed the working directory, and then the system cannot say where a relative path begins. */
const isNowhere = (error: unknown): boolean => (error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd';

/** Any throw as an error of ours: what is not one is a bug, and says so. */
export const asSchedError = (error: unknown): SchedError => {
  if (error instanceof SchedError) return error;
  // Nobody knows what was done before it.
  const facts = {
    reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    outcome: 'unknown',
  } as const;
  const told = isNowhere(error)
    ? new SchedError('environment', 'The working directory is gone', { ...facts, hint: 'go to one that is there' })
    : new SchedError('internal', 'Something went wrong inside sched', {
        ...facts,
        hint: 'SCHED_DEBUG=1 shows where; please report it',
      });
  return Object.assign(told, { cause: error });
};

/** A command to try that is too long for the screen goes on behind a backslash, so that it can still be copied. */
const fitted = async (line: string, columns: number): Promise<string[]> => {
  if (line.length <= columns) return [line];
  const command = /^(try: | {2}.*? {2,})(sched .*)$/.exec(line);
  if (command === null) {
    const { wrap } = await import('../../output/width.ts');
    return wrap(line, columns - 2).map((part, index) => (index === 0 ? part : `  ${part}`));
  }
  const [, before = '', words = ''] = command;
  const [first = '', ...rest] = commandLines(words, columns, ' '.repeat(before.length));
  return [before + first.slice(before.length), ...rest];
};

/** The error as people read it: what, why and what to try, each broken between words where the screen is narrower. */
export const errorLines = async (
  { message, facts }: SchedError,
  columns = Number.POSITIVE_INFINITY,
): Promise<string[]> => {
  const lines = facts.lines ?? [
    `error: ${message}`,
    ...(facts.reason === undefined ? [] : [`cause: ${facts.reason}`]),
    ...(facts.hint === undefined ? [] : [`try: ${facts.hint}`]),
  ];
  const shown = await Promise.all(lines.map((line) => fitted(safe(line), columns)));
  return shown.flat().map(safeForRunner);
};

/** The error as a program reads it: one line of JSON. */
export const errorJson = ({ category, message, facts }: SchedError): string => {
  const { reason, hint, outcome, retryAfterSeconds, http } = facts;
  return escapeJson(
    JSON.stringify({
      error: {
        code: category,
        exit: exitCodes[category],
        message,
        cause: reason,
        hint,
        retryable: retryable.has(category),
        retry_after_s: retryAfterSeconds,
        outcome: outcome ?? 'not-sent',
        http: http && { status: http.status, method: http.method, path: http.path, request_id: http.requestId },
      },
    }),
  );
};

/** Where it was thrown: for a bug the place of the bug. */
export const stackOf = (error: SchedError): string | undefined =>
  error.cause instanceof Error ? error.cause.stack : error.stack;
