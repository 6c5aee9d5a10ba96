import * as z from 'zod/mini';
import { dateTime, described, flag, integer, list, record, reference, text, word } from './field.ts';
import { LocationChoice } from './locations.ts';
import { many, one, operations, optionally, readMany, readOne, resource } from './operation.ts';
import type { Sent } from './sent.ts';
import { User } from './users.ts';

const OwnerProfile = record({
  type: text('kind of owner'),
  name: text('name of the owner'),
  owner: text('URI of the owner'),
});

const CustomQuestion = record({
  name: text('question shown to invitees'),
  type: text('kind of answer'),
  position: integer('position among the questions, starting at 0'),
  enabled: flag('whether invitees see the question'),
  required: flag('whether an answer is required'),
  answer_choices: list(z.string(), 'answers to choose from'),
  include_other: flag('whether invitees can enter a different answer'),
});

/**
 * Assumed (event-types.values): besides the values that the documentation shows, `kind` of an event type can be `group`,
 * `type` can be `AdhocEventType` (a one-off meeting) and `booking_method` can be `poll`. Assumed (event-types.pooling):
 * `pooling_type` is `round_robin` if one of the hosts takes part, `collective` if all do, and null for a single host.
 */
export const EventType = resource('event type', {
  uri: text('URI of the event type'),
  name: text('name'),
  active: flag('whether it can be booked'),
  slug: z.nullable(text('last part of its scheduling page URL')),
  scheduling_url: text('URL of its scheduling page'),
  duration: integer('length in minutes'),
  kind: text('solo or group'),
  pooling_type: z.nullable(text('how multiple hosts share bookings: round_robin or collective')),
  type: text('StandardEventType or AdhocEventType'),
  color: text('color as # and six hex digits'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
  internal_note: z.nullable(text('note hidden from invitees')),
  description_plain: z.nullable(text('description as plain text')),
  description_html: z.nullable(text('description as HTML')),
  profile: z.nullable(described(OwnerProfile, 'original owner of the event type')),
  secret: flag("whether it is hidden on the owner's scheduling page"),
  booking_method: text('instant or poll'),
  custom_questions: list(CustomQuestion, 'questions asked at booking'),
  deleted_at: z.nullable(dateTime('when it was deleted')),
  admin_managed: flag('whether an admin manages it'),
  locale: text('language of its scheduling page'),
});

export type SentEventType = Sent<typeof EventType>;

/** A new event type has no description, and one that was emptied has an empty one. */
export const normalField = (field: string, value: unknown): unknown => {
  if (field === 'description_plain') return value ?? '';
  return field === 'color' && typeof value === 'string' ? value.toLowerCase() : value;
};

// Assumed (event-types.host): a host of an event type has `uri`, `event_type`, `member` (a user), `created_at` and
// `updated_at`.
const EventTypeHost = resource('event type host', {
  uri: text('URI of the membership'),
  event_type: text('URI of the event type'),
  member: described(User.record, 'the host'),
  created_at: dateTime('when the host was added'),
  updated_at: dateTime('when the membership was last changed'),
});

// Assumed (event-types.color): `color` is `#` and six hex digits. The documentation shows a hex color only.
const color = text('color as # and six hex digits').check(z.regex(/^#[0-9a-fA-F]{6}$/, 'must be # and six hex digits'));

const name = word('name of the event type');

/** Settings of an event type that can be set on create and update. */
const choices = record({
  duration: integer('length in minutes'),
  active: flag('make it bookable', 'make it unbookable'),
  color,
  description_plain: text('description as plain text'),
  location: described(LocationChoice, 'meeting location'),
});

export const eventTypes = operations('event-types', 'event_types', {
  list: readMany(EventType, {
    summary: 'List event types, including shared ones',
    path: '/event_types',
    filters: {
      user: z.optional(reference('users', 'only event types of this user')),
      organization: z.optional(reference('organizations', 'event types of the whole organization')),
      // Assumed (event-types.filter): event types can be filtered by `active`.
      active: z.optional(flag('only event types that can be booked', "only event types that can't be booked")),
    },
    // Assumed (event-types.sort): event types can be sorted by name, position on the scheduling page, creation or last
    // change: `sort=name`, `sort=position`, `sort=created_at` or `sort=updated_at`.
    sortedBy: ['name', 'position', 'created_at', 'updated_at'],
  }),
  get: readOne('Show an event type', '/event_types/{event_type}', EventType),
  create: {
    summary: 'Create a one-on-one event type',
    method: 'POST',
    path: '/event_types',
    effect: 'creation',
    // Assumed (event-types.create): an event type is created with `owner`, `name`, `duration`, `active`, `color`,
    // `description_plain` and `location`, and the service answers `201`. The change history only names the operation.
    assumed: true,
    body: record({ owner: reference('users', 'user who hosts it'), name, ...z.partial(choices).shape }),
    reply: one(EventType, 201),
  },
  update: {
    summary: 'Update an event type',
    method: 'PATCH',
    path: '/event_types/{event_type}',
    effect: 'change',
    body: z.partial(record({ name, ...choices.shape, timezone: word('IANA time zone') })),
    reply: one(EventType),
  },
  hosts: readMany(EventTypeHost, {
    summary: 'List hosts of an event type',
    path: '/event_type_memberships',
    // Assumed (event-types.hosts): hosts are listed at `GET /event_type_memberships` by `event_type`. The change
    // history only names the operation.
    assumed: true,
    filters: { event_type: reference('event_types', 'event type whose hosts to list') },
  }),
});

const FreeTime = resource('free time', {
  status: text('`available`'),
  start_time: dateTime('start of the free time'),
  invitees_remaining: integer('free seats'),
  scheduling_url: text('URL of the page to book it'),
});

/** Free times, at services that compute them. `event-types slots` computes them for the others. */
export const moreEventTypes = operations(
  'event-types',
  'availability',
  optionally({
    'available-times': {
      summary: 'List free times of an event type',
      method: 'GET',
      path: '/event_type_available_times',
      query: record({
        event_type: reference('event_types', 'event type whose free times to list'),
        start_time: dateTime('first moment'),
        end_time: dateTime('last moment'),
      }),
      reply: many(FreeTime),
    },
  }),
);
