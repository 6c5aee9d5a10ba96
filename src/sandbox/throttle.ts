import { limits } from '../api/limits.ts';
import type { HttpRequest } from '../http/message.ts';
import type { Caller } from './handler.ts';
import { dayMilliseconds } from './names.ts';
import { Refusal } from './refusal.ts';
import type { Store } from './store.ts';
import type { Plan } from './subscription.ts';

const spans = { minute: 60_000, hour: 3_600_000, day: dayMilliseconds } as const;

type Span = keyof typeof spans;

/** So many requests in so much time, counted for somebody. */
export interface Window {
  /** Told by the refusal: `general/minute`. */
  name: string;
  /** Who is counted, and for what. */
  key: string;
  limit: number;
  span: Span;
}

/** How a window stands after a request. */
interface Level {
  window: Window;
  left: number;
  resetSeconds: number;
}

/** What becomes of a request: the headers of its reply, and the window that has no room for it. */
export interface Admission {
  headers: Record<string, string>;
  refusedBy?: Window;
}

/** Assumed: the free plan has no windows of its own for bookings; its general one is narrow enough. */
const bookingLimits: Record<Plan, Partial<Record<Span, number>>> = { free: {}, ...limits.createInvitee };

const generalWindow = ({ token, plan }: Caller): Window => ({
  name: 'general/minute',
  key: `general/${token}`,
  limit: plan === 'free' ? limits.requestsPerMinute.free : limits.requestsPerMinute.paid,
  span: 'minute',
});

const bookingWindows = ({ user, plan }: Caller): Window[] =>
  (Object.entries(bookingLimits[plan]) as Array<[Span, number]>).map(([span, limit]) => ({
    name: `create-invitee/${span}`,
    key: `create-invitee/${span}/${user}`,
    limit,
    span,
  }));

/** Over, or opened in a future that a clock set back has left. */
const isOver = '(opened + ?3 <= ?2 OR opened > ?2 + ?3)';

/** One statement, because every request is counted. Beyond the limit nothing is counted but that it was exceeded. */
const count = `INSERT INTO rate_windows (key, opened, used) VALUES (?1, ?2, 1)
  ON CONFLICT (key) DO UPDATE SET
    used = CASE WHEN ${isOver} THEN 1 ELSE min(used + 1, ?4 + 1) END,
    opened = CASE WHEN ${isOver} THEN ?2 ELSE opened END
  RETURNING opened, used`;

const level = (window: Window, opened: number, used: number, now: number): Level => ({
  window,
  left: Math.max(0, window.limit - used),
  resetSeconds: Math.ceil((opened + spans[window.span] - now) / 1000),
});

const take = (store: Store, window: Window, now: number): { level: Level; isRefused: boolean } => {
  const { key, span, limit } = window;
  const row = store.first<{ opened: number; used: number }>(count, key, now, spans[span], limit);
  return { level: level(window, row!.opened, row!.used, now), isRefused: row!.used > limit };
};

/** The window with the fewest left; among those the one that takes longest to open again. */
const tightest = (levels: Level[]): Level =>
  levels.reduce((one, other) => {
    if (other.left !== one.left) return other.left < one.left ? other : one;
    return other.resetSeconds > one.resetSeconds ? other : one;
  });

const headersOf = ({ window, left, resetSeconds }: Level) => ({
  'x-ratelimit-limit': String(window.limit),
  'x-ratelimit-remaining': String(left),
  'x-ratelimit-reset': String(resetSeconds),
});

/** What a service without limits tells: without the headers a client would pace itself. */
export const unlimitedHeaders: Record<string, string> = {
  'x-ratelimit-limit': '1000000',
  'x-ratelimit-remaining': '1000000',
  'x-ratelimit-reset': '60',
};

/** Takes the request from every window, or, where one is full, from none. */
export const admit = (store: Store, windows: readonly Window[], now: number): Admission => {
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

/** Counts a request to the API, puts the three headers on whatever is answered, and refuses it where a window is full. */
export const throttle = (
  store: Store,
  caller: Caller,
  { method, pathname }: Pick<HttpRequest, 'method'> & { pathname: string },
  now: number,
  headers: Record<string, string>,
) => {
  const isBooking = method === 'POST' && pathname === '/invitees';
  const windows = [generalWindow(caller), ...(isBooking ? bookingWindows(caller) : [])];
  const { headers: told, refusedBy } = admit(store, windows, now);
  Object.assign(headers, told);
  if (!refusedBy) return;
  const whose = refusedBy.name.startsWith('general') ? 'token' : 'user';
  throw new Refusal(
    429,
    'Too Many Requests',
    `No more than ${refusedBy.limit} requests a ${refusedBy.span} for this ${whose}; try again in ${told['x-ratelimit-reset']} s.`,
    { window: refusedBy.name },
  );
};

/** Forgets windows that are long over. */
export const sweepWindows = (store: Store, now: number) => {
  store.run('DELETE FROM rate_windows WHERE opened < ?', now - spans.day);
};
