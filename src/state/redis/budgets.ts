import { jsonIn } from '../../base/json.ts';
import type { BudgetState } from '../budget-state.ts';
import { type BudgetStore, forgottenMs } from '../budget-store.ts';
import { changeRecord, prefix, readRecord } from './record.ts';
import type { RedisConnection } from './redis-client.ts';
import type { ServerClock } from './server-clock.ts';

const budgetRecordKey = (key: string): string => `${prefix}budget:{${key}}`;

export interface RedisOptions {
  connection: RedisConnection;
  clock: ServerClock;
  /** The name of this machine, which others see while a process waits. */
  host: string;
}

/** A budget is a cache: what can't be read counts as none. */
const stateIn = (text: string | undefined) => jsonIn(text) as BudgetState | undefined;

/** Budgets in Redis, for all machines that use it. The server's clock counts. */
export const redisBudgets = ({ connection, clock, host }: RedisOptions): BudgetStore => ({
  update: (key, change) =>
    changeRecord(connection, clock, budgetRecordKey(key), ({ text, now }) => {
      const { state, value } = change(stateIn(text), now);
      return { text: JSON.stringify(state), keptForMs: forgottenMs, value };
    }),
  read: async (key) => {
    const { text, now } = await readRecord(connection, clock, budgetRecordKey(key));
    return { state: stateIn(text), now };
  },
  clock,
  host,
});
