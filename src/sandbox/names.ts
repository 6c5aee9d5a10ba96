import { createHash } from 'node:crypto';
import { windowIn } from '../api/window.ts';

/** Whatever port the sandbox listens on, its records are named here, so an ID printed once is understood later. */
export const origin = 'http://127.0.0.1:4010';

/** Without I, O, 0 and 1, which are misread; 32 letters, so each takes five bits of a hash. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** The ID that belongs to a text: the same text gives the same ID, and no chance is involved. */
export const makeId = (text: string): string =>
  Array.from(createHash('sha256').update(text).digest().subarray(0, 16), (byte) => alphabet[byte & 31]).join('');

const under = (collection: string) => (id: string) => `${origin}/${collection}/${id}`;

export const uri = {
  user: under('users'),
  organization: under('organizations'),
  membership: under('organization_memberships'),
  invitation: under('organization_invitations'),
  group: under('groups'),
  relationship: under('group_relationships'),
  eventType: under('event_types'),
  host: under('event_type_memberships'),
  event: under('scheduled_events'),
  schedule: under('event_type_availability_schedules'),
  noShow: under('invitee_no_shows'),
  routingForm: under('routing_forms'),
  submission: under('routing_form_submissions'),
  activity: under('activity_log_entries'),
  invitee: (event: string, id: string) => `${origin}/scheduled_events/${event}/invitees/${id}`,
};

/** Where people book; no such site exists. */
export const bookingSite = 'https://book.northlight.example';

/** `Lucía Romero` ⇒ `lucia-romero`; empty where nothing of the text can stand in an address. */
export const slugOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ı', 'i')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

export const idOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Times are kept in one spelling, so that comparing the texts compares the times. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** With five digits of the year a time would sort before all others. */
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

const stored = (time: string | undefined): string | undefined =>
  time && timestamp(Math.min(Date.parse(time), lastMoment));

/** The window that a query asks for, spelled as times are stored. */
export const storedWindow = (query: object) => {
  const { since, until } = windowIn(query);
  return { since: stored(since), until: stored(until) };
};

export const dayMilliseconds = 86_400_000;
