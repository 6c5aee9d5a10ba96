import * as z from 'zod/mini';
import { EventType } from './event-types.ts';
import { date, dateTime, described, flag, integer, list, literal, oneOf, record, reference, word } from './field.ts';
import { limits } from './limits.ts';
import { LocationChoice } from './locations.ts';
import { one, operations } from './operation.ts';

const Spot = record({ start_time: dateTime('start time'), end_time: dateTime('end time') }).check(
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
  type: literal('days_in_future', 'any of the next N days'),
  days: integer('number of days that can be booked from now').check(z.gte(1)),
  only_weekdays: z.optional(flag('exclude Saturday and Sunday')),
});

const Spots = record({
  type: literal('spots', 'only the given times'),
  spots: list(Spot, 'times to choose from').check(z.minLength(1)),
});

const otherHosts = limits.oneOffHosts - 1;

// Assumed (one-offs.create): a one-off meeting is created with `POST /one_off_event_types`, which answers `201` and the
// event type. The body has `name`, `host`, `co_hosts` (at most `9`), `duration`, `timezone`, `location` and
// `date_setting`. The change history names only the operation, its host limit and its three kinds of dates. Assumed
// (one-offs.dates): `date_setting` has a `type`: `date_range` with `start_date` and `end_date`, `days_in_future` with
// `days` (at least `1`) and `only_weekdays`, or `spots` with `spots`, each with `start_time` and `end_time`.
export const oneOffs = operations('one-offs', 'event_types', {
  create: {
    summary: 'Create a one-off meeting link with one or more hosts',
    method: 'POST',
    path: '/one_off_event_types',
    effect: 'creation',
    assumed: true,
    body: record({
      name: word('name of the meeting'),
      host: reference('users', 'user who hosts it'),
      co_hosts: z.optional(
        list(reference('users', 'additional host'), 'additional hosts').check(
          z.maxLength(otherHosts, `at most ${limits.oneOffHosts} hosts are allowed, so at most ${otherHosts} co-hosts`),
        ),
      ),
      duration: integer('length in minutes'),
      timezone: z.optional(word('IANA time zone of the dates')),
      date_setting: described(oneOf([DateRange, DaysInFuture, Spots]), 'when it can be booked'),
      location: z.optional(described(LocationChoice, 'meeting location')),
    }),
    reply: one(EventType, 201),
  },
});
