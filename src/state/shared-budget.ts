import type { Clock } from '../system.ts';
import type { BudgetKind, BudgetState, BudgetWindow, LimitHeaders, NoPermit, Waiter } from './budget.ts';
import type { BudgetNews, Step, StepResult } from './budget-steps.ts';
import { type BudgetStore, fileBudgets, memoryBudgets } from './budget-store.ts';

export interface SharedBudgetOptions {
  /** Shares it with other machines. Whenever this fails, this machine's budget is used. */
  remote?: BudgetStore | undefined;
  /** The directory to share it in. Without a usable directory, this process has a budget of its own. */
  directory?: string | undefined;
  clock: Pick<Clock, 'now'>;
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
  /** Called once if `remote` can't be used. */
  onRemoteTrouble?(reason: string): void;
}

/** A window and its remaining requests, to show to users. */
export interface Level extends BudgetWindow {
  remaining: number | null;
}

interface Local {
  kind: BudgetKind;
  /** Permits of this process, valid until `end`. */
  permits: number;
  end: number;
  isWaiting?: boolean;
  /** Learned from replies and not yet shared with other processes. */
  news?: BudgetNews | undefined;
  /** Resolves when the last step that was asked for is done. */
  lastStep: Promise<unknown>;
}

/** Permits aren't used this close to the end of their window, because the service might count them in the next one. */
const closingMs = 1500;

/** The rate budget that all processes with this token share. Its rules are in `budget.ts`. */
export const createSharedBudget = ({
  remote,
  directory,
  clock,
  holder,
  pid,
  isAlive = () => true,
  timeoutMs,
  pacePerMinute,
  onTrouble,
  onRemoteTrouble,
}: SharedBudgetOptions) => {
  const buckets = new Map<string, Local>();
  const alone = memoryBudgets(clock);
  let shared: BudgetStore | undefined =
    directory === undefined ? undefined : fileBudgets({ directory, clock, holder, isAlive });

  const bucket = (key: string, kind: BudgetKind): Local => {
    const local = buckets.get(key) ?? { kind, permits: 0, end: 0, lastStep: Promise.resolve() };
    buckets.set(key, local);
    return local;
  };

  let isRemoteTold = false;

  /** A budget is a cache: a failing store must not stop a command. */
  const using = async <Value>(work: (store: BudgetStore) => Promise<Value>): Promise<Value> => {
    if (remote === undefined) return usingLocal(work);
    try {
      return await work(remote);
    } catch (error) {
      if (!isRemoteTold) onRemoteTrouble?.((error as Error).message);
      isRemoteTold = true;
      return usingLocal(work);
    }
  };

  const usingLocal = async <Value>(work: (store: BudgetStore) => Promise<Value>): Promise<Value> => {
    if (shared === undefined) return work(alone);
    try {
      return await work(shared);
    } catch (error) {
      if (shared !== undefined) onTrouble((error as Error).message);
      shared = undefined;
      return work(alone);
    }
  };

  const apply = <S extends Step>(key: string, kind: BudgetKind, step: S): Promise<StepResult<S>> =>
    using((store) => store.apply(key, kind, step));
  const read = (key: string, kind: BudgetKind): Promise<BudgetState> => using((store) => store.read(key, kind));

  /** Runs work on a bucket after all earlier work on it: requests of one process share its permits. */
  const inTurn = <Value>(key: string, kind: BudgetKind, work: (local: Local) => Promise<Value>): Promise<Value> => {
    const local = bucket(key, kind);
    const turn = local.lastStep.then(() => work(local));
    local.lastStep = turn.catch(() => {});
    return turn;
  };

  const newsOf = (local: Local): { news?: BudgetNews } => {
    const { news } = local;
    local.news = undefined;
    return news === undefined ? {} : { news };
  };

  const giveBack = (key: string, local: Local, unused: number): Promise<void> => {
    local.permits = 0;
    local.isWaiting = false;
    return apply(key, local.kind, { do: 'release', holder, unused, ...newsOf(local) });
  };

  return {
    /**
     * Takes a permit for one request. Returns undefined if it got one, or else until when to wait, and why: a limit, the
     * pace if no limit is known, or a request in flight, of another process or of this one. In the background, half of
     * the limit and every waiting command come first.
     */
    take: (key: string, kind: BudgetKind, most = 20, isBackground = false): Promise<NoPermit | undefined> =>
      inTurn(key, kind, async (local) => {
        if (local.permits > 0 && clock.now() < local.end) {
          local.permits -= 1;
          return undefined;
        }
        local.permits = 0;
        const answer = await apply(key, kind, {
          do: 'take',
          holder,
          pid,
          most,
          probeMs: timeoutMs + 5000,
          // Booking limits are learned from refusals, so bookings need no pace.
          pace: kind === 'general' ? pacePerMinute : undefined,
          isBackground,
          ...newsOf(local),
        });
        if ('until' in answer) return answer;
        local.isWaiting = false;
        local.permits = answer.permits - 1;
        local.end = answer.end - closingMs;
        return undefined;
      }),

    /** Returns a permit that wasn't used after all. A wait follows, so all other unused permits are returned, too. */
    untake: (key: string, kind: BudgetKind): Promise<void> =>
      inTurn(key, kind, (local) => giveBack(key, local, local.permits + 1)),

    settle: (
      key: string,
      kind: BudgetKind,
      facts: {
        sentAt: number;
        told?: LimitHeaders | undefined;
        closedMs?: number | undefined;
        least?: number | undefined;
      },
    ): Promise<void> => {
      const now = clock.now();
      return inTurn(key, kind, async (local) => {
        const { told, sentAt, closedMs } = facts;
        // While permits are left and the reply has no surprise, the news for other processes can wait.
        if (told !== undefined && closedMs === undefined && local.permits > 0 && told.remaining >= local.permits) {
          local.news = { sentAt, now, told };
          return;
        }
        if (told === undefined && closedMs === undefined && local.permits > 0) return;
        const surplus = told !== undefined && told.remaining < local.permits ? local.permits : 0;
        local.permits -= surplus;
        await apply(key, kind, { do: 'settle', holder, now, ...facts, surplus, unused: local.permits });
        local.news = undefined;
      });
    },

    /** The limit of the first window, or null if unknown. */
    limitOf: async (key: string, kind: BudgetKind): Promise<number | null> => (await read(key, kind)).windows[0]!.limit,

    /** Joins the queue. Returns how long after `until` it is this process's turn. */
    waiting: (key: string, kind: BudgetKind, until: number): Promise<number> =>
      inTurn(key, kind, (local) => {
        local.isWaiting = true;
        return apply(key, kind, { do: 'queue', holder, pid, until });
      }),

    /** Applies the limits of a plan, one per window. `isNews`: the plan has changed. */
    know: (key: string, kind: BudgetKind, limits: readonly (number | null)[], isNews: boolean): Promise<void> =>
      apply(key, kind, { do: 'plan', limits, isNews }),

    /** The current state, without changing it. */
    look: async (
      key: string,
      kind: BudgetKind,
    ): Promise<{ levels: Level[]; waiting: Waiter[]; closedUntil: number; told: string }> => {
      const { windows, waiting, closedUntil, told } = await read(key, kind);
      const levels = windows.map((window) => ({
        ...window,
        remaining: window.limit === null ? null : Math.max(0, window.limit - window.used),
      }));
      return { levels, waiting, closedUntil, told };
    },

    /** Returns unused permits when the command ends. */
    close: async (): Promise<void> => {
      for (const [key, { kind }] of buckets)
        await inTurn(key, kind, async (local) => {
          if (local.permits === 0 && local.news === undefined && !local.isWaiting) return;
          await giveBack(key, local, local.permits);
        });
    },
  };
};

export type SharedBudget = ReturnType<typeof createSharedBudget>;
