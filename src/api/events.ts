import * as z from 'zod/mini';
import { choice, dateTime, described, email, integer, list, record, reference, text } from './field.ts';
import { one, operations, readMany, readOne, resource } from './operation.ts';
import type { Sent } from './sent.ts';

export const eventStatus = choice(['active', 'canceled'], 'active or canceled');

const Location = record({
  type: text('kind of location'),
  location: z.nullable(text('address, phone number or instructions')),
  join_url: z.nullable(text('URL of the online meeting')),
  status: z.nullable(text('status of the online meeting')),
});

const InviteesCounter = record({
  total: integer('all bookings, including canceled ones'),
  active: integer('bookings that are not canceled'),
  limit: integer('maximum number of invitees'),
});

const EventMembership = record({
  user: text('URI of the host'),
  user_email: email('email address of the host'),
  user_name: text('name of the host'),
});

export const ScheduledEvent = resource('event', {
  uri: text('URI of the event'),
  name: text('name'),
  meeting_notes_plain: z.nullable(text('notes as plain text')),
  meeting_notes_html: z.nullable(text('notes as HTML')),
  status: eventStatus,
  start_time: dateTime('start time'),
  end_time: dateTime('end time'),
  event_type: text('URI of its event type'),
  location: z.nullable(described(Location, 'meeting location')),
  invitees_counter: described(InviteesCounter, 'number of invitees'),
  created_at: dateTime('when it was booked'),
  updated_at: dateTime('when it was last changed'),
  event_memberships: list(EventMembership, 'hosts of the event'),
});

export type SentEvent = Sent<typeof ScheduledEvent>;

export const events = operations('events', 'scheduled_events', {
  list: readMany(ScheduledEvent, {
    summary: 'List events',
    path: '/scheduled_events',
    filters: {
      user: z.optional(reference('users', 'only events of this user')),
      organization: z.optional(reference('organizations', 'events of the whole organization')),
      // Assumed (events.filters): events can be filtered by `group`, `invitee_email`, `min_start_time` (inclusive)
      // and `max_start_time` (exclusive). The documentation shows only the status, the user and the organization.
      group: z.optional(reference('groups', 'only events of this group')),
      invitee_email: z.optional(email('only events with this invitee')),
      status: z.optional(described(eventStatus, 'only events with this status')),
      min_start_time: z.optional(dateTime('only events starting at or after this time')),
      max_start_time: z.optional(dateTime('only events starting before this time')),
    },
    // Assumed (events.sort): events can be sorted by start time only: `sort=start_time`.
    sortedBy: ['start_time'],
  }),
  get: readOne('Show an event', '/scheduled_events/{event}', ScheduledEvent),
  cancel: {
    summary: 'Cancel events and notify invitees',
    method: 'POST',
    path: '/scheduled_events/{event}/cancellation',
    effect: 'change',
    body: record({ reason: z.optional(text('reason to send to the invitees')) }),
    reply: one(ScheduledEvent),
  },
});
