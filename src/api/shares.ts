import * as z from 'zod';
import { AvailabilityRule } from './availability.ts';
import { limits } from './limits.ts';
import { LocationChoice } from './locations.ts';
import { minutes, one, operation, reference, resource, text } from './operation.ts';

/** Assumed: the values beyond `fixed`. */
export const periodTypes = ['available_moving', 'moving', 'fixed', 'unlimited'] as const;

const SchedulingLink = z.strictObject({
  booking_url: text('address at which the invitee books, once'),
  owner: text('reference of the event type'),
  owner_type: text('kind of the owner'),
});

const durationOptions = z
  .array(minutes('a length to choose from'))
  .max(limits.shareDurationOptions, `at most ${limits.shareDurationOptions} duration options are allowed`)
  .refine((options) => new Set(options).size === options.length, 'duration options must differ from each other');

/** Assumed: the created record; the documentation does not show it. */
export const Share = resource('share', {
  scheduling_links: z.array(SchedulingLink).describe('the single-use links'),
  share_override: z.looseObject({}).describe('what the share changes about its event type'),
});

export const shares = {
  create: operation({
    summary: 'Create a single-use scheduling link',
    method: 'POST',
    path: '/shares',
    effect: 'creation',
    scope: 'shares:write',
    body: z
      .strictObject({
        event_type: reference('event_types', 'what can be booked through the link'),
        name: z.string().min(1).optional().describe("name in place of the event type's"),
        duration: minutes('length in minutes').optional(),
        // Assumed: the name of this field.
        duration_options: durationOptions.optional().describe('lengths the invitee may choose from, in minutes'),
        availability_rule: z
          .strictObject({
            rules: z.array(AvailabilityRule).describe('open hours by weekday and date'),
            timezone: z.string().optional().describe('IANA time zone of the hours'),
          })
          .optional()
          .describe("hours in place of the event type's"),
        period_type: z.enum(periodTypes).optional().describe('how far ahead can be booked'),
        max_booking_time: z.int().min(1).optional().describe('days ahead that can be booked'),
        location_configurations: z.array(LocationChoice).optional().describe("locations in place of the event type's"),
      })
      .refine(
        ({ duration, duration_options: options }) =>
          duration === undefined || options === undefined || options.includes(duration),
        { path: ['duration'], message: 'must be one of the duration options' },
      ),
    reply: one(Share, 201),
  }),
};
