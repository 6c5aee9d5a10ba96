import { hash } from 'node:crypto';
import { SchedError } from '../../base/errors.ts';
import { jsonIn } from '../../base/json.ts';
import { hour } from '../../base/milliseconds.ts';
import { type LockOwners, lockTrouble, type OwnersRecord } from '../lock.ts';
import type { RedisOptions } from './budgets.ts';
import { changeRecord, prefix, readRecord } from './record.ts';

/** A holder that works longer writes the record again before that. */
const keptForMs = hour;

const parseOwners = (text: string | undefined) => jsonIn(text) as LockOwners | undefined;

/** The owner of a lock in Redis, for all machines that use it: sched:1:lock:{DIGEST}. The server's clock counts. */
export const redisOwners = ({ connection, clock }: Omit<RedisOptions, 'host'>, name: string): OwnersRecord => {
  const key = `${prefix}lock:{${hash('sha256', name)}}`;
  const safely = <Value>(work: Promise<Value>): Promise<Value> =>
    work.catch((error: unknown) => {
      throw error instanceof SchedError ? error : lockTrouble((error as Error).message);
    });
  return {
    place: `the key ${key} in Redis`,
    isShared: true,
    read: () =>
      safely(readRecord(connection, clock, key).then(({ text, now }) => ({ owners: parseOwners(text), now }))),
    update: (change) =>
      safely(
        changeRecord(connection, clock, key, ({ text, now }) => {
          const { owners, value } = change(parseOwners(text), now);
          return { text: owners === undefined ? undefined : JSON.stringify(owners), keptForMs, value };
        }),
      ),
  };
};
