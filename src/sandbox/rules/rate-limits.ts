import { isBooking, limits } from '../../api/limits.ts';
import { day, hour, minute } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import { Refusal } from '../error-replies.ts';
import type { Caller } from '../handler.ts';
import type { Counter } from '../store/counters.ts';
import { uri } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import { type Plan, planOf } from './subscription.ts';

const spans = { minute, hour, day };

type WindowSpan = keyof typeof spans;

/** A rate limit: a number of requests per time span. */
interface RateWindow {
  /** Shown in the 429 reply, such as `general/minute`. */
  name: string;
  whose: 'token' | 'address' | 'user';
  /** Identifies the counter: the name and whose it is. */
  key: string;
  limit: number;
  span: WindowSpan;
}

const rateWindow = (kind: string, span: WindowSpan, whose: RateWindow['whose'], owner: string, limit: number) => {
  const name = `${kind}/${span}`;
  return { name, whose, key: `${name}/${owner}`, limit, span };
};

/** A window and its counter. */
interface WindowLevel extends Counter {
  window: RateWindow;
}

/** The rate limit headers for a request, and the window that refused it, if any. */
interface Admission {
  headers: Record<string, string>;
  refusedBy?: RateWindow;
}

/**
 * Assumed (limits.free-bookings): the free plan has no separate limits for bookings; its general limit is low enough.
 */
const bookingLimits: Record<Plan, Partial<Record<WindowSpan, number>>> = { free: {}, ...limits.createInvitee };

/** Whether the plan's rate limits apply, or how many requests a minute each token has instead of the plan's. */
export type RateLimits = boolean | number;

const generalWindow = ({ token, plan }: Pick<Caller, 'token' | 'plan'>, set: RateLimits): RateWindow => {
  const perMinute = typeof set === 'number' ? set : limits.requestsPerMinute[plan === 'free' ? 'free' : 'paid'];
  return rateWindow('general', 'minute', 'token', token, perMinute);
};

/**
 * Assumed (limits.no-token): requests without a known token count for the caller's address. The sandbox listens on the
 * loopback address only, so all callers share one window.
 */
const addressWindow = rateWindow('address', 'minute', 'address', 'loopback', limits.requestsPerMinute.paid);

/**
 * Assumed (limits.booking-windows): a booking must fit the general limit and each limit for bookings, and the headers
 * describe the one with the fewest requests left.
 */
const bookingWindows = ({ user, plan }: Pick<Caller, 'user' | 'plan'>): RateWindow[] =>
  (Object.entries(bookingLimits[plan]) as Array<[WindowSpan, number]>).map(([span, limit]) =>
    rateWindow('create-invitee', span, 'user', user, limit),
  );

/** Assumed (limits.token-requests): a user can send 8 token requests a minute, as in similar services. */
export const tokenWindow = (user: string): RateWindow => rateWindow('token', 'minute', 'user', user, 8);

/** The stored counter, or a new one if its window has ended or starts in the future because the clock was set back. */
const levelOf = (window: RateWindow, stored: Counter | undefined, now: number): WindowLevel => {
  const length = spans[window.span];
  const isOver = stored === undefined || stored.opened + length <= now || stored.opened > now + length;
  return { window, ...(isOver ? { opened: now, used: 0 } : stored) };
};

const leftOf = ({ window, used }: WindowLevel): number => Math.max(0, window.limit - used);

const resetSecondsOf = ({ window, opened }: WindowLevel, now: number): number =>
  Math.ceil((opened + spans[window.span] - now) / 1000);

/** The window with the fewest requests left; on a tie, the one that resets last. */
const tightest = (levels: WindowLevel[], now: number): WindowLevel =>
  levels.reduce((one, other) => {
    if (leftOf(other) !== leftOf(one)) return leftOf(other) < leftOf(one) ? other : one;
    return resetSecondsOf(other, now) > resetSecondsOf(one, now) ? other : one;
  });

/** Headers for a service without limits. A client that gets no headers would slow itself down. */
export const unlimitedHeaders: Record<string, string> = {
  'x-ratelimit-limit': '1000000',
  'x-ratelimit-remaining': '1000000',
  'x-ratelimit-reset': '60',
};

const readLevel = (store: Store, window: RateWindow, now: number): WindowLevel =>
  levelOf(window, store.counters.read(window.key), now);

const levelHeaders = (level: WindowLevel, now: number): Record<string, string> => ({
  'x-ratelimit-limit': String(level.window.limit),
  'x-ratelimit-remaining': String(leftOf(level)),
  'x-ratelimit-reset': String(resetSecondsOf(level, now)),
});

/** The three headers for a reply to a request that isn't counted. */
export const currentHeaders = (store: Store, caller: Caller, now: number, set: RateLimits): Record<string, string> =>
  set === false ? unlimitedHeaders : levelHeaders(readLevel(store, generalWindow(caller, set), now), now);

/** Counts the request in every window, or in none if one is full. */
export const admit = (store: Store, windows: readonly RateWindow[], now: number): Admission => {
  const levels = windows.map((window) => readLevel(store, window, now));
  const full = levels.filter((level) => leftOf(level) === 0);
  const isRefused = full.length > 0;
  if (!isRefused)
    for (const level of levels) {
      level.used += 1;
      store.counters.add(level.window.key, level);
    }
  const tightestLevel = tightest(isRefused ? full : levels, now);
  const headers = levelHeaders(tightestLevel, now);
  return isRefused ? { headers, refusedBy: tightestLevel.window } : { headers };
};

/** Counts a request without a token, and returns the three headers for its reply. */
export const addressHeaders = (store: Store, now: number): Record<string, string> =>
  admit(store, [addressWindow], now).headers;

/**
 * Counts a request, sets the three headers on its reply, and refuses the request if a window is full. Without a known
 * token, the request counts for the caller's address.
 */
export const throttle = (
  store: Store,
  caller: Caller | undefined,
  request: { method: string; path: string },
  now: number,
  headers: Record<string, string>,
  set: RateLimits,
) => {
  const windows = caller
    ? [generalWindow(caller, set), ...(isBooking(request) ? bookingWindows(caller) : [])]
    : [addressWindow];
  const { headers: current, refusedBy } = admit(store, windows, now);
  Object.assign(headers, current);
  if (!refusedBy) return;
  throw new Refusal(
    429,
    'Too Many Requests',
    `Rate limit reached: ${refusedBy.limit} requests per ${refusedBy.span} for this ${refusedBy.whose}. Try again in ${current['x-ratelimit-reset']} seconds.`,
    { window: refusedBy.name },
  );
};

/** Deletes windows that ended long ago. */
export const sweepWindows = (store: Store, now: number) => {
  store.run('DELETE FROM rate_windows WHERE opened < ?', now - spans.day);
};

/** All counters that are not over, by key: the window, its owner, and the state. */
export const listWindows = (store: Store, now: number, origin: string, set: RateLimits) => {
  store.counters.flush();
  const plan = planOf(store);
  const rows = store.all<Counter & { key: string; user: string | null }>(
    `SELECT w.*, t.user FROM rate_windows w LEFT JOIN access_tokens t ON w.key = '${generalWindow({ token: '', plan }, set).key}' || t.hash
     ORDER BY w.key`,
  );
  return rows.flatMap(({ key, user, ...stored }) => {
    const owner = idIn(key);
    const caller = { token: owner, user: owner, plan };
    const windows = [addressWindow, generalWindow(caller, set), tokenWindow(owner), ...bookingWindows(caller)];
    const window = windows.find((each) => each.key === key);
    const level = window && levelOf(window, stored, now);
    if (level === undefined || level.used === 0) return [];
    const { name, whose, limit } = level.window;
    return {
      window: name,
      whose: whose === 'address' ? owner : `${origin}${uri('users', user ?? owner)}`,
      used: limit - leftOf(level),
      limit,
      reset_seconds: resetSecondsOf(level, now),
    };
  });
};
