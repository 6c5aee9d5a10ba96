import { isDeepStrictEqual } from 'node:util';
import type { SentSchedule } from '../../api/availability.ts';
import type { Operation } from '../../api/operation.ts';
import { SchedError, sameCommand } from '../../base/errors.ts';
import { isObject, type Json } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import { changeOrReadBack } from '../../cli/operation/change-record.ts';
import { withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { notShown } from '../../client/change.ts';
import { whileLocked } from '../../state/change-lock.ts';
import { rulesDifference } from '../../time/availability-rules.ts';
import { changeLockOf, noteUnread } from './change-lock.ts';
import {
  failedRecord,
  isSameSchedule,
  knownOf,
  type ScheduleBody,
  scheduleName,
  shownRules,
  showsChange,
} from './schedule-facts.ts';

/** A change of all schedules of an event type by one request, or of a single one. */
interface SchedulesChange {
  operation: Operation;
  path: Record<string, string>;
  eventType: string;
  isSingle: boolean;
  /** The schedules that were shown before the change was confirmed. */
  confirmedSchedules: readonly SentSchedule[];
  read(): Promise<SentSchedule[]>;
  /** The body of the request for schedules as they are now. */
  bodyFor(schedules: readonly SentSchedule[]): ScheduleBody;
  /** Whether all rules are replaced by given ones, whatever they are now. */
  isReplaced: boolean;
  /** Whether the rules may have fields that sched doesn't know. */
  isExact: boolean;
}

/** Whether all schedules show the change. If only some do, it returns undefined: the others may belong to other people. */
export const allShowChange = (
  schedules: readonly SentSchedule[],
  sent: ScheduleBody,
  isExact: boolean,
): boolean | undefined => {
  const [first, ...others] = new Set(schedules.map((schedule) => showsChange(schedule, sent, isExact)));
  return others.length === 0 ? first : undefined;
};

/** What others have set since nobody has agreed to replace. */
const requireUnchanged = (schedulesBefore: readonly SentSchedule[], now: readonly SentSchedule[]): void => {
  const other = now.find((schedule) => {
    const before = schedulesBefore.find((each) => isSameSchedule(each, schedule)) ?? {};
    return rulesDifference(shownRules(before), shownRules(schedule), '').length > 0;
  });
  if (other === undefined) return;
  throw new SchedError(
    'conflict',
    `${scheduleName(other)} was changed by someone else meanwhile, so nothing was sent`,
    {
      reason: 'the change would replace rules that were not shown before',
      hint: sameCommand,
    },
  );
};

/** R66: the changed schedules that now show something else. Somebody who takes no lock may write at the same moment. */
const changedSince = async (
  context: Context,
  { read, bodyFor, isExact }: SchedulesChange,
  records: readonly SentSchedule[],
): Promise<SentSchedule[]> => {
  const now = await read().catch((error: unknown) => {
    if (!(error instanceof SchedError)) throw error;
    noteUnread(context, records.map(scheduleName).join(', '), error);
    return undefined;
  });
  return records.filter((record) => {
    const { rules, timezone } = record;
    const scheduleNow = now?.find((schedule) => isSameSchedule(schedule, record));
    if (scheduleNow === undefined || isDeepStrictEqual([scheduleNow.rules, scheduleNow.timezone], [rules, timezone]))
      return false;
    return showsChange(scheduleNow, bodyFor([scheduleNow]), isExact) === false;
  });
};

/**
 * Sends a change under the lock, after the schedules were read once more: the service replaces all rules at once. Returns
 * the schedules before and after it, and those that do not show it with an error.
 */
export const sendChange = async (
  context: Context,
  change: SchedulesChange,
): Promise<{ before: SentSchedule[]; records: SentSchedule[]; failed: Json[]; error?: SchedError }> => {
  const {
    operation,
    path,
    eventType,
    isSingle,
    confirmedSchedules: planned,
    read,
    bodyFor,
    isReplaced,
    isExact,
  } = change;
  const client = await context.client();
  return whileLocked(await changeLockOf(context), async (stillLocked) => {
    const before = await read();
    if (isReplaced) requireUnchanged(planned, before);
    const body = bodyFor(before);
    const { event_type: _, ...changes } = body;
    const input = { path, body, known: knownOf(eventType, before) };
    const asReply = (records: Json[]): Json => (isSingle ? records[0]! : { collection: records });
    const recordsIn = (record: Json): Json[] => (isSingle ? [record] : (record.collection as Json[]));
    const result = await changeOrReadBack(context, {
      send: () => client.write(operation, input, stillLocked),
      read: async () => asReply(await read()),
      isDone: (now) => allShowChange(recordsIn(now), body, isExact),
      fallback: () => asReply(before.map((schedule) => ({ ...schedule, ...changes }))),
    });
    const { _sched: facts } = result;
    const all = recordsIn(result).map((record) => (!isSingle && isObject(facts) ? withFacts(record, facts) : record));
    const others = await changedSince(context, change, all);
    const records = all.filter((record) => !others.includes(record));
    const failed = others.map((schedule) => failedRecord(schedule, notShown()));
    if (others.length === 0) return { before, records, failed };
    for (const record of others) context.notes.warn(`failed: ${scheduleName(record)}: ${notShown().message}`);
    if (records.length === 0) return { before, records, failed, error: notShown() };
    const message = `${others.length} of ${counted(all.length, 'schedule')} not changed`;
    const error = new SchedError('partial', message, { hint: sameCommand, outcome: 'applied' });
    return { before, records, failed, error };
  });
};
