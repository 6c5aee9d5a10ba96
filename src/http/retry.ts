import { SchedError } from '../errors.ts';
import { NetworkFailure } from './failure.ts';
import { endOf, type HttpReply, type HttpRequest, type Layer } from './message.ts';

interface Clock {
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface RetryOptions {
  clock: Clock;
  interrupted: AbortSignal;
  /** From 0 to 1. */
  random(): number;
  /** Whether a request that ended so may be sent again; what the reasons are is not known here. */
  mayRepeat(request: HttpRequest, ending: HttpReply | NetworkFailure): boolean;
  /** Told before each repetition. */
  onRetry(attempt: number, reason: string, pauseMs: number): void;
}

/** R31. */
export const maxAttempts = 3;

/** Repetitions of one command in all, so that an outage is not made worse by everyone's patience. */
const maxRepetitions = 10;

const firstPauseMs = 500;

/** Half of it certain, half of it chance, and twice as long each time. */
export const pauseBefore = (attempt: number, random: () => number): number =>
  Math.round(firstPauseMs * 2 ** (attempt - 2) * (0.5 + random()));

const reasonOf = (ending: HttpReply | NetworkFailure): string => {
  if (ending instanceof NetworkFailure) return ending.message;
  return ending.status < 300 ? `status ${ending.status} with an unreadable body` : `status ${ending.status}`;
};

/** An earlier attempt may have been carried out, whatever kept this one from leaving or from being heeded. */
const inDoubt = (error: unknown): unknown =>
  error instanceof SchedError && ['not-sent', 'not-applied'].includes(error.facts.outcome ?? '')
    ? new SchedError(error.category, error.message, { ...error.facts, outcome: 'unknown' })
    : error;

/** Sends again what may be sent again, at most twice, after a jittered and growing pause. One quota for all it wraps. */
export const retry = ({ clock, interrupted, random, mayRepeat, onRetry }: RetryOptions): Layer => {
  let repetitions = 0;
  return (next) => async (request) => {
    let hasLeft = false;
    for (let attempt = 2; ; attempt += 1) {
      const ending = await next(request).catch((error: unknown) => {
        if (error instanceof NetworkFailure) return error;
        throw hasLeft && request.method !== 'GET' ? inDoubt(error) : error;
      });
      hasLeft ||= !(ending instanceof NetworkFailure) || ending.sent;
      if (
        request.signal?.aborted ||
        attempt > maxAttempts ||
        repetitions >= maxRepetitions ||
        !mayRepeat(request, ending)
      ) {
        if (!(ending instanceof NetworkFailure)) return ending;
        // An earlier attempt may have been carried out, though the last one never left.
        throw ending.sent === hasLeft
          ? ending
          : new NetworkFailure(ending.host, ending.message, hasLeft, { hint: ending.hint });
      }
      repetitions += 1;
      const pause = pauseBefore(attempt, random);
      onRetry(attempt, reasonOf(ending), pause);
      await clock.sleep(pause, endOf(request, interrupted));
    }
  };
};
