import type { Suggestion } from '../base/errors.ts';
import type { LimitHeaders } from '../state/budget.ts';
import type { HttpReply } from './message.ts';
import { headerTime } from './service-time.ts';

const day = 86_400;

/**
 * Whole seconds from a header value, 0 to a day. A Unix time (seconds or milliseconds) becomes the time from now.
 * Assumed (limits.reset): `x-ratelimit-reset` has seconds from now, at most a day, or a Unix time.
 */
const secondsFrom = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined || !/^\s*\d{1,16}(\.\d{1,9})?\s*$/.test(value)) return undefined;
  const number = Number(value);
  const distance = number > 1e12 ? (number - nowMs) / 1000 : number > 1e9 ? number - nowMs / 1000 : number;
  return distance >= 0 && distance <= day ? Math.ceil(distance) : undefined;
};

/** `Retry-After` may also be an HTTP date (RFC 9110 §10.2.3). It is compared with the reply's `Date`, if any. */
const secondsUntilDate = (headers: HttpReply['headers'], nowMs: number): number | undefined => {
  const until = headerTime(headers['retry-after']?.trim());
  if (until === undefined) return undefined;
  const seconds = Math.ceil((until - (headerTime(headers.date) ?? nowMs)) / 1000);
  return seconds >= 0 && seconds <= day ? seconds : undefined;
};

const retryAfter = (headers: HttpReply['headers'], nowMs: number): number | undefined =>
  secondsFrom(headers['retry-after'], nowMs) ?? secondsUntilDate(headers, nowMs);

/**
 * How many seconds a 429 or 503 asks to wait; `undefined` if it doesn't say so clearly, and for other replies.
 * Assumed (limits.retry-after): if a 429 has `Retry-After`, that header counts, and not `x-ratelimit-reset`.
 */
export const requestedWait = ({ status, headers }: HttpReply, nowMs: number): number | undefined => {
  if (status === 503) return retryAfter(headers, nowMs);
  // The reset header is about the rate limit, so it only counts for a 429.
  return status === 429 ? (retryAfter(headers, nowMs) ?? secondsFrom(headers['x-ratelimit-reset'], nowMs)) : undefined;
};

/** The longest wait, in seconds, for which `--max-wait` is suggested. */
const longestAdvised = 3600;

const isoSeconds = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+/, '');

/**
 * The reason and hint of an error about a wait that is too long. `what` is completed by the time when it ends. If no
 * wait is allowed, as with `--no-wait`, none is suggested.
 */
export const waitTooLong = (
  what: string,
  seconds: number,
  { nowMs, maxWaitMs }: { nowMs: number; maxWaitMs: number },
): { reason: string; hint?: Suggestion } => {
  const reason = `${what} ${isoSeconds(nowMs + seconds * 1000)}`;
  const isAdvised = seconds <= longestAdvised && maxWaitMs > 0;
  return { reason, ...(isAdvised ? { hint: { flags: { 'max-wait': `${seconds}s` } } } : {}) };
};

const readCount = (value: string | undefined): number | undefined =>
  value !== undefined && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : undefined;

/** The rate limit in the three headers, or undefined if one of them is missing or invalid. */
export const readLimits = (headers: HttpReply['headers'], nowMs: number): LimitHeaders | undefined => {
  const limit = readCount(headers['x-ratelimit-limit']);
  const remaining = readCount(headers['x-ratelimit-remaining']);
  const reset = secondsFrom(headers['x-ratelimit-reset'], nowMs);
  if (limit === undefined || limit < 1 || remaining === undefined || remaining > limit || reset === undefined)
    return undefined;
  return { limit, remaining, resetMs: reset * 1000 };
};
