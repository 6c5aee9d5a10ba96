import * as z from 'zod/mini';
import { choice, date, flag, list, literal, oneOf, record, reference, text, word } from './field.ts';
import { listQuery, many, one, operation, resource } from './operation.ts';
import { weekdays } from './weekdays.ts';

const timeOfDay = (description: string) =>
  text(description).check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day such as 09:30'));

const Interval = record({ from: timeOfDay('when it begins'), to: timeOfDay('when it ends') }).check(
  z.refine(({ from, to }) => from < to, { path: ['to'], error: 'must be later than from' }),
);

const intervals = list(Interval, 'open hours; none is a day off');

/** Assumed: a rule is the hours of a weekday, or those of one date. */
export const AvailabilityRule = oneOf([
  record({
    type: literal('wday', 'hours of a weekday'),
    wday: choice(weekdays, 'the weekday'),
    intervals,
  }),
  record({
    type: literal('date', 'hours of one date'),
    date: date('the date'),
    intervals,
  }),
]);

export const AvailabilitySchedule = resource('availability schedule', {
  uri: text('canonical reference of the schedule'),
  default: flag("whether it is the user's default schedule"),
  name: text('name'),
  user: text('reference of the user whose hours these are'),
  timezone: text('IANA time zone of the hours'),
  rules: list(AvailabilityRule, 'open hours by weekday and date'),
});

export const availability = {
  list: operation({
    summary: 'List the availability schedules of an event type',
    method: 'GET',
    path: '/event_type_availability_schedules',
    scope: 'availability:read',
    query: listQuery({ event_type: reference('event_types', 'whose schedules') }),
    reply: many(AvailabilitySchedule),
  }),
  update: operation({
    summary: 'Change the hours of an availability schedule',
    method: 'PATCH',
    path: '/event_type_availability_schedules/{schedule}',
    effect: 'change',
    scope: 'availability:write',
    body: record({
      // Assumed: the rules sent replace all that were there.
      rules: z.optional(list(AvailabilityRule, 'open hours, in place of all others')),
      timezone: z.optional(word('IANA time zone of the hours')),
    }),
    reply: one(AvailabilitySchedule),
  }),
};
