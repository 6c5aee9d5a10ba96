import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import {
  applyPlan,
  type BudgetState,
  current,
  grant,
  type Kind,
  type LimitHeaders,
  queue,
  type Refusal,
  release,
  settle,
  type Waiter,
  type Window,
} from './budget.ts';
import { ensurePrivateDirectory } from './directories.ts';
import { fileVersions, memoryVersions, sweepVersions, type Versions } from './versions.ts';

interface Clock {
  now(): number;
}

export interface SharedBudgetOptions {
  /** The directory to share it in. Without a usable directory, this process has a budget of its own. */
  directory?: string | undefined;
  clock: Clock;
  /** Unique name of this process. */
  holder: string;
  pid: number;
  /** Whether a process is running, as far as known. */
  isAlive?(pid: number): boolean;
  /** How long a request may be in flight. */
  timeoutMs: number;
  /** Requests per minute and token, one at a time, while the service hasn't named a limit. */
  pacePerMinute: number;
  /** Called once if the directory can't be used. */
  onTrouble(reason: string): void;
}

/** A window and its remaining requests, to show to users. */
export interface Level extends Window {
  remaining: number | null;
}

interface Local {
  versions: Versions<BudgetState>;
  /** Permits of this process, valid until `end`. */
  permits: number;
  end: number;
  isWaiting?: boolean;
  /** Learned from replies and not yet shared with other processes. */
  news?: { sentAt: number; now: number; told: LimitHeaders } | undefined;
}

/** Permits aren't used this close to the end of their window, because the service might count them in the next one. */
const closingMs = 1500;
/** Tokens change every two hours, so a budget that is untouched for days is useless. */
const forgottenMs = 3 * 24 * 3_600_000;

/** The rate budget that all processes of this user share. Its rules are in `budget.ts`. */
export const createSharedBudget = ({
  directory,
  clock,
  holder,
  pid,
  isAlive = () => true,
  timeoutMs,
  pacePerMinute,
  onTrouble,
}: SharedBudgetOptions) => {
  const buckets = new Map<string, Local>();
  let isShared = directory !== undefined;

  const open = (key: string): Versions<BudgetState> => {
    if (!isShared) return memoryVersions();
    try {
      const own = join(directory!, key);
      ensurePrivateDirectory(directory!);
      if (lstatSync(own, { throwIfNoEntry: false }) === undefined) sweepVersions(directory!, clock.now() - forgottenMs);
      return fileVersions(own, holder);
    } catch (error) {
      alone(error);
      return memoryVersions();
    }
  };

  const alone = (error: unknown): void => {
    if (isShared) onTrouble((error as Error).message);
    isShared = false;
    for (const local of buckets.values()) local.versions = memoryVersions();
  };

  const bucket = (key: string): Local => {
    const local = buckets.get(key) ?? { versions: open(key), permits: 0, end: 0 };
    buckets.set(key, local);
    return local;
  };

  /** The stored state is a cache: a failing disk must not stop a command. */
  const update = <Value>(key: string, kind: Kind, change: (state: BudgetState) => Value): Value => {
    const local = bucket(key);
    const step = (before: BudgetState | undefined) => {
      const state = current(before, kind, clock.now());
      return { value: change(state), state };
    };
    try {
      return local.versions.update(step);
    } catch (error) {
      alone(error);
      return local.versions.update(step);
    }
  };

  const read = (key: string): BudgetState | undefined => {
    const local = bucket(key);
    try {
      return local.versions.read();
    } catch (error) {
      alone(error);
      return undefined;
    }
  };

  const tell = (state: BudgetState, local: Local): void => {
    if (local.news === undefined) return;
    settle(state, { holder, ...local.news, unused: local.permits });
    local.news = undefined;
  };

  const take = (key: string, kind: Kind, most = 20, isBackground = false): Refusal | undefined => {
    const local = bucket(key);
    const now = clock.now();
    // Booking limits are learned from refusals, so bookings need no pace.
    const pace = kind === 'general' ? pacePerMinute : undefined;
    if (local.permits > 0 && now < local.end) {
      local.permits -= 1;
      return undefined;
    }
    const answer = update(key, kind, (state) => {
      local.permits = 0;
      tell(state, local);
      // A process that was killed during its request can't clear the probe itself.
      if (state.probe?.pid !== undefined && !isAlive(state.probe.pid)) delete state.probe;
      const granted = grant(state, holder, now, { most, probeMs: timeoutMs + 5000, pace, isBackground });
      if (state.probe?.holder === holder) state.probe.pid = pid;
      return granted;
    });
    if ('until' in answer) return answer;
    local.isWaiting = false;
    local.permits = answer.permits - 1;
    local.end = answer.end - closingMs;
    return undefined;
  };

  return {
    /** Takes a permit for one request. Returns undefined if it got one, or else until when there is none. */
    take,

    /** Returns a permit that wasn't used after all. A wait follows, so all other unused permits are returned, too. */
    untake: (key: string, kind: Kind): void => {
      const local = bucket(key);
      const unused = local.permits + 1;
      local.permits = 0;
      update(key, kind, (state) => {
        tell(state, local);
        release(state, holder, unused);
      });
    },

    settle: (
      key: string,
      kind: Kind,
      facts: {
        sentAt: number;
        told?: LimitHeaders | undefined;
        closedMs?: number | undefined;
        least?: number | undefined;
      },
    ): void => {
      const local = bucket(key);
      const now = clock.now();
      const { told, sentAt, closedMs } = facts;
      // While permits are left and the reply has no surprise, the news for other processes can wait.
      if (told !== undefined && closedMs === undefined && local.permits > 0 && told.remaining >= local.permits) {
        local.news = { sentAt, now, told };
        return;
      }
      if (told === undefined && closedMs === undefined && local.permits > 0) return;
      const surplus = told !== undefined && told.remaining < local.permits ? local.permits : 0;
      local.permits -= surplus;
      update(key, kind, (state) => {
        // More permits were handed out than the service has left.
        if (surplus > 0) release(state, holder, surplus);
        settle(state, { holder, now, ...facts, unused: local.permits });
      });
      local.news = undefined;
    },

    /** The limit of the first window, or null if unknown. */
    limitOf: (key: string): number | null => read(key)?.windows[0]?.limit ?? null,

    /** Joins the queue. Returns how long after `until` it is this process's turn. */
    waiting: (key: string, kind: Kind, until: number): number => {
      bucket(key).isWaiting = true;
      return update(key, kind, (state) => queue(state, { holder, pid, since: clock.now(), until }));
    },

    /** Applies the limits of a plan, one per window. `isNews`: the plan has changed. */
    know: (key: string, kind: Kind, limits: readonly (number | null)[], isNews: boolean): void =>
      update(key, kind, (state) => applyPlan(state, limits, isNews)),

    /** The current state, without changing it. */
    look: (key: string, kind: Kind): { levels: Level[]; waiting: Waiter[]; closedUntil: number; told: string } => {
      const { windows, waiting, closedUntil, told } = current(read(key), kind, clock.now());
      const levels = windows.map((window) => ({
        ...window,
        remaining: window.limit === null ? null : Math.max(0, window.limit - window.used),
      }));
      return { levels, waiting, closedUntil, told };
    },

    /** Returns unused permits when the command ends. */
    close: (): void => {
      for (const [key, local] of buckets) {
        if (local.permits === 0 && local.news === undefined && !local.isWaiting) continue;
        const kind = key.startsWith('bookings-') ? 'bookings' : 'general';
        update(key, kind, (state) => {
          const { permits } = local;
          tell(state, local);
          release(state, holder, permits);
        });
        local.permits = 0;
      }
    },
  };
};

export type SharedBudget = ReturnType<typeof createSharedBudget>;
