import type { Clock } from '../runtime.ts';
import type { Store } from './store.ts';

const fact = 'clock_offset';

/** The service's own clock: the system's, moved by what the data says. It never runs faster. */
export interface SandboxClock extends Pick<Clock, 'now'> {
  /** Milliseconds ahead of the system's clock; negative behind it. */
  readonly offset: number;
  /** Makes it this time now, for every process that uses the data. */
  set(time: number): void;
  /** Moves it by exactly so many milliseconds, wherever it stands. */
  advance(milliseconds: number): void;
  /** Back to the system's time. */
  restore(): void;
}

/** The offset is looked up each time, because another process may have moved it; that costs some microseconds. */
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
