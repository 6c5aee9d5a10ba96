import type { Clock } from '../system.ts';
import type { Store } from './store/store.ts';

/** The service's clock: the system clock plus an offset stored with the data. It runs at normal speed, or not at all. */
export interface SandboxClock extends Pick<Clock, 'now'> {
  /** Milliseconds ahead of the system clock; negative if behind it. */
  readonly offset: number;
  readonly isFrozen: boolean;
  /** Sets the time for every process that uses the data: `system` is that of the system. A frozen clock stays frozen. */
  set(time: number | 'system'): void;
  /** Stops the clock. */
  freeze(): void;
  /** Lets the clock run on, from the time it shows. */
  resume(): void;
}

/** Milliseconds ahead of the system clock. */
const offsetFact = 'clock_offset';
/** The time at which the clock is frozen. */
const frozenFact = 'clock_frozen_at';

/** Reads the stored facts on every call, because another process may have changed them. This takes a few microseconds. */
export const openClock = (store: Store, system: Pick<Clock, 'now'>): SandboxClock => {
  const read = () =>
    store.first<{ ahead: number | null; frozen: number | null }>(
      `SELECT (SELECT value FROM meta WHERE key = '${offsetFact}') AS ahead,
         (SELECT value FROM meta WHERE key = '${frozenFact}') AS frozen`,
    )!;
  const now = () => {
    const { ahead, frozen } = read();
    return frozen ?? system.now() + (ahead ?? 0);
  };
  const offset = () => {
    const { ahead, frozen } = read();
    return frozen === null ? (ahead ?? 0) : frozen - system.now();
  };
  const isFrozen = () => read().frozen !== null;
  return {
    now,
    get offset() {
      return offset();
    },
    get isFrozen() {
      return isFrozen();
    },
    set: (wanted) =>
      store.transaction(() => {
        const current = system.now();
        const time = wanted === 'system' ? current : wanted;
        if (isFrozen()) store.setFact(frozenFact, time);
        else store.setFact(offsetFact, time - current);
      }),
    freeze: () => store.transaction(() => store.setFact(frozenFact, now())),
    resume: () =>
      store.transaction(() => {
        const ahead = offset();
        store.run('DELETE FROM meta WHERE key = ?', frozenFact);
        store.setFact(offsetFact, ahead);
      }),
  };
};
