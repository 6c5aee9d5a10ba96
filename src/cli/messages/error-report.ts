import { type ErrorFacts, exitCodes, isPassing, SchedError, withoutRequestId } from '../../base/errors.ts';
import type { Shell } from '../../base/shell-quote.ts';
import type { Paint } from '../../output/paint.ts';
import { escapeJson, safe, safeForRunner } from '../../output/sanitize.ts';
import { commandLines, withTypedCommand } from './command-lines.ts';
import { inBrackets } from './notes.ts';
import { adviceText, noAccount } from './suggested-line.ts';

/** Turns any thrown value into a SchedError. An unknown error is a bug and is reported as one. */
export const asSchedError = (error: unknown): SchedError => {
  if (error instanceof SchedError) return error;
  // The command may have sent something before it failed.
  const facts = {
    reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    outcome: 'unknown',
  } as const;
  // Node can't get the working directory.
  const isDeleted = (error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd';
  const unexpectedError = isDeleted
    ? new SchedError('environment', 'The working directory was deleted', {
        ...facts,
        advice: 'change to another directory',
      })
    : new SchedError('internal', 'Internal error in sched', {
        ...facts,
        advice: 'run the command with SCHED_DEBUG=1 to see where it failed, and report the bug',
      });
  return Object.assign(unexpectedError, { cause: error });
};

/** A line that ends with a command to copy. */
const commandAtEnd = /^(try: | {2}.*? {2,})(s(?:ched|ked) .*)$/;

/** Fits a line to the terminal. A command that is too long continues after a backslash, except on Windows. */
const fitErrorLine = async (line: string, columns: number, isWindows: boolean): Promise<string[]> => {
  const command = commandAtEnd.exec(line);
  if (line.length <= columns || (command !== null && isWindows)) return [line];
  if (command === null) {
    const { wrap } = await import('../../output/width.ts');
    return wrap(line, columns - 2).map((part, index) => (index === 0 ? part : `  ${part}`));
  }
  const [, before = '', words = ''] = command;
  const [first = '', ...rest] = commandLines(words, columns, ' '.repeat(before.length));
  return [before + first.slice(before.length), ...rest];
};

/**
 * The `cause:` line: why it happened, and what to do about it if no command does. A command has written out the advice
 * of its errors, so the rest has no account to name.
 */
const causeOf = ({ reason, advice }: ErrorFacts): string | undefined =>
  [reason, advice && adviceText(advice, noAccount)].filter((part) => part !== undefined).join('; ') || undefined;

/** The `try:` line. Errors outside a command suggest only whole command lines. */
const hintOf = ({ hint }: ErrorFacts): string | undefined => (typeof hint === 'string' ? hint : undefined);

/** Paints the parts of a line that was fitted to the terminal. The text is sanitized already. */
const paintErrorLine = (line: string, parts: readonly string[], { error, command, faint }: Paint): string[] => {
  if (line.startsWith('error:')) return parts.map((part) => part.replace(/^error:/, error));
  // What somebody chose not to do is no error.
  if (/^(Nothing|Stopped\.) /.test(line)) return parts.map(faint);
  if (line.startsWith('try: ')) return parts.map(command);
  const before = commandAtEnd.exec(line)?.[1]?.length;
  return before === undefined ? [...parts] : parts.map((part) => part.slice(0, before) + command(part.slice(before)));
};

interface ErrorStyle {
  /** Of a terminal. */
  columns?: number | undefined;
  paint?: Paint | undefined;
  /** Where commands are typed. */
  shell?: Shell;
  isVerbose?: boolean;
}

/** Words of a service that say no more than the sentence before them. */
const repeats =
  /^(resource not found: )?the [\w ]+ (doesn't exist|was not found)\.?$|^(invalid argument: )?the supplied parameters are invalid\.?(; )?/i;

/** The reason as a terminal shows it: only what adds something. The ID of the request is for `-v` and JSON. */
const screenReason = ({ category, facts }: SchedError, isVerbose: boolean): string | undefined => {
  if (isVerbose || facts.http === undefined) return facts.reason;
  const reason = withoutRequestId(facts.reason ?? '');
  return (category === 'not-found' || category === 'usage' ? reason.replace(repeats, '') : reason) || undefined;
};

/** The error for a terminal: one sentence if there is one, and a cause only if it adds something. */
const screenLines = (error: SchedError, isVerbose: boolean): string[] => {
  const { message, facts } = error;
  const sentence = isVerbose ? undefined : facts.screen;
  const { advice, ...rest } = facts;
  const isFree = typeof advice === 'string' && advice.startsWith('free: ');
  const cause = causeOf({
    ...rest,
    ...(isFree || advice === undefined ? {} : { advice }),
    reason: sentence === undefined ? screenReason(error, isVerbose) : undefined,
  });
  return [
    `error: ${sentence ?? message}${inBrackets(facts.place)}`,
    ...(cause === undefined ? [] : [`cause: ${cause}`]),
    ...(isFree ? [advice] : []),
  ];
};

/** The error for people: what happened, why, and what to try. Long lines are wrapped at spaces. */
export const errorLines = async (
  error: SchedError,
  { columns = Number.POSITIVE_INFINITY, paint, shell = { platform: '' }, isVerbose = false }: ErrorStyle = {},
): Promise<string[]> => {
  const { message, facts } = error;
  const [cause, hint] = [causeOf(facts), hintOf(facts)];
  const isScreen = Number.isFinite(columns);
  const lines = facts.lines ?? [
    ...(isScreen
      ? screenLines(error, isVerbose)
      : [`error: ${message}`, ...(cause === undefined ? [] : [`cause: ${cause}`])]),
    ...(hint === undefined ? [] : [`try: ${hint}`]),
  ];
  const shownLines = await Promise.all(
    lines.map(async (line) => {
      const shellLine = withTypedCommand(line, shell);
      const parts = (await fitErrorLine(safe(shellLine), columns, shell.platform === 'win32')).map(safeForRunner);
      return paint === undefined ? parts : paintErrorLine(shellLine, parts, paint);
    }),
  );
  return shownLines.flat();
};

/** The error for programs. */
export const errorRecord = (error: SchedError) => {
  const { category, message, facts } = error;
  const { outcome, retryAfterSeconds, freeTimes, http } = facts;
  return {
    error: {
      code: category,
      exit: exitCodes[category],
      message,
      cause: causeOf(facts),
      hint: hintOf(facts),
      retryable: isPassing(error),
      retry_after_s: retryAfterSeconds,
      free_times: freeTimes,
      outcome: outcome ?? 'not-sent',
      http: http && { status: http.status, method: http.method, path: http.path, request_id: http.requestId },
    },
  };
};

/** The same as one line of JSON. */
export const errorJson = (error: SchedError): string => escapeJson(JSON.stringify(errorRecord(error)));

/** The stack trace of an error, or of the bug that caused it. */
export const stackOf = (error: SchedError): string | undefined =>
  error.cause instanceof Error ? error.cause.stack : error.stack;
