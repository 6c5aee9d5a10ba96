import { jsonIn } from '../../base/json.ts';
import { day } from '../../base/milliseconds.ts';
import type { RandomBytes } from '../../base/system.ts';
import { type MarkStore, newMarkKey, type StoredMarks } from '../forgotten.ts';
import type { RedisOptions } from './budgets.ts';
import { changeRecord, prefix, readRecord } from './record.ts';

const key = `${prefix}forgotten`;
const keptForMs = 3650 * day;

const marksIn = (text: string | undefined) => jsonIn(text) as StoredMarks | undefined;

/** The marks that all machines share, with a key of their own. */
export const redisMarks = ({ connection, clock }: Omit<RedisOptions, 'host'>, randomBytes: RandomBytes): MarkStore => ({
  read: async () => marksIn((await readRecord(connection, clock, key)).text),
  add: (marksWith) =>
    changeRecord(connection, clock, key, ({ text }) => {
      const stored = marksIn(text) ?? { key: newMarkKey(randomBytes), macs: [] };
      const macs = [...new Set([...stored.macs, ...marksWith(stored.key)])];
      return { text: JSON.stringify({ ...stored, macs }), keptForMs, value: undefined };
    }),
});
