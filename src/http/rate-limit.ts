import { SchedError } from '../errors.ts';
import type { HttpReply, Layer } from './message.ts';

interface Clock {
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface RateLimitOptions {
  clock: Clock;
  /** Longest single wait that is accepted. */
  maxWaitMs: number;
  interrupted: AbortSignal;
  /** Told before each wait. */
  onWait(seconds: number): void;
}

const day = 86_400;

/** Whole seconds from a header value: 0 to a day; an epoch in seconds or milliseconds is turned into a distance. */
const secondsFrom = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined || !/^\s*\d{1,16}(\.\d{1,9})?\s*$/.test(value)) return undefined;
  const number = Number(value);
  const distance = number > 1e12 ? (number - nowMs) / 1000 : number > 1e9 ? number - nowMs / 1000 : number;
  return distance >= 0 && distance <= day ? Math.ceil(distance) : undefined;
};

/** `Retry-After` may also be an HTTP date (RFC 9110 §10.2.3). */
const secondsUntilDate = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value.trim()))
    return undefined;
  const seconds = Math.ceil((Date.parse(value) - nowMs) / 1000);
  return seconds >= 0 && seconds <= day ? seconds : undefined;
};

/** How long a 429 asks us to wait, in seconds; `undefined` when it says nothing usable. */
export const waitAsked = (headers: HttpReply['headers'], nowMs: number): number | undefined =>
  secondsFrom(headers['retry-after'], nowMs) ??
  secondsUntilDate(headers['retry-after'], nowMs) ??
  secondsFrom(headers['x-ratelimit-reset'], nowMs);

/** How often a 429 without a usable time is answered by a back-off before giving up. */
const maxBlindWaits = 2;

/** Waits out a 429 and sends again: a refused request was not processed, so any method may be repeated. */
export const rateLimit =
  ({ clock, maxWaitMs, interrupted, onWait }: RateLimitOptions): Layer =>
  (next) =>
  async (request) => {
    for (let blind = 0; ; ) {
      const reply = await next(request);
      if (reply.status !== 429) return reply;
      const asked = waitAsked(reply.headers, clock.now());
      if (asked === undefined) blind += 1;
      // A reset of 0 still waits a second, so that a confused service is not hammered.
      const seconds = Math.max(1, asked ?? 2 ** blind);
      if (seconds * 1000 > maxWaitMs || blind > maxBlindWaits) {
        throw new SchedError('rate-limited', 'The rate limit is used up', {
          ...(asked === undefined
            ? { reason: 'the service does not say when to come back', hint: 'try again in a minute' }
            : {
                reason: `the service asks to wait ${seconds} s`,
                hint: `wait, or allow it: --max-wait ${seconds}s`,
              }),
          retryAfterSeconds: seconds,
          outcome: 'not-applied',
          http: { status: 429, method: request.method, path: new URL(request.url).pathname },
        });
      }
      onWait(seconds);
      await clock.sleep(seconds * 1000, interrupted);
    }
  };
