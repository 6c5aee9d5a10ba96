import * as z from 'zod/mini';
import {
  annotated,
  color,
  described,
  type Field,
  flag,
  record,
  type Shape,
  text,
  type Value,
  word,
} from '../../api/field.ts';
import { editorSchema } from '../../api/json-schema.ts';
import { LocationChoice } from '../../api/locations.ts';
import { webhooks } from '../../api/webhooks.ts';

/*
 * The format of a configuration file. A map manages the entries that it names, a list is the whole. What is left out is
 * not managed, so an empty value is refused: it could mean either.
 */

const maybe = z.optional;

/** The message for an empty value. Other mistakes have the usual ones. */
const unlessEmpty = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (input === null ? message : undefined),
});

const nothing = 'is empty: remove it, or write what to manage';

const notEmpty = <F extends z.ZodMiniType<object>>(field: F, description: string) => {
  const nonEmptyField = field.check(z.refine((value) => Object.keys(value).length > 0, nothing));
  return described(annotated(nonEmptyField, { minProperties: 1 }), description);
};

const mapOfEntries = <F extends Field>(field: F, description: string, params = unlessEmpty(nothing)) =>
  notEmpty(z.record(z.string().check(z.minLength(1)), field, params), description);

const mapPart = <S extends Shape>(fields: S, description: string) =>
  notEmpty(z.strictObject(fields, unlessEmpty(nothing)), description);

const wholeList = <F extends Field>(field: F, description: string) =>
  maybe(described(z.array(field, unlessEmpty('is empty: write [] for none, or remove it')), description));

const hours = {
  timezone: maybe(word('IANA time zone of the hours')),
  hours: wholeList(
    word('hours of weekdays, such as mon-fri 09:00-12:30,13:00-17:00'),
    'weekly hours; a weekday that no line names has none',
  ),
  dates: maybe(
    mapOfEntries(
      word('off, hours such as 09:00-12:00, or usual for the weekly hours'),
      'hours by date, such as 2026-12-24 or 2026-12-24..2026-12-31; other dates stay',
    ),
  ),
};

const Hours = mapPart(hours, "the owner's hours for this event type");

export const typeFields = {
  name: word('name, which finds the event type'),
  duration: maybe(described(z.int().check(z.minimum(1)), 'length in minutes')),
  active: maybe(flag('whether it can be booked')),
  color: maybe(color),
  description_plain: maybe(text('description as plain text')),
} as const;

const EventTypeEntry = record({
  uri: maybe(word('URI of the event type, for one of several with the same name')),
  ...typeFields,
  renamed_from: maybe(word('name before, to rename it instead of creating another one')),
  kind: maybe(word('a check: event types of another kind than solo are not created')),
  availability: maybe(Hours),
  hosts: maybe(
    mapOfEntries(
      mapPart(hours, 'hours of this host'),
      'hours of other hosts by EMAIL, or by EMAIL/Schedule name for one of several',
    ),
  ),
  create: maybe(mapPart({ location: maybe(LocationChoice) }, 'what only a new event type gets; it is never compared')),
});

const { url, events } = webhooks.create.body.shape;
const variableForm = 'must be the name of an environment variable, such as CRM_KEY';
const variable = z.string(variableForm).check(z.regex(/^[A-Za-z_]\w*$/, variableForm));
const unsigned = z.literal('none', 'must be none: to sign deliveries, write signing_key_env or signing_key_file');

export const WebhookEntry = record({
  url,
  events,
  signing_key_env: maybe(described(variable, 'environment variable with the key that signs a new webhook')),
  signing_key_file: maybe(word('file with the key that signs the deliveries of a new webhook')),
  signing_key: maybe(described(unsigned, 'none: the deliveries of a new webhook are not signed')),
});

const lists = { webhooks: wholeList(WebhookEntry, 'all webhooks; others are deleted') };

const entries: ReturnType<typeof unlessEmpty> = {
  error: ({ input }) =>
    Array.isArray(input)
      ? "is a list, but event types have keys. They can't be deleted here: write active: false"
      : unlessEmpty(nothing).error({ input }),
};

const eventTypes = maybe(mapOfEntries(EventTypeEntry, 'event types by a key for messages; others stay', entries));

export const ConfigSchema = record({
  $schema: maybe(text('JSON Schema for editors')),
  sched: described(z.literal(1), 'version of this format'),
  users: maybe(
    mapOfEntries(
      mapPart({ event_types: eventTypes, ...lists }, 'a user'),
      'users by email address, or me for whoever applies the file',
    ),
  ),
  organization: maybe(mapPart(lists, 'the organization')),
  groups: maybe(mapOfEntries(mapPart(lists, 'a group'), 'groups by name')),
});

const readOnly =
  'slug pooling pooling_type questions custom_questions locale secret scheduling_url created_at updated_at type profile deleted_at admin_managed booking_method description_html internal_note state scope retry_started_at user owner';

/** What to do about fields of the API that are not in the format. */
export const otherFields: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    readOnly.split(' ').map((name) => [name, "The service sets it, and this file can't change it: remove it"]),
  ),
  location: 'Write it under create: only a new event type gets it',
  callback_url: 'Write it as url',
  rules: 'Write hours and dates',
};

export const configSchema = () => editorSchema(ConfigSchema);

/** Hours in the file. What is missing is not managed. */
export type WantedHours = Value<typeof Hours>;
export type WantedType = Value<typeof EventTypeEntry>;
export type WantedWebhook = Value<typeof WebhookEntry>;
export type ConfigFile = Value<typeof ConfigSchema>;
