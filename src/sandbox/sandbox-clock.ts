import type { Clock } from '../system.ts';
import type { Store } from './store/store.ts';

const fact = 'clock_offset';

/** The service's clock: the system clock plus an offset stored with the data. It always runs at normal speed. */
export interface SandboxClock extends Pick<Clock, 'now'> {
  /** Milliseconds ahead of the system clock; negative if behind it. */
  readonly offset: number;
  /** Sets the time for every process that uses the data. */
  set(time: number): void;
  advance(milliseconds: number): void;
  restore(): void;
}

/** Reads the offset on every call, because another process may have changed it. This takes a few microseconds. */
export const openClock = (store: Store, system: Pick<Clock, 'now'>): SandboxClock => {
  const offset = () => Number(store.fact(fact) ?? 0);
  return {
    now: () => system.now() + offset(),
    get offset() {
      return offset();
    },
    set: (time) => store.setFact(fact, time - system.now()),
    advance: (milliseconds) => store.transaction(() => store.setFact(fact, offset() + milliseconds)),
    restore: () => store.setFact(fact, 0),
  };
};
