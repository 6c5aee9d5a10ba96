import { isDeepStrictEqual } from 'node:util';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { Context } from '../../cli/session/context.ts';
import type { View } from '../../output/view.ts';
import { changeRules, dayOf, dayWords, type Rule, rulesDifference, ruleText } from '../../time/availability-rules.ts';
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
  updateLine,
  whereOf,
} from './own-schedules.ts';
import { shownRules, zoneOf } from './schedule-facts.ts';

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

/** The lines that undo a change: one if it is the same for all schedules. */
const undoLines = (context: Context, plans: readonly Plan[], changes: readonly Plan[]): string[] => {
  const flags = changes.map(restoring);
  const isSame = changes.length === plans.length && flags.every((each) => isDeepStrictEqual(each, flags[0]));
  if (isSame) return [commandHere(context, 'availability', 'update', '--all', ...flags[0]!)];
  return changes.map((plan, index) => updateLine(context, plan, ...flags[index]!));
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
  const list = [...planDifferences(changes, context), 'meetings that are booked stay'];
  if (!(await changeOwn(changes, { what, list }, view, context))) return;
  const [only, ...others] = undoLines(context, plans, changes);
  const sentence = `${done} ${whereOf(changes)}`;
  const words = `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
  await context.notes.done(words, sentence, others.length === 0 ? [['Undo', only!]] : []);
  for (const line of others.length === 0 ? [] : [only!, ...others]) context.notes.info(`Undo: ${line}`);
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
