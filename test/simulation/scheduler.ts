import { createHash } from 'node:crypto';
import type { Dice } from './dice.ts';

/** Something that an entry belongs to. Once it is over, its entries never happen. */
export interface Owner {
  readonly isOver: boolean;
}

/** Something that can happen next. */
export interface Entry {
  /** How it is named in the trace. */
  label: string;
  /** Without an owner it happens in any case, such as the arrival of a request whose sender was killed. */
  owner?: Owner | undefined;
  happen(): void | Promise<void>;
  /** What it changes, if its owner is killed right after it and never hears of it. */
  change?(): void;
}

interface Timer {
  at: number;
  ring(): void | Promise<void>;
  isOff: boolean;
}

/** Lets all promises run dry. */
const dry = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How often the earliest timer rings although something else could happen. */
const lateShare = 0.02;

/** How much time may pass then, unless everything may stall. A reply may take longer than this. */
const momentMs = 10_000;

/**
 * Time, and everything that waits. A step takes one entry by chance, lets it happen, and lets all promises run dry. If
 * there is none, the earliest timer rings, and the time advances.
 */
export const createScheduler = (order: Dice, start: number) => {
  const queue: Entry[] = [];
  /** The earliest last. */
  const timers: Timer[] = [];
  const hash = createHash('sha256');
  const scheduler = {
    time: start,
    steps: 0,
    /** Whether any time may pass between two steps. */
    mayStall: false,
    /** Each step, if somebody wants to read them. */
    trace: undefined as string[] | undefined,
    /** The first promise that was broken. Nothing happens after it. */
    violation: undefined as string | undefined,
    /** Decides about faults before an entry happens. Returns whether one happened instead. */
    strike: (_: Entry): boolean => false,

    note(text: string): void {
      hash.update(text).update('\n');
      scheduler.trace?.push(`${scheduler.steps} ${new Date(scheduler.time).toISOString().slice(5, -1)} ${text}`);
    },

    violate(text: string): void {
      scheduler.violation ??= text;
    },

    add(entry: Entry): void {
      if (!entry.owner?.isOver) queue.push(entry);
    },

    /** Resolves when its turn has come, for something that is no process. */
    turn: (label: string): Promise<void> => new Promise((resolve) => scheduler.add({ label, happen: () => resolve() })),

    after(milliseconds: number, ring: Timer['ring']): Timer {
      const timer = { at: scheduler.time + Math.max(0, milliseconds), ring, isOff: false };
      // Of those at the same time, the first one rings first.
      let [low, high] = [0, timers.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (timers[middle]!.at > timer.at) low = middle + 1;
        else high = middle;
      }
      timers.splice(low, 0, timer);
      return timer;
    },

    sleep: (milliseconds: number, owner?: Owner, signal?: AbortSignal, label = 'sleeper'): Promise<void> =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          timer.isOff = true;
          reject(signal!.reason);
        };
        const timer = scheduler.after(milliseconds, () =>
          scheduler.add({
            label: `${label} wakes`,
            owner,
            happen: () => {
              signal?.removeEventListener('abort', stop);
              resolve();
            },
          }),
        );
        signal?.addEventListener('abort', stop, { once: true });
      }),

    /** Runs until nothing is left to happen. */
    async run(mostTurns: number): Promise<void> {
      for (let turns = 0; ; turns += 1) {
        await dry();
        if (scheduler.violation !== undefined) return;
        if (turns === mostTurns) return scheduler.violate(`there is no end after ${mostTurns} turns`);
        const isSoon = timers.length > 0 && (scheduler.mayStall || timers.at(-1)!.at <= scheduler.time + momentMs);
        const isLate = queue.length > 0 && isSoon && order.chance(lateShare);
        if (queue.length > 0 && !isLate) {
          const at = order.below(queue.length);
          const entry = queue[at]!;
          queue[at] = queue.at(-1)!;
          queue.pop();
          if (entry.owner?.isOver) continue;
          scheduler.steps += 1;
          scheduler.note(entry.label);
          if (!scheduler.strike(entry)) await entry.happen();
        } else {
          const timer = timers.pop();
          if (timer === undefined) return;
          if (timer.isOff) continue;
          scheduler.time = Math.max(scheduler.time, timer.at);
          await timer.ring();
        }
      }
    },

    /** Runs until all this work is done. `whoIsLeft` names those who can't go on, if nothing is left to happen before. */
    async runAll(works: readonly Promise<void>[], mostTurns: number, whoIsLeft: () => string): Promise<void> {
      let isDone = false;
      Promise.all(works).then(
        () => {
          isDone = true;
        },
        (error: Error) => scheduler.violate(`The simulation failed: ${error.stack}`),
      );
      await scheduler.run(mostTurns);
      if (!isDone) scheduler.violate(`R65: ${whoIsLeft()} wait for nothing`);
    },

    /** Two runs are the same if and only if this is. */
    digest: (): string => hash.copy().digest('hex').slice(0, 16),
  };
  return scheduler;
};

export type Scheduler = ReturnType<typeof createScheduler>;
