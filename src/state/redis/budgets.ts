import { jsonIn } from '../../json.ts';
import { type BudgetState, current } from '../budget.ts';
import { type BudgetStore, forgottenMs } from '../budget-store.ts';
import { changeRecord, prefix, readRecord } from './record.ts';
import type { RedisConnection } from './redis-client.ts';
import type { ServerClock } from './server-clock.ts';

const keyOf = (key: string): string => `${prefix}budget:{${key}}`;

export interface RedisOptions {
  connection: RedisConnection;
  clock: ServerClock;
  /** The name of this machine, which others see while a process waits. */
  host: string;
}

/** A budget is a cache: what can't be read counts as none. */
const stateOf = (text: string | undefined) => jsonIn(text) as BudgetState | undefined;

const stateHere = (state: BudgetState, { ahead }: ServerClock): BudgetState => {
  // 0 means that there is no such time.
  const local = (time: number): number => (time === 0 ? 0 : time - ahead());
  return {
    ...state,
    windows: state.windows.map((window) => ({ ...window, opened: local(window.opened), end: local(window.end) })),
    closedUntil: local(state.closedUntil),
    waiting: state.waiting.map((each) => ({ ...each, since: local(each.since), until: local(each.until) })),
  };
};

/** Budgets in Redis, for all machines that use it. The server's clock counts. */
export const redisBudgets = ({ connection, clock, host }: RedisOptions): BudgetStore => ({
  update: (key, kind, change) =>
    changeRecord(connection, clock, keyOf(key), ({ text, now }) => {
      const state = current(stateOf(text), kind, now);
      const value = change(state, now);
      return { text: JSON.stringify(state), keptForMs: forgottenMs, value };
    }),
  read: async (key, kind) => {
    const { text, now } = await readRecord(connection, clock, keyOf(key));
    return stateHere(current(stateOf(text), kind, now), clock);
  },
  clock,
  host,
});
