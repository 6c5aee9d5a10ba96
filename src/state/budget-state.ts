import { day, hour, minute } from '../base/milliseconds.ts';
import { isTime, isWithin } from '../base/numbers.ts';

/* What processes share about the rate budget of a token, and whether it can be calculated with. */

export interface BudgetWindow {
  /** In milliseconds, like all times here. */
  length: number;
  /** `null` until a reply has named it. */
  limit: number | null;
  /** 0 while the window isn't open. */
  opened: number;
  end: number;
  /** Whether `end` is known from a reply. Until then it is the latest possible time. */
  isSure: boolean;
  used: number;
}

interface Lease {
  holder: string;
  permits: number;
  /** The `opened` time of the first window when the permits were taken. */
  opened: number;
}

export interface Waiter {
  holder: string;
  pid: number;
  /** The machine that it runs on. Missing if all waiters are on this one. */
  host?: string;
  since: number;
  until: number;
}

export interface BudgetState {
  version: 1;
  windows: BudgetWindow[];
  /** `limit` once a reply has named a limit. */
  told: 'nothing' | 'limit';
  /** No process sends before this time, because the service sent a 429. */
  closedUntil: number;
  /** The only request in flight while no limit is known. */
  probe?: { holder: string; until: number; pid?: number | undefined };
  leases: Lease[];
  waiting: Waiter[];
}

/** Window lengths by kind of request: all requests of a token, and the bookings of a user. */
const windowsOf = { general: [minute], bookings: [minute, hour, day] } as const;

export type BudgetKind = keyof typeof windowsOf;

/** The name of a budget. The rest of it is a hash of the token. */
export type BudgetKey = `${BudgetKind}-${string}`;

export const budgetKind = (key: BudgetKey): BudgetKind => key.split('-')[0] as BudgetKind;

export const emptyState = (kind: BudgetKind): BudgetState => ({
  version: 1,
  windows: windowsOf[kind].map((length) => ({ length, limit: null, opened: 0, end: 0, isSure: false, used: 0 })),
  told: 'nothing',
  closedUntil: 0,
  leases: [],
  waiting: [],
});

/** A waiter that is this late was killed. */
const lateMs = 10_000;
/** No service refuses requests for more than a day. */
const longestMs = 25 * 60 * minute;

/** No service counts higher, and no limit of a token is lower. */
const mostRequests = 1e9;

const isSaneWindow = (window: BudgetWindow, length: number, now: number): boolean =>
  window?.length === length &&
  (window.limit === null || isWithin(window.limit, 1, mostRequests)) &&
  // If the clock was set back, the stored times are in the future.
  isWithin(window.opened, 0, now + length) &&
  isWithin(window.end, 0, now + longestMs) &&
  isWithin(window.used, 0, mostRequests);

/** Whether a state from a file or from Redis can be calculated with. */
const isSane = (state: BudgetState, kind: BudgetKind, now: number): boolean =>
  state?.version === 1 &&
  Array.isArray(state.windows) &&
  state.windows.length === windowsOf[kind].length &&
  state.windows.every((window, index) => isSaneWindow(window, windowsOf[kind][index]!, now)) &&
  Array.isArray(state.leases) &&
  state.leases.every((lease) => isWithin(lease?.permits, 0, mostRequests) && isTime(lease.opened)) &&
  Array.isArray(state.waiting) &&
  state.waiting.every((waiter) => isTime(waiter?.since) && isWithin(waiter.until, 0, now + longestMs)) &&
  (state.probe === undefined || isWithin(state.probe?.until, 0, now + longestMs)) &&
  isWithin(state.closedUntil, 0, now + longestMs);

/** The state at this moment: ended windows are closed, and waiters that were killed are removed. */
export const current = (state: BudgetState | undefined, kind: BudgetKind, now: number): BudgetState => {
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
