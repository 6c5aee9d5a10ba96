import { isDeepStrictEqual } from 'node:util';
import type { View } from '../../output/view.ts';
import {
  changeRules,
  dayOf,
  dayWords,
  type Rule,
  readDays,
  rulesDifference,
  ruleText,
} from '../../time/availability-rules.ts';
import type { Invocation } from '../command.ts';
import { commandHere } from '../messages/suggested-line.ts';
import { shownRules, zoneOf } from '../scheduling/schedule-facts.ts';
import type { Context } from '../session/context.ts';
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

/** Rules to set in all schedules of the user, and days whose rules to remove. */
type Days = Record<'set' | 'removed', Rule[]>;

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
  invocation: Invocation,
  daysFor: (zone: string) => Days,
  [what, done]: readonly [string, string],
): Promise<void> => {
  const { context } = invocation;
  const own = await readOwn(context);
  const plans = own.map((each) => planFor(context, each, daysFor(zoneOf(each.schedule, invocation))));
  const changes = plans.filter(isChange);
  if (changes.length === 0) return reportUnchanged(plans, 'all your schedules already have these hours', view, context);
  const list = [...differencesOf(changes, invocation), 'meetings that are booked stay'];
  if (!(await changeOwn(changes, { what, list }, view, invocation))) return;
  const [only, ...others] = undoLines(context, plans, changes);
  const sentence = `${done} ${whereOf(changes)}`;
  const words = `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
  await context.notes.done(words, others.length === 0 ? `${sentence}. Undo: ${only}` : sentence);
  for (const line of others.length === 0 ? [] : [only!, ...others]) context.notes.info(`Undo: ${line}`);
};

/** `availability off --every friday` */
export const runEvery = async (view: View, invocation: Invocation): Promise<void> => {
  const { args, typed, problems } = invocation;
  if (args.length > 0 || typed.list === true) problems.add("--every can't be used with dates or --list");
  if (typed.undo === true)
    problems.add(
      '--undo brings back days off of single dates. For weekly hours, use the line that --every has printed',
    );
  const days = [typed.every ?? []].flat().flatMap((text) => {
    const read = readDays(String(text), undefined, 'a weekday such as friday, fri or sat-sun');
    if (!read.ok) problems.add(`--every ${read.problem}`);
    else if (read.value.some(({ type }) => type === 'date')) problems.add(`--every "${text}" is not a weekday`);
    return read.ok ? read.value : [];
  });
  problems.check();
  const words = days.map(dayWords).join(', ');
  const set = days.map((day) => ({ ...day, intervals: [] }));
  return changeAll(view, invocation, () => ({ set, removed: [] }), [`Take ${words} off`, `Off: ${words}`]);
};

/** `availability update --all` */
export const runUpdateAll = (view: View, invocation: Invocation, daysFor: (zone: string) => Days): Promise<void> => {
  const { args, typed, problems } = invocation;
  if (args.length > 0) problems.add("--all can't be used with a schedule");
  for (const name of ['event-type', 'timezone', 'replace', 'body'])
    if (typed[name] !== undefined) problems.add(`--all can't be used with --${name}`);
  if (['rule', 'day-off', 'remove'].every((name) => typed[name] === undefined))
    problems.add('Nothing to change. Use --rule, --day-off or --remove', (own) => own.addFlag('rule'));
  problems.check();
  return changeAll(view, invocation, daysFor, ['Change the hours', 'Changed: hours']);
};
