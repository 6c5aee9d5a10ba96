import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';
import { rateLimit } from '../../src/http/rate-limit.ts';
import type { BudgetStore } from '../../src/state/budget-store.ts';
import { createSharedBudget } from '../../src/state/shared-budget.ts';
import { seeded } from '../support/random.ts';

const calls = new Set<Promise<unknown>>();

/** Keeps simulated clocks from advancing until some real work is done. */
export const holdingClocks = async <Value>(work: Promise<Value>): Promise<Value> => {
  calls.add(work);
  return work.finally(() => calls.delete(work));
};

/** Resolves when no task has anything to do but sleep. */
export const quiet = async (): Promise<void> => {
  do {
    await Promise.allSettled(calls);
    await new Promise(setImmediate);
  } while (calls.size > 0);
};

/** A clock that only advances when all tasks sleep. */
export const simulatedClock = (start = Date.parse('2026-11-15T18:00:00.250Z')) => {
  let now = start;
  let sleepers: { at: number; wake: () => void }[] = [];
  const clock = {
    now: () => now,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const abort = () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal!.reason);
        };
        const wake = () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        const sleeper = { at: now + milliseconds, wake };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
      }),
  };
  /** Advances the clock until the work is done. */
  const run = async <Value>(work: Promise<Value>): Promise<Value> => {
    let isDone = false;
    const finished = work.finally(() => {
      isDone = true;
    });
    finished.catch(() => {});
    for (let idle = 0; !isDone; ) {
      await quiet();
      if (isDone) break;
      const next = sleepers.reduce<(typeof sleepers)[0] | undefined>(
        (first, other) => (first === undefined || other.at < first.at ? other : first),
        undefined,
      );
      if (next === undefined) {
        idle += 1;
        if (idle > 1000) throw new Error('deadlock: all tasks wait and none sleeps');
        continue;
      }
      idle = 0;
      sleepers = sleepers.filter((sleeper) => sleeper !== next);
      now = Math.max(now, next.at);
      next.wake();
    }
    return finished;
  };
  return { clock, run };
};

export type SimulatedClock = ReturnType<typeof simulatedClock>['clock'];

/** A service with one rate limit: fixed windows, each opened by its first request. */
export const limitedService = (
  clock: SimulatedClock,
  { limit, windowMs = 60_000, latency = () => 50 }: { limit: number; windowMs?: number; latency?: () => number },
) => {
  let opened = Number.NEGATIVE_INFINITY;
  let used = 0;
  let flying = 0;
  const seen = { answered: 0, refused: 0, mostAtOnce: 0, mostBeforeFirst: 0, times: [] as number[] };
  let hasAnswered = false;
  const send: Send = async (): Promise<HttpReply> => {
    flying += 1;
    seen.mostAtOnce = Math.max(seen.mostAtOnce, flying);
    if (!hasAnswered) seen.mostBeforeFirst = Math.max(seen.mostBeforeFirst, flying);
    const there = latency() / 2;
    await clock.sleep(there);
    const now = clock.now();
    if (now >= opened + windowMs) {
      opened = now;
      used = 0;
    }
    const isRefused = used >= limit;
    if (!isRefused) used += 1;
    seen[isRefused ? 'refused' : 'answered'] += 1;
    seen.times.push(now);
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(limit - used),
      'x-ratelimit-reset': String(Math.ceil((opened + windowMs - now) / 1000)),
    };
    await clock.sleep(there);
    flying -= 1;
    hasAnswered = true;
    return { status: isRefused ? 429 : 200, headers, body: '{}' };
  };
  return { send, seen };
};

const request: HttpRequest = {
  method: 'GET',
  url: 'https://api.example.com/event_types',
  headers: { authorization: 'Bearer canary-token-0123456789' },
};

/** Where processes share their budget: a directory, or a store for each machine, whose clocks may differ. */
export type Place = string | { machine(clock: SimulatedClock): { clock: SimulatedClock; remote: BudgetStore } };

let processes = 0;

/** One process: its budget in the shared place, and the rate-limit layer that uses it. */
export const simulatedProcess = (
  clockOfAll: SimulatedClock,
  service: Send,
  place: Place | undefined,
  {
    maxWaitMs = 90_000,
    timeoutMs = 30_000,
    pacePerMinute = 500,
    random = seeded(processes),
    isBackground = false,
    onTrouble = (reason) => {
      throw new Error(reason);
    },
  }: {
    maxWaitMs?: number;
    timeoutMs?: number;
    pacePerMinute?: number;
    random?: () => number;
    isBackground?: boolean;
    onTrouble?: (reason: string) => void;
  } = {},
) => {
  processes += 1;
  const waits: number[] = [];
  const { clock, ...where } =
    typeof place === 'object' ? place.machine(clockOfAll) : { clock: clockOfAll, directory: place };
  const budget = createSharedBudget({
    ...where,
    clock,
    holder: `p${processes}`,
    pid: processes,
    timeoutMs,
    pacePerMinute,
    onTrouble,
    onRemoteTrouble: onTrouble,
  });
  const interrupted = new AbortController();
  const send = rateLimit({
    clock,
    random,
    maxWaitMs,
    interrupted: interrupted.signal,
    budget,
    isBackground,
    onWait: ({ seconds }) => waits.push(seconds),
  })(service);
  return { budget, waits, interrupted, send: (more: Partial<HttpRequest> = {}) => send({ ...request, ...more }) };
};
