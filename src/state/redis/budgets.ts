import { type BudgetState, current, type Grant, windowsOf } from '../budget.ts';
import type { News, Step, StepResult } from '../budget-steps.ts';
import { type BudgetStore, forgottenMs } from '../budget-store.ts';
import { budgetScript, readScript } from './budget-script.ts';
import { nonsense, type RedisConnection } from './connection.ts';
import type { ServerClock } from './server-clock.ts';

/** The prefix of all keys, with the version of their format. */
export const prefix = 'sched:1:';

const keyOf = (key: string): string => `${prefix}budget:{${key}}`;

interface Options {
  connection: RedisConnection;
  clock: ServerClock;
  /** The name of this machine, which others see while a process waits. */
  host: string;
}

/** The server's time in milliseconds. */
export const serverTime = async (connection: RedisConnection): Promise<number> => {
  const reply = await connection.command('TIME');
  const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : [];
  const now = seconds! * 1000 + Math.floor(micros! / 1000);
  if (!Number.isFinite(now)) throw nonsense(connection);
  return now;
};

/** Runs a script that returns the server's time in milliseconds, and a text. */
export const runTimed = async (
  connection: RedisConnection,
  ...words: Parameters<RedisConnection['run']>
): Promise<{ now: number; value: string }> => {
  const reply = await connection.run(...words);
  const [now, value] = Array.isArray(reply) ? reply : [];
  if (typeof now !== 'number' || typeof value !== 'string') throw nonsense(connection);
  return { now, value };
};

/** Lua writes an empty list as `{}`. */
const listOf = <Item>(value: Item[] | object): Item[] => (Array.isArray(value) ? value : []);

const stateOf = (text: string): BudgetState | undefined => {
  if (text === '') return undefined;
  const state = JSON.parse(text) as BudgetState;
  return { ...state, leases: listOf(state.leases), waiting: listOf(state.waiting) };
};

const hasTimes = (step: Step): boolean =>
  step.do === 'settle' || step.do === 'queue' || ('news' in step && step.news !== undefined);

/** The step with the server's times. Each is chosen so that an error can only make a process wait longer. */
const atServer = <S extends Step>(step: S, host: string, clock: ServerClock): object => {
  const replyAt = <Facts extends Pick<News, 'sentAt' | 'now'>>(facts: Facts): Facts => ({
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

const grantHere = (grant: Grant, clock: ServerClock): Grant =>
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
export const redisBudgets = ({ connection, clock, host }: Options): BudgetStore => {
  const timed = (script: string, key: string, ...args: string[]): Promise<string> =>
    clock.measure(() => runTimed(connection, script, [keyOf(key)], args));

  return {
    apply: async (key, kind, step) => {
      if (hasTimes(step) && !clock.isKnown()) await timed(readScript, key);
      const words = [atServer(step, host, clock), windowsOf[kind]].map((value) => JSON.stringify(value));
      const text = await timed(budgetScript, key, ...words, String(forgottenMs));
      const result = JSON.parse(text) as Grant | number | null;
      const here = typeof result === 'object' && result !== null ? grantHere(result, clock) : (result ?? undefined);
      return here as StepResult<typeof step>;
    },
    read: async (key, kind) => {
      let at = 0;
      const text = await clock.measure(async () => {
        const reply = await runTimed(connection, readScript, [keyOf(key)], []);
        at = reply.now;
        return reply;
      });
      return stateHere(current(stateOf(text), kind, at), clock);
    },
  };
};
