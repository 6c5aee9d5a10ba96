import { hash } from 'node:crypto';
import type { Collection } from '../../api/collections.ts';

/** Without I, O, 0 and 1, which are easily confused. 32 characters, so each encodes five bits of a hash. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Derives an ID from a text: the same text always gives the same ID. */
export const makeId = (text: string): string => {
  let id = '';
  for (const byte of hash('sha256', text, 'buffer').subarray(0, 16)) id += alphabet[byte & 31];
  return id;
};

/** A URI without its origin, as it is stored. The same data can be served at any address. */
export const uri = (collection: Collection | 'invitee_no_shows', id: string): string => `/${collection}/${id}`;

/** Fields with a URI or the link of a page. No field of these names has text that a user chose. */
const linkFields = [
  'uri',
  'availability_schedule',
  'avatar_url',
  'booking_url',
  'cancel_url',
  'created_by',
  'current_organization',
  'event',
  'event_type',
  'group',
  'invitee',
  'invitee_scheduled_by',
  'new_invitee',
  'old_invitee',
  'organization',
  'owner',
  'reschedule_url',
  'routing_form',
  'scheduling_url',
  'submitter',
  'user',
  'value',
  'webhook',
];

/**
 * Can't match inside a string, where every quote has a backslash. It begins with what is rare: looking for the names first
 * would take a third longer.
 */
const stored = new RegExp(`":"/(?<="(?:${linkFields.join('|')})":"/)`, 'g');

/** Completes the stored URIs and links in the JSON of a reply or delivery. Works on text, because parsing would cost more. */
export const withOrigin = (json: string, origin: string): string => json.replace(stored, `":"${origin}/`);

/** `Lucía Romero` ⇒ `lucia-romero`; empty if the text has no characters for a URL. */
export const slugOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ı', 'i')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

/** All stored times have this one format, so that they compare correctly as text. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** A five-digit year would break the order when times are compared as text. */
export const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');
