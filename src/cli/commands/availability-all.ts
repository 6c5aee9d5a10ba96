import { isDeepStrictEqual } from 'node:util';
import type { View } from '../../output/view.ts';
import { changeRules, dayOf, dayWords, type Rule, rulesDifference, ruleText } from '../../time/availability-rules.ts';
import { commandHere } from '../messages/suggested-line.ts';
import { shownRules, zoneOf } from '../scheduling/schedule-facts.ts';
import type { Context } from '../session/context.ts';
import type { Days } from './availability-input.ts';
import {
  changeOwn,
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

const planFor = (context: Context, own: Own, days: Days): Plan => {
  const before = rulesNow(context, own);
  const after = changeRules(before, days.set, days.removed);
  const named = [...days.set, ...days.removed].map(dayOf);
  const isNamed = (rule: Rule) => named.includes(dayOf(rule));
  const wanted = after.filter(isNamed);
  return {
    ...own,
    before,
    after,
    replaced: before.filter((rule) => isNamed(rule) && !after.includes(rule)),
    again: (now) => planFor(context, now, days),
    isDone: (schedule) => rulesDifference(shownRules(schedule).filter(isNamed), wanted, '').length === 0,
  };
};

/** The flags of `availability update` that bring back the rules of the changed days. */
const restoring = ({ before, after }: Plan): string[] => {
  const added = after.filter((rule) => !before.includes(rule)).map(dayOf);
  const lost = before.filter((rule) => !after.includes(rule));
  const fresh = added.filter((day) => !lost.some((rule) => dayOf(rule) === day));
  return [...lost.flatMap((rule) => ['--rule', ruleText(rule)]), ...fresh.flatMap((day) => ['--remove', day])];
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
  const plans = own.map((each) => planFor(context, each, daysIn(zoneOf(each.schedule, context))));
  const changes = plans.filter(isChange);
  if (changes.length === 0) return reportUnchanged(plans, 'all your schedules already have these hours', view, context);
  const list = [...differencesOf(changes, context), 'meetings that are booked stay'];
  if (!(await changeOwn(changes, { what, list }, view, context))) return;
  const [only, ...others] = undoLines(context, plans, changes);
  const sentence = `${done} ${whereOf(changes)}`;
  const words = `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
  await context.notes.done(words, others.length === 0 ? `${sentence}. Undo: ${only}` : sentence);
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
