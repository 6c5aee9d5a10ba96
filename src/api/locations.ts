import * as z from 'zod/mini';
import { choice, flag, open, record, reference, text } from './field.ts';
import { many, operations, resource } from './operation.ts';

/**
 * Assumed (locations.kinds): a location has a `kind`: `physical`, `custom`, `ask_invitee`, `inbound_call`,
 * `outbound_call`, `google_conference`, `zoom_conference`, `microsoft_teams_conference`, `webex_conference` or
 * `gotomeeting_conference`. The documentation doesn't show these values.
 */
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

/**
 * A meeting location as sent in a request.
 * Assumed (locations.request): a location in a request has `kind` and, where the kind needs text, `location`.
 */
export const LocationChoice = open(
  record({
    kind,
    location: z.optional(text('address, phone number or instructions')),
  }),
);

const ConnectedLocation = resource('location', {
  kind,
  connected: flag('whether the host has connected this kind of location'),
});

export const locations = operations('locations', 'locations', {
  list: {
    summary: 'List meeting locations a host has connected',
    method: 'GET',
    path: '/locations',
    // Assumed (locations.list): the locations of a `user` are listed on a single page, each with `kind` and `connected`.
    // The change history only names the operation.
    assumed: true,
    query: record({ user: z.optional(reference('users', 'only locations of this user')) }),
    reply: many(ConnectedLocation),
  },
});
