import { SchedError } from '../../errors.ts';
import {
  type Entry,
  keptForMs,
  type Ledger,
  ledgerTrouble,
  type StoredEntry,
  serviceName,
  startOf,
} from '../ledger.ts';
import { prefix, runTimed, serverTime } from './budgets.ts';
import { nonsense, type RedisConnection } from './connection.ts';
import type { ServerClock } from './server-clock.ts';

/*
 * The booking ledger in Redis, for all machines that use it.
 *
 *   sched:1:{bookings}:DIGEST   a hash: NUMBER is an attempt, missed.NUMBER the first look-up that did not find it
 *   sched:1:{bookings}:starts   the digests by the start of their meeting
 *   sched:1:{bookings}:open     those with an attempt whose outcome is unknown
 *
 * Each change is one script. A booking expires 30 days after its meeting by the server's clock, so an open one is never
 * forgotten before a look-up could still matter. `at` is stored by the server's clock, too.
 */

export const ledgerKey = (name: string): string => `${prefix}{bookings}:${name}`;

/*
 *   KEYS  the booking, starts, open
 *   ARGV  claim, replace or miss; the number; the attempt or the service's time; the digest; the start in seconds;
 *         how long to keep it after the start, in seconds
 *
 * The result is the server's time and 1, 0 if another process was faster, or the time of the first miss.
 */
const changeScript = `
local what, number, value, digest = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local start, kept = tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = tonumber(time[1])
local result = '1'

if what == 'miss' then
  local noted = redis.call('HGET', KEYS[1], 'missed.' .. number)
  if noted and tonumber(noted) <= tonumber(value) then
    result = noted
  else
    redis.call('HSET', KEYS[1], 'missed.' .. number, value)
    result = value
  end
elseif what == 'replace' then
  redis.call('HSET', KEYS[1], number, value)
elseif redis.call('HSETNX', KEYS[1], number, value) == 0 then
  result = '0'
end

local isOpen = false
local fields = redis.call('HGETALL', KEYS[1])
for index = 1, #fields, 2 do
  if not fields[index]:find('missed', 1, true) and cjson.decode(fields[index + 1]).state == 'open' then isOpen = true end
end
if isOpen then redis.call('ZADD', KEYS[3], start, digest) else redis.call('ZREM', KEYS[3], digest) end
redis.call('ZADD', KEYS[2], start, digest)

local left = math.max(0, start - now) + kept
redis.call('EXPIRE', KEYS[1], left)
for index = 2, 3 do
  redis.call('ZREMRANGEBYSCORE', KEYS[index], '-inf', now - kept - 86400)
  redis.call('EXPIRE', KEYS[index], math.max(left, redis.call('TTL', KEYS[index])))
end
return { now * 1000 + math.floor(time[2] / 1000), result }
`;

interface Options {
  connection: RedisConnection;
  clock: ServerClock;
  /** The name of this machine. */
  host: string;
}

const troubleOf = (error: unknown): SchedError =>
  error instanceof SchedError
    ? error
    : ledgerTrouble((error as Error).message, 'make sure that Redis can be used (sched doctor)');

const damaged = (digest: string): SchedError =>
  new SchedError('environment', 'A booking ledger entry is damaged', {
    reason: `the key ${ledgerKey(digest)} in Redis`,
    advice: 'check whether it was booked (sched events list), then remove the key',
    outcome: 'not-sent',
  });

export const redisLedger = ({ connection, clock, host }: Options): Ledger => {
  const safely = <Value>(work: () => Promise<Value>): Promise<Value> =>
    work().catch((error: unknown) => {
      throw troubleOf(error);
    });

  const known = async (): Promise<void> => {
    if (clock.isKnown()) return;
    await clock.measure(async () => ({ now: await serverTime(connection), value: undefined }));
  };

  const change = (
    what: 'claim' | 'replace' | 'miss',
    { number, entry }: StoredEntry,
    value: (entry: Entry) => string,
  ): Promise<string> =>
    safely(async () => {
      await known();
      const stored = { host, ...entry, at: clock.toServer(entry.at) };
      const keys = [entry.digest, 'starts', 'open'].map(ledgerKey);
      const facts = [entry.digest, String(startOf(entry)), String(keptForMs / 1000)];
      const args = [what, String(number), value(stored), ...facts];
      return clock.measure(() => runTimed(connection, changeScript, keys, args));
    });

  /** The last attempt for each address of the service. */
  const lastOf = async (digest: string): Promise<{ last: number; attempts: StoredEntry[] }> => {
    await known();
    const reply = await connection.command('HGETALL', ledgerKey(digest));
    if (!Array.isArray(reply)) throw nonsense(connection);
    const all: StoredEntry[] = [];
    for (let index = 0; index < reply.length; index += 2) {
      if (!/^\d{1,9}$/.test(String(reply[index]))) continue;
      const entry = readEntry(String(reply[index + 1]), digest);
      all.push({ number: Number(reply[index]), entry: { ...entry, at: clock.toLocal(entry.at) } });
    }
    const byService = new Map<string, StoredEntry>();
    for (const kept of all.toSorted((a, b) => a.number - b.number)) byService.set(serviceName(kept.entry.origin), kept);
    return { last: Math.max(0, ...all.map(({ number }) => number)), attempts: [...byService.values()] };
  };

  /** The last attempts of the bookings in an index, from `since` on and before `until`, in seconds. */
  const inIndex = (index: 'starts' | 'open', since: string, until: string): Promise<StoredEntry[]> =>
    safely(async () => {
      const digests = await connection.command('ZRANGEBYSCORE', ledgerKey(index), since, until);
      if (!Array.isArray(digests)) throw nonsense(connection);
      const found = await Promise.all(digests.map((digest) => lastOf(String(digest))));
      return found.flatMap(({ attempts }) => attempts).sort((a, b) => a.entry.at - b.entry.at);
    });

  return {
    reach: 'this machine or another with the same shared state',
    // Older versions didn't store bookings in Redis, so there are no older digests.
    find: ([digest]) => safely(() => lastOf(digest!)),
    claim: async (kept) => (await change('claim', kept, JSON.stringify)) === '1',
    replace: async (kept) => {
      await change('replace', kept, JSON.stringify);
    },
    miss: async (kept, serviceTime) => Number(await change('miss', kept, () => String(serviceTime))),
    open: async (origin) =>
      (await inIndex('open', '-inf', '+inf')).filter(
        ({ entry }) => entry.state === 'open' && serviceName(entry.origin) === serviceName(origin),
      ),
    between: (since, until) => inIndex('starts', String(Math.ceil(since / 1000)), `(${Math.ceil(until / 1000)}`),
    // Redis does this.
    prune: async () => {},
  };
};

const readEntry = (text: string, digest: string): Entry => {
  try {
    const entry = JSON.parse(text) as Entry;
    if ([1, 2].includes(entry.version) && typeof entry.at === 'number') return entry;
  } catch {
    // Reported below.
  }
  throw damaged(digest);
};
