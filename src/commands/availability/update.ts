import { isDeepStrictEqual } from 'node:util';
import type { SentSchedule } from '../../api/availability.ts';
import { SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { listed, the, words } from '../../base/words.ts';
import type { Answer, Done } from '../../cli/answer/answer.ts';
import { plan, type Reader, type Reply } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { recordTitle, withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { changeRules, datesTakenOff, dayOf, isDateOff, rulesDifference } from '../../time/availability-rules.ts';
import type { Staying } from '../events/screen.ts';
import type { UpdateInput, Updates } from './input.ts';
import {
  isSameSchedule,
  knownOf,
  rulesOf,
  type ScheduleBody,
  scheduleName,
  schedulesOf,
  shownRules,
  todayIn,
  zoneOf,
} from './schedule-facts.ts';
import { allShowChange, sendChange } from './send-schedules.ts';

/** The schedules of an event type, or the one with this ID: the service has no other way to read one. */
const readSchedules = async (context: Context, eventType: string, id: string | undefined): Promise<SentSchedule[]> => {
  const all = await schedulesOf(context, eventType);
  const schedules = all.filter(({ uri }) => id === undefined || String(uri).endsWith(`/${id}`));
  if (schedules.length > 0) return schedules;
  const problem =
    id === undefined
      ? 'This event type has no availability schedules'
      : `No availability schedule with ID ${id} for this event type`;
  throw new SchedError('not-found', problem, {
    hint: { command: ['availability', 'list'], flags: { 'event-type': idIn(eventType) } },
  });
};

/** What to send, once the event type is known. It checks what only the body says. */
const readUpdate = ({ one, all }: Updates, { request, replace, daysIn }: UpdateInput, { problems }: Call) => {
  const { path = {}, query, body } = request!;
  const id = path.schedule;
  const sent = body as ScheduleBody;
  const eventType = id === undefined ? sent.event_type : query!.event_type;
  // The body of an assumed operation may have any shape, but the schedules can be read only by event type.
  if (typeof eventType !== 'string') problems.missingFlag('event-type');
  if (sent.rules !== undefined && (replace || daysIn !== undefined))
    problems.report({
      words: words`${the('body')} with rules can't be used with ${listed(['rule', 'dayOff', 'remove', 'replace'].map(the), 'or')}`,
    });
  problems.check();
  const { operation } = id === undefined ? all : one;
  return { operation, path, sent, eventType: String(eventType), id };
};

/** The time zone of a schedule's dates: the new one, else the current one. */
const newZoneOf = (schedule: SentSchedule, { timezone = schedule.timezone }: ScheduleBody, context: Context): string =>
  zoneOf({ timezone }, context);

/** The rules that a schedule has now and would have. */
const planUpdate = (context: Context, schedule: SentSchedule, sent: ScheduleBody, { replace, daysIn }: UpdateInput) => {
  const { set, removed } = daysIn?.(newZoneOf(schedule, sent, context)) ?? { set: [], removed: [] };
  const before = daysIn !== undefined && !replace ? rulesOf(schedule) : shownRules(schedule);
  const changed = replace ? set : changeRules(before, set, removed);
  return { schedule, before, after: sent.rules === undefined ? changed : shownRules(sent) };
};

/** The rules of all schedules. One request sets the same rules for all of them. */
const planChange = (
  schedules: readonly SentSchedule[],
  sent: ScheduleBody,
  input: UpdateInput,
  { context, problems }: Call,
) => {
  const isRules = input.daysIn !== undefined;
  const plans = schedules.map((schedule) => planUpdate(context, schedule, sent, input));
  const [first] = plans;
  if (isRules && plans.some(({ after }) => !isDeepStrictEqual(after, first!.after))) {
    const way = input.replace
      ? words`use dates instead of today and tomorrow`
      : words`use ${the('replace')} to set the same rules for all`;
    problems.report({
      words: words`The schedules of this event type would have different rules. Name one schedule, or ${way}`,
    });
  }
  problems.check();
  return { plans, body: isRules ? { ...sent, rules: first!.after } : sent };
};

type Plans = ReturnType<typeof planChange>['plans'];

/** The meetings that stay, and who reads that. */
interface Found extends Staying {
  reader: Reader;
  isOneDay: boolean;
}

/** The meetings that stay on dates that are taken off from a single schedule. */
const readStaying = async (context: Context, plans: Plans, sent: ScheduleBody, reader: Reader): Promise<Found> => {
  const [plan, ...others] = plans;
  const dates = datesTakenOff(plan!.before, plan!.after);
  const isOneDay = dates.length === 1;
  if (others.length > 0 || dates.length === 0) return { stays: [], lines: [], reader, isOneDay };
  const { stayingMeetings } = await import('../events/screen.ts');
  const zone = newZoneOf(plan!.schedule, sent, context);
  const off = plan!.after.filter(isDateOff).map(dayOf);
  const staying = await stayingMeetings(context, reader, { user: plan!.schedule.user, dates, off, zone });
  return { ...staying, reader, isOneDay };
};

/** What changes, and below it the meetings that stay, or behind it if that is a single day. */
const withMeetings = (differences: readonly string[], { lines: [staying, ...ways], isOneDay }: Found): string[] => {
  if (staying === undefined) return [...differences];
  return isOneDay && differences.length === 1
    ? [`${differences[0]} · ${staying}`, ...ways]
    : [...differences, staying, ...ways];
};

/** What changes in words, under the name of each schedule if there are several. */
const updateDifferences = (context: Context, plans: Plans, { timezone }: ScheduleBody): string[] =>
  plans.flatMap(({ schedule, before, after }) => {
    const zoneChanges = timezone !== undefined && timezone !== schedule.timezone;
    const lines = [
      ...rulesDifference(before, after, todayIn(context, context.settings.zone)),
      ...(zoneChanges ? [`time zone: ${schedule.timezone ?? 'none'} → ${timezone}`] : []),
    ];
    return plans.length > 1 && lines.length > 0
      ? [`${scheduleName(schedule)}:`, ...lines.map((line) => `  ${line}`)]
      : lines;
  });

/** The command that brings back the hours. */
const undoLine = async (context: Context, plan: Plans[number], eventType: string): Promise<string> => {
  const { restoring } = await import('./all-schedules.ts');
  const { updateLine } = await import('./own-schedules.ts');
  return updateLine(context, { schedule: plan.schedule, types: [eventType] }, ...restoring(plan));
};

/** What stands before the names of schedules that the command line does not name, unless a question names them. */
const verbFor: Partial<Record<Reader, string>> = { rehearsal: 'Would change', told: 'Changing', nobody: 'Changing' };

export const runUpdateSchedules = async (input: UpdateInput, call: Call, updates: Updates): Promise<Reply> => {
  const { context } = call;
  const { view } = updates.one;
  await context.askNow();
  if (input.all) return (await import('./all-schedules.ts')).runUpdateAll(view, context, input.daysIn!);
  const { operation, path, sent, eventType, id } = readUpdate(updates, input, call);
  const isSingle = id !== undefined;
  const read = () => readSchedules(context, eventType, id);
  const schedules = await read();
  const { plans, body } = planChange(schedules, sent, input, call);

  const isExact = sent.rules !== undefined;
  const isPlain = Object.keys(sent).every((name) => ['event_type', 'rules', 'timezone'].includes(name));
  if (isPlain && allShowChange(schedules, body, isExact) === true) {
    const subject = isSingle ? 'the schedule already has' : 'the schedules already have';
    context.notes.info(`Nothing to change: ${subject} these settings`);
    const records = schedules.map((schedule) => withFacts(schedule, { already: true }));
    return isSingle ? { kind: 'record', view, record: records[0]! } : { kind: 'rows', view, pages: [records] };
  }
  const names = schedules.map(scheduleName).join(', ');
  const count = isSingle ? 'availability schedule' : `${counted(schedules.length, 'availability schedule')}:`;
  const differences = updateDifferences(context, plans, sent);

  const send = async ({ stays }: Found): Promise<Answer> => {
    const { before, records, failed, error } = await sendChange(context, {
      ...{ operation, path, eventType, isSingle, confirmedSchedules: schedules, read, isExact },
      bodyFor: (now) => planChange(now, sent, input, call).body,
      isReplaced: isExact || input.replace,
    });
    const [first] = records;
    if (first === undefined) throw error;
    const isUndone = plans.length === 1 && input.daysIn !== undefined;
    const undo = isUndone ? await undoLine(context, plans[0]!, eventType) : undefined;
    const doneOf = (name: string): Done => ({ log: `changed: ${name}`, undo, stays, failed });
    if (isSingle) {
      // Above the answer, a person has read what changed.
      const done: Done = { ...doneOf(recordTitle(first, 'a schedule')), saysAll: true };
      return { kind: 'record', view, record: first, before: before[0], done };
    }
    async function* each() {
      for (const record of records) yield { record, done: doneOf(scheduleName(record)) };
    }
    const others = before.filter((schedule) => !records.some((record) => isSameSchedule(record, schedule)));
    const hints = others.map((schedule) => `not changed by the service: ${scheduleName(schedule)}`);
    return { kind: 'many', view, each: each(), done: { hints }, failure: () => error };
  };
  return plan<Found>({
    requests: (found) => ({
      operation,
      inputs: [{ path, body, known: knownOf(eventType, schedules) }],
      known: { stays: found?.stays },
    }),
    read: (reader) => readStaying(context, plans, sent, reader),
    changes: (found) => {
      const verb = isSingle ? undefined : verbFor[found.reader];
      return [...(verb === undefined ? [] : [`${verb} ${count} ${names}`]), ...withMeetings(differences, found)];
    },
    question: () => ({ question: `Change ${count} ${names}?`, action: `change ${count} ${names}` }),
    send,
  });
};
