import * as z from 'zod/mini';
import { EventType } from './event-types.ts';
import { date, dateTime, described, flag, integer, list, literal, oneOf, record, reference, word } from './field.ts';
import { limits } from './limits.ts';
import { LocationChoice } from './locations.ts';
import { minutes, one, operation } from './operation.ts';

const Spot = record({ start_time: dateTime('when it begins'), end_time: dateTime('when it ends') }).check(
  z.refine((spot) => Date.parse(spot.start_time) < Date.parse(spot.end_time), {
    path: ['end_time'],
    error: 'must be later than start_time',
  }),
);

const DateRange = record({
  type: literal('date_range', 'any day between two dates'),
  start_date: date('first day that can be booked'),
  end_date: date('last day that can be booked'),
}).check(
  z.refine((range) => range.start_date <= range.end_date, {
    path: ['end_date'],
    error: 'must not be before start_date',
  }),
);

const DaysInFuture = record({
  type: literal('days_in_future', 'any of the next days'),
  days: integer('days ahead that can be booked').check(z.gte(1)),
  only_weekdays: z.optional(flag('leave Saturday and Sunday out')),
});

const Spots = record({
  type: literal('spots', 'given times only'),
  spots: list(Spot, 'single times to choose from').check(z.minLength(1)),
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
    body: record({
      name: word('name of the meeting'),
      host: reference('users', 'who hosts it'),
      co_hosts: z.optional(
        list(reference('users', 'another host'), 'further hosts').check(
          z.maxLength(otherHosts, `at most ${limits.oneOffHosts} hosts are allowed, so at most ${otherHosts} co-hosts`),
        ),
      ),
      duration: minutes('length in minutes'),
      timezone: z.optional(word('IANA time zone of the dates')),
      date_setting: described(oneOf([DateRange, DaysInFuture, Spots]), 'when it can be booked'),
      location: z.optional(described(LocationChoice, 'where to meet')),
    }),
    reply: one(EventType, 201),
  }),
};
