import { createHash } from 'node:crypto';

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
  group: under('groups'),
  eventType: under('event_types'),
  event: under('scheduled_events'),
  schedule: under('event_type_availability_schedules'),
  noShow: under('invitee_no_shows'),
  invitee: (event: string, id: string) => `${origin}/scheduled_events/${event}/invitees/${id}`,
};

export const idOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Times are kept in one spelling, so that comparing the texts compares the times. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const dayMilliseconds = 86_400_000;
