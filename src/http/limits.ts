import type { HttpReply } from './message.ts';

const day = 86_400;

/** Whole seconds from a header value: 0 to a day; an epoch in seconds or milliseconds is turned into a distance. */
const secondsFrom = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined || !/^\s*\d{1,16}(\.\d{1,9})?\s*$/.test(value)) return undefined;
  const number = Number(value);
  const distance = number > 1e12 ? (number - nowMs) / 1000 : number > 1e9 ? number - nowMs / 1000 : number;
  return distance >= 0 && distance <= day ? Math.ceil(distance) : undefined;
};

/** `Retry-After` may also be an HTTP date (RFC 9110 §10.2.3). It is compared with the service's own clock where that is told. */
const secondsUntilDate = (headers: HttpReply['headers'], nowMs: number): number | undefined => {
  const value = headers['retry-after']?.trim() ?? '';
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return undefined;
  const theirNow = Date.parse(headers.date ?? '') || nowMs;
  const seconds = Math.ceil((Date.parse(value) - theirNow) / 1000);
  return seconds >= 0 && seconds <= day ? seconds : undefined;
};

const retryAfter = (headers: HttpReply['headers'], nowMs: number): number | undefined =>
  secondsFrom(headers['retry-after'], nowMs) ?? secondsUntilDate(headers, nowMs);

/** How long a 429 or 503 asks us to wait, in seconds; `undefined` when it says nothing usable, and for all other replies. */
export const requestedWait = ({ status, headers }: HttpReply, nowMs: number): number | undefined => {
  if (status === 503) return retryAfter(headers, nowMs);
  // The reset is about the rate limit, and only a 429 is too.
  return status === 429 ? (retryAfter(headers, nowMs) ?? secondsFrom(headers['x-ratelimit-reset'], nowMs)) : undefined;
};

/** Nobody wants a command to sleep for longer. */
const longestAdvised = 3600;

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+/, '');

/** A wait that is too long, in words for an error: why it failed, and what to do. */
export const waitTooLong = (what: string, seconds: number, nowMs: number): { reason: string; hint: string } => ({
  reason: `${what} ${timeOf(nowMs + seconds * 1000)}`,
  hint: seconds > longestAdvised ? 'the same command then' : `wait, or allow it: --max-wait ${seconds}s`,
});

const count = (value: string | undefined): number | undefined =>
  value !== undefined && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : undefined;

/** What the three headers say together; nothing, if one of them is missing or makes no sense. */
export const readLimits = (
  headers: HttpReply['headers'],
  nowMs: number,
): { limit: number; remaining: number; resetMs: number } | undefined => {
  const limit = count(headers['x-ratelimit-limit']);
  const remaining = count(headers['x-ratelimit-remaining']);
  const reset = secondsFrom(headers['x-ratelimit-reset'], nowMs);
  if (limit === undefined || limit < 1 || remaining === undefined || remaining > limit || reset === undefined)
    return undefined;
  return { limit, remaining, resetMs: reset * 1000 };
};
