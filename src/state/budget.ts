import type { BudgetState, BudgetWindow, Waiter } from './budget-state.ts';

/*
 * The rate budget of a token, shared by all its processes: pure functions on one small record.
 *
 * `used` counts the permits handed out, sent or not. The service's own count only ever raises it. The end of a window
 * is never guessed too early: a reply that is received at t and says "n seconds" comes from a window that ends at t + n
 * or before, so the smallest of those sums is the best estimate.
 *
 * Assumed (limits.fixed-windows): the windows of rate limits are fixed, and the first request in a window opens it.
 */

/** The three rate-limit headers of a reply. */
export interface LimitHeaders {
  limit: number;
  remaining: number;
  resetMs: number;
}

export interface Settlement {
  holder: string;
  sentAt: number;
  /** How much earlier it may have been sent, if another machine's clock counts. */
  doubtMs?: number | undefined;
  now: number;
  told?: LimitHeaders | undefined;
  /** After a 429: how long no process may send. */
  closedMs?: number | undefined;
  /** Every window of the request has at least this many requests left, not just the one the headers describe. */
  least?: number | undefined;
  /** Permits that the holder hasn't used yet. */
  unused: number;
}

/** No permit before `until`: the rate limit or sched's own pace is reached, or the one allowed request is in flight. */
export type NoPermit =
  | { until: number; why: 'limit' | 'probe' | 'own probe' }
  | { until: number; why: 'pace'; perMinute: number };

interface GrantOptions {
  /** The most permits to hand out at once. */
  most: number;
  /** How long a request may be in flight. */
  probeMs: number;
  pid?: number | undefined;
  /** Requests per minute, one at a time, while no limit is known. Unlimited if missing. */
  pace?: number | undefined;
  /** Leaves half of the limit to other commands, and everything while another command waits. */
  isBackground?: boolean | undefined;
}

type PermitGrant = { permits: number; end: number } | NoPermit;

/** The longest time a reply may take. Until it arrives, the end of the window that it opened is unknown. */
const replyMs = 30_000;
/** Waiters return one after another, this far apart, and all of them within `returnMs`. */
const slotMs = 60;
const returnMs = 5000;
/** The header is rounded by up to a second. */
const roundingMs = 1000;
/**
 * This close to the end of a window, permits are handed out one by one, and those of a block aren't used: the service
 * might count them in the next window.
 */
export const closingMs = 1500;
/** A lease without a known limit expires after this time. */
const looseMs = 10_000;
/** A block is small enough to leave permits for this many processes. */
const sharers = 16;

const isWindowOpen = ({ opened, end }: BudgetWindow, now: number): boolean => opened !== 0 && now < end;

const blockOf = (permitsLeft: number, restMs: number, most: number): number =>
  restMs < closingMs ? 1 : Math.max(1, Math.min(most, Math.floor(permitsLeft / sharers)));

/**
 * The permits for this holder, after every waiter has got one: a waiter comes after those who have waited longer, and
 * a holder that hasn't waited comes after all waiters.
 */
const shareOf = ({ waiting }: BudgetState, holder: string, now: number, permitsLeft: number): number => {
  const due = waiting.filter(({ until }) => until <= now);
  const place = due.findIndex((waiter) => waiter.holder === holder);
  if (place < 0) return permitsLeft - due.length;
  return permitsLeft > place ? Math.max(1, permitsLeft - due.length + 1) : 0;
};

/** Hands out permits, or says until when there are none. Modifies `state`. */
export const grantPermits = (
  state: BudgetState,
  holder: string,
  now: number,
  { most, probeMs, pid, pace, isBackground }: GrantOptions,
): PermitGrant => {
  if (state.closedUntil > now) return { until: state.closedUntil, why: 'limit' };
  const isPaced = pace !== undefined && state.told === 'nothing';
  const { probe } = state;
  if (isPaced && probe !== undefined)
    return { until: probe.until, why: probe.holder === holder ? 'own probe' : 'probe' };
  const refusal = (until: number): NoPermit =>
    isPaced ? { until, why: 'pace', perMinute: pace } : { until, why: 'limit' };
  if (isBackground && state.waiting.length > 0) return refusal(now + returnMs);
  const limitOf = ({ limit }: BudgetWindow): number => limit ?? (isPaced ? pace : Number.POSITIVE_INFINITY);
  const full = state.windows.filter((window) => window.used >= limitOf(window));
  if (full.length > 0) return refusal(Math.max(...full.map(({ end }) => end)));

  // A holder with permits of the previous window has at most one request in flight, which may count in this window.
  const carried = state.leases.filter((lease) => lease.opened !== state.windows[0]!.opened).length;
  for (const window of state.windows) {
    if (isWindowOpen(window, now)) continue;
    // The window of sched's own pace has an exact end.
    const end = now + window.length + (isPaced ? 0 : replyMs);
    Object.assign(window, { opened: now, end, isSure: false, used: carried });
  }
  const [first] = state.windows as [BudgetWindow];
  state.leases = state.leases.filter((lease) => lease.opened === first.opened);
  const permitsLeft = Math.min(...state.windows.map((window) => limitOf(window) - window.used));
  // Half of an unknown limit is not known either: one request learns it.
  if (isBackground && permitsLeft !== Number.POSITIVE_INFINITY && permitsLeft <= limitOf(first) / 2)
    return refusal(first.end);
  const share = shareOf(state, holder, now, permitsLeft);
  // Carried requests may have filled a very small window, and the rest of it may belong to waiters.
  if (share <= 0) return refusal(first.end);
  const permits = isPaced ? 1 : Math.min(share, blockOf(permitsLeft, first.end - now, most));
  if (isPaced) state.probe = { holder, until: now + probeMs, pid };
  for (const window of state.windows) window.used += permits;
  state.leases = [
    ...state.leases.filter((lease) => lease.holder !== holder),
    { holder, permits, opened: first.opened },
  ];
  state.waiting = state.waiting.filter((waiter) => waiter.holder !== holder);
  return { permits, end: first.limit === null ? now + looseMs : first.end };
};

/** The window that the headers of a reply describe: the shortest one that can last that long. */
const windowOfHeaders = ({ windows }: BudgetState, { resetMs }: LimitHeaders): BudgetWindow =>
  windows.find(({ length }) => resetMs <= length + roundingMs) ?? windows.at(-1)!;

const learn = (
  state: BudgetState,
  headers: LimitHeaders,
  { holder, sentAt, doubtMs = 0, now, unused }: Settlement,
): void => {
  const window = windowOfHeaders(state, headers);
  const count = headers.limit - headers.remaining;
  const end = now + headers.resetMs;
  state.told = 'limit';
  // A limit of 0 would never let a request through, not even to learn a better one.
  window.limit = Math.max(1, headers.limit);
  // The header is rounded up, so only an end that is later by more than the rounding means a new window.
  const isNewer =
    !isWindowOpen(window, now) || (window.isSure && sentAt - doubtMs + headers.resetMs > window.end + roundingMs);
  if (isNewer) {
    const others = state.leases.filter((lease) => lease.holder !== holder).length;
    Object.assign(window, { opened: sentAt, end, isSure: true, used: count + unused + others });
    return;
  }
  // The request may have been counted in the previous window, which ended earlier.
  if (sentAt < window.opened) return;
  window.end = window.isSure ? Math.min(window.end, end) : end;
  window.isSure = true;
  window.used = Math.max(window.used, count + unused);
};

/** Records the result of a request. Modifies `state`. */
export const settleRequest = (state: BudgetState, settlement: Settlement): void => {
  const { holder, now, told, closedMs, least = 0, unused } = settlement;
  if (state.probe?.holder === holder) delete state.probe;
  // A limit below the remaining requests is out of date: the plan has changed.
  for (const window of state.windows) if (window.limit !== null && window.limit < least) window.limit = null;
  if (told !== undefined) learn(state, told, settlement);
  if (closedMs !== undefined) state.closedUntil = Math.max(state.closedUntil, now + closedMs);
  const lease = state.leases.find((each) => each.holder === holder);
  if (lease === undefined) return;
  state.leases = state.leases.filter((each) => each !== lease);
  if (unused > 0) state.leases = [...state.leases, { ...lease, permits: unused }];
};

/**
 * Applies the limits of a plan, one per window; `null` means no limit. Limits from replies take precedence, unless the
 * plan has changed (`isNews`). Modifies `state`.
 */
export const applyPlan = (state: BudgetState, limits: readonly (number | null)[], isNews: boolean): void => {
  if (isNews) {
    for (const window of state.windows) window.limit = null;
    state.closedUntil = 0;
  }
  const least = Math.max(0, ...state.windows.map(({ limit, used }) => (limit ?? 0) - used));
  for (const [index, window] of state.windows.entries()) {
    const limit = limits[index] ?? null;
    // A limit below the requests that are known to be left can't be right.
    if (window.limit === null && limit !== null && limit >= least) window.limit = limit;
  }
};

/** Returns unused permits. Modifies `state`. */
export const release = (state: BudgetState, holder: string, unused: number): void => {
  const lease = state.leases.find((each) => each.holder === holder);
  const [first] = state.windows as [BudgetWindow];
  if (lease !== undefined && lease.opened === first.opened)
    for (const window of state.windows) window.used = Math.max(0, window.used - unused);
  state.leases = state.leases.filter((each) => each !== lease);
  state.waiting = state.waiting.filter((waiter) => waiter.holder !== holder);
  if (state.probe?.holder === holder) delete state.probe;
};

/**
 * Adds a waiter to the queue, where it keeps its place until it is served. Returns how long after `until` it should
 * come back, so that not all waiters come at once. Modifies `state`.
 */
export const queue = (state: BudgetState, waiter: Waiter): number => {
  const place = state.waiting.findIndex(({ holder }) => holder === waiter.holder);
  if (place < 0) state.waiting = [...state.waiting, waiter];
  else state.waiting = state.waiting.map((each, index) => (index === place ? { ...each, until: waiter.until } : each));
  const index = place < 0 ? state.waiting.length - 1 : place;
  return Math.round(index * Math.min(slotMs, returnMs / state.waiting.length));
};
