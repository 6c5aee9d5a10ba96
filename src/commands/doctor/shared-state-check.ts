import { counted } from '../../base/numbers.ts';
import { redisAddressOf } from '../../cli/session/shared-state.ts';
import { addressProblem, shownAddress } from '../../state/redis/address.ts';
import type { RedisReport } from '../../state/redis/report.ts';
import { moves } from '../move/work-record.ts';
import { baseUrlOf, type Check, errorText, type Finding, note, ok, problem } from './finding.ts';
import { moveFindings } from './unfinished-work.ts';

const check = 'shared state';

/** Redis' own clock counts, so a difference is no problem. */
const clockText = (aheadMs: number): string => {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return `its clock is ${counted(seconds, 'second')} ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`;
};

const storedText = ({ budgets, hasMoreBudgets, bookings, openBookings }: RedisReport): string => {
  const all = `${counted(budgets, 'rate budget')}${hasMoreBudgets ? ' or more' : ''}, ${counted(bookings, 'booking')}`;
  return openBookings === 0 ? all : `${all} (${openBookings} with an unknown outcome)`;
};

const findingsFrom = (address: string, report: RedisReport): Finding[] => {
  const { version = 'version unknown', isTooOld, latencyMs, aheadMs, eviction, hasLog } = report;
  if (isTooOld) return [problem(check, `${address}: ${version} is too old`, 'use Redis 6 or newer, or Valkey')];
  const facts = [
    version,
    `replies in ${latencyMs < 1 ? 'less than 1' : latencyMs} ms`,
    clockText(aheadMs),
    `stored: ${storedText(report)}`,
  ];
  return [
    ok(check, `${address}: ${facts.join('; ')}`),
    ...(eviction === undefined
      ? []
      : [
          problem(
            check,
            `its maxmemory-policy ${eviction} may remove bookings too early, so that they are made twice`,
            'set maxmemory-policy to noeviction',
          ),
        ]),
    ...(hasLog === false
      ? [note(check, 'if Redis restarts, the latest bookings are forgotten', 'set appendonly to yes')]
      : []),
  ];
};

/** Checks the Redis server that several machines share, if one is set. */
export const sharedStateCheck: Check = async (context) => {
  const { runtime, account } = context;
  const { SCHED_SHARED_STATE: variable } = runtime.env;
  const url = variable || account?.profile.shared_state;
  if (!url || addressProblem(url) !== undefined) return [];
  const place = variable ? 'SCHED_SHARED_STATE' : `shared_state of profile "${account!.name}"`;
  try {
    const address = await redisAddressOf(url, runtime);
    const connection = await runtime.connectRedis(address, runtime.clock);
    const [{ reportOn }, { redisLedger }, { createServerClock }] = await Promise.all([
      import('../../state/redis/report.ts'),
      import('../../state/redis/ledger.ts'),
      import('../../state/redis/server-clock.ts'),
    ]);
    try {
      const findings = findingsFrom(shownAddress(address), await reportOn(connection, runtime.clock));
      const options = { connection, clock: createServerClock(runtime.clock), host: runtime.machine.host };
      const openMoves = await redisLedger(options, moves).open(baseUrlOf(context) ?? '');
      return [...findings, ...moveFindings(context, openMoves)];
    } finally {
      connection.close();
    }
  } catch (error) {
    return [problem(check, errorText(error), `check ${place} and the server`)];
  }
};
