import type { Clock } from '../../base/system.ts';
import type { Store } from '../store/store.ts';

/** Milliseconds ahead of the system clock. */
const offsetFact = 'clock_offset';
/** The time at which the clock is frozen. */
const frozenFact = 'clock_frozen_at';

interface ClockFacts {
  ahead: number | null;
  frozen: number | null;
}

/**
 * The service's clock: the system clock plus an offset stored with the data. It runs at normal speed, or not at all.
 * Asks on every call whether another process has changed the stored facts.
 */
export const openClock = (store: Store, system: Pick<Clock, 'now'>) => {
  const readFacts = (): ClockFacts =>
    store.first<ClockFacts>(
      `SELECT (SELECT value FROM meta WHERE key = '${offsetFact}') AS ahead,
         (SELECT value FROM meta WHERE key = '${frozenFact}') AS frozen`,
    )!;
  let known = readFacts();
  const read = (): ClockFacts => {
    known = store.recall('clock', readFacts);
    return known;
  };
  const timeBy = ({ ahead, frozen }: ClockFacts) => frozen ?? system.now() + (ahead ?? 0);
  const now = () => timeBy(read());
  const offset = () => {
    const { ahead, frozen } = read();
    return frozen === null ? (ahead ?? 0) : frozen - system.now();
  };
  const isFrozen = () => read().frozen !== null;
  return {
    now,
    /** The time by the facts that were read last, a moment ago while the sandbox runs: for the log. */
    get latest() {
      return timeBy(known);
    },
    /** Milliseconds ahead of the system clock; negative if behind it. */
    get offset() {
      return offset();
    },
    get isFrozen() {
      return isFrozen();
    },
    /** Sets the time for every process that uses the data: `system` is that of the system. A frozen clock stays frozen. */
    set: (target: number | 'system') =>
      store.transaction(() => {
        const current = system.now();
        const time = target === 'system' ? current : target;
        if (isFrozen()) store.setFact(frozenFact, time);
        else store.setFact(offsetFact, time - current);
      }),
    /** Moves the clock by exactly this much, however long the request takes. */
    advance: (milliseconds: number) =>
      store.transaction(() => {
        const { ahead, frozen } = read();
        if (frozen === null) store.setFact(offsetFact, (ahead ?? 0) + milliseconds);
        else store.setFact(frozenFact, frozen + milliseconds);
      }),
    freeze: () => store.transaction(() => store.setFact(frozenFact, now())),
    /** Lets the clock run on, from the time it shows. */
    resume: () =>
      store.transaction(() => {
        const ahead = offset();
        store.run('DELETE FROM meta WHERE key = ?', frozenFact);
        store.setFact(offsetFact, ahead);
      }),
  };
};

export type SandboxClock = ReturnType<typeof openClock>;
