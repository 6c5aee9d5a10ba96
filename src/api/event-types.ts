import * as z from 'zod';
import { dateTime, flag, integer, listQuery, many, one, operation, reference, resource, text } from './operation.ts';

const Profile = z.strictObject({
  type: text('kind of owner'),
  name: text('name of the owner'),
  owner: text('reference of the owner'),
});

const CustomQuestion = z.strictObject({
  name: text('the question as invitees read it'),
  type: text('kind of answer'),
  position: integer('place among the questions, from 0'),
  enabled: flag('whether invitees are asked'),
  required: flag('whether an answer is needed'),
  answer_choices: z.array(z.string()).describe('answers to choose from'),
  include_other: flag("whether an answer of one's own is allowed"),
});

export const EventType = resource('event type', {
  uri: text('canonical reference of the event type'),
  name: text('name'),
  active: flag('whether it can be booked'),
  slug: z.string().nullable().describe('the part of the scheduling page address that names it'),
  scheduling_url: text('address of its scheduling page'),
  duration: integer('length in minutes'),
  kind: text('solo or group'),
  pooling_type: z.string().nullable().describe('how several hosts share it: round_robin or collective'),
  type: text('StandardEventType or AdhocEventType'),
  color: text('colour, # and six hex digits'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
  internal_note: z.string().nullable().describe('note that invitees do not see'),
  description_plain: z.string().nullable().describe('description as plain text'),
  description_html: z.string().nullable().describe('description as HTML'),
  profile: Profile.nullable().describe('original owner of the event type'),
  secret: flag("whether it is hidden from the owner's page"),
  booking_method: text('instant or poll'),
  custom_questions: z.array(CustomQuestion).describe('questions asked at booking'),
  deleted_at: z.iso.datetime({ offset: true }).nullable().describe('when it was deleted'),
  admin_managed: flag('whether an administrator manages it'),
  locale: text('language of its scheduling page'),
});

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
        active: z.boolean().optional().describe('only those that can, or cannot, be booked'),
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
};
