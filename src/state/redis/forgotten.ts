import { day } from '../../base/milliseconds.ts';
import { type MarkStore, markLinesIn } from '../forgotten.ts';
import type { RedisOptions } from './budgets.ts';
import { changeRecord, prefix, readRecord } from './record.ts';

const key = `${prefix}forgotten`;
const keptForMs = 3650 * day;

/** The marks that all machines share. */
export const redisMarks = ({ connection, clock }: Omit<RedisOptions, 'host'>): MarkStore => ({
  read: async () => markLinesIn((await readRecord(connection, clock, key)).text),
  add: (lines) =>
    changeRecord(connection, clock, key, ({ text }) => {
      const all = new Set([...markLinesIn(text), ...lines]);
      return { text: [...all].join('\n'), keptForMs, value: undefined };
    }),
});
