import type { SentSchedule } from '../../api/availability.ts';
import type { SentEvent } from '../../api/events.ts';
import { day } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import { type Sentence, the, words } from '../../base/words.ts';
import type { RowsAnswer } from '../../cli/answer/answer.ts';
import type { Reader, Reply } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { readTextFile } from '../../cli/json-file.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import type { Context } from '../../cli/session/context.ts';
import { valueAt } from '../../output/fields.ts';
import type { Column, View } from '../../output/view.ts';
import { changeRules, datesWords, dayOf, isDateOff, ruleWords, weekdaysOff } from '../../time/availability-rules.ts';
import { dateRanges, dateText } from '../../time/days.ts';
import { wallClock } from '../../time/show.ts';
import { fullDateLabel, midnightOf } from '../../time/wall.ts';
import type { Staying } from '../events/screen.ts';
import type { OffInput } from './input.ts';
import {
  countLines,
  isChange,
  type Own,
  type OwnChange,
  type OwnPlan,
  planChanges,
  planDifferences,
  readOwn,
  rulesNow,
  unchanged,
  updateLine,
  whereOf,
} from './own-schedules.ts';
import { shownRules, todayIn, zoneOf } from './schedule-facts.ts';

/** Events of a calendar that notes name. */
const mostNamed = 5;

interface DatesPlan extends OwnPlan {
  /** The given dates, in the schedule's time zone. */
  dates: string[];
  /** Dates that were off before. */
  already: string[];
}

/** What changes in a schedule. A day off is a rule on top of the weekly hours, which stay as they are. */
const planDatesOff = (context: Context, own: Own, dates: string[], isUndo: boolean): DatesPlan => {
  const before = rulesNow(context, own);
  const rules = before.filter((rule) => rule.type === 'date' && dates.includes(dayOf(rule)));
  const again = (now: Own) => planDatesOff(context, now, dates, isUndo);
  const plan = { ...own, dates, before, again, isDone: (now: SentSchedule) => showsDatesOff(now, dates, isUndo) };
  if (isUndo) {
    const after = before.filter((rule) => !(rules.includes(rule) && isDateOff(rule)));
    return { ...plan, after, already: [], replacedRules: [] };
  }
  const specialRules = rules.filter((rule) => !isDateOff(rule));
  const special = specialRules.map(dayOf);
  const already = rules.map(dayOf).filter((date) => !special.includes(date));
  const set = dates.filter((date) => !already.includes(date)).map((date) => ({ type: 'date', date, intervals: [] }));
  return { ...plan, after: changeRules(before, set, []), already, replacedRules: specialRules };
};

/** Whether a schedule shows what the command is about. */
const showsDatesOff = (schedule: SentSchedule, dates: readonly string[], isUndo: boolean): boolean => {
  const rules = shownRules(schedule).filter((rule) => rule.type === 'date' && dates.includes(dayOf(rule)));
  if (isUndo) return !rules.some(isDateOff);
  return rules.every(isDateOff) && dates.every((date) => rules.some((rule) => dayOf(rule) === date));
};

/** The dates whose rules differ between the two sets. */
const changedDates = ({ before, after }: OwnPlan): string[] =>
  [...before, ...after].filter((rule) => !before.includes(rule) || !after.includes(rule)).map(dayOf);

/** What changes, and what can't be restored. */
const differencesOf = (plans: readonly DatesPlan[], context: Context): Sentence[] => {
  const today = todayIn(context, context.settings.zone);
  return [
    ...planDifferences(plans, context),
    ...countLines(plans, ({ replacedRules: replaced }) =>
      replaced.map((rule) => `can't restore the special hours of ${ruleWords(rule)}`),
    ).map((line) => words`${the('undo')} ${line}`),
    ...countLines(plans, ({ already }) => (already.length === 0 ? [] : [`already off: ${datesWords(already, today)}`])),
  ];
};

/** The meetings that stay on the dates, in each time zone. */
const meetingsOn = async (plans: readonly DatesPlan[], context: Context, reader: Reader): Promise<Staying> => {
  const { stayingMeetings } = await import('../events/screen.ts');
  const stays = new Map<unknown, SentEvent>();
  const lines: string[] = [];
  const zones = new Map(plans.map((plan) => [zoneOf(plan.schedule, context), plan]));
  const off = plans.flatMap(({ after }) => after.filter(isDateOff).map(dayOf));
  for (const [zone, { schedule, dates }] of zones) {
    const staying = await stayingMeetings(context, reader, { user: schedule.user, dates, off, zone });
    lines.push(...staying.lines);
    for (const each of staying.stays) stays.set(each.uri, each);
  }
  return { stays: [...stays.values()], lines };
};

/** How to restore special hours that a day off has replaced. */
const restoringHints = (context: Context, plan: OwnPlan, { _sched: facts }: { _sched?: unknown }): string[] => {
  const { replaced: replacedRules } = facts as { replaced: string[] };
  const rules = replacedRules.flatMap((rule) => ['--rule', rule]);
  return rules.length === 0 ? [] : [`To restore the special hours: ${updateLine(context, plan, ...rules)}`];
};

const schedulesColumn: Column = { header: 'SCHEDULES', path: 'schedules', priority: 3 };
const dayOff = (row: object): string => fullDateLabel(Date.parse(String(valueAt(row, 'date'))));

const listView: View = {
  columns: [{ header: 'DATE', path: 'date', priority: 4 }, schedulesColumn],
  tableColumns: () => [{ header: 'DATE', path: 'date', priority: 4, value: dayOff }, schedulesColumn],
  title: 'Your days off',
  id: 'date',
};

/** The dates that are off from today on, and on how many schedules. */
const listDatesOff = async (context: Context): Promise<RowsAnswer> => {
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
  const everyWeek = countLines(own, ({ schedule }) =>
    [weekdaysOff(shownRules(schedule))].filter((days) => days !== ''),
  );
  return {
    kind: 'rows',
    view: listView,
    pages: [rows],
    below: async () => (rows.length === 0 ? ['No dates off from today on'] : []),
    hints: everyWeek.length === 0 ? [] : [`Off every week: ${everyWeek.join('; ')}`],
  };
};

/** The dates of a calendar file, from today on. */
const datesOfFile = async (
  { from, timed, until }: Pick<OffInput, 'timed' | 'until'> & { from: string },
  { context, problems }: Call,
): Promise<(zone: string) => string[]> => {
  const { mostBytes, mostDays, readHolidays } = await import('./work-holidays.ts');
  const { zone } = context.settings;
  const name = from === '-' ? 'stdin' : from;
  const text = await readTextFile(from, the('from'), context.runtime, problems);
  if (text !== undefined && Buffer.byteLength(text) > mostBytes)
    problems.add(words`${the('from')}: ${name} is larger than 1 MiB`);
  problems.check();
  const now = context.now();
  // A date as an end means the end of that day.
  const last = wallClock(zone)((until ?? now + 366 * day) - 1);
  const holidays = readHolidays(text!, {
    timed,
    since: midnightOf(wallClock(zone)(now)) - day,
    until: midnightOf(last),
    zone,
  });
  if (!holidays.ok) problems.add(words`${the('from')}: ${name} ${holidays.problem}`);
  problems.check();
  const { dates, left } = (holidays as Extract<typeof holidays, { ok: true }>).value;
  for (const each of left.slice(0, mostNamed)) context.notes.warn(`Left out: ${each}`);
  if (left.length > mostNamed) context.notes.warn(`Left out: ${counted(left.length - mostNamed, 'more event')}`);
  const ahead = (there: string) =>
    dates.filter((date) => date >= todayIn(context, there) && date <= dateText(midnightOf(last)));
  const count = ahead(zone).length;
  if (count > mostDays)
    problems.add(words`${the('from')}: ${name} has ${counted(count, 'day')} in that time, and ${mostDays} is the most`);
  if (count === 0) problems.add(words`${the('from')}: ${name} has no ${timed ? '' : 'all-day '}events in that time`);
  problems.check();
  return ahead;
};

export const runOff = async (
  { date: given, undo: isUndo, list: isList, every, ...file }: OffInput,
  call: Call,
  { view }: GenericCommand,
): Promise<Reply> => {
  const { context } = call;
  if (every.length > 0) return (await import('./all-schedules.ts')).runEvery(view, context, every.flat());
  await context.askNow();
  const { from } = file;
  const datesIn = from === undefined ? given : await datesOfFile({ ...file, from }, call);
  if (isList) return listDatesOff(context);
  const own = await readOwn(context);
  const plans = own.map((each) => planDatesOff(context, each, datesIn(zoneOf(each.schedule, context)), isUndo));
  const changes = plans.filter(isChange);
  const dates = plans.flatMap((plan) => plan.dates);
  const changedDays = changes.flatMap(changedDates);
  const days = datesWords(changes.length === 0 ? dates : changedDays, todayIn(context, context.settings.zone));
  if (changes.length === 0) {
    const state = isUndo ? 'no schedule has a day off' : 'all schedules are off';
    const why = dates.length === 0 ? "it is over in your schedules' time zone" : `${state} on ${days}`;
    return unchanged(plans, why, view, context);
  }
  const ranges = dateRanges(changedDays).map(([first, last]) => (first === last ? first : `${first}..${last}`));
  const back = commandHere(context, 'availability', 'off', ...ranges, ...(isUndo ? [] : ['--undo']));
  const change: OwnChange = {
    what: isUndo ? `Undo the days off ${days}` : `Take ${days} off`,
    done: { log: `${isUndo ? 'no longer off' : 'off'}: ${days} ${whereOf(changes)}` },
    differences: differencesOf(plans, context),
    staying: async (reader) => (isUndo ? { stays: [], lines: [] } : meetingsOn(plans, context, reader)),
    undo: () => back,
    hints: (plan, record) => restoringHints(context, plan, record),
  };
  return planChanges(changes, change, view, context);
};
