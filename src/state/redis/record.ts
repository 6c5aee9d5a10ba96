import { nonsense, type RedisConnection, RedisTrouble } from './redis-client.ts';
import type { ServerClock } from './server-clock.ts';

/*
 * A text in Redis that many machines change. A machine reads it together with the server's time, makes the new text, and
 * writes that only if the old one is still there. If another machine was faster, it starts again with the newer text.
 */

/** The prefix of all keys, with the version of their format. */
export const prefix = 'sched:1:';

/** More machines than this at once, and the last one gives up. */
const maxTries = 200;

const readScript = `
local time = redis.call('TIME')
return { time[1] * 1000 + math.floor(time[2] / 1000), redis.call('GET', KEYS[1]) or '' }
`;

/*
 *   KEYS  the record, then its indexes
 *   ARGV  the old text, the new one, how long to keep it in milliseconds; for indexes: the member, the lowest score to
 *         keep, and for each index the member's score, or nothing to remove it
 */
const writeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('GET', KEYS[1]) or ''
if found ~= ARGV[1] then return { now, found, 'outrun' } end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
for index = 2, #KEYS do
  local score = ARGV[index + 4]
  if score == '' then redis.call('ZREM', KEYS[index], ARGV[4]) else redis.call('ZADD', KEYS[index], score, ARGV[4]) end
  redis.call('ZREMRANGEBYSCORE', KEYS[index], '-inf', '(' .. ARGV[5])
  local left = math.max(ARGV[3], redis.call('PTTL', KEYS[index]))
  redis.call('PEXPIRE', KEYS[index], string.format('%.0f', left))
end
return { now, found, 'written' }
`;

interface StoredRecord {
  /** `undefined` if there is none. */
  text: string | undefined;
  /** The server's time in milliseconds. */
  now: number;
}

/** Sorted sets that find the record by a number. */
interface Indexes {
  member: string;
  /** Members with a lower score are removed. */
  lowest: number;
  /** The score by the key of the index. `undefined` removes the member. */
  scores: Record<string, number | undefined>;
}

interface RecordChange<Value> {
  /** `undefined` leaves the record as it is. */
  text: string | undefined;
  keptForMs: number;
  indexes?: Indexes;
  value: Value;
}

const runTimed = (
  connection: RedisConnection,
  clock: ServerClock,
  ...words: Parameters<RedisConnection['run']>
): Promise<StoredRecord & { mark: unknown }> => {
  return clock.measure(async () => {
    const reply = await connection.run(...words);
    const [now, text, mark] = Array.isArray(reply) ? reply : [];
    if (typeof now !== 'number' || typeof text !== 'string') throw nonsense(connection);
    return { now, value: { now, text: text === '' ? undefined : text, mark } };
  });
};

export const readRecord = (connection: RedisConnection, clock: ServerClock, key: string): Promise<StoredRecord> =>
  runTimed(connection, clock, readScript, [key], []);

/** Changes a record. `change` may be called again with a newer text. The server's time is known by then. */
export const changeRecord = async <Value>(
  connection: RedisConnection,
  clock: ServerClock,
  key: string,
  change: (record: StoredRecord) => RecordChange<Value>,
): Promise<Value> => {
  let record = await readRecord(connection, clock, key);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { text, keptForMs, indexes, value } = change(record);
    if (text === undefined) return value;
    const { member, lowest, scores } = indexes ?? { member: '', lowest: 0, scores: {} };
    const facts = [record.text ?? '', text, String(keptForMs), member, String(lowest)];
    const marks = Object.values(scores).map((score) => (score === undefined ? '' : String(score)));
    const answer = await runTimed(connection, clock, writeScript, [key, ...Object.keys(scores)], [...facts, ...marks]);
    if (answer.mark === 'written') return value;
    if (answer.mark !== 'outrun') throw nonsense(connection);
    record = answer;
  }
  throw new RedisTrouble(`${connection.place}: too many machines change the same record at once`);
};
