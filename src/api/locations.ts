import * as z from 'zod';

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

/** Where to meet, as a request says it. */
export const LocationChoice = z.strictObject({
  kind: z.enum(locationKinds).describe('kind of location'),
  location: z.string().optional().describe('address, phone number or instructions'),
});
