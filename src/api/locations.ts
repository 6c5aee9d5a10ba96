import * as z from 'zod/mini';
import { choice, flag, record, reference, text } from './field.ts';
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

/** Where to meet, as a request says it. */
export const LocationChoice = record({
  kind,
  location: z.optional(text('address, phone number or instructions')),
});

export const ConnectedLocation = resource('location', {
  kind,
  connected: flag('whether the host has connected it'),
});

export const locations = {
  list: operation({
    summary: 'List the locations a host has connected',
    method: 'GET',
    path: '/locations',
    scope: 'locations:read',
    // Assumed: the list takes the user and has no pages; the change history names it without its shape.
    assumed: true,
    query: record({ user: z.optional(reference('users', 'whose locations')) }),
    reply: many(ConnectedLocation),
  }),
};
