import * as z from 'zod/mini';
import { AvailabilityRule } from './availability.ts';
import { annotated, choice, described, integer, list, loose, open, record, reference, text, word } from './field.ts';
import { limits } from './limits.ts';
import { LocationChoice } from './locations.ts';
import { one, operations, optionally, resource } from './operation.ts';

/** Assumed (shares.period-types): besides `fixed`, `period_type` can be `available_moving`, `moving` or `unlimited`. */
const periodTypes = ['available_moving', 'moving', 'fixed', 'unlimited'] as const;

const SchedulingLink = resource('scheduling link', {
  booking_url: text('single-use URL where the invitee books'),
  owner: text('URI of the event type'),
  owner_type: text('kind of owner'),
});

const eventType = reference('event_types', 'event type to book through the link');

const durationOption = integer('length the invitee can choose, in minutes').check(
  z.gte(limits.durationMinutes.min),
  z.lte(limits.durationMinutes.max),
);

const durationOptions = annotated(
  list(durationOption, 'lengths the invitee can choose from, in minutes').check(
    z.maxLength(limits.shareDurationOptions, `must have at most ${limits.shareDurationOptions} values`),
    z.refine((options) => new Set(options).size === options.length, 'must not repeat a value'),
  ),
  { uniqueItems: true },
);

/**
 * Assumed (shares.reply): a created share has `scheduling_links`, each with `booking_url`, `owner` and `owner_type`,
 * and `share_override`.
 */
export const Share = resource('share', {
  scheduling_links: list(SchedulingLink.record, 'single-use links'),
  share_override: loose({}, 'settings that differ from the event type'),
});

export const shares = operations('shares', 'shares', {
  create: {
    summary: 'Create a single-use scheduling link',
    method: 'POST',
    path: '/shares',
    effect: 'creation',
    instead: 'shares.create-link',
    // The name of the duration options is not documented, so other keys may be right.
    body: open(
      record({
        // Assumed (shares.event-type): `event_type` is required to create a share.
        event_type: eventType,
        name: z.optional(word("name to show instead of the event type's")),
        duration: z.optional(integer('length in minutes')),
        // Assumed (shares.duration-options): the field of the duration options is called `duration_options`.
        duration_options: z.optional(durationOptions),
        // Assumed (shares.availability-rule): `availability_rule` has the `rules` and the `timezone` of an availability
        // schedule.
        availability_rule: described(
          z.optional(
            open(
              record({
                rules: list(AvailabilityRule, 'available hours by weekday and date'),
                timezone: z.optional(text('IANA time zone of the hours')),
              }),
            ),
          ),
          "available hours instead of the event type's",
        ),
        period_type: z.optional(open(choice(periodTypes, 'how far ahead invitees can book'), 'values')),
        // Assumed (shares.max-booking-time): `max_booking_time` counts days.
        max_booking_time: z.optional(integer('how many days ahead invitees can book')),
        // Assumed (shares.locations): each of the `location_configurations` has the fields of a location in a booking.
        location_configurations: z.optional(list(LocationChoice, "locations instead of the event type's")),
      }).check(
        z.refine(
          ({ duration, duration_options: options }) =>
            duration === undefined || options === undefined || options.includes(duration),
          { path: ['duration'], error: 'must be one of the duration options' },
        ),
      ),
      'keys',
    ),
    reply: one(Share, 201),
  },
});

export const moreShares = operations(
  'shares',
  'scheduling_links',
  optionally({
    'create-link': {
      summary: 'Create a single-use scheduling link without settings of its own',
      method: 'POST',
      path: '/scheduling_links',
      effect: 'creation',
      body: record({ event_type: eventType }),
      reply: one(SchedulingLink, 201),
    },
  }),
);
