import { isDeepStrictEqual } from 'node:util';
import { availability, type SentSchedule } from '../../api/availability.ts';
import type { SentEventType } from '../../api/event-types.ts';
import { type Advice, SchedError } from '../../base/errors.ts';
import { jsonText, recordsIn } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Context } from '../../cli/session/context.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import { isKnown, type Rule, rulesDifference } from '../../time/availability-rules.ts';
import { dateText } from '../../time/days.ts';
import { wallClock } from '../../time/show.ts';
import { readZone } from '../../time/zone.ts';

/* What commands know about an availability schedule. */

export const todayIn = ({ now }: Pick<Context, 'now'>, zone: string): string => dateText(wallClock(zone)(now()));

/** The schedules of an event type. The service lists them in no other way. */
export const schedulesOf = async (context: Context, eventType: unknown): Promise<SentSchedule[]> =>
  gather((await context.client()).pages(availability.list, { query: { event_type: String(eventType) } }));

/** Event types, each with the schedules that a user has for it. */
export const ownSchedulesByType = (
  context: Context,
  types: readonly SentEventType[],
  user: string,
): Promise<{ type: SentEventType; schedules: SentSchedule[] }[]> =>
  mapConcurrent([...types], async (type) => ({
    type,
    schedules: (await schedulesOf(context, type.uri)).filter((each) => idIn(each.user) === idIn(user)),
  }));

/** The time zone of a schedule's dates. */
export const zoneOf = ({ timezone }: SentSchedule, { settings }: { settings: Pick<Context['settings'], 'zone'> }) => {
  const reading = readZone(String(timezone ?? ''));
  return reading.ok ? reading.zone : settings.zone;
};

export const shownRules = ({ rules }: { readonly rules?: unknown }): Rule[] => recordsIn(rules);

/** The rules of a schedule. The service takes all rules at once, and rules of two forms may mean anything together. */
export const rulesOf = (
  { rules }: SentSchedule,
  advice: Advice = words`add ${the('replace')} to set only the rules that you give`,
): Rule[] => {
  if (Array.isArray(rules) && rules.every(isKnown)) return rules;
  const other = [rules].flat().find((rule) => !isKnown(rule));
  throw new SchedError('integrity', "Can't read the current rules of the schedule", {
    reason: `sched can't read the hours in ${jsonText(other ?? null)}, so it can't change some rules and keep the others`,
    advice,
    outcome: 'not-applied',
  });
};

/** The fields of the request. With `--body` it may have others too. */
export type ScheduleBody = {
  event_type?: unknown;
  rules?: unknown;
  timezone?: unknown;
};

/**
 * Whether a schedule shows the change. Rules from `--body` may have fields that sched doesn't know: if only those differ,
 * it returns undefined.
 */
export const showsChange = (
  now: SentSchedule,
  { rules, timezone }: ScheduleBody,
  isExact: boolean,
): boolean | undefined => {
  if (timezone !== undefined && now.timezone !== timezone) return false;
  if (rules === undefined || isDeepStrictEqual(now.rules, rules)) return true;
  if (rulesDifference(shownRules(now), shownRules({ rules }), '').length > 0) return false;
  return isExact ? undefined : true;
};

/** The name for people. Some services show no URI: there a schedule is named by its event type. */
export const scheduleName = ({ name, uri, event_type: type }: SentSchedule & { event_type?: unknown }): string => {
  const id = typeof uri === 'string' ? idIn(uri) : undefined;
  const identifier = id ?? (typeof type === 'string' ? `event type ${idIn(type)}` : undefined);
  return name ? `${name}${identifier === undefined ? '' : ` (${identifier})`}` : (identifier ?? 'the schedule');
};

/** A schedule that was not changed as `_sched.failed` has it. */
export const failedRecord = ({ uri, name }: SentSchedule, { category, message }: SchedError) => ({
  uri,
  name,
  code: category,
  message,
});

/** Whether two schedules of an event type are the same one. Without a URI, its host tells. */
export const isSameSchedule = (one: SentSchedule, other: SentSchedule): boolean =>
  one.uri === other.uri && (typeof one.uri === 'string' || one.user === other.user);

/** What a change knows beside its input, for services that name schedules by their event type and need the time zone. */
export const knownOf = (eventType: string, [first, ...others]: readonly SentSchedule[]) => {
  const isShared = others.every(({ timezone }) => timezone === first!.timezone);
  return { event_type: eventType, user: first!.user, timezone: isShared ? first!.timezone : undefined };
};
