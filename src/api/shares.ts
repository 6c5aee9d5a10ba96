import * as z from 'zod/mini';
import { AvailabilityRule } from './availability.ts';
import { choice, described, integer, list, loose, record, reference, text, word } from './field.ts';
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
).check(
  z.maxLength(limits.shareDurationOptions, `at most ${limits.shareDurationOptions} duration options are allowed`),
  z.refine((options) => new Set(options).size === options.length, 'duration options must differ from each other'),
);

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
      name: z.optional(word("name in place of the event type's")),
      duration: z.optional(minutes('length in minutes')),
      // Assumed: the name of this field.
      duration_options: z.optional(durationOptions),
      availability_rule: described(
        z.optional(
          record({
            rules: list(AvailabilityRule, 'open hours by weekday and date'),
            timezone: z.optional(text('IANA time zone of the hours')),
          }),
        ),
        "hours in place of the event type's",
      ),
      period_type: z.optional(choice(periodTypes, 'how far ahead can be booked')),
      max_booking_time: z.optional(integer('days ahead that can be booked').check(z.gte(1))),
      location_configurations: z.optional(list(LocationChoice, "locations in place of the event type's")),
    }).check(
      z.refine(
        ({ duration, duration_options: options }) =>
          duration === undefined || options === undefined || options.includes(duration),
        { path: ['duration'], error: 'must be one of the duration options' },
      ),
    ),
    reply: one(Share, 201),
  }),
};
