import * as z from 'zod';
import { dateTime, email, integer, listQuery, many, one, operation, reference, resource, text } from './operation.ts';

export const eventStatus = z.enum(['active', 'canceled']);

const Location = z.strictObject({
  type: text('kind of location'),
  location: z.string().nullable().describe('address, phone number or instructions'),
  join_url: z.string().nullable().describe('address of the online meeting'),
  status: z.string().nullable().describe('state of the online meeting'),
});

const InviteesCounter = z.strictObject({
  total: integer('everyone who ever booked'),
  active: integer('those who have not canceled'),
  limit: integer('how many the event takes'),
});

const EventMembership = z.strictObject({
  user: text('reference of the host'),
  user_email: email('e-mail address of the host'),
  user_name: text('name of the host'),
});

export const ScheduledEvent = resource('event', {
  uri: text('canonical reference of the event'),
  name: text('name'),
  meeting_notes_plain: z.string().nullable().describe('notes as plain text'),
  meeting_notes_html: z.string().nullable().describe('notes as HTML'),
  status: eventStatus.describe('active or canceled'),
  start_time: dateTime('when it starts'),
  end_time: dateTime('when it ends'),
  event_type: text('reference of its event type'),
  location: Location.nullable().describe('where it takes place'),
  invitees_counter: InviteesCounter.describe('how many invitees'),
  created_at: dateTime('when it was booked'),
  updated_at: dateTime('when it was last changed'),
  event_memberships: z.array(EventMembership).describe('its hosts'),
});

export const events = {
  list: operation({
    summary: 'List scheduled events',
    method: 'GET',
    path: '/scheduled_events',
    scope: 'scheduled_events:read',
    query: listQuery(
      {
        user: reference('users', 'whose events').optional(),
        organization: reference('organizations', 'events of the whole organization').optional(),
        // Assumed: group, invitee_email, min_start_time and max_start_time; only status is documented beside the owners.
        group: reference('groups', 'events of a group').optional(),
        invitee_email: z.email().optional().describe('events this address is invited to'),
        status: eventStatus.optional().describe('only events in this state'),
        min_start_time: z.iso.datetime({ offset: true }).optional().describe('events that start at or after this time'),
        max_start_time: z.iso.datetime({ offset: true }).optional().describe('events that start before this time'),
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
    body: z.strictObject({ reason: z.string().optional().describe('told to the invitees') }),
    reply: one(ScheduledEvent),
  }),
};
