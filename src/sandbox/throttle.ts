import { isBooking, limits } from '../api/limits.ts';
import { idIn } from '../uri.ts';
import { Refusal } from './error-replies.ts';
import type { Caller } from './handler.ts';
import { dayMilliseconds, uri } from './store/names.ts';
import type { Store } from './store/store.ts';
import { type Plan, planOf } from './subscription.ts';

const spans = { minute: 60_000, hour: 3_600_000, day: dayMilliseconds } as const;

type WindowSpan = keyof typeof spans;

/** A rate limit: a number of requests per time span. */
interface RateWindow {
  /** Shown in the 429 reply, such as `general/minute`. */
  name: string;
  whose: 'token' | 'address' | 'user';
  /** Identifies the counter. */
  key: string;
  limit: number;
  span: WindowSpan;
}

/** The state of a window after a request. */
interface WindowLevel {
  window: RateWindow;
  left: number;
  resetSeconds: number;
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

const generalWindow = ({ token, plan }: Pick<Caller, 'token' | 'plan'>): RateWindow => ({
  name: 'general/minute',
  whose: 'token',
  key: `general/${token}`,
  limit: plan === 'free' ? limits.requestsPerMinute.free : limits.requestsPerMinute.paid,
  span: 'minute',
});

/**
 * Assumed (limits.no-token): requests without a known token count for the caller's address. The sandbox listens on the
 * loopback address only, so all callers share one window.
 */
const addressWindow: RateWindow = {
  name: 'address/minute',
  whose: 'address',
  key: 'address/loopback',
  limit: limits.requestsPerMinute.paid,
  span: 'minute',
};

/**
 * Assumed (limits.booking-windows): a booking must fit the general limit and each limit for bookings, and the headers
 * describe the one with the fewest requests left.
 */
const bookingWindows = ({ user, plan }: Pick<Caller, 'user' | 'plan'>): RateWindow[] =>
  (Object.entries(bookingLimits[plan]) as Array<[WindowSpan, number]>).map(([span, limit]) => ({
    name: `create-invitee/${span}`,
    whose: 'user',
    key: `create-invitee/${span}/${user}`,
    limit,
    span,
  }));

/** Assumed (limits.token-requests): a user can send 8 token requests a minute, as in similar services. */
export const tokenWindow = (user: string): RateWindow => ({
  name: 'token/minute',
  whose: 'user',
  key: `token/${user}`,
  limit: 8,
  span: 'minute',
});

/** The window has ended, or it starts in the future because the clock was set back. */
const isOver = '(opened + ?3 <= ?2 OR opened > ?2 + ?3)';

/** A single statement, because every request runs it. The count stops at one above the limit. */
const count = `INSERT INTO rate_windows (key, opened, used) VALUES (?1, ?2, 1)
  ON CONFLICT (key) DO UPDATE SET
    used = CASE WHEN ${isOver} THEN 1 ELSE min(used + 1, ?4 + 1) END,
    opened = CASE WHEN ${isOver} THEN ?2 ELSE opened END
  RETURNING opened, used`;

const level = (window: RateWindow, opened: number, used: number, now: number): WindowLevel => ({
  window,
  left: Math.max(0, window.limit - used),
  resetSeconds: Math.ceil((opened + spans[window.span] - now) / 1000),
});

const take = (store: Store, window: RateWindow, now: number): { level: WindowLevel; isRefused: boolean } => {
  const { key, span, limit } = window;
  const row = store.first<{ opened: number; used: number }>(count, key, now, spans[span], limit);
  return { level: level(window, row!.opened, row!.used, now), isRefused: row!.used > limit };
};

/** The window with the fewest requests left; on a tie, the one that resets last. */
const tightest = (levels: WindowLevel[]): WindowLevel =>
  levels.reduce((one, other) => {
    if (other.left !== one.left) return other.left < one.left ? other : one;
    return other.resetSeconds > one.resetSeconds ? other : one;
  });

const headersOf = ({ window, left, resetSeconds }: WindowLevel) => ({
  'x-ratelimit-limit': String(window.limit),
  'x-ratelimit-remaining': String(left),
  'x-ratelimit-reset': String(resetSeconds),
});

/** Headers for a service without limits. A client that gets no headers would slow itself down. */
export const unlimitedHeaders: Record<string, string> = {
  'x-ratelimit-limit': '1000000',
  'x-ratelimit-remaining': '1000000',
  'x-ratelimit-reset': '60',
};

/** Counts the request in every window, or in none if one is full. */
export const admit = (store: Store, windows: readonly RateWindow[], now: number): Admission => {
  const [only] = windows;
  if (windows.length === 1) {
    const { level, isRefused } = take(store, only!, now);
    return isRefused ? { headers: headersOf(level), refusedBy: only! } : { headers: headersOf(level) };
  }
  return store.transaction(() => {
    const full = windows.flatMap((window) => {
      const [row] = store.all<{ opened: number; used: number }>(
        `SELECT opened, used FROM rate_windows WHERE key = ?1 AND used >= ?4 AND NOT ${isOver}`,
        window.key,
        now,
        spans[window.span],
        window.limit,
      );
      return row ? [level(window, row.opened, row.used, now)] : [];
    });
    if (full.length > 0) {
      const refused = tightest(full);
      return { headers: headersOf(refused), refusedBy: refused.window };
    }
    return { headers: headersOf(tightest(windows.map((window) => take(store, window, now).level))) };
  });
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
  asked: { method: string; path: string },
  now: number,
  headers: Record<string, string>,
) => {
  const windows = caller
    ? [generalWindow(caller), ...(isBooking(asked) ? bookingWindows(caller) : [])]
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
export const listWindows = (store: Store, now: number, origin: string) => {
  const plan = planOf(store);
  const rows = store.all<{ key: string; opened: number; used: number; user: string | null }>(
    `SELECT w.*, t.user FROM rate_windows w LEFT JOIN access_tokens t ON w.key = 'general/' || t.hash ORDER BY w.key`,
  );
  return rows.flatMap(({ key, opened, used, user }) => {
    const owner = idIn(key);
    const caller = { token: owner, user: owner, plan };
    const known = [addressWindow, generalWindow(caller), tokenWindow(owner), ...bookingWindows(caller)];
    const window = known.find((each) => each.key === key);
    const isOver = window === undefined || opened + spans[window.span] <= now || opened > now + spans[window.span];
    if (isOver) return [];
    const { left, resetSeconds } = level(window, opened, used, now);
    return {
      window: window.name,
      whose: window.whose === 'address' ? owner : `${origin}${uri('users', user ?? owner)}`,
      used: window.limit - left,
      limit: window.limit,
      reset_seconds: resetSeconds,
    };
  });
};
