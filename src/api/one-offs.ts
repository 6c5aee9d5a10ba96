import { EventType } from './event-types.ts';
import { date, dateTime, flag, integer, list, literal, oneOf, record, reference, word } from './field.ts';
import { limits } from './limits.ts';
import { LocationChoice } from './locations.ts';
import { minutes, one, operation } from './operation.ts';

const Spot = record({ start_time: dateTime('when it begins'), end_time: dateTime('when it ends') }).refine(
  (spot) => Date.parse(spot.start_time) < Date.parse(spot.end_time),
  {
    path: ['end_time'],
    message: 'must be later than start_time',
  },
);

const DateRange = record({
  type: literal('date_range', 'any day between two dates'),
  start_date: date('first day that can be booked'),
  end_date: date('last day that can be booked'),
}).refine((range) => range.start_date <= range.end_date, {
  path: ['end_date'],
  message: 'must not be before start_date',
});

const DaysInFuture = record({
  type: literal('days_in_future', 'any of the next days'),
  days: integer('days ahead that can be booked', (int) => int.min(1)),
  only_weekdays: flag('leave Saturday and Sunday out').optional(),
});

const Spots = record({
  type: literal('spots', 'given times only'),
  spots: list(Spot, 'single times to choose from', (spots) => spots.min(1)),
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
      co_hosts: list(reference('users', 'another host'), 'further hosts', (hosts) =>
        hosts.max(otherHosts, `at most ${limits.oneOffHosts} hosts are allowed, so at most ${otherHosts} co-hosts`),
      ).optional(),
      duration: minutes('length in minutes'),
      timezone: word('IANA time zone of the dates').optional(),
      date_setting: oneOf([DateRange, DaysInFuture, Spots], 'when it can be booked'),
      location: LocationChoice.as('where to meet').optional(),
    }),
    reply: one(EventType, 201),
  }),
};
