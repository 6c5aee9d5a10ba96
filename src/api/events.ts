import * as z from 'zod/mini';
import { choice, dateTime, described, email, integer, list, record, reference, text } from './field.ts';
import { listQuery, many, one, operation, resource } from './operation.ts';

export const eventStatus = choice(['active', 'canceled'], 'active or canceled');

const Location = record({
  type: text('kind of location'),
  location: z.nullable(text('address, phone number or instructions')),
  join_url: z.nullable(text('address of the online meeting')),
  status: z.nullable(text('state of the online meeting')),
});

const InviteesCounter = record({
  total: integer('everyone who ever booked'),
  active: integer('those who have not canceled'),
  limit: integer('how many the event takes'),
});

const EventMembership = record({
  user: text('reference of the host'),
  user_email: email('e-mail address of the host'),
  user_name: text('name of the host'),
});

export const ScheduledEvent = resource('event', {
  uri: text('canonical reference of the event'),
  name: text('name'),
  meeting_notes_plain: z.nullable(text('notes as plain text')),
  meeting_notes_html: z.nullable(text('notes as HTML')),
  status: eventStatus,
  start_time: dateTime('when it starts'),
  end_time: dateTime('when it ends'),
  event_type: text('reference of its event type'),
  location: z.nullable(described(Location, 'where it takes place')),
  invitees_counter: described(InviteesCounter, 'how many invitees'),
  created_at: dateTime('when it was booked'),
  updated_at: dateTime('when it was last changed'),
  event_memberships: list(EventMembership, 'its hosts'),
});

export const events = {
  list: operation({
    summary: 'List scheduled events',
    method: 'GET',
    path: '/scheduled_events',
    scope: 'scheduled_events:read',
    query: listQuery(
      {
        user: z.optional(reference('users', 'whose events')),
        organization: z.optional(reference('organizations', 'events of the whole organization')),
        // Assumed: group, invitee_email, min_start_time and max_start_time; only status is documented beside the owners.
        group: z.optional(reference('groups', 'events of a group')),
        invitee_email: z.optional(email('events this address is invited to')),
        status: z.optional(described(eventStatus, 'only events in this state')),
        min_start_time: z.optional(dateTime('events that start at or after this time')),
        max_start_time: z.optional(dateTime('events that start before this time')),
      },
      ['start_time'],
    ),
    reply: many(ScheduledEvent),
  }),
  get: operation({
    summary: 'Show a scheduled event',
    method: 'GET',
    path: '/scheduled_events/{event}',
    scope: 'scheduled_events:read',
    reply: one(ScheduledEvent),
  }),
  cancel: operation({
    summary: 'Cancel a scheduled event and notify its invitees',
    method: 'POST',
    path: '/scheduled_events/{event}/cancellation',
    effect: 'change',
    scope: 'scheduled_events:write',
    body: record({ reason: z.optional(text('told to the invitees')) }),
    reply: one(ScheduledEvent),
  }),
};
