import { isDeepStrictEqual } from 'node:util';
import { availability } from '../../api/availability.ts';
import { eventTypes } from '../../api/event-types.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import type { Input } from '../../client/wire.ts';
import { wireOf } from '../../dialects/dialect.ts';
import { placeholdersIn } from '../../dialects/template.ts';
import { hasCategory, isOutcomeUnknown, SchedError, sameCommand } from '../../errors.ts';
import { type StillLocked, whileLocked } from '../../jobs/change-lock.ts';
import { notShown } from '../../jobs/read-back.ts';
import type { Json } from '../../json.ts';
import { counted } from '../../numbers.ts';
import { valueAt } from '../../output/fields.ts';
import type { Column, View } from '../../output/view.ts';
import {
  changeRules,
  datesWords,
  dayOf,
  isDateOff,
  type Rule,
  readDatesOff,
  rulesDifference,
  ruleText,
  ruleWords,
} from '../../time/availability-rules.ts';
import { dateRanges } from '../../time/days.ts';
import { fullDateLabel } from '../../time/wall.ts';
import { idIn } from '../../uri.ts';
import type { Invocation } from '../command.ts';
import { commandHere } from '../messages/suggested-line.ts';
import { fillScope } from '../operation/default-scope.ts';
import { type GenericCommand, printRequest } from '../operation/generic-command.ts';
import { withFacts } from '../operation/write-result.ts';
import { changeOrReadBack } from '../scheduling/booking-context.ts';
import { changeLockOf, noteUnread } from '../scheduling/change-lock.ts';
import {
  nameOf,
  rulesOf,
  schedulesOf,
  shownRules,
  showsChange,
  todayIn,
  zoneOf,
} from '../scheduling/schedule-facts.ts';
import { confirm } from '../session/confirm.ts';
import type { Context } from '../session/context.ts';

/** A schedule of the user, with the event types that use it: the service lists schedules by event type only. */
interface Own {
  schedule: Json;
  types: string[];
}

interface Plan extends Own {
  /** The typed dates, in the schedule's time zone. */
  dates: string[];
  before: Rule[];
  after: Rule[];
  /** Dates that were off before. */
  already: string[];
  /** Special hours of dates that are taken off. */
  replaced: Rule[];
}

/** The user's own schedules of all event types that the user hosts, each of them once. */
const readOwn = async (context: Context): Promise<Own[]> => {
  const user = idIn(await context.identity.user());
  const query = {};
  await fillScope(eventTypes.list, { query }, context);
  const hosted = await gather((await context.client()).pages(eventTypes.list, { query }));
  const own = new Map<string, Own>();
  const found = await mapConcurrent(hosted, ({ uri }) => schedulesOf(context, uri));
  for (const [index, schedules] of found.entries())
    for (const schedule of schedules.filter((each) => idIn(each.user) === user)) {
      const { types } = own.get(String(schedule.uri)) ?? { types: [] };
      own.set(String(schedule.uri), { schedule, types: [...types, String(hosted[index]!.uri)] });
    }
  if (own.size > 0) return [...own.values()];
  throw new SchedError('not-found', 'You have no availability schedules', {
    hint: { command: ['event-types', 'list'] },
  });
};

/** The typed dates, which may be in words, in a time zone. */
const datesIn = (zone: string, { context, args }: Invocation, onProblem = (_: string): void => {}): string[] => {
  const read = (words: readonly string[]) => readDatesOff(words.join(' '), () => todayIn(context, zone));
  const dates = new Set<string>();
  for (let rest = args; rest.length > 0; ) {
    // Without quotes, `dec 24` is two arguments, and `dec 24..dec 31` is three.
    const count = [3, 2].find((most) => rest.length >= most && read(rest.slice(0, most)).ok) ?? 1;
    const found = read(rest.slice(0, count));
    if (found.ok) for (const date of found.value) dates.add(date);
    else onProblem(found.problem);
    rest = rest.slice(count);
  }
  return [...dates].sort();
};

const updateLine = (context: Context, { schedule, types }: Own, ...flags: string[]) =>
  commandHere(context, 'availability', 'update', idIn(schedule.uri), '--event-type', idIn(types[0]), ...flags);

/** What changes in a schedule. A day off is a rule on top of the weekly hours, which stay as they are. */
const planFor = (context: Context, own: Own, dates: string[], isUndo: boolean): Plan => {
  const before = rulesOf(own.schedule, `set its hours first: ${updateLine(context, own, '--replace')}`);
  const rules = before.filter((rule) => rule.type === 'date' && dates.includes(dayOf(rule)));
  if (isUndo) {
    const after = before.filter((rule) => !(rules.includes(rule) && isDateOff(rule)));
    return { ...own, dates, before, after, already: [], replaced: [] };
  }
  const replaced = rules.filter((rule) => !isDateOff(rule));
  const special = replaced.map(dayOf);
  const already = rules.map(dayOf).filter((date) => !special.includes(date));
  const set = dates.filter((date) => !already.includes(date)).map((date) => ({ type: 'date', date, intervals: [] }));
  return { ...own, dates, before, after: changeRules(before, set, []), already, replaced };
};

/** Whether a schedule shows what the command is about. */
const isDone = (schedule: Json, dates: readonly string[], isUndo: boolean): boolean => {
  const rules = shownRules(schedule).filter((rule) => rule.type === 'date' && dates.includes(dayOf(rule)));
  if (isUndo) return !rules.some(isDateOff);
  return rules.every(isDateOff) && dates.every((date) => rules.some((rule) => dayOf(rule) === date));
};

const isChange = ({ before, after }: Plan): boolean => !isDeepStrictEqual(before, after);

/** The dates whose rules differ between the two sets. */
const changedDates = ({ before, after }: Plan): string[] =>
  [...before, ...after].filter((rule) => !before.includes(rule) || !after.includes(rule)).map(dayOf);

/** Each line once, with the number of schedules that it is about if that isn't all of them. */
const counting = (plans: readonly Plan[], linesOf: (plan: Plan) => readonly string[]): string[] => {
  const lines = plans.flatMap(linesOf);
  return [...new Set(lines)].map((line) => {
    const count = lines.filter((each) => each === line).length;
    return count === plans.length ? line : `${line} (${count} of ${plans.length} schedules)`;
  });
};

/** What changes, what can't be restored, and the meetings that stay. */
const linesFor = async (plans: readonly Plan[], invocation: Invocation): Promise<string[]> => {
  const { context, typed } = invocation;
  const today = todayIn(context, context.settings.zone);
  const lines = [
    ...counting(plans, ({ before, after }) => rulesDifference(before, after, today)),
    ...counting(plans, ({ replaced }) =>
      replaced.map((rule) => `--undo can't restore the special hours of ${ruleWords(rule)}`),
    ),
    ...counting(plans, ({ already }) => (already.length === 0 ? [] : [`already off: ${datesWords(already, today)}`])),
  ];
  if (typed.undo === true || context.settings.yes || !context.canConfirm) return lines;
  const { stayingMeetings } = await import('../scheduling/event-facts.ts');
  const zones = new Map(plans.map((plan) => [zoneOf(plan.schedule, invocation), plan]));
  const off = plans.flatMap(({ after }) => after.filter(isDateOff).map(dayOf));
  for (const [zone, { schedule, dates }] of zones)
    lines.push(...(await stayingMeetings(context, schedule.user, dates, off, zone)));
  return lines;
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
    known: { event_type: type, user: schedule.user },
  }));
};

const readAgain = async ({ schedule: { uri }, types }: Own, context: Context): Promise<Json | undefined> =>
  (await schedulesOf(context, types[0])).find((each) => each.uri === uri);

/** Changes one schedule. It is read again first, because the service replaces all rules at once. */
const send = async (planned: Plan, { context, typed }: Invocation, stillLocked: StillLocked): Promise<Json> => {
  const { types, dates } = planned;
  const client = await context.client();
  const read = () => readAgain(planned, context);
  const schedule = await read();
  if (schedule === undefined) throw new SchedError('not-found', 'The schedule is gone', { outcome: 'not-applied' });
  const plan = planFor(context, { schedule, types }, dates, typed.undo === true);
  const replaced = plan.replaced.map(ruleText);
  if (!isChange(plan)) return withFacts(schedule, { already: true, replaced });
  const body = { rules: plan.after };
  const [first, ...others] = await inputsOf(context, plan);
  const record = await changeOrReadBack(context, {
    send: async () => {
      for (const input of others) await client.write(availability.update, input, stillLocked);
      return client.write(availability.update, first!, stillLocked);
    },
    read,
    isDone: (now) => showsChange(now, body, false),
    known: () => ({ ...schedule, ...body }),
  });
  return withFacts(record, { ...(record._sched as object), replaced });
};

/** A schedule as the service confirmed it, or why it is not changed. */
type Result = { plan: Plan } & ({ record: Json; error?: undefined } | { error: SchedError });

/** Runs work. Returns its error, unless the command must end. */
const settled = async (plan: Plan, work: () => Promise<Json>): Promise<Result> => {
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
const readBack = async (result: Result, { context, typed }: Invocation): Promise<Result> => {
  const { plan, error } = result;
  if (error !== undefined && !isOutcomeUnknown(error)) return result;
  const read = await settled(plan, async () => (await readAgain(plan, context)) ?? {});
  if (read.error !== undefined) {
    if (error === undefined) noteUnread(context, nameOf(plan.schedule), read.error);
    return result;
  }
  const now = read.record;
  if (isDone(now, plan.dates, typed.undo === true))
    return error === undefined
      ? result
      : { plan, record: withFacts(now, { reconciled: true, replaced: plan.replaced.map(ruleText) }) };
  const isAsConfirmed = error === undefined && isDeepStrictEqual(now.rules, result.record.rules);
  return error === undefined && !isAsConfirmed ? { plan, error: notShown() } : result;
};

/** Sends all plans and reads the schedules back. One that fails doesn't stop the others. */
const sendAll = async (plans: readonly Plan[], invocation: Invocation): Promise<Result[]> => {
  const { context } = invocation;
  return whileLocked(await changeLockOf(context), async (stillLocked) => {
    const results: Result[] = [];
    try {
      for (const plan of plans) {
        context.runtime.interrupted.throwIfAborted();
        results.push(await settled(plan, () => send(plan, invocation, stillLocked)));
      }
      return await mapConcurrent(results, (result) => readBack(result, invocation));
    } catch (error) {
      const changed = results.filter((result) => result.error === undefined).length;
      if (!(error instanceof SchedError) || changed === 0) throw error;
      const reason = `${changed} of ${counted(plans.length, 'schedule')} changed`;
      throw error.with({ reason, hint: sameCommand, outcome: 'applied' });
    }
  });
};

/** Notes how to restore special hours that a day off has replaced. */
const noteReplaced = (context: Context, plan: Plan, { _sched: facts }: Json): void => {
  const { replaced } = facts as { replaced: string[] };
  const rules = replaced.flatMap((rule) => ['--rule', rule]);
  if (rules.length > 0) context.notes.info(`To restore the special hours: ${updateLine(context, plan, ...rules)}`);
};

/** Prints the changed schedules. Throws if not all of them are. */
const report = async (results: readonly Result[], view: View, { context }: Invocation): Promise<void> => {
  const { notes, printer } = context;
  const failures: SchedError[] = [];
  for (const result of results) {
    const { plan, error } = result;
    if (error === undefined) {
      noteReplaced(context, plan, result.record);
      continue;
    }
    failures.push(error);
    const why = error.facts.reason ? ` (${error.facts.reason})` : '';
    notes.warn(`failed: ${nameOf(plan.schedule)}: ${error.message}${why}`);
  }
  const unknown = failures.find(isOutcomeUnknown);
  if (failures.length === results.length) throw unknown ?? failures[0]!;
  const records = results.flatMap((result) => (result.error === undefined ? [result.record] : []));
  if (!printer.showsPages) await printer.list(view, [records]);
  if (failures.length === 0) return;
  const message = `${failures.length} of ${counted(results.length, 'schedule')} not changed${unknown ? ', or not known to be' : ''}`;
  throw new SchedError('partial', message, { hint: sameCommand, outcome: 'applied' });
};

const schedulesColumn: Column = { header: 'SCHEDULES', path: 'schedules', priority: 3 };
const dayOff = (row: object): string => fullDateLabel(Date.parse(String(valueAt(row, 'date'))));

const listView: View = {
  columns: [{ header: 'DATE', path: 'date', priority: 4 }, schedulesColumn],
  tableColumns: () => [{ header: 'DATE', path: 'date', priority: 4, value: dayOff }, schedulesColumn],
  title: 'Your days off',
  id: 'date',
};

/** Prints the dates that are off from today on, and on how many schedules. */
const printList = async (invocation: Invocation): Promise<void> => {
  const { context } = invocation;
  const own = await readOwn(context);
  const dates = own.flatMap(({ schedule }) => {
    const today = todayIn(context, zoneOf(schedule, invocation));
    return [...new Set(shownRules(schedule).filter(isDateOff).map(dayOf))].filter((date) => date >= today);
  });
  const countOf = (date: string) => dates.filter((each) => each === date).length;
  const rows = [...new Set(dates)].sort().map((date) => ({
    date,
    schedules: countOf(date) === own.length ? 'all schedules' : `${countOf(date)} of ${own.length}`,
  }));
  await context.printer.list(listView, [rows]);
  if (rows.length === 0) context.notes.footer('No days off from today on');
};

export const runOff = async ({ view }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, args, typed, problems } = invocation;
  const isUndo = typed.undo === true;
  if (typed.list === true && (isUndo || args.length > 0)) problems.add("--list can't be used with dates or --undo");
  if (typed.list !== true && args.length === 0) problems.missingArgument('date');
  await context.askNow();
  datesIn(context.settings.zone, invocation, (problem) => problems.add(problem));
  problems.check();
  if (typed.list === true) return printList(invocation);
  const own = await readOwn(context);
  const plans = own.map((each) =>
    planFor(context, each, datesIn(zoneOf(each.schedule, invocation), invocation), isUndo),
  );
  const changes = plans.filter(isChange);
  const dates = plans.flatMap((plan) => plan.dates);
  const words = datesWords(dates, todayIn(context, context.settings.zone));
  const { dryRun, yes } = context.settings;
  if (changes.length === 0) {
    const state = isUndo ? 'no schedule has a day off' : 'all schedules are off';
    const why = dates.length === 0 ? "it is over in your schedules' time zone" : `${state} on ${words}`;
    context.notes.info(`Nothing to change: ${why}`);
    const records = plans.map(({ schedule }) => withFacts(schedule, { already: true, replaced: [] }));
    if (!context.printer.showsPages) await context.printer.list(view, [records]);
    return;
  }
  const types = new Set(changes.flatMap((plan) => plan.types)).size;
  const what = isUndo ? `Undo the days off ${words}` : `Take ${words} off`;
  const where = `on ${counted(changes.length, 'schedule')} (${counted(types, 'event type')})`;
  const list = await linesFor(plans, invocation);
  if (dryRun || yes || !context.canConfirm) for (const line of list) context.notes.info(line);
  if (dryRun) {
    const inputs = await Promise.all(changes.map((plan) => inputsOf(context, plan)));
    return printRequest(invocation, availability.update, inputs.flat());
  }
  const action = `${what.charAt(0).toLowerCase()}${what.slice(1)} ${where}`;
  await confirm(context, { question: `${what} ${where}?`, action, list });
  await report(await sendAll(changes, invocation), view, invocation);
  const changed = dateRanges(changes.flatMap(changedDates)).map(([first, last]) =>
    first === last ? first : `${first}..${last}`,
  );
  const back = commandHere(context, 'availability', 'off', ...changed, ...(isUndo ? [] : ['--undo']));
  const [done, way] = isUndo ? ['No longer off', 'Again'] : ['Off', 'Undo'];
  await context.notes.done(`${done.toLowerCase()}: ${words} ${where}`, `${done}: ${words} ${where}. ${way}: ${back}`);
};
