import * as z from 'zod/mini';
import { choice, date, flag, list, literal, oneOf, open, record, reference, text, word } from './field.ts';
import { many, one, operations, optionally, readMany, readOne, resource } from './operation.ts';
import type { Sent } from './sent.ts';
import { weekdays } from './weekdays.ts';

const clockField = (description: string) =>
  text(description).check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day such as 09:30'));

const Interval = record({ from: clockField('start time'), to: clockField('end time') }).check(
  z.refine(({ from, to }) => from < to, { path: ['to'], error: 'must be later than from' }),
);

const intervals = list(Interval, 'available hours; an empty list means a day off');

/**
 * Assumed (availability.rule): an availability rule has a `type`: `wday` with a weekday in `wday` (`monday`, `tuesday`,
 * `wednesday`, `thursday`, `friday`, `saturday` or `sunday`), or `date` with a `date`. Its `intervals` have times of
 * day in `from` and `to`; an empty list is a day off.
 */
export const AvailabilityRule = open(
  oneOf([
    record({
      type: literal('wday', 'hours for a weekday'),
      wday: choice(weekdays, 'the weekday'),
      intervals,
    }),
    record({
      type: literal('date', 'hours for one date'),
      date: date('the date'),
      intervals,
    }),
  ]),
);

export const AvailabilitySchedule = resource('availability schedule', {
  uri: text('URI of the schedule'),
  default: flag("whether it is the user's default schedule"),
  name: text('name'),
  user: text('URI of the user the schedule belongs to'),
  timezone: text('IANA time zone of the hours'),
  rules: list(AvailabilityRule, 'available hours by weekday and date'),
});

export type SentSchedule = Sent<typeof AvailabilitySchedule>;

const changes = {
  // Assumed (availability.replace): the rules in an update replace all existing rules.
  rules: z.optional(list(AvailabilityRule, 'available hours; they replace all current rules')),
  timezone: z.optional(word('IANA time zone of the hours')),
};

export const availability = operations('availability', 'availability', {
  list: readMany(AvailabilitySchedule, {
    summary: 'List availability schedules of an event type',
    path: '/event_type_availability_schedules',
    filters: { event_type: reference('event_types', 'event type whose schedules to list') },
  }),
  update: {
    summary: 'Update an availability schedule',
    method: 'PATCH',
    path: '/event_type_availability_schedules/{schedule}',
    knows: ['event_type', 'user', 'timezone'],
    effect: 'change',
    body: record(changes),
    reply: one(AvailabilitySchedule),
  },
  'update-all': {
    summary: 'Update all availability schedules of an event type',
    method: 'PATCH',
    path: '/event_type_availability_schedules',
    knows: ['timezone'],
    effect: 'change',
    // Assumed (availability.update-all): an update without an ID has `event_type`, `rules` and `timezone`. It changes every
    // schedule of the event type that the caller may change, and returns those on a single page.
    assumed: true,
    body: record({ event_type: reference('event_types', 'event type whose schedules to change'), ...changes }),
    reply: many(AvailabilitySchedule),
  },
});

/** The schedules of a person, which event types may use. */
export const moreAvailability = operations(
  'availability',
  'availability',
  optionally({
    'list-user': {
      summary: 'List availability schedules of a person',
      method: 'GET',
      path: '/user_availability_schedules',
      query: record({ user: reference('users', 'person whose schedules to list, instead of those of an event type') }),
      reply: many(AvailabilitySchedule),
    },
    get: readOne(
      'Show an availability schedule of a person',
      '/user_availability_schedules/{schedule}',
      AvailabilitySchedule,
    ),
  }),
);
