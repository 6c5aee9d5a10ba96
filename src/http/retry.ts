import { SchedError } from '../base/errors.ts';
import type { Clock } from '../base/system.ts';
import { NetworkFailure } from './failure.ts';
import { requestedWait, waitTooLong } from './limit-headers.ts';
import { abortSignalFor, exchangeOf, type HttpReply, type HttpRequest, type Layer, withRequestId } from './message.ts';

interface RetryOptions {
  clock: Clock;
  interrupted: AbortSignal;
  /** From 0 to 1. */
  random(): number;
  /** The longest single wait that is accepted if the service asks for one. */
  maxWaitMs: number;
  /** Whether a request that ended this way may be sent again. The caller decides. */
  mayRepeat(request: HttpRequest, ending: HttpReply | NetworkFailure): boolean;
  /** Called before each repetition. */
  onRetry(attempt: number, reason: string, pauseMs: number): void;
  /** Called before each wait that the service asks for. */
  onWait(seconds: number): void;
}

/** R31. */
export const maxAttempts = 3;

/** The most repetitions in one command, so that retries don't make an outage worse. */
const maxRepetitions = 10;

const firstPauseMs = 500;

/** Doubles with each attempt, with jitter from 0.5 to 1.5. */
const pauseBefore = (attempt: number, random: () => number): number =>
  Math.round(firstPauseMs * 2 ** (attempt - 2) * (0.5 + random()));

const retryReason = (ending: HttpReply | NetworkFailure): string => {
  if (ending instanceof NetworkFailure) return ending.message;
  return ending.status < 300 ? `status ${ending.status} with an unreadable body` : `status ${ending.status}`;
};

/** An earlier attempt may have been carried out, even if this one was not sent or was refused. */
const inDoubt = (error: unknown): unknown =>
  error instanceof SchedError && ['not-sent', 'not-applied'].includes(error.facts.outcome ?? 'not-sent')
    ? error.with({ outcome: 'unknown' })
    : error;

/** The service asks for a longer wait than is accepted. A write may still have been carried out. */
const awayTooLong = (
  request: HttpRequest,
  reply: HttpReply,
  seconds: number,
  times: { nowMs: number; maxWaitMs: number },
): SchedError => {
  const { reason, ...hint } = waitTooLong(`the service asks to wait ${seconds} s, until`, seconds, times);
  return new SchedError('unavailable', 'The service is unavailable', {
    reason: withRequestId(reason, reply),
    ...hint,
    retryAfterSeconds: seconds,
    outcome: request.method === 'GET' ? 'not-applied' : 'unknown',
    http: exchangeOf(request, reply),
  });
};

/**
 * Repeats requests that may be repeated, at most twice, after a growing pause with jitter, or after the wait that a 503
 * asks for. All requests share one quota of repetitions.
 */
export const retry = (options: RetryOptions): Layer => {
  const { clock, interrupted, random, maxWaitMs, mayRepeat, onRetry, onWait } = options;
  let repetitions = 0;
  return (next) => async (request) => {
    let hasLeft = false;
    const fail = (error: unknown): never => {
      throw hasLeft && request.method !== 'GET' ? inDoubt(error) : error;
    };
    for (let attempt = 2; ; attempt += 1) {
      const ending = await next(request).catch((error: unknown) => {
        if (error instanceof NetworkFailure) return error;
        return fail(error);
      });
      hasLeft ||= !(ending instanceof NetworkFailure) || ending.sent;
      const serviceWait = ending instanceof NetworkFailure ? undefined : requestedWait(ending, clock.now());
      if (
        request.signal?.aborted ||
        attempt > maxAttempts ||
        repetitions >= maxRepetitions ||
        !mayRepeat(request, ending)
      ) {
        if (!(ending instanceof NetworkFailure))
          return serviceWait === undefined ? ending : { ...ending, retryAfterSeconds: serviceWait };
        // An earlier attempt may have been carried out, even if the last one was never sent.
        throw ending.sent === hasLeft
          ? ending
          : new NetworkFailure(ending.host, ending.message, hasLeft, { advice: ending.advice });
      }
      const wait = serviceWait ?? 0;
      if (wait * 1000 > maxWaitMs)
        throw awayTooLong(request, ending as HttpReply, wait, { nowMs: clock.now(), maxWaitMs });
      repetitions += 1;
      // The pause after a wait spreads out clients that were told the same time.
      const pause = wait * 1000 + pauseBefore(attempt, random);
      onRetry(attempt, retryReason(ending), pause);
      if (wait > 0) onWait(wait);
      await clock.sleep(pause, abortSignalFor(request, interrupted)).catch(fail);
    }
  };
};
