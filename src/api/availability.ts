import * as z from 'zod';
import { flag, listQuery, many, one, operation, reference, resource, text } from './operation.ts';
import { weekdays } from './weekdays.ts';

const timeOfDay = (description: string) =>
  z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day such as 09:30')
    .describe(description);

const Interval = z
  .strictObject({ from: timeOfDay('when it begins'), to: timeOfDay('when it ends') })
  .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be later than from' });

const intervals = z.array(Interval).describe('open hours; none is a day off');

/** Assumed: a rule is the hours of a weekday, or those of one date. */
export const AvailabilityRule = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('wday').describe('hours of a weekday'),
    wday: z.enum(weekdays).describe('the weekday'),
    intervals,
  }),
  z.strictObject({
    type: z.literal('date').describe('hours of one date'),
    date: z.iso.date().describe('the date'),
    intervals,
  }),
]);

export const AvailabilitySchedule = resource('availability schedule', {
  uri: text('canonical reference of the schedule'),
  default: flag("whether it is the user's default schedule"),
  name: text('name'),
  user: text('reference of the user whose hours these are'),
  timezone: text('IANA time zone of the hours'),
  rules: z.array(AvailabilityRule).describe('open hours by weekday and date'),
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
    body: z.strictObject({
      // Assumed: the rules sent replace all that were there.
      rules: z.array(AvailabilityRule).optional().describe('open hours, in place of all others'),
      timezone: z.string().min(1).optional().describe('IANA time zone of the hours'),
    }),
    reply: one(AvailabilitySchedule),
  }),
};
