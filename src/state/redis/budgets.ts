import { type BudgetState, current, type PermitGrant } from '../budget.ts';
import { applyStep, type BudgetNews, type Step, type StepResult } from '../budget-steps.ts';
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
const stateOf = (text: string | undefined): BudgetState | undefined => {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as BudgetState);
  } catch {
    return undefined;
  }
};

const hasTimes = (step: Step): boolean =>
  step.do === 'settle' || step.do === 'queue' || ('news' in step && step.news !== undefined);

/** The step with the server's times. Each is chosen so that an error can only make a process wait longer. */
const atServer = (step: Step, host: string, clock: ServerClock): Step => {
  const replyAt = <Facts extends Pick<BudgetNews, 'sentAt' | 'now'>>(facts: Facts): Facts => ({
    ...facts,
    sentAt: clock.toServer(facts.sentAt),
    doubtMs: clock.doubtMs(),
    now: clock.latestAtServer(facts.now),
  });
  if (step.do === 'settle') return replyAt(step);
  // A waiter that comes back in time must not seem early.
  if (step.do === 'queue') return { ...step, host, until: clock.earliestAtServer(step.until) };
  return 'news' in step && step.news !== undefined ? { ...step, news: replyAt(step.news) } : step;
};

const grantHere = (grant: PermitGrant, clock: ServerClock): PermitGrant =>
  'until' in grant
    ? { ...grant, until: clock.latestHere(grant.until) }
    : { ...grant, end: clock.earliestHere(grant.end) };

const stateHere = (state: BudgetState, { toLocal }: ServerClock): BudgetState => {
  // 0 means that there is no such time.
  const local = (time: number): number => (time === 0 ? 0 : toLocal(time));
  return {
    ...state,
    windows: state.windows.map((window) => ({ ...window, opened: local(window.opened), end: local(window.end) })),
    closedUntil: local(state.closedUntil),
    waiting: state.waiting.map((each) => ({ ...each, since: local(each.since), until: local(each.until) })),
  };
};

/** Budgets in Redis, for all machines that use it. The server's clock counts. */
export const redisBudgets = ({ connection, clock, host }: RedisOptions): BudgetStore => ({
  apply: async (key, kind, step) => {
    if (hasTimes(step) && !clock.isKnown()) await readRecord(connection, clock, keyOf(key));
    const there = atServer(step, host, clock);
    const result: unknown = await changeRecord(connection, clock, keyOf(key), ({ text, now }) => {
      const state = current(stateOf(text), kind, now);
      const value = applyStep(state, there, now);
      return { text: JSON.stringify(state), keptForMs: forgottenMs, value };
    });
    const here = typeof result === 'object' && result !== null ? grantHere(result as PermitGrant, clock) : result;
    return here as StepResult<typeof step>;
  },
  read: async (key, kind) => {
    const { text, now } = await readRecord(connection, clock, keyOf(key));
    return stateHere(current(stateOf(text), kind, now), clock);
  },
});
