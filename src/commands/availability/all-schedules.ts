import { isDeepStrictEqual } from 'node:util';
import { weekdays } from '../../api/weekdays.ts';
import { day } from '../../base/milliseconds.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { Context } from '../../cli/session/context.ts';
import type { View } from '../../output/view.ts';
import { changeRules, dayOf, dayWords, type Rule, rulesDifference, ruleText } from '../../time/availability-rules.ts';
import { dateText } from '../../time/days.ts';
import type { Staying } from '../events/screen.ts';
import type { Days } from './input.ts';
import {
  changeOwn,
  isChange,
  type Own,
  type Plan,
  planDifferences,
  readOwn,
  reportUnchanged,
  rulesNow,
  sayUndo,
  updateLine,
  whereOf,
} from './own-schedules.ts';
import { shownRules, todayIn, zoneOf } from './schedule-facts.ts';

const planDays = (context: Context, own: Own, days: Days): Plan => {
  const before = rulesNow(context, own);
  const after = changeRules(before, days.set, days.removed);
  const daysToChange = [...days.set, ...days.removed].map(dayOf);
  const isNamed = (rule: Rule) => daysToChange.includes(dayOf(rule));
  const rulesAfter = after.filter(isNamed);
  return {
    ...own,
    before,
    after,
    replacedRules: before.filter((rule) => isNamed(rule) && !after.includes(rule)),
    again: (now) => planDays(context, now, days),
    isDone: (schedule) => rulesDifference(shownRules(schedule).filter(isNamed), rulesAfter, '').length === 0,
  };
};

/** The flags of `availability update` that bring back the rules of the changed days. */
export const restoring = ({ before, after }: Pick<Plan, 'before' | 'after'>): string[] => {
  const newDays = after.filter((rule) => !before.includes(rule)).map(dayOf);
  const lostRules = before.filter((rule) => !after.includes(rule));
  const fresh = newDays.filter((day) => !lostRules.some((rule) => dayOf(rule) === day));
  return [...lostRules.flatMap((rule) => ['--rule', ruleText(rule)]), ...fresh.flatMap((day) => ['--remove', day])];
};

/** The line that undoes the change of a schedule: the same one for all if it can be. */
const undoOf = (context: Context, plans: readonly Plan[], changes: readonly Plan[]): ((plan: Plan) => string) => {
  const flags = changes.map(restoring);
  const isSame = changes.length === plans.length && flags.every((each) => isDeepStrictEqual(each, flags[0]));
  if (isSame) return () => commandHere(context, 'availability', 'update', '--all', ...flags[0]!);
  return (plan) => updateLine(context, plan, ...restoring(plan));
};

/** The meetings that stay in the year ahead on days without hours. */
const meetingsOn = async (
  context: Context,
  [own]: readonly Own[],
  daysIn: (zone: string) => Days,
): Promise<Staying> => {
  const { schedule } = own!;
  const zone = zoneOf(schedule, context);
  const off = daysIn(zone).set.filter((rule) => Array.isArray(rule.intervals) && rule.intervals.length === 0);
  const today = Date.parse(todayIn(context, zone));
  const year = Array.from({ length: 366 }, (_, index) => today + index * day);
  const isOff = (midnight: number) =>
    off.some((rule) => [dateText(midnight), weekdays[(new Date(midnight).getUTCDay() + 6) % 7]].includes(dayOf(rule)));
  const dates = year.filter(isOff).map(dateText);
  if (dates.length === 0 || context.settings.noCheck) return { meetings: [], lines: [] };
  const { stayingMeetings } = await import('../events/screen.ts');
  return stayingMeetings(context, schedule.user, dates, dates, zone);
};

/** Changes all schedules. `what` and `done` say it in words: `Take every Friday off`, `Off: every Friday`. */
const changeAll = async (
  view: View,
  context: Context,
  daysIn: (zone: string) => Days,
  [what, done]: readonly [string, string],
): Promise<void> => {
  const own = await readOwn(context);
  const plans = own.map((each) => planDays(context, each, daysIn(zoneOf(each.schedule, context))));
  const changes = plans.filter(isChange);
  if (changes.length === 0) return reportUnchanged(plans, 'all your schedules already have these hours', view, context);
  const staying = await meetingsOn(context, own, daysIn);
  const list = [...planDifferences(changes, context), staying.lines[0] ?? 'meetings that are booked stay'];
  const undo = undoOf(context, plans, changes);
  const { staysOf } = await import('../events/screen.ts');
  if (!(await changeOwn(changes, { what, list, undo, stays: staysOf(staying.meetings) }, view, context))) return;
  const lines = [...new Set(changes.map(undo))];
  const isBelow = lines.length === 1 && context.runtime.stderr.isTerminal;
  const sentence = `${done} ${whereOf(changes)}`;
  const words = `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
  await context.notes.done(words, sentence, isBelow ? [['Undo', lines[0]!]] : []);
  if (!isBelow) sayUndo(context, lines);
};

/** `availability off --every friday` */
export const runEvery = (view: View, context: Context, days: readonly Rule[]): Promise<void> => {
  const words = days.map(dayWords).join(', ');
  const set = days.map((day) => ({ ...day, intervals: [] }));
  return changeAll(view, context, () => ({ set, removed: [] }), [`Take ${words} off`, `Off: ${words}`]);
};

/** `availability update --all` */
export const runUpdateAll = (view: View, context: Context, daysIn: (zone: string) => Days): Promise<void> =>
  changeAll(view, context, daysIn, ['Change the hours', 'Changed: hours']);
