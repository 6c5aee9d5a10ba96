import { isDeepStrictEqual } from 'node:util';
import { availability } from '../../api/availability.ts';
import { eventTypes } from '../../api/event-types.ts';
import { hasCategory, isOutcomeUnknown, SchedError, sameCommand } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { type Sentence, spell } from '../../base/words.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { changeOrReadBack } from '../../cli/operation/change-record.ts';
import { fillScope } from '../../cli/operation/default-scope.ts';
import { printRequest } from '../../cli/operation/run-operation.ts';
import { addFacts, isAlready, withFacts } from '../../cli/operation/write-result.ts';
import { confirm } from '../../cli/session/confirm.ts';
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
import { changeLockOf, noteUnread } from './change-lock.ts';
import {
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
  schedule: Json;
  types: string[];
}

export interface Plan extends Own {
  before: Rule[];
  after: Rule[];
  /** Hours that are lost. */
  replacedRules: Rule[];
  /** The same change of the schedule as it is now. */
  again(own: Own): Plan;
  /** Whether a schedule shows the change. */
  isDone(schedule: Json): boolean;
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
  const which = typeof uri === 'string' ? [idIn(uri)] : [];
  return commandHere(context, 'availability', 'update', ...which, '--event-type', idIn(types[0]), ...flags);
};

/** The rules of a schedule, which must all be known: the service replaces them at once. */
export const rulesNow = (context: Context, own: Own): Rule[] =>
  rulesOf(own.schedule, `set its hours first: ${updateLine(context, own, '--replace')}`);

export const isChange = ({ before, after }: Plan): boolean => !isDeepStrictEqual(before, after);

/** Each line once, with the number of schedules that it is about if that isn't all of them. */
export const countLines = <Each>(plans: readonly Each[], linesOf: (plan: Each) => readonly string[]): string[] => {
  const lines = plans.flatMap(linesOf);
  return [...new Set(lines)].map((line) => {
    const count = lines.filter((each) => each === line).length;
    return count === plans.length ? line : `${line} (${count} of ${plans.length} schedules)`;
  });
};

/** What changes in the schedules, and the time zone of their hours. */
export const planDifferences = (plans: readonly Plan[], context: Context): string[] => {
  const today = todayIn(context, context.settings.zone);
  const lines = countLines(plans, ({ before, after }) => rulesDifference(before, after, today));
  const zones = countLines(plans, ({ schedule }) => [`hours in ${zoneOf(schedule, context)}`]);
  return lines.some((line) => /\d\d:\d\d/.test(line)) ? [...lines, ...zones] : lines;
};

/**
 * The requests that change a schedule: one, or at a service that names schedules by their event type, one for each type
 * that uses it.
 */
const inputsOf = async ({ dialect }: Context, { schedule, types, after }: Plan): Promise<Input[]> => {
  const { path, query, body } = wireOf(await dialect(), availability.update) ?? {};
  const isByType = placeholdersIn([path ?? '', query ?? {}, body ?? {}]).some(({ name }) => name === 'event_type');
  return (isByType ? types : types.slice(0, 1)).map((type) => ({
    path: { schedule: idIn(schedule.uri) },
    body: { rules: after },
    known: knownOf(type, [schedule]),
  }));
};

const readScheduleAgain = async ({ schedule, types }: Own, context: Context): Promise<Json | undefined> =>
  (await schedulesOf(context, types[0])).find((each) => isSameSchedule(each, schedule));

/** Changes one schedule. It is read again first, because the service replaces all rules at once. */
const sendPlan = async (confirmedPlan: Plan, context: Context, stillLocked: StillLocked): Promise<Json> => {
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
type Result = { plan: Plan } & ({ record: Json; error?: undefined } | { error: SchedError });

/** Runs work. Returns its error, unless the command must end. */
const tryChange = async (plan: Plan, work: () => Promise<Json>): Promise<Result> => {
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
const sendAll = async (plans: readonly Plan[], context: Context): Promise<Result[]> =>
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

/** Says how to undo a change, each way once: nothing else brings replaced hours back. */
export const sayUndo = ({ notes }: Context, lines: readonly string[]): void => {
  for (const line of new Set(lines)) notes.info(`Undo: ${line}`);
};

/** Prints the changed schedules. Throws if not all of them are. */
const reportSchedules = async (
  results: readonly Result[],
  view: View,
  context: Context,
  { onDone, undo, stays = [] }: OwnChange,
) => {
  const { notes, printer } = context;
  const failures: SchedError[] = [];
  for (const result of results) {
    const { plan, error } = result;
    if (error === undefined) {
      onDone?.(plan, result.record);
      continue;
    }
    failures.push(error);
    const why = error.facts.reason ? ` (${error.facts.reason})` : '';
    notes.warn(`failed: ${scheduleName(plan.schedule)}: ${error.message}${why}`);
  }
  const unknown = failures.find(isOutcomeUnknown);
  if (failures.length === results.length) throw unknown ?? failures[0]!;
  const done = results.flatMap((result) => (result.error === undefined ? [result] : []));
  const records = done.map(({ plan, record }) =>
    isAlready(record) ? record : addFacts(record, { stays, undo: undo(plan) }),
  );
  if (!printer.showsPages) await printer.list(view, [records]);
  if (failures.length === 0) return;
  sayUndo(
    context,
    done.map(({ plan }) => undo(plan)),
  );
  const message = `${failures.length} of ${counted(results.length, 'schedule')} not changed${unknown ? ', or not known to be' : ''}`;
  throw new SchedError('partial', message, { hint: sameCommand, outcome: 'applied' });
};

/** The question, such as `Take every Friday off`, and the lines below it. `onDone` is called for each changed schedule. */
interface OwnChange {
  what: string;
  list: readonly Sentence[];
  /** The command that undoes the change of a schedule. */
  undo(plan: Plan): string;
  /** Meetings that stay. */
  stays?: readonly Json[];
  onDone?(plan: Plan, record: Json): void;
}

/** `on 10 schedules (10 event types)` */
export const whereOf = (plans: readonly Plan[]): string => {
  const types = new Set(plans.flatMap((plan) => plan.types)).size;
  return `on ${counted(plans.length, 'schedule')} (${counted(types, 'event type')})`;
};

/** Says that nothing changes, and prints the schedules. */
export const reportUnchanged = async (plans: readonly Plan[], why: string, view: View, context: Context) => {
  context.notes.info(`Nothing to change: ${why}`);
  const records = plans.map(({ schedule }) => withFacts(schedule, { already: true, replaced: [] }));
  if (!context.printer.showsPages) await context.printer.list(view, [records]);
};

/** Shows a change, asks, sends it and prints the schedules. Returns whether it was sent. */
export const changeOwn = async (
  changes: readonly Plan[],
  change: OwnChange,
  view: View,
  context: Context,
): Promise<boolean> => {
  const { what, list, stays = [] } = change;
  const { dryRun, yes } = context.settings;
  if (dryRun || yes || !context.canConfirm) for (const line of list) context.notes.info(line);
  if (dryRun) {
    const inputs = await Promise.all(changes.map((plan) => inputsOf(context, plan)));
    await printRequest(context, availability.update, inputs.flat(), { stays });
    return false;
  }
  const where = whereOf(changes);
  const action = `${what.charAt(0).toLowerCase()}${what.slice(1)} ${where}`;
  await confirm(context, { question: `${what} ${where}?`, action, list: list.map((line) => spell(line)) });
  await reportSchedules(await sendAll(changes, context), view, context, change);
  return true;
};
