import * as z from 'zod/mini';
import { annotated, described, type Field, flag, record, type Shape, text, word } from '../api/field.ts';
import { LocationChoice } from '../api/locations.ts';
import { webhooks } from '../api/webhooks.ts';

/*
 * The format of a configuration file. A map manages the entries that it names, a list is the whole. What is left out is
 * not managed, so an empty value is refused: it could mean either.
 */

const { optional: maybe } = z;

const isFilled = (value: object) => Object.keys(value).length > 0;

const filled = <F extends z.ZodMiniType<object>>(field: F, description: string) =>
  described(
    annotated(field.check(z.refine(isFilled, 'is empty: remove it, or write what to manage')), { minProperties: 1 }),
    description,
  );

const emptyMap = ({ input }: { input?: unknown }): string | undefined =>
  input === null ? 'is empty: remove it, or write what to manage' : undefined;

const map = <F extends Field>(field: F, description: string, error = emptyMap) =>
  filled(z.record(z.string().check(z.minLength(1)), field, { error }), description);

const part = <S extends Shape>(fields: S, description: string) =>
  filled(z.strictObject(fields, { error: emptyMap }), description);

/** A list that is the whole. */
const whole = <F extends Field>(field: F, description: string) =>
  described(
    z.array(field, {
      error: ({ input }) => (input === null ? 'is empty: write [] for none, or remove it' : undefined),
    }),
    description,
  );

const hoursFields = {
  timezone: maybe(word('IANA time zone of the hours')),
  hours: maybe(
    whole(
      word('hours of weekdays, such as mon-fri 09:00-12:30,13:00-17:00'),
      'weekly hours; a weekday that no line names has none',
    ),
  ),
  dates: maybe(
    map(
      word('off, hours such as 09:00-12:00, or usual for the weekly hours'),
      'hours by date, such as 2026-12-24 or 2026-12-24..2026-12-31; other dates stay',
    ),
  ),
};

const colorForm = 'must be a color such as "#0a8f6b", in quotes';

export const typeFields = {
  name: word('name, which finds the event type'),
  duration: maybe(described(z.int().check(z.minimum(1)), 'length in minutes')),
  active: maybe(flag('whether it can be booked')),
  color: maybe(
    described(z.string(colorForm).check(z.regex(/^#[0-9a-fA-F]{6}$/, colorForm)), 'color as # and six hex digits'),
  ),
  description_plain: maybe(text('description as plain text')),
} as const;

const EventTypeEntry = described(
  record({
    uri: maybe(word('URI of the event type, for one of several with the same name')),
    ...typeFields,
    renamed_from: maybe(word('name before, to rename it instead of creating another one')),
    kind: maybe(word('a check: event types of another kind than solo are not created')),
    availability: maybe(part(hoursFields, "the owner's hours for this event type")),
    hosts: maybe(
      map(
        part(hoursFields, 'hours of this host'),
        'hours of other hosts by EMAIL, or by EMAIL/Schedule name if a host has several schedules',
      ),
    ),
    create: maybe(
      part({ location: maybe(LocationChoice) }, 'what only a new event type gets; it is never compared afterwards'),
    ),
  }),
  'an event type',
);

const { shape: webhookFields } = webhooks.create.body;

export const WebhookEntry = record({
  url: webhookFields.url,
  events: webhookFields.events,
  signing_key_env: maybe(word('environment variable with the key that signs the deliveries of a new webhook')),
  signing_key_file: maybe(word('file with the key that signs the deliveries of a new webhook')),
  signing_key: maybe(
    described(
      z.literal('none', { error: 'must be none: to sign deliveries, write signing_key_env or signing_key_file' }),
      'none: the deliveries of a new webhook are not signed',
    ),
  ),
});

const lists = { webhooks: maybe(whole(WebhookEntry, 'all webhooks; others are deleted')) };

const typesError = ({ input }: { input?: unknown }): string | undefined =>
  Array.isArray(input)
    ? "is a list, but event types have keys. They can't be deleted here: write active: false"
    : emptyMap({ input });

/** Each field is a promise: what it manages is compared with the service, and nothing else is. */
export const ConfigSchema = record({
  $schema: maybe(text('JSON Schema for editors')),
  sched: described(z.literal(1), 'version of this format'),
  users: maybe(
    map(
      part(
        {
          event_types: maybe(map(EventTypeEntry, 'event types by a key for messages; others stay', typesError)),
          ...lists,
        },
        'a user',
      ),
      'users by email address, or me for whoever applies the file',
    ),
  ),
  organization: maybe(part(lists, 'the organization')),
  groups: maybe(map(part(lists, 'a group'), 'groups by name')),
});

const shown = "The service sets it, and this file can't change it: remove it";

/** What to do about fields of the API that are not in the format. */
export const otherFields: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'slug pooling pooling_type questions custom_questions locale secret scheduling_url created_at updated_at type profile deleted_at admin_managed booking_method description_html internal_note state scope retry_started_at user owner'
      .split(' ')
      .map((name) => [name, shown]),
  ),
  location: 'Write it under create: only a new event type gets it',
  callback_url: 'Write it as url',
  rules: 'Write hours and dates',
};

/** For editors that check a file while it is written. Those that read YAML support draft 7. */
export const configSchema = () =>
  z.toJSONSchema(ConfigSchema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
