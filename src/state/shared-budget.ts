import type { Clock } from '../base/system.ts';
import {
  applyPlan,
  closingMs,
  grantPermits,
  type LimitHeaders,
  type NoPermit,
  queue,
  release,
  type Settlement,
  settleRequest,
} from './budget.ts';
import {
  type BudgetKey,
  type BudgetState,
  type BudgetWindow,
  budgetKind,
  current,
  type Waiter,
} from './budget-state.ts';
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

/** What was learned from a reply. */
type BudgetNews = Pick<Settlement, 'sentAt' | 'now' | 'told'>;

interface Local {
  /** Permits of this process, valid until `end`. */
  permits: number;
  end: number;
  isWaiting?: boolean;
  /** Not yet shared with other processes, because it was no surprise. */
  news?: BudgetNews | undefined;
  /** Requests of this process that have a permit and haven't ended. */
  inFlight: number;
  /** Called when one of those has ended. */
  onEnd: (() => void)[];
  /** Resolves when the last step that was asked for is done. */
  lastStep: Promise<unknown>;
}

const largestBlock = 20;

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
  const buckets = new Map<BudgetKey, Local>();
  const alone = memoryBudgets(clock);
  const files = directory === undefined ? undefined : fileBudgets(directory, clock, holder);
  const stores = [
    ...(remote === undefined ? [] : [{ store: remote, onTrouble: onRemoteTrouble, isTold: false }]),
    ...(files === undefined ? [] : [{ store: files, onTrouble, isTold: false }]),
  ];

  const bucket = (key: BudgetKey): Local => {
    const local = buckets.get(key) ?? { permits: 0, end: 0, inFlight: 0, onEnd: [], lastStep: Promise.resolve() };
    buckets.set(key, local);
    return local;
  };

  /** Uses the first store that works. A budget is a cache: a failing store must not stop a command. */
  const using = async <Value>(work: (store: BudgetStore) => Promise<Value>): Promise<Value> => {
    for (const each of stores) {
      try {
        return await work(each.store);
      } catch (error) {
        if (!each.isTold) each.onTrouble?.((error as Error).message);
        each.isTold = true;
      }
    }
    return work(alone);
  };

  /** Changes a budget in one atomic step. `change` modifies the state; it may be called again with a newer one. */
  const update = <Value>(
    key: BudgetKey,
    change: (state: BudgetState, store: BudgetStore, now: number) => Value,
  ): Promise<Value> =>
    using((store) =>
      store.update(key, (before, now) => {
        const state = current(before, budgetKind(key), now);
        // A process that was killed during its request can't clear the probe itself.
        const { pid: sender } = state.probe ?? {};
        if (store.host === undefined && sender !== undefined && !isAlive(sender)) delete state.probe;
        return { value: change(state, store, now), state };
      }),
    );

  /** The current state by this machine's clock, without changing it. */
  const read = (key: BudgetKey): Promise<BudgetState> =>
    using(async (store) => {
      const { state: before, now } = await store.read(key);
      const state = current(before, budgetKind(key), now);
      // 0 means that there is no such time.
      const here = (time: number): number => (time === 0 ? 0 : time - store.clock.ahead());
      return {
        ...state,
        windows: state.windows.map((window) => ({ ...window, opened: here(window.opened), end: here(window.end) })),
        closedUntil: here(state.closedUntil),
        waiting: state.waiting.map((each) => ({ ...each, since: here(each.since), until: here(each.until) })),
      };
    });

  /** Records a reply. Each time is chosen so that an error can only make a process wait longer. */
  const settleAt = ({ clock }: BudgetStore, state: BudgetState, facts: Omit<Settlement, 'holder' | 'doubtMs'>): void =>
    settleRequest(state, {
      ...facts,
      holder,
      sentAt: facts.sentAt + clock.ahead(),
      doubtMs: clock.doubtMs(),
      now: facts.now + clock.ahead() + clock.doubtMs(),
    });

  /** Runs work on a bucket after all earlier work on it: requests of one process share its permits. */
  const inTurn = <Value>(key: BudgetKey, work: (local: Local) => Promise<Value>): Promise<Value> => {
    const local = bucket(key);
    const turn = local.lastStep.then(() => work(local));
    local.lastStep = turn.catch(() => {});
    return turn;
  };

  /** The last step of a request. Those that wait for its end are woken even if the step fails. */
  const ending = (key: BudgetKey, work: (local: Local) => Promise<void>): Promise<void> =>
    inTurn(key, async (local) => {
      local.inFlight -= 1;
      try {
        await work(local);
      } finally {
        for (const wake of local.onEnd.splice(0)) wake();
      }
    });

  const newsOf = (local: Local): BudgetNews | undefined => {
    const { news } = local;
    local.news = undefined;
    return news;
  };

  const giveBack = (key: BudgetKey, local: Local, unused: number): Promise<void> => {
    local.permits = 0;
    local.isWaiting = false;
    const news = newsOf(local);
    return update(key, (state, store) => {
      if (news !== undefined) settleAt(store, state, { ...news, unused });
      release(state, holder, unused);
    });
  };

  return {
    /**
     * Takes a permit for one request. Returns undefined if it got one, or else until when there is none. In the
     * background, half of the limit and every waiting command come first.
     */
    take: (key: BudgetKey, isBackground = false): Promise<NoPermit | undefined> =>
      inTurn(key, async (local) => {
        if (local.permits > 0 && clock.now() < local.end) {
          local.permits -= 1;
          local.inFlight += 1;
          return undefined;
        }
        local.permits = 0;
        const news = newsOf(local);
        const isGeneral = budgetKind(key) === 'general';
        // Booking limits are learned from refusals, so bookings need no pace.
        const pace = isGeneral ? pacePerMinute : undefined;
        const most = isGeneral && !isBackground ? largestBlock : 1;
        const options = { most, probeMs: timeoutMs + 5000, pid, pace, isBackground };
        const answer = await update(key, (state, store, now) => {
          if (news !== undefined) settleAt(store, state, { ...news, unused: 0 });
          // This store failed when the request of the probe ended, so another one was told about that.
          if (state.probe?.holder === holder && local.inFlight === 0) delete state.probe;
          const verdict = grantPermits(state, holder, now, options);
          const { ahead, doubtMs } = store.clock;
          return 'until' in verdict
            ? { ...verdict, until: verdict.until - ahead() + doubtMs() }
            : { ...verdict, end: verdict.end - ahead() - doubtMs() };
        });
        if ('until' in answer) return answer;
        local.isWaiting = false;
        local.permits = answer.permits - 1;
        local.inFlight += 1;
        local.end = answer.end - closingMs;
        return undefined;
      }),

    /** Returns a permit that wasn't used after all. A wait follows, so all other unused permits are returned, too. */
    untake: (key: BudgetKey): Promise<void> => ending(key, (local) => giveBack(key, local, local.permits + 1)),

    /** Resolves when a request of this process has ended, or at once if none is in flight. */
    endOfOwn: async (key: BudgetKey): Promise<void> => {
      const { inFlight, onEnd } = bucket(key);
      if (inFlight > 0) await new Promise<void>((resolve) => onEnd.push(resolve));
    },

    settle: (
      key: BudgetKey,
      facts: {
        sentAt: number;
        told?: LimitHeaders | undefined;
        closedMs?: number | undefined;
        least?: number | undefined;
      },
    ): Promise<void> => {
      const now = clock.now();
      return ending(key, async (local) => {
        const { told, sentAt, closedMs } = facts;
        // While permits are left and the reply has no surprise, the news for other processes can wait.
        if (told !== undefined && closedMs === undefined && local.permits > 0 && told.remaining >= local.permits) {
          local.news = { sentAt, now, told };
          return;
        }
        if (told === undefined && closedMs === undefined && local.permits > 0) return;
        const surplus = told !== undefined && told.remaining < local.permits ? local.permits : 0;
        local.permits -= surplus;
        await update(key, (state, store) => {
          if (surplus > 0) release(state, holder, surplus);
          settleAt(store, state, { ...facts, now, unused: local.permits });
        });
        local.news = undefined;
      });
    },

    /** The limit of the first window, or null if unknown. */
    limitOf: async (key: BudgetKey): Promise<number | null> => (await read(key)).windows[0]!.limit,

    /** Joins the queue. Returns how long after `until` it is this process's turn. */
    waiting: (key: BudgetKey, until: number): Promise<number> =>
      inTurn(key, (local) => {
        local.isWaiting = true;
        return update(key, (state, { clock: there, host }, now) => {
          // A waiter that comes back in time must not seem early.
          const earliest = until + there.ahead() - there.doubtMs();
          return queue(state, { holder, pid, ...(host && { host }), since: now, until: earliest });
        });
      }),

    /** Applies the limits of a plan, one per window. `isNews`: the plan has changed. */
    know: (key: BudgetKey, limits: readonly (number | null)[], isNews: boolean): Promise<void> =>
      update(key, (state) => applyPlan(state, limits, isNews)),

    /** The current state, without changing it. */
    look: async (
      key: BudgetKey,
    ): Promise<{ levels: Level[]; waiting: Waiter[]; closedUntil: number; told: string }> => {
      const { windows, waiting, closedUntil, told } = await read(key);
      const levels = windows.map((window) => ({
        ...window,
        remaining: window.limit === null ? null : Math.max(0, window.limit - window.used),
      }));
      return { levels, waiting, closedUntil, told };
    },

    /** Returns unused permits when the command ends. */
    close: async (): Promise<void> => {
      for (const key of buckets.keys())
        await inTurn(key, async (local) => {
          if (local.permits === 0 && local.news === undefined && !local.isWaiting) return;
          await giveBack(key, local, local.permits);
        });
    },
  };
};

export type SharedBudget = ReturnType<typeof createSharedBudget>;
