import type { Clock } from '../../base/system.ts';
import { bookings } from '../ledger-entry.ts';
import { ledgerKey } from './ledger.ts';
import { prefix, readRecord } from './record.ts';
import { nonsense, type RedisConnection } from './redis-client.ts';
import { createServerClock } from './server-clock.ts';

export interface RedisReport {
  /** Such as `Redis 7.0.15`. Missing if the user of this connection may not ask. */
  version?: string;
  isTooOld: boolean;
  latencyMs: number;
  /** How far its clock is ahead of this machine's. */
  aheadMs: number;
  budgets: number;
  /** Whether there are more, because not all keys of the server were looked at. */
  hasMoreBudgets: boolean;
  bookings: number;
  openBookings: number;
  /** The policy by which Redis removes keys that haven't expired, if it does that. */
  eviction?: string;
  /** Whether Redis writes each change to a file. */
  hasLog?: boolean;
}

const probes = 5;
/** The most SCAN calls, of about 1,000 keys each. */
const scans = 100;

const countOf = async (connection: RedisConnection, key: string): Promise<number> => {
  const count = await connection.command('ZCARD', key);
  if (typeof count !== 'number') throw nonsense(connection);
  return count;
};

const serverInfo = async (connection: RedisConnection): Promise<Record<string, string>> => {
  const text = await connection.command('INFO').catch(() => '');
  const lines = String(text)
    .split(/\r?\n/)
    .filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => line.split(/:(.*)/s).slice(0, 2)));
};

const countBudgets = async (connection: RedisConnection): Promise<{ budgets: number; hasMoreBudgets: boolean }> => {
  const budgetKeys = new Set<string>();
  let cursor = '0';
  for (let scan = 0; scan < scans; scan += 1) {
    const reply = await connection.command('SCAN', cursor, 'MATCH', `${prefix}budget:*`, 'COUNT', '1000');
    const [next, keys] = Array.isArray(reply) ? reply : [];
    if (!Array.isArray(keys)) throw nonsense(connection);
    for (const key of keys) budgetKeys.add(String(key));
    cursor = String(next);
    if (cursor === '0') break;
  }
  return { budgets: budgetKeys.size, hasMoreBudgets: cursor !== '0' };
};

/** Looks at the server and at what sched stores there. */
export const reportOn = async (connection: RedisConnection, clock: Pick<Clock, 'now'>): Promise<RedisReport> => {
  const serverClock = createServerClock(clock);
  const times: number[] = [];
  for (let probe = 0; probe < probes; probe += 1) {
    const start = clock.now();
    await readRecord(connection, serverClock, `${prefix}probe`);
    times.push(clock.now() - start);
  }
  const info = await serverInfo(connection);
  const version = info.valkey_version ?? info.redis_version;
  const policy = info.maxmemory_policy;
  const isEvicting = Number(info.maxmemory ?? 0) > 0 && policy !== undefined && policy !== 'noeviction';
  return {
    ...(version === undefined ? {} : { version: `${info.valkey_version ? 'Valkey' : 'Redis'} ${version}` }),
    isTooOld: version !== undefined && Number.parseInt(version, 10) < 6,
    latencyMs: Math.min(...times),
    aheadMs: serverClock.ahead(),
    ...(await countBudgets(connection)),
    bookings: await countOf(connection, ledgerKey(bookings, 'starts')),
    openBookings: await countOf(connection, ledgerKey(bookings, 'open')),
    ...(isEvicting ? { eviction: policy } : {}),
    ...(info.aof_enabled === undefined ? {} : { hasLog: info.aof_enabled === '1' }),
  };
};
