import { exitCodes, SchedError } from '../errors.ts';
import { escapeJson, safe, safeForRunner } from '../output/sanitise.ts';

const retryable = new Set(['rate-limited', 'unavailable']);

/** Any throw as an error of ours: what is not one is a bug, and says so. */
export const asSchedError = (error: unknown): SchedError =>
  error instanceof SchedError
    ? error
    : Object.assign(
        new SchedError('internal', 'Something went wrong inside sched', {
          reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
          hint: 'SCHED_DEBUG=1 shows where; please report it',
        }),
        { cause: error },
      );

/** The error as people read it: at most what, why and what to try. */
export const errorLines = ({ message, facts }: SchedError): string[] => {
  const lines = facts.lines ?? [
    `error: ${message}`,
    ...(facts.reason === undefined ? [] : [`cause: ${facts.reason}`]),
    ...(facts.hint === undefined ? [] : [`try: ${facts.hint}`]),
  ];
  return lines.map((line) => safeForRunner(safe(line)));
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
