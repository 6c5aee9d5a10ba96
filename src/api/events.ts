import { choice, dateTime, email, integer, list, record, reference, text } from './field.ts';
import { listQuery, many, one, operation, resource } from './operation.ts';

export const eventStatus = choice(['active', 'canceled']);

const Location = record({
  type: text('kind of location'),
  location: text('address, phone number or instructions').nullable(),
  join_url: text('address of the online meeting').nullable(),
  status: text('state of the online meeting').nullable(),
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
  meeting_notes_plain: text('notes as plain text').nullable(),
  meeting_notes_html: text('notes as HTML').nullable(),
  status: eventStatus.as('active or canceled'),
  start_time: dateTime('when it starts'),
  end_time: dateTime('when it ends'),
  event_type: text('reference of its event type'),
  location: Location.as('where it takes place').nullable(),
  invitees_counter: InviteesCounter.as('how many invitees'),
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
        user: reference('users', 'whose events').optional(),
        organization: reference('organizations', 'events of the whole organization').optional(),
        // Assumed: group, invitee_email, min_start_time and max_start_time; only status is documented beside the owners.
        group: reference('groups', 'events of a group').optional(),
        invitee_email: email('events this address is invited to').optional(),
        status: eventStatus.as('only events in this state').optional(),
        min_start_time: dateTime('events that start at or after this time').optional(),
        max_start_time: dateTime('events that start before this time').optional(),
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
    body: record({ reason: text('told to the invitees').optional() }),
    reply: one(ScheduledEvent),
  }),
};
