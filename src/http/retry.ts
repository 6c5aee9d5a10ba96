import { SchedError } from '../errors.ts';
import { NetworkFailure } from './failure.ts';
import { requestedWait, waitTooLong } from './limits.ts';
import { abortSignalFor, exchangeOf, type HttpReply, type HttpRequest, type Layer, withRequestId } from './message.ts';

interface Clock {
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface RetryOptions {
  clock: Clock;
  interrupted: AbortSignal;
  /** From 0 to 1. */
  random(): number;
  /** Longest single wait that is accepted where the service asks for one. */
  maxWaitMs: number;
  /** Whether a request that ended so may be sent again; what the reasons are is not known here. */
  mayRepeat(request: HttpRequest, ending: HttpReply | NetworkFailure): boolean;
  /** Told before each repetition. */
  onRetry(attempt: number, reason: string, pauseMs: number): void;
  /** Told before each wait that the service asks for. */
  onWait(seconds: number): void;
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

/** The service is away for longer than we wait. A write may have been carried out all the same. */
const awayTooLong = (request: HttpRequest, reply: HttpReply, seconds: number, now: number): SchedError => {
  const { reason, hint } = waitTooLong(`the service asks to wait ${seconds} s, until`, seconds, now);
  return new SchedError('unavailable', 'The service is unavailable', {
    reason: withRequestId(reason, reply),
    hint,
    retryAfterSeconds: seconds,
    outcome: request.method === 'GET' ? 'not-applied' : 'unknown',
    http: exchangeOf(request, reply),
  });
};

/**
 * Sends again what may be sent again, at most twice, after a jittered and growing pause, or after the wait that a 503
 * asks for. One quota for all it wraps.
 */
export const retry = (options: RetryOptions): Layer => {
  const { clock, interrupted, random, maxWaitMs, mayRepeat, onRetry, onWait } = options;
  let repetitions = 0;
  return (next) => async (request) => {
    let hasLeft = false;
    for (let attempt = 2; ; attempt += 1) {
      const ending = await next(request).catch((error: unknown) => {
        if (error instanceof NetworkFailure) return error;
        throw hasLeft && request.method !== 'GET' ? inDoubt(error) : error;
      });
      hasLeft ||= !(ending instanceof NetworkFailure) || ending.sent;
      const asked = ending instanceof NetworkFailure ? undefined : requestedWait(ending, clock.now());
      if (
        request.signal?.aborted ||
        attempt > maxAttempts ||
        repetitions >= maxRepetitions ||
        !mayRepeat(request, ending)
      ) {
        if (!(ending instanceof NetworkFailure))
          return asked === undefined ? ending : { ...ending, retryAfterSeconds: asked };
        // An earlier attempt may have been carried out, though the last one never left.
        throw ending.sent === hasLeft
          ? ending
          : new NetworkFailure(ending.host, ending.message, hasLeft, { hint: ending.hint });
      }
      const wait = asked ?? 0;
      if (wait * 1000 > maxWaitMs) throw awayTooLong(request, ending as HttpReply, wait, clock.now());
      repetitions += 1;
      // Behind a wait the pause keeps those who were told the same time from coming back at once.
      const pause = wait * 1000 + pauseBefore(attempt, random);
      onRetry(attempt, reasonOf(ending), pause);
      if (wait > 0) onWait(wait);
      await clock.sleep(pause, abortSignalFor(request, interrupted));
    }
  };
};
