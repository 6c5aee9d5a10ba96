import type { Json } from '../../json.ts';
import { valueAt } from '../../output/fields.ts';
import type { Column, View } from '../../output/view.ts';
import { changeRules, datesWords, dayOf, isDateOff, ruleWords } from '../../time/availability-rules.ts';
import { dateRanges } from '../../time/days.ts';
import { fullDateLabel } from '../../time/wall.ts';
import type { Call } from '../input/input.ts';
import { commandHere } from '../messages/suggested-line.ts';
import type { GenericCommand } from '../operation/generic-command.ts';
import { shownRules, todayIn, zoneOf } from '../scheduling/schedule-facts.ts';
import type { Context } from '../session/context.ts';
import type { OffInput } from './availability-input.ts';
import {
  changeOwn,
  counting,
  differencesOf,
  isChange,
  type Own,
  type Plan,
  readOwn,
  reportUnchanged,
  rulesNow,
  updateLine,
  whereOf,
} from './own-schedules.ts';

interface DatesPlan extends Plan {
  /** The given dates, in the schedule's time zone. */
  dates: string[];
  /** Dates that were off before. */
  already: string[];
}

/** What changes in a schedule. A day off is a rule on top of the weekly hours, which stay as they are. */
const planFor = (context: Context, own: Own, dates: string[], isUndo: boolean): DatesPlan => {
  const before = rulesNow(context, own);
  const rules = before.filter((rule) => rule.type === 'date' && dates.includes(dayOf(rule)));
  const again = (now: Own) => planFor(context, now, dates, isUndo);
  const plan = { ...own, dates, before, again, isDone: (now: Json) => isDone(now, dates, isUndo) };
  if (isUndo) {
    const after = before.filter((rule) => !(rules.includes(rule) && isDateOff(rule)));
    return { ...plan, after, already: [], replaced: [] };
  }
  const replaced = rules.filter((rule) => !isDateOff(rule));
  const special = replaced.map(dayOf);
  const already = rules.map(dayOf).filter((date) => !special.includes(date));
  const set = dates.filter((date) => !already.includes(date)).map((date) => ({ type: 'date', date, intervals: [] }));
  return { ...plan, after: changeRules(before, set, []), already, replaced };
};

/** Whether a schedule shows what the command is about. */
const isDone = (schedule: Json, dates: readonly string[], isUndo: boolean): boolean => {
  const rules = shownRules(schedule).filter((rule) => rule.type === 'date' && dates.includes(dayOf(rule)));
  if (isUndo) return !rules.some(isDateOff);
  return rules.every(isDateOff) && dates.every((date) => rules.some((rule) => dayOf(rule) === date));
};

/** The dates whose rules differ between the two sets. */
const changedDates = ({ before, after }: Plan): string[] =>
  [...before, ...after].filter((rule) => !before.includes(rule) || !after.includes(rule)).map(dayOf);

/** What changes, what can't be restored, and the meetings that stay. */
const linesFor = async (plans: readonly DatesPlan[], isUndo: boolean, context: Context): Promise<string[]> => {
  const today = todayIn(context, context.settings.zone);
  const lines = [
    ...differencesOf(plans, context),
    ...counting(plans, ({ replaced }) =>
      replaced.map((rule) => `--undo can't restore the special hours of ${ruleWords(rule)}`),
    ),
    ...counting(plans, ({ already }) => (already.length === 0 ? [] : [`already off: ${datesWords(already, today)}`])),
  ];
  if (isUndo || context.settings.yes || !context.canConfirm) return lines;
  const { stayingMeetings } = await import('../scheduling/event-facts.ts');
  const zones = new Map(plans.map((plan) => [zoneOf(plan.schedule, context), plan]));
  const off = plans.flatMap(({ after }) => after.filter(isDateOff).map(dayOf));
  for (const [zone, { schedule, dates }] of zones)
    lines.push(...(await stayingMeetings(context, schedule.user, dates, off, zone)));
  return lines;
};

/** Notes how to restore special hours that a day off has replaced. */
const noteReplaced = (context: Context, plan: Plan, { _sched: facts }: Json): void => {
  const { replaced } = facts as { replaced: string[] };
  const rules = replaced.flatMap((rule) => ['--rule', rule]);
  if (rules.length > 0) context.notes.info(`To restore the special hours: ${updateLine(context, plan, ...rules)}`);
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
const printList = async (context: Context): Promise<void> => {
  const own = await readOwn(context);
  const dates = own.flatMap(({ schedule }) => {
    const today = todayIn(context, zoneOf(schedule, context));
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

export const runOff = async (
  { date: datesIn, undo: isUndo, list: isList, every }: OffInput,
  { context }: Call,
  { view }: GenericCommand,
): Promise<void> => {
  if (every.length > 0) return (await import('./availability-all.ts')).runEvery(view, context, every.flat());
  await context.askNow();
  if (isList) return printList(context);
  const own = await readOwn(context);
  const plans = own.map((each) => planFor(context, each, datesIn(zoneOf(each.schedule, context)), isUndo));
  const changes = plans.filter(isChange);
  const dates = plans.flatMap((plan) => plan.dates);
  const words = datesWords(dates, todayIn(context, context.settings.zone));
  if (changes.length === 0) {
    const state = isUndo ? 'no schedule has a day off' : 'all schedules are off';
    const why = dates.length === 0 ? "it is over in your schedules' time zone" : `${state} on ${words}`;
    return reportUnchanged(plans, why, view, context);
  }
  const what = isUndo ? `Undo the days off ${words}` : `Take ${words} off`;
  const list = await linesFor(plans, isUndo, context);
  const onDone = (plan: Plan, record: Json) => noteReplaced(context, plan, record);
  if (!(await changeOwn(changes, { what, list, onDone }, view, context))) return;
  const changed = dateRanges(changes.flatMap(changedDates)).map(([first, last]) =>
    first === last ? first : `${first}..${last}`,
  );
  const back = commandHere(context, 'availability', 'off', ...changed, ...(isUndo ? [] : ['--undo']));
  const [done, way] = isUndo ? ['No longer off', 'Again'] : ['Off', 'Undo'];
  const where = whereOf(changes);
  await context.notes.done(`${done.toLowerCase()}: ${words} ${where}`, `${done}: ${words} ${where}. ${way}: ${back}`);
};
