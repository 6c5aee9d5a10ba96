/*
 * How many requests of a token are still allowed, as all its processes see it: pure functions over one small record.
 *
 * `used` counts what was handed out, sent or not; what the service says it has seen only ever raises it. The end of a
 * window is never guessed too early: a reply that was received at t and says "n seconds" comes from a window that ends at
 * t + n or before, so the least of those sums is the best that is known.
 *
 * Assumed: windows are fixed, and the first request in a window opens it.
 */

export interface Window {
  /** In milliseconds, as are all times here. */
  length: number;
  /** Unknown until a reply tells. */
  limit: number | null;
  /** 0 while none is open. */
  opened: number;
  end: number;
  /** Whether a reply has told the end; until then it is the latest it could be. */
  isSure: boolean;
  used: number;
}

interface Lease {
  holder: string;
  permits: number;
  /** Which opening of the first window they are taken from. */
  opened: number;
}

export interface Waiter {
  holder: string;
  pid: number;
  since: number;
  until: number;
}

export interface BudgetState {
  version: 1;
  windows: Window[];
  /** Whether a reply has told a limit. */
  told: 'nothing' | 'limit';
  /** Nobody sends before this: a refusal said so. */
  closedUntil: number;
  /** The one request that is in flight while no limit has been told. */
  probe?: { holder: string; until: number; pid?: number };
  leases: Lease[];
  waiting: Waiter[];
}

/** What the three headers of a reply say, and when the request left and the reply came. */
export interface LimitHeaders {
  limit: number;
  remaining: number;
  resetMs: number;
}

export interface Settlement {
  holder: string;
  sentAt: number;
  now: number;
  told?: LimitHeaders | undefined;
  /** A 429: nobody sends for so long. */
  closedMs?: number | undefined;
  /** Every window of the request has at least so many left, whichever the headers describe. */
  least?: number | undefined;
  /** Permits of the holder that have not been used yet. */
  unused: number;
}

/** No permit until then: a limit is reached, our own pace is, or the one request that may be in flight is another's or ours. */
export type Refusal =
  | { until: number; why: 'limit' | 'probe' | 'own probe' }
  | { until: number; why: 'pace'; perMinute: number };

export interface GrantOptions {
  /** Permits wanted at once. */
  most: number;
  /** How long a request may be in flight. */
  probeMs: number;
  /** How many requests a minute leave, one at a time, while no limit has been told; as many as there are where it is missing. */
  pace?: number | undefined;
}

export type Grant = { permits: number; end: number } | Refusal;

const minute = 60_000;

/** How the windows of a kind of request are laid out: all requests of a token, and the bookings of a user. */
export const windowsOf = { general: [minute], bookings: [minute, 60 * minute, 24 * 60 * minute] } as const;

export type Kind = keyof typeof windowsOf;

export const emptyState = (kind: Kind): BudgetState => ({
  version: 1,
  windows: windowsOf[kind].map((length) => ({ length, limit: null, opened: 0, end: 0, isSure: false, used: 0 })),
  told: 'nothing',
  closedUntil: 0,
  leases: [],
  waiting: [],
});

/** A reply may take so long; until then the end of a window that it opened is not known. */
const replyMs = 30_000;
/** Waiters that do not come back were killed. */
const lateMs = 10_000;
/** Waiters come back one after another, so far apart, and all of them within this time. */
const slotMs = 60;
const returnMs = 5000;
/** Rounding of the header: up to a second. */
const roundingMs = 1000;
/** Close to the end of a window permits are handed out singly, so that none is used beyond it. */
const closingMs = 1500;
/** A lease where no limit is known ends by itself. */
const looseMs = 10_000;
const largestBlock = 20;
/** So many processes find something left when one has taken its block. */
const sharers = 16;

/** No service closes for more than a day. */
const longestMs = 25 * 60 * minute;

const isOpen = ({ opened, end }: Window, now: number): boolean => opened !== 0 && now < end;

const isSane = (state: BudgetState, kind: Kind, now: number): boolean =>
  state?.version === 1 &&
  Array.isArray(state.windows) &&
  state.windows.length === windowsOf[kind].length &&
  Array.isArray(state.leases) &&
  Array.isArray(state.waiting) &&
  // A clock that was set back has left all of it in the future.
  state.windows.every((window) => window?.opened <= now + window?.length && window.end <= now + longestMs) &&
  state.closedUntil <= now + longestMs;

/** The state as it stands now: what has ended is closed, and who will not come back is forgotten. */
export const current = (state: BudgetState | undefined, kind: Kind, now: number): BudgetState => {
  if (state === undefined || !isSane(state, kind, now)) return emptyState(kind);
  const next = {
    ...state,
    windows: state.windows.map((window) => ({ ...window })),
    leases: state.leases,
    waiting: state.waiting.filter(({ until }) => until + lateMs > now),
  };
  if (next.probe !== undefined && next.probe.until <= now) delete next.probe;
  for (const window of next.windows) {
    if (window.opened === 0 || now < window.end) continue;
    Object.assign(window, { opened: 0, end: 0, isSure: false, used: 0 });
  }
  return next;
};

const blockOf = (left: number, restMs: number, most: number): number =>
  restMs < closingMs ? 1 : Math.min(most, Math.max(1, Math.min(largestBlock, Math.floor(left / sharers))));

/**
 * What is there for this one, when everybody who has waited gets one first: those who have waited longer come before a
 * waiter, all of them before anybody else.
 */
const shareOf = ({ waiting }: BudgetState, holder: string, now: number, left: number): number => {
  const due = waiting.filter(({ until }) => until <= now);
  const place = due.findIndex((waiter) => waiter.holder === holder);
  if (place < 0) return left - due.length;
  return left > place ? Math.max(1, left - due.length + 1) : 0;
};

/** Hands out permits, or says until when there are none. Changes `state`. */
export const grant = (
  state: BudgetState,
  holder: string,
  now: number,
  { most, probeMs, pace }: GrantOptions,
): Grant => {
  if (state.closedUntil > now) return { until: state.closedUntil, why: 'limit' };
  const isPaced = pace !== undefined && state.told === 'nothing';
  const { probe } = state;
  if (isPaced && probe !== undefined)
    return { until: probe.until, why: probe.holder === holder ? 'own probe' : 'probe' };
  const refusal = (until: number): Refusal =>
    isPaced ? { until, why: 'pace', perMinute: pace } : { until, why: 'limit' };
  const limitOf = ({ limit }: Window): number => limit ?? (isPaced ? pace : Number.POSITIVE_INFINITY);
  const full = state.windows.filter((window) => window.used >= limitOf(window));
  if (full.length > 0) return refusal(Math.max(...full.map(({ end }) => end)));

  // Whoever still holds permits of the window before has at most one request under way, and it may count here.
  const carried = state.leases.filter((lease) => lease.opened !== state.windows[0]!.opened).length;
  for (const window of state.windows) {
    if (isOpen(window, now)) continue;
    // The window of our own pace ends when we say so.
    const end = now + window.length + (isPaced ? 0 : replyMs);
    Object.assign(window, { opened: now, end, isSure: false, used: carried });
  }
  const [first] = state.windows as [Window];
  state.leases = state.leases.filter((lease) => lease.opened === first.opened);
  const left = Math.min(...state.windows.map((window) => limitOf(window) - window.used));
  const share = shareOf(state, holder, now, left);
  // Those carried over may have filled a very small window, and what is left of it may be for those who waited.
  if (share <= 0) return refusal(first.end);
  const permits = isPaced ? 1 : Math.min(share, blockOf(left, first.end - now, most));
  if (isPaced) state.probe = { holder, until: now + probeMs };
  for (const window of state.windows) window.used += permits;
  state.leases = [
    ...state.leases.filter((lease) => lease.holder !== holder),
    { holder, permits, opened: first.opened },
  ];
  state.waiting = state.waiting.filter((waiter) => waiter.holder !== holder);
  return { permits, end: first.limit === null ? now + looseMs : first.end };
};

/** The window that a reply's headers describe: the shortest that takes as long to end. */
const described = ({ windows }: BudgetState, { resetMs }: LimitHeaders): Window =>
  windows.find(({ length }) => resetMs <= length + roundingMs) ?? windows.at(-1)!;

const learn = (state: BudgetState, told: LimitHeaders, { holder, sentAt, now, unused }: Settlement): void => {
  const window = described(state, told);
  const seen = told.limit - told.remaining;
  const end = now + told.resetMs;
  state.told = 'limit';
  window.limit = told.limit;
  // The header is rounded up, so only what lies more than that beyond the end is withOutcome another window.
  const isNewer = !isOpen(window, now) || (window.isSure && sentAt + told.resetMs > window.end + roundingMs);
  if (isNewer) {
    const others = state.leases.filter((lease) => lease.holder !== holder).length;
    Object.assign(window, { opened: sentAt, end, isSure: true, used: seen + unused + others });
    return;
  }
  // It may have been counted in the window before, which ended earlier.
  if (sentAt < window.opened) return;
  window.end = window.isSure ? Math.min(window.end, end) : end;
  window.isSure = true;
  window.used = Math.max(window.used, seen + unused);
};

/** Takes in what became of a request. Changes `state`. */
export const settle = (state: BudgetState, settlement: Settlement): void => {
  const { holder, now, told, closedMs, least = 0, unused } = settlement;
  if (state.probe?.holder === holder) delete state.probe;
  // A window that holds less than is left is none any more: the plan was changed.
  for (const window of state.windows) if (window.limit !== null && window.limit < least) window.limit = null;
  if (told !== undefined) learn(state, told, settlement);
  if (closedMs !== undefined) state.closedUntil = Math.max(state.closedUntil, now + closedMs);
  const lease = state.leases.find((each) => each.holder === holder);
  if (lease === undefined) return;
  state.leases = state.leases.filter((each) => each !== lease);
  if (unused > 0) state.leases = [...state.leases, { ...lease, permits: unused }];
};

/**
 * Takes in the limits that a plan sets, a window each; `null` where it sets none. What replies have told stands, unless
 * the plan is another one than before. Changes `state`.
 */
export const applyPlan = (state: BudgetState, limits: readonly (number | null)[], isNews: boolean): void => {
  if (isNews) {
    for (const window of state.windows) window.limit = null;
    state.closedUntil = 0;
  }
  const least = Math.max(0, ...state.windows.map(({ limit, used }) => (limit ?? 0) - used));
  for (const [index, window] of state.windows.entries()) {
    const limit = limits[index] ?? null;
    // A window that would hold less than is known to be left cannot be.
    if (window.limit === null && limit !== null && limit >= least) window.limit = limit;
  }
};

/** Gives back what was not used. Changes `state`. */
export const release = (state: BudgetState, holder: string, unused: number): void => {
  const lease = state.leases.find((each) => each.holder === holder);
  const [first] = state.windows as [Window];
  if (lease !== undefined && lease.opened === first.opened)
    for (const window of state.windows) window.used = Math.max(0, window.used - unused);
  state.leases = state.leases.filter((each) => each !== lease);
  state.waiting = state.waiting.filter((waiter) => waiter.holder !== holder);
  if (state.probe?.holder === holder) delete state.probe;
};

/**
 * Puts a waiter into the queue, where it keeps its place until it is served. Says how long after `until` it is its turn
 * to come back, so that not all come at once. Changes `state`.
 */
export const queue = (state: BudgetState, waiter: Waiter): number => {
  const place = state.waiting.findIndex(({ holder }) => holder === waiter.holder);
  if (place < 0) state.waiting = [...state.waiting, waiter];
  else state.waiting = state.waiting.map((each, index) => (index === place ? { ...each, until: waiter.until } : each));
  const index = place < 0 ? state.waiting.length - 1 : place;
  return Math.round(index * Math.min(slotMs, returnMs / state.waiting.length));
};
