import * as z from 'zod';
import { EventType } from './event-types.ts';
import { limits } from './limits.ts';
import { LocationChoice } from './locations.ts';
import { dateTime, minutes, one, operation, reference } from './operation.ts';

const Spot = z
  .strictObject({ start_time: dateTime('when it begins'), end_time: dateTime('when it ends') })
  .refine((spot) => Date.parse(spot.start_time) < Date.parse(spot.end_time), {
    path: ['end_time'],
    message: 'must be later than start_time',
  });

const DateRange = z
  .strictObject({
    type: z.literal('date_range').describe('any day between two dates'),
    start_date: z.iso.date().describe('first day that can be booked'),
    end_date: z.iso.date().describe('last day that can be booked'),
  })
  .refine((range) => range.start_date <= range.end_date, {
    path: ['end_date'],
    message: 'must not be before start_date',
  });

const DaysInFuture = z.strictObject({
  type: z.literal('days_in_future').describe('any of the next days'),
  days: z.int().min(1).describe('days ahead that can be booked'),
  only_weekdays: z.boolean().optional().describe('leave Saturday and Sunday out'),
});

const Spots = z.strictObject({
  type: z.literal('spots').describe('given times only'),
  spots: z.array(Spot).min(1).describe('single times to choose from'),
});

const otherHosts = limits.oneOffHosts - 1;

// Assumed: path and shape; the change history names the operation with its limit of hosts and its three kinds of dates.
export const oneOffs = {
  create: operation({
    summary: 'Create a one-off meeting link with one or more hosts',
    method: 'POST',
    path: '/one_off_event_types',
    effect: 'creation',
    scope: 'event_types:write',
    assumed: true,
    body: z.strictObject({
      name: z.string().min(1).describe('name of the meeting'),
      host: reference('users', 'who hosts it'),
      co_hosts: z
        .array(reference('users', 'another host'))
        .max(otherHosts, `at most ${limits.oneOffHosts} hosts are allowed, so at most ${otherHosts} co-hosts`)
        .optional()
        .describe('further hosts'),
      duration: minutes('length in minutes'),
      timezone: z.string().min(1).optional().describe('IANA time zone of the dates'),
      date_setting: z.discriminatedUnion('type', [DateRange, DaysInFuture, Spots]).describe('when it can be booked'),
      location: LocationChoice.optional().describe('where to meet'),
    }),
    reply: one(EventType, 201),
  }),
};
