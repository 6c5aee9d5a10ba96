import { dateTime, flag, integer, list, partial, record, reference, text, word } from './field.ts';
import { LocationChoice } from './locations.ts';
import { listQuery, many, minutes, one, operation, resource } from './operation.ts';
import { User } from './users.ts';

const Profile = record({
  type: text('kind of owner'),
  name: text('name of the owner'),
  owner: text('reference of the owner'),
});

const CustomQuestion = record({
  name: text('the question as invitees read it'),
  type: text('kind of answer'),
  position: integer('place among the questions, from 0'),
  enabled: flag('whether invitees are asked'),
  required: flag('whether an answer is needed'),
  answer_choices: list(text(), 'answers to choose from'),
  include_other: flag("whether an answer of one's own is allowed"),
});

export const EventType = resource('event type', {
  uri: text('canonical reference of the event type'),
  name: text('name'),
  active: flag('whether it can be booked'),
  slug: text('the part of the scheduling page address that names it').nullable(),
  scheduling_url: text('address of its scheduling page'),
  duration: integer('length in minutes'),
  kind: text('solo or group'),
  pooling_type: text('how several hosts share it: round_robin or collective').nullable(),
  type: text('StandardEventType or AdhocEventType'),
  color: text('colour, # and six hex digits'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
  internal_note: text('note that invitees do not see').nullable(),
  description_plain: text('description as plain text').nullable(),
  description_html: text('description as HTML').nullable(),
  profile: Profile.as('original owner of the event type').nullable(),
  secret: flag("whether it is hidden from the owner's page"),
  booking_method: text('instant or poll'),
  custom_questions: list(CustomQuestion, 'questions asked at booking'),
  deleted_at: dateTime('when it was deleted').nullable(),
  admin_managed: flag('whether an administrator manages it'),
  locale: text('language of its scheduling page'),
});

export const EventTypeHost = resource('event type host', {
  uri: text('canonical reference of the membership'),
  event_type: text('reference of the event type'),
  member: User.record.as('the host'),
  created_at: dateTime('when the host was added'),
  updated_at: dateTime('when the membership was last changed'),
});

const color = text('colour, # and six hex digits', (string) =>
  string.regex(/^#[0-9a-fA-F]{6}$/, 'must be # and six hex digits'),
);

/** What a host may choose about an event type, at its making or later. */
const choices = {
  name: word('name'),
  duration: minutes('length in minutes'),
  active: flag('whether it can be booked'),
  color,
  description_plain: text('description as plain text'),
  location: LocationChoice.as('where to meet'),
};

export const eventTypes = {
  list: operation({
    summary: 'List event types, those shared with the user included',
    method: 'GET',
    path: '/event_types',
    scope: 'event_types:read',
    query: listQuery(
      {
        user: reference('users', 'whose event types').optional(),
        organization: reference('organizations', 'event types of the whole organization').optional(),
        // Assumed: the list can be narrowed to those that can be booked.
        active: flag('only those that can, or cannot, be booked').optional(),
      },
      ['name', 'position', 'created_at', 'updated_at'],
    ),
    reply: many(EventType),
  }),
  get: operation({
    summary: 'Show an event type',
    method: 'GET',
    path: '/event_types/{event_type}',
    scope: 'event_types:read',
    reply: one(EventType),
  }),
  create: operation({
    summary: 'Create a one-on-one event type',
    method: 'POST',
    path: '/event_types',
    effect: 'creation',
    scope: 'event_types:write',
    // Assumed: the shape of the body and 201; the change history names the operation alone.
    assumed: true,
    body: record({
      owner: reference('users', 'who hosts it'),
      ...choices,
      duration: choices.duration.optional(),
      active: choices.active.optional(),
      color: choices.color.optional(),
      description_plain: choices.description_plain.optional(),
      location: choices.location.optional(),
    }),
    reply: one(EventType, 201),
  }),
  update: operation({
    summary: 'Change an event type',
    method: 'PATCH',
    path: '/event_types/{event_type}',
    effect: 'change',
    scope: 'event_types:write',
    body: partial({ ...choices, timezone: word('IANA time zone') }),
    reply: one(EventType),
  }),
  hosts: operation({
    summary: 'List the hosts of an event type',
    method: 'GET',
    path: '/event_type_memberships',
    scope: 'event_types:read',
    // Assumed: GET /event_type_memberships; the change history names the operation alone.
    assumed: true,
    query: listQuery({ event_type: reference('event_types', 'whose hosts') }),
    reply: many(EventTypeHost),
  }),
};
