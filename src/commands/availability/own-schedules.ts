import { isDeepStrictEqual } from 'node:util';
import { availability, type SentSchedule } from '../../api/availability.ts';
import { eventTypes } from '../../api/event-types.ts';
import { hasCategory, isOutcomeUnknown, SchedError, sameCommand } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { Sentence } from '../../base/words.ts';
import type { Done, ManyAnswer } from '../../cli/answer/answer.ts';
import { type Plan, plan, type Reader } from '../../cli/answer/plan.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { changeOrReadBack } from '../../cli/operation/change-record.ts';
import { fillScope } from '../../cli/operation/default-scope.ts';
import { withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { notShown } from '../../client/change.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import type { Input } from '../../client/wire.ts';
import { wireOf } from '../../dialects/dialect.ts';
import { placeholdersIn } from '../../dialects/template.ts';
import type { View } from '../../output/view.ts';
import { type StillLocked, whileLocked } from '../../state/change-lock.ts';
import { type Rule, rulesDifference, ruleText } from '../../time/availability-rules.ts';
import type { Staying } from '../events/screen.ts';
import { changeLockOf, noteUnread } from './change-lock.ts';
import {
  failedRecord,
  isSameSchedule,
  knownOf,
  ownSchedulesByType,
  rulesOf,
  scheduleName,
  schedulesOf,
  showsChange,
  todayIn,
  zoneOf,
} from './schedule-facts.ts';

/** A schedule of the user, with the event types that use it: the service lists schedules by event type only. */
export interface Own {
  schedule: SentSchedule;
  types: string[];
}

export interface OwnPlan extends Own {
  before: Rule[];
  after: Rule[];
  /** Hours that are lost. */
  replacedRules: Rule[];
  /** The same change of the schedule as it is now. */
  again(own: Own): OwnPlan;
  /** Whether a schedule shows the change. */
  isDone(schedule: SentSchedule): boolean;
}

/** The user's own schedules of all event types that the user hosts, each of them once. */
export const ownSchedules = async (context: Context): Promise<Own[]> => {
  const query = {};
  await fillScope(eventTypes.list, { query }, context);
  const hosted = await gather((await context.client()).pages(eventTypes.list, { query }));
  const own = new Map<string, Own>();
  for (const { type: hostedType, schedules } of await ownSchedulesByType(
    context,
    hosted,
    await context.identity.user(),
  ))
    for (const schedule of schedules) {
      const type = String(hostedType.uri);
      const key = typeof schedule.uri === 'string' ? schedule.uri : type;
      const { types } = own.get(key) ?? { types: [] };
      own.set(key, { schedule, types: [...types, type] });
    }
  return [...own.values()];
};

/** The same for a command that changes them: there must be one. */
export const readOwn = async (context: Context): Promise<Own[]> => {
  const own = await ownSchedules(context);
  if (own.length > 0) return own;
  throw new SchedError('not-found', 'You have no availability schedules', {
    hint: { command: ['event-types', 'list'] },
  });
};

export const updateLine = (context: Context, { schedule: { uri }, types }: Own, ...flags: string[]) => {
  const which = typeof uri === 'string' ? [context.shownId(uri)] : [];
  return commandHere(context, 'availability', 'update', ...which, '--event-type', context.shownId(types[0]), ...flags);
};

/** The rules of a schedule, which must all be known: the service replaces them at once. */
export const rulesNow = (context: Context, own: Own): Rule[] =>
  rulesOf(own.schedule, `set its hours first: ${updateLine(context, own, '--replace')}`);

export const isChange = ({ before, after }: OwnPlan): boolean => !isDeepStrictEqual(before, after);

/** Each line once, with the number of schedules that it is about if that isn't all of them. */
export const countLines = <Each>(plans: readonly Each[], linesOf: (plan: Each) => readonly string[]): string[] => {
  const lines = plans.flatMap(linesOf);
  return [...new Set(lines)].map((line) => {
    const count = lines.filter((each) => each === line).length;
    return count === plans.length ? line : `${line} (${count} of ${plans.length} schedules)`;
  });
};

/** What changes in the schedules, and the time zone of their hours. */
export const planDifferences = (plans: readonly OwnPlan[], context: Context): string[] => {
  const today = todayIn(context, context.settings.zone);
  const lines = countLines(plans, ({ before, after }) => rulesDifference(before, after, today));
  const zones = countLines(plans, ({ schedule }) => [`hours in ${zoneOf(schedule, context)}`]);
  return lines.some((line) => /\d\d:\d\d/.test(line)) ? [...lines, ...zones] : lines;
};

/**
 * The requests that change a schedule: one, or at a service that names schedules by their event type, one for each type
 * that uses it.
 */
const inputsOf = async ({ dialect }: Context, { schedule, types, after }: OwnPlan): Promise<Input[]> => {
  const { path, query, body } = wireOf(await dialect(), availability.update) ?? {};
  const isByType = placeholdersIn([path ?? '', query ?? {}, body ?? {}]).some(({ name }) => name === 'event_type');
  return (isByType ? types : types.slice(0, 1)).map((type) => ({
    path: { schedule: idIn(schedule.uri) },
    body: { rules: after },
    known: knownOf(type, [schedule]),
  }));
};

const readScheduleAgain = async ({ schedule, types }: Own, context: Context): Promise<SentSchedule | undefined> =>
  (await schedulesOf(context, types[0])).find((each) => isSameSchedule(each, schedule));

/** Changes one schedule. It is read again first, because the service replaces all rules at once. */
const sendPlan = async (confirmedPlan: OwnPlan, context: Context, stillLocked: StillLocked): Promise<Json> => {
  const client = await context.client();
  const read = () => readScheduleAgain(confirmedPlan, context);
  const schedule = await read();
  if (schedule === undefined) throw new SchedError('not-found', 'The schedule is gone', { outcome: 'not-applied' });
  const plan = confirmedPlan.again({ schedule, types: confirmedPlan.types });
  const replacedRules = plan.replacedRules.map(ruleText);
  if (!isChange(plan)) return withFacts(schedule, { already: true, replaced: replacedRules });
  const body = { rules: plan.after };
  const [first, ...others] = await inputsOf(context, plan);
  const record = await changeOrReadBack(context, {
    send: async () => {
      for (const input of others) await client.write(availability.update, input, stillLocked);
      return client.write(availability.update, first!, stillLocked);
    },
    read,
    isDone: (now) => showsChange(now, body, false),
    fallback: () => ({ ...schedule, ...body }),
  });
  return withFacts(record, { ...(record._sched as object), replaced: replacedRules });
};

/** A schedule as the service confirmed it, or why it is not changed. */
type Result = { plan: OwnPlan } & ({ record: Json; error?: undefined } | { record?: undefined; error: SchedError });

/** Runs work. Returns its error, unless the command must end. */
const tryChange = async (plan: OwnPlan, work: () => Promise<Json>): Promise<Result> => {
  try {
    return { plan, record: await work() };
  } catch (error) {
    if (!(error instanceof SchedError) || hasCategory(error, 'interrupted', 'terminated')) throw error;
    return { plan, error };
  }
};

/**
 * R66: reads a schedule again after all were written. Somebody who takes no lock, such as a person on the website, may
 * have written it at the same moment. If its own outcome is unknown, it may be changed by now.
 */
const readPlanBack = async (result: Result, context: Context): Promise<Result> => {
  const { plan, error } = result;
  if (error !== undefined && !isOutcomeUnknown(error)) return result;
  const reading = await tryChange(plan, async () => (await readScheduleAgain(plan, context)) ?? {});
  if (reading.error !== undefined) {
    if (error === undefined) noteUnread(context, scheduleName(plan.schedule), reading.error);
    return result;
  }
  const now = reading.record;
  if (plan.isDone(now))
    return error === undefined
      ? result
      : { plan, record: withFacts(now, { reconciled: true, replaced: plan.replacedRules.map(ruleText) }) };
  const isAsConfirmed = error === undefined && isDeepStrictEqual(now.rules, result.record.rules);
  return error === undefined && !isAsConfirmed ? { plan, error: notShown() } : result;
};

/** Sends all plans and reads the schedules back. One that fails doesn't stop the others. */
const sendAll = async (plans: readonly OwnPlan[], context: Context): Promise<Result[]> =>
  whileLocked(await changeLockOf(context), async (stillLocked) => {
    const results: Result[] = [];
    try {
      for (const plan of plans) {
        context.runtime.interrupted.throwIfAborted();
        results.push(await tryChange(plan, () => sendPlan(plan, context, stillLocked)));
      }
      return await mapConcurrent(results, (result) => readPlanBack(result, context));
    } catch (error) {
      const successes = results.filter((result) => result.error === undefined).length;
      if (!(error instanceof SchedError)) throw error;
      if (successes === 0 && results.some((result) => isOutcomeUnknown(result.error)))
        throw error.with({ hint: sameCommand, outcome: 'unknown' });
      if (successes === 0) throw error;
      const reason = `${successes} of ${counted(plans.length, 'schedule')} changed`;
      throw error.with({ reason, hint: sameCommand, outcome: 'applied' });
    }
  });

/** `on 10 schedules (10 event types)` */
export const whereOf = (plans: readonly OwnPlan[]): string => {
  const types = new Set(plans.flatMap((plan) => plan.types)).size;
  return `on ${counted(plans.length, 'schedule')} (${counted(types, 'event type')})`;
};

/** The schedules of plans that change nothing. */
export const unchanged = (plans: readonly OwnPlan[], why: string, view: View, { notes }: Context): ManyAnswer => {
  notes.info(`Nothing to change: ${why}`);
  async function* each() {
    for (const { schedule } of plans) yield { record: withFacts(schedule, { already: true, replaced: [] }) };
  }
  return { kind: 'many', view, each: each() };
};

/** A change of own schedules: the words of the question, such as `Take every Friday off`, and what was done. */
export interface OwnChange {
  what: string;
  done: Done;
  differences: readonly Sentence[];
  /** The meetings that stay. */
  staying(reader: Reader): Promise<Staying>;
  /** The command that undoes the change of a schedule. */
  undo(plan: OwnPlan): string;
  /** What else to say about a changed schedule. */
  hints?(plan: OwnPlan, record: Json): Sentence[];
}

/** Sends the plans. Throws if no schedule is changed. */
const changeSchedules = async (
  plans: readonly OwnPlan[],
  { undo, hints, done }: OwnChange,
  stays: Staying['stays'],
  view: View,
  context: Context,
): Promise<ManyAnswer> => {
  const results = await sendAll(plans, context);
  const failures = results.flatMap((result) => (result.error === undefined ? [] : [result]));
  for (const { plan, error } of failures) {
    const why = error.facts.reason ? ` (${error.facts.reason})` : '';
    context.notes.warn(`failed: ${scheduleName(plan.schedule)}: ${error.message}${why}`);
  }
  const unknown = failures.find(({ error }) => isOutcomeUnknown(error));
  if (failures.length === results.length) throw (unknown ?? failures[0]!).error;
  const failed = failures.map(({ plan: { schedule }, error }) => failedRecord(schedule, error));
  async function* each() {
    for (const { plan, record, error } of results) {
      if (error !== undefined) continue;
      yield { record, done: { stays, undo: undo(plan), failed, hints: hints?.(plan, record) ?? [] } };
    }
  }
  const message = `${failures.length} of ${counted(results.length, 'schedule')} not changed${unknown ? ', or not known to be' : ''}`;
  const failure = () =>
    failures.length === 0 ? undefined : new SchedError('partial', message, { hint: sameCommand, outcome: 'applied' });
  return { kind: 'many', view, each: each(), done, failure };
};

/** The plan of a command that changes own schedules. */
export const planChanges = (changes: readonly OwnPlan[], change: OwnChange, view: View, context: Context): Plan => {
  const { what, differences, staying } = change;
  const where = whereOf(changes);
  return plan<Staying>({
    requests: async (found) => {
      const inputs = await Promise.all(changes.map((each) => inputsOf(context, each)));
      return { operation: availability.update, inputs: inputs.flat(), known: { stays: found?.stays } };
    },
    read: staying,
    changes: ({ lines }) => [...differences, ...lines],
    question: () => ({
      question: `${what} ${where}?`,
      action: `${what.charAt(0).toLowerCase()}${what.slice(1)} ${where}`,
    }),
    send: ({ stays }) => changeSchedules(changes, change, stays, view, context),
  });
};
