import { isDeepStrictEqual } from 'node:util';
import { weekdays } from '../../api/weekdays.ts';
import { day } from '../../base/milliseconds.ts';
import type { Reader, Reply } from '../../cli/answer/plan.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { Context } from '../../cli/session/context.ts';
import type { View } from '../../output/view.ts';
import { changeRules, dayOf, dayWords, type Rule, rulesDifference, ruleText } from '../../time/availability-rules.ts';
import { dateText } from '../../time/days.ts';
import type { Staying } from '../events/screen.ts';
import type { Days } from './input.ts';
import {
  isChange,
  type Own,
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

const planDays = (context: Context, own: Own, days: Days): OwnPlan => {
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
export const restoring = ({ before, after }: Pick<OwnPlan, 'before' | 'after'>): string[] => {
  const newDays = after.filter((rule) => !before.includes(rule)).map(dayOf);
  const lostRules = before.filter((rule) => !after.includes(rule));
  const fresh = newDays.filter((day) => !lostRules.some((rule) => dayOf(rule) === day));
  return [...lostRules.flatMap((rule) => ['--rule', ruleText(rule)]), ...fresh.flatMap((day) => ['--remove', day])];
};

/** The line that undoes the change of a schedule: the same one for all if it can be. */
const undoOf = (
  context: Context,
  plans: readonly OwnPlan[],
  changes: readonly OwnPlan[],
): ((plan: OwnPlan) => string) => {
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
  reader: Reader,
): Promise<Staying> => {
  const { schedule } = own!;
  const zone = zoneOf(schedule, context);
  const off = daysIn(zone).set.filter((rule) => Array.isArray(rule.intervals) && rule.intervals.length === 0);
  const today = Date.parse(todayIn(context, zone));
  const year = Array.from({ length: 366 }, (_, index) => today + index * day);
  const isOff = (midnight: number) =>
    off.some((rule) => [dateText(midnight), weekdays[(new Date(midnight).getUTCDay() + 6) % 7]].includes(dayOf(rule)));
  const dates = year.filter(isOff).map(dateText);
  const otherwise = 'meetings that are booked stay';
  if (dates.length === 0) return { stays: [], lines: [otherwise] };
  const { stayingMeetings } = await import('../events/screen.ts');
  const { stays, lines } = await stayingMeetings(context, reader, { user: schedule.user, dates, off: dates, zone });
  return { stays, lines: [lines[0] ?? otherwise] };
};

/** Changes all schedules. `what` and `done` say it in words: `Take every Friday off`, `off: every Friday`. */
const changeAll = async (
  view: View,
  context: Context,
  daysIn: (zone: string) => Days,
  [what, done]: readonly [string, string],
): Promise<Reply> => {
  const own = await readOwn(context);
  const plans = own.map((each) => planDays(context, each, daysIn(zoneOf(each.schedule, context))));
  const changes = plans.filter(isChange);
  if (changes.length === 0) return unchanged(plans, 'all your schedules already have these hours', view, context);
  const change = {
    what,
    done: { log: `${done} ${whereOf(changes)}` },
    differences: planDifferences(changes, context),
    staying: (reader: Reader) => meetingsOn(context, own, daysIn, reader),
    undo: undoOf(context, plans, changes),
  };
  return planChanges(changes, change, view, context);
};

/** `availability off --every friday` */
export const runEvery = (view: View, context: Context, days: readonly Rule[]): Promise<Reply> => {
  const words = days.map(dayWords).join(', ');
  const set = days.map((day) => ({ ...day, intervals: [] }));
  return changeAll(view, context, () => ({ set, removed: [] }), [`Take ${words} off`, `off: ${words}`]);
};

/** `availability update --all` */
export const runUpdateAll = (view: View, context: Context, daysIn: (zone: string) => Days): Promise<Reply> =>
  changeAll(view, context, daysIn, ['Change the hours', 'changed: hours']);
