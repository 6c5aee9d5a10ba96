import { type Json, jsonText } from '../base/json.ts';
import { dayOf, isKnown } from './availability-rules.ts';
import type { Hours, Span } from './slots.ts';
import { timestampOf } from './wall.ts';
import { readZone } from './zone.ts';

/* What records of the service say about time. */

/** When an event is, or undefined if its times can't be read. */
export const exactSpan = ({ start_time: start, end_time: end }: Json): Span | undefined => {
  const [from, to] = [timestampOf(start), timestampOf(end)];
  return from === undefined || to === undefined ? undefined : { start: from, end: to };
};

/** The hours of a schedule, or the reason why sched doesn't understand them. */
export const scheduleHours = ({ timezone, rules }: Json): Hours | string => {
  const zone = readZone(String(timezone));
  if (!zone.ok) return zone.problem;
  if (!Array.isArray(rules)) return 'a schedule has no list of rules';
  const other = rules.find((rule) => !isKnown(rule));
  if (other !== undefined) return `sched can't read the hours in a rule such as ${jsonText(other)}`;
  const knownRules = rules.filter(isKnown).map((rule) => ({ day: dayOf(rule), intervals: rule.intervals }));
  return { timezone: zone.zone, rules: knownRules };
};
