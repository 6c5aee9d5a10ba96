import * as z from 'zod/mini';
import { AvailabilityRule } from '../../api/availability.ts';
import { EventType } from '../../api/event-types.ts';
import { ScheduledEvent } from '../../api/events.ts';
import {
  choice,
  color,
  described,
  email,
  type Field,
  flag,
  integer,
  list,
  loose,
  record,
  type Shape,
  text,
  type Value,
  word,
} from '../../api/field.ts';
import { Invitee } from '../../api/invitees.ts';
import { editorSchema } from '../../api/json-schema.ts';
import { limits } from '../../api/limits.ts';
import { LocationChoice, locationKinds } from '../../api/locations.ts';
import { Invitation } from '../../api/organizations.ts';
import { Submission } from '../../api/routing-forms.ts';
import { webhooks } from '../../api/webhooks.ts';
import { isOwnLink } from '../pages/html.ts';
import { plans } from '../rules/subscription.ts';

/*
 * The format of a world file. Fields have the names of the API. Any of them can be left out if it can be derived: an
 * email address from a name, an ID from a key. rows.ts derives them.
 */

const maybe = z.optional;

const time = (description: string) =>
  described(
    z.string().check(z.minLength(1)),
    `${description}: 2026-12-01T15:00:00Z, 2026-12-01 15:00, tomorrow 15:00, +3d 15:00 or -2h`,
  );

const id = described(
  z.string().check(z.regex(/^[\w-]{1,64}$/, 'must have only letters, digits, - and _')),
  'ID of the record; derived from its name or position by default',
);

/** A page of the sandbox. It is stored without an address, so an address of this machine is cut off. */
const page = (description: string) =>
  described(
    z.pipe(
      z
        .string()
        .check(z.refine(isOwnLink, 'must be a path such as /book/ada: the sandbox links to its own pages only')),
      z.transform((link) => (link.startsWith('/') ? link : link.slice(new URL(link).origin.length))),
    ),
    description,
  );

const created = maybe(time('when it was created'));
const stamps = { id: maybe(id), created, updated: maybe(time('when it was last changed')) };

const user = word('a user: their key, email address or full name');

const named = <F extends Field>(field: F, description: string) =>
  described(z.record(z.string().check(z.minLength(1)), field), description);

/** Fields of a record that an entry can leave out. */
const some = <S extends Shape, Name extends keyof S & string>(shape: S, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, maybe(shape[name]!)])) as {
    [Each in Name]: z.ZodMiniOptional<S[Each]>;
  };

const part = record(stamps);

const Availability = record({
  timezone: maybe(word('IANA time zone of the hours')),
  hours: maybe(list(word('hours of weekdays, such as mon-fri 09:00-12:30,13:00-17:00'), 'weekly hours')),
  dates: maybe(named(word('off, usual, or hours such as 09:00-12:00'), 'other hours by date, such as 2026-12-24')),
  rules: maybe(list(AvailabilityRule, 'hours and dates as in the API')),
  name: maybe(word('name of the schedule')),
  default: maybe(flag("whether it is the host's default schedule")),
  id: maybe(id),
  host: maybe(described(part, 'ID and time of the host of the event type')),
});

const Question = record({
  name: word('question shown to invitees'),
  type: maybe(text('kind of answer: string, text, phone_number, single_select, …')),
  enabled: maybe(flag('whether invitees see the question')),
  required: maybe(flag('whether an answer is required')),
  answer_choices: maybe(list(z.string(), 'answers to choose from')),
  include_other: maybe(flag('whether invitees can enter a different answer')),
});

const minutes = (description: string) =>
  described(z.int().check(z.minimum(limits.durationMinutes.min), z.maximum(limits.durationMinutes.max)), description);

const { shape: typeFields } = EventType.record;

const EventTypeEntry = record({
  ...stamps,
  name: typeFields.name,
  duration: maybe(minutes('length in minutes (default 30)')),
  color: maybe(color),
  seats: maybe(described(z.int().check(z.minimum(1)), 'invitees per event; more than 1 makes it a group event')),
  pooling: maybe(choice(['round_robin', 'collective'], 'whether one of several hosts takes part, or all')),
  hosts: maybe(
    described(
      z.union([list(user, 'hosts'), named(Availability, 'hosts with their hours')]),
      'hosts besides the owner, as a list or with their hours',
    ),
  ),
  questions: maybe(list(Question, 'questions asked at booking')),
  locations: maybe(list(LocationChoice, 'where it can take place; the first is the default')),
  durations: maybe(list(minutes('length in minutes'), 'more lengths that a share can choose from')),
  availability: maybe(described(Availability, "the owner's hours for this event type")),
  ...some(typeFields, 'active', 'secret', 'description_plain', 'description_html', 'internal_note', 'slug', 'locale'),
  scheduling_url: maybe(page('path of the scheduling page')),
  ...some(typeFields, 'kind', 'type', 'booking_method', 'admin_managed'),
  deleted_at: maybe(z.nullable(time('when it was deleted'))),
  dates: maybe(loose({}, 'when a one-off meeting can be booked, as sandbox export writes it')),
});

const { shape: webhookFields } = webhooks.create.body;

const WebhookEntry = record({
  ...stamps,
  url: webhookFields.url,
  events: webhookFields.events,
  signing_key: webhookFields.signing_key,
  state: maybe(choice(['active', 'disabled'], 'active, or disabled after failed deliveries')),
  retry_started_at: maybe(z.nullable(time('since when deliveries fail'))),
});

const ownWebhooks = maybe(list(WebhookEntry, 'webhooks'));

const UserEntry = record({
  ...stamps,
  name: word('full name'),
  email: maybe(email('email address (default: from the name)')),
  role: maybe(choice(['owner', 'admin', 'user', 'former'], 'role; former for a removed member (default: user)')),
  timezone: maybe(word('IANA time zone (default UTC)')),
  locale: maybe(word('language (default en)')),
  slug: maybe(word('last part of the scheduling page URL')),
  scheduling_url: maybe(page('path of the scheduling page')),
  avatar_url: maybe(z.nullable(page('path of the picture'))),
  connected: maybe(list(choice(locationKinds, 'provider'), 'connected meeting providers (default google_conference)')),
  availability: maybe(described(Availability, 'hours of all event types that this user hosts')),
  membership: maybe(described(part, 'ID and times of the membership in the organization')),
  event_types: maybe(named(EventTypeEntry, 'event types of this user, by slug')),
  webhooks: ownWebhooks,
});

const GroupEntry = record({
  ...stamps,
  members: maybe(list(z.union([user, record({ user, id: stamps.id, created })]), 'members, admins included or not')),
  admins: maybe(list(user, 'members who are admins of the group')),
  webhooks: ownWebhooks,
});

const { shape: inviteeFields } = Invitee.record;
const answers = maybe(named(z.string(), 'answers by question'));

const InviteeEntry = record({
  ...stamps,
  name: inviteeFields.name,
  email: inviteeFields.email,
  answers,
  ...some(inviteeFields, 'first_name', 'last_name', 'timezone', 'status', 'questions_and_answers', 'payment'),
  ...some(inviteeFields, 'text_reminder_number', 'rescheduled', 'reconfirmation', 'scheduling_method'),
  tracking: maybe(z.partial(inviteeFields.tracking)),
  old_invitee: maybe(described(id, 'ID of the invitee before rescheduling')),
  new_invitee: maybe(described(id, 'ID of the invitee after rescheduling')),
  no_show: maybe(described(part, 'set if the invitee did not attend')),
  invitee_scheduled_by: maybe(described(user, 'user who booked for the invitee')),
});

const { shape: eventFields } = ScheduledEvent.record;

const EventEntry = record({
  ...stamps,
  type: word('event type: its name or slug, or OWNER/SLUG'),
  start: time('when it starts, in the time zone of the host'),
  end: maybe(time('when it ends (default: after the duration of the event type)')),
  hosts: maybe(list(user, 'hosts (default: the owner, or all hosts of a collective event type)')),
  location: maybe(
    z.nullable(
      record({
        kind: text('kind of location'),
        location: maybe(z.nullable(text('address, phone number or instructions'))),
        join_url: maybe(z.nullable(text('URL of the online meeting'))),
        status: maybe(z.nullable(text('status of the online meeting'))),
      }),
    ),
  ),
  ...some(eventFields, 'name', 'meeting_notes_plain', 'meeting_notes_html'),
  seats: maybe(integer('maximum number of invitees')),
  canceled: maybe(
    record({
      by: maybe(described(user, 'user who canceled it (default: the first host)')),
      reason: maybe(z.nullable(text('reason sent to the invitees'))),
      at: maybe(time('when it was canceled')),
    }),
  ),
  invitees: maybe(list(InviteeEntry, 'invitees')),
});

const { shape: submissionFields } = Submission.record;

const SubmissionEntry = record({
  ...stamps,
  answers,
  questions_and_answers: maybe(submissionFields.questions_and_answers),
  result: maybe(
    z.nullable(
      record({
        event_type: maybe(word('event type that the submitter was sent to')),
        external_url: maybe(word('URL that the submitter was sent to')),
        custom_message: maybe(text('message that the submitter saw')),
      }),
    ),
  ),
  tracking: maybe(submissionFields.tracking),
  submitter: maybe(described(id, 'ID of the invitee who booked afterwards')),
});

const FormEntry = record({
  ...stamps,
  status: maybe(choice(['draft', 'published'], 'draft or published (default)')),
  questions: list(
    record({
      name: word('question'),
      type: maybe(text('kind of answer: name, email, text, select, radios, …')),
      required: maybe(flag('whether an answer is required')),
      answer_choices: maybe(z.nullable(list(z.string(), 'answers to choose from'))),
      uuid: maybe(id),
    }),
    'questions of the form',
  ),
  submissions: maybe(list(SubmissionEntry, 'submissions, oldest or newest first')),
});

const InvitationEntry = record({
  ...stamps,
  email: email('email address the invitation was sent to'),
  status: maybe(Invitation.record.shape.status),
  last_sent_at: maybe(z.nullable(time('when it was last sent'))),
  user: maybe(described(user, 'user who accepted it')),
});

const ActivityEntry = record({
  id: maybe(id),
  name: described(
    z.string().check(z.regex(/^\w+\.\w+$/, 'must be a namespace and an action such as EventType.Update')),
    'namespace and action, such as EventType.Update',
  ),
  by: maybe(described(user, 'user who did it')),
  actor: maybe(loose({}, 'who did it, as in the API')),
  details: maybe(loose({}, 'details, as in the API')),
  at: time('when it happened'),
});

export const World = record({
  $schema: maybe(text('JSON Schema for editors')),
  sandbox: described(z.literal(1), 'version of this format'),
  organization: record({
    ...stamps,
    name: word('name of the organization'),
    plan: maybe(choice(plans, 'plan (default enterprise)')),
    kind: maybe(choice(['team', 'individual'], 'kind of organization (default team)')),
    webhooks: ownWebhooks,
  }),
  users: named(UserEntry, 'users by a key, with which other entries refer to them'),
  groups: maybe(named(GroupEntry, 'groups by name')),
  events: maybe(list(EventEntry, 'scheduled events')),
  forms: maybe(named(FormEntry, 'routing forms by name')),
  invitations: maybe(list(InvitationEntry, 'invitations to the organization')),
  activity: maybe(list(ActivityEntry, 'entries of the activity log')),
  counters: maybe(named(z.int(), 'how many IDs were given out, as sandbox export writes them')),
});

export type World = Value<typeof World>;
export type ActivityEntry = Value<typeof ActivityEntry>;
export type AvailabilityEntry = Value<typeof Availability>;
export type EventEntry = Value<typeof EventEntry>;
export type EventTypeEntry = Value<typeof EventTypeEntry>;
export type FormEntry = Value<typeof FormEntry>;
export type GroupEntry = Value<typeof GroupEntry>;
export type InvitationEntry = Value<typeof InvitationEntry>;
export type InviteeEntry = Value<typeof InviteeEntry>;
export type SubmissionEntry = Value<typeof SubmissionEntry>;
export type UserEntry = Value<typeof UserEntry>;
export type WebhookEntry = Value<typeof WebhookEntry>;

export const worldJsonSchema = () => editorSchema(World);
