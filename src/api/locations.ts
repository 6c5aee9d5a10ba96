import * as z from 'zod/mini';
import { choice, flag, open, record, reference, text } from './field.ts';
import { many, operation, resource } from './operation.ts';

/** Assumed: the kinds of location; the documentation shows the field without its values. */
export const locationKinds = [
  'physical',
  'custom',
  'ask_invitee',
  'inbound_call',
  'outbound_call',
  'google_conference',
  'zoom_conference',
  'microsoft_teams_conference',
  'webex_conference',
  'gotomeeting_conference',
] as const;

const kind = choice(locationKinds, 'kind of location');

/** A meeting location as sent in a request. */
export const LocationChoice = open(
  record({
    kind,
    location: z.optional(text('address, phone number or instructions')),
  }),
);

export const ConnectedLocation = resource('location', {
  kind,
  connected: flag('whether the host has connected this kind of location'),
});

export const locations = {
  list: operation({
    summary: 'List meeting locations a host has connected',
    method: 'GET',
    path: '/locations',
    scope: 'locations:read',
    // Assumed: the list takes a user and isn't paginated; the change history only names it.
    assumed: true,
    query: record({ user: z.optional(reference('users', 'only locations of this user')) }),
    reply: many(ConnectedLocation),
  }),
};
