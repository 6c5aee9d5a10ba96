import { AvailabilityRule } from './availability.ts';
import { choice, integer, list, loose, record, reference, text, word } from './field.ts';
import { limits } from './limits.ts';
import { LocationChoice } from './locations.ts';
import { minutes, one, operation, resource } from './operation.ts';

/** Assumed: the values beyond `fixed`. */
export const periodTypes = ['available_moving', 'moving', 'fixed', 'unlimited'] as const;

const SchedulingLink = record({
  booking_url: text('address at which the invitee books, once'),
  owner: text('reference of the event type'),
  owner_type: text('kind of the owner'),
});

const durationOptions = list(
  minutes('a length to choose from'),
  'lengths the invitee may choose from, in minutes',
  (options) =>
    options.max(limits.shareDurationOptions, `at most ${limits.shareDurationOptions} duration options are allowed`),
).refine((options) => new Set(options).size === options.length, 'duration options must differ from each other');

/** Assumed: the created record; the documentation does not show it. */
export const Share = resource('share', {
  scheduling_links: list(SchedulingLink, 'the single-use links'),
  share_override: loose({}, 'what the share changes about its event type'),
});

export const shares = {
  create: operation({
    summary: 'Create a single-use scheduling link',
    method: 'POST',
    path: '/shares',
    effect: 'creation',
    scope: 'shares:write',
    body: record({
      event_type: reference('event_types', 'what can be booked through the link'),
      name: word("name in place of the event type's").optional(),
      duration: minutes('length in minutes').optional(),
      // Assumed: the name of this field.
      duration_options: durationOptions.optional(),
      availability_rule: record({
        rules: list(AvailabilityRule, 'open hours by weekday and date'),
        timezone: text('IANA time zone of the hours').optional(),
      })
        .optional()
        .as("hours in place of the event type's"),
      period_type: choice(periodTypes, 'how far ahead can be booked').optional(),
      max_booking_time: integer('days ahead that can be booked', (int) => int.min(1)).optional(),
      location_configurations: list(LocationChoice, "locations in place of the event type's").optional(),
    }).refine(
      ({ duration, duration_options: options }) =>
        duration === undefined || options === undefined || options.includes(duration),
      { path: ['duration'], message: 'must be one of the duration options' },
    ),
    reply: one(Share, 201),
  }),
};
