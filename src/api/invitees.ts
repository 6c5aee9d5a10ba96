import * as z from 'zod/mini';
import { eventStatus } from './events.ts';
import {
  dateTime,
  described,
  email,
  type Field,
  flag,
  integer,
  list,
  loose,
  open,
  record,
  reference,
  text,
  word,
} from './field.ts';
import { bookingRequest } from './limits.ts';
import { LocationChoice } from './locations.ts';
import { deleteOne, one, operations, optionally, readMany, readOne, resource } from './operation.ts';
import type { Sent } from './sent.ts';

const trackingFields = {
  utm_campaign: 'campaign the booking came from',
  utm_source: 'site the booking came from',
  utm_medium: 'medium the booking came from',
  utm_content: 'link the booking came from',
  utm_term: 'search terms the booking came from',
  crm_uuid: 'ID of the customer in a CRM',
} as const;

const trackingShape = <F extends Field>(field: (description: string) => F) =>
  Object.fromEntries(Object.entries(trackingFields).map(([name, description]) => [name, field(description)])) as Record<
    keyof typeof trackingFields,
    F
  >;

const Payment = record({
  external_id: text('ID at the payment provider'),
  provider: text('payment provider'),
  amount: integer('amount paid'),
  currency: text('currency of the amount'),
  terms: z.nullable(text('terms of the payment')),
  successful: flag('whether the payment succeeded'),
});

const NoShow = record({
  uri: text('URI of the no-show record'),
  created_at: dateTime('when the invitee was marked as no-show'),
});

// Assumed (invitees.answer): an answer has the text and position of its question, when it is sent and when it is shown:
// `question`, `answer` and `position`.
const QuestionAnswer = open(
  record({
    question: text('question, exactly as in the event type'),
    answer: text('answer'),
    position: integer('position of the question'),
  }),
);

export const Invitee = resource('invitee', {
  uri: text('URI of the invitee'),
  email: email('email address'),
  first_name: z.nullable(text('first name')),
  last_name: z.nullable(text('last name')),
  name: text('full name'),
  status: eventStatus,
  timezone: z.nullable(text('IANA time zone of the invitee')),
  event: text('URI of the event'),
  created_at: dateTime('when the invitee booked'),
  updated_at: dateTime('when the invitee was last changed'),
  tracking: described(
    record(trackingShape((description) => z.nullable(text(description)))),
    'where the booking came from',
  ),
  text_reminder_number: z.nullable(text('phone number for reminders')),
  rescheduled: flag('whether the invitee rescheduled to another event'),
  old_invitee: z.nullable(text('URI of the invitee before rescheduling')),
  new_invitee: z.nullable(text('URI of the invitee after rescheduling')),
  cancel_url: text('URL of the page where the invitee can cancel'),
  reschedule_url: text('URL of the page where the invitee can reschedule'),
  payment: z.nullable(described(Payment, 'payment made when booking')),
  no_show: z.nullable(described(NoShow, 'set if the invitee did not attend')),
  reconfirmation: z.nullable(loose({}, 'request to reconfirm the booking')),
  scheduling_method: z.nullable(text('how the booking was made')),
  invitee_scheduled_by: z.nullable(text('URI of the user who booked for the invitee')),
  // Assumed (invitees.answers): an invitee shows the answers given when booking as `questions_and_answers`. The
  // documentation shows them in the request only.
  questions_and_answers: list(QuestionAnswer, 'answers given when booking'),
});

export type SentInvitee = Sent<typeof Invitee>;

const NewInvitee = record({
  email: email('email address of the invitee'),
  name: z.optional(word('full name of the invitee')),
  first_name: z.optional(word('first name of the invitee')),
  last_name: z.optional(word('last name of the invitee')),
  timezone: word('IANA time zone of the invitee'),
}).check(
  // Assumed (invitees.required): `email`, `timezone` and either `name` or `first_name` of a new invitee are required.
  z.refine((invitee) => invitee.name !== undefined || invitee.first_name !== undefined, {
    path: ['name'],
    error: 'name or first_name is required',
  }),
);

export const invitees = operations('invitees', 'scheduled_events', {
  list: readMany(Invitee, {
    summary: 'List invitees of an event',
    path: '/scheduled_events/{event}/invitees',
    filters: {
      status: z.optional(described(eventStatus, 'only invitees with this status')),
      // Assumed (invitees.filter): the invitees of an event can be filtered by `email`.
      email: z.optional(email('only the invitee with this email address')),
    },
    // Assumed (invitees.sort): invitees can be sorted by time of booking only: `sort=created_at`.
    sortedBy: ['created_at'],
  }),
  get: readOne('Show an invitee', '/scheduled_events/{event}/invitees/{invitee}', Invitee),
  create: {
    summary: 'Book a meeting for an invitee',
    ...bookingRequest,
    effect: 'creation',
    body: record({
      event_type: reference('event_types', 'event type to book'),
      start_time: dateTime('start time of the meeting'),
      invitee: described(NewInvitee, 'person to invite'),
      custom_questions: z.optional(list(QuestionAnswer, "answers to the event type's questions")),
      location: z.optional(described(LocationChoice, 'meeting location')),
      // Assumed (invitees.tracking): `tracking` of a booking has the fields that an invitee shows: `utm_campaign`,
      // `utm_source`, `utm_medium`, `utm_content`, `utm_term` and `crm_uuid`.
      tracking: described(
        z.optional(record(trackingShape((description) => z.optional(text(description))))),
        'where the booking came from',
      ),
    }),
    reply: one(Invitee),
  },
  'no-show': {
    summary: 'Mark an invitee as no-show',
    method: 'POST',
    path: '/invitees/{invitee}/no_show',
    knows: ['event'],
    effect: 'change',
    reply: one(Invitee),
  },
  // Assumed (invitees.undo-no-show): a no-show is undone by `DELETE /invitee_no_shows/{no_show}` (`204`), the path of the
  // `uri` that `no_show` of the invitee has.
  'undo-no-show': { ...deleteOne('Undo a no-show', '/invitee_no_shows/{no_show}'), assumed: true },
});

const NoShowRecord = resource('no-show', { ...NoShow.shape, invitee: text('URI of the invitee') });

export const moreInvitees = operations(
  'invitees',
  'scheduled_events',
  optionally({ 'get-no-show': readOne('Show a no-show', '/invitee_no_shows/{no_show}', NoShowRecord) }),
);
