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
  record,
  reference,
  text,
  word,
} from './field.ts';
import { LocationChoice } from './locations.ts';
import { listQuery, many, one, operation, resource } from './operation.ts';

const trackingFields = {
  utm_campaign: 'campaign the booking came from',
  utm_source: 'site the booking came from',
  utm_medium: 'medium the booking came from',
  utm_content: 'link the booking came from',
  utm_term: 'search words the booking came from',
  crm_uuid: 'reference of the customer in a CRM',
} as const;

const trackingShape = <F extends Field>(field: (description: string) => F) =>
  Object.fromEntries(Object.entries(trackingFields).map(([name, description]) => [name, field(description)])) as Record<
    keyof typeof trackingFields,
    F
  >;

const Payment = record({
  external_id: text('reference at the payment provider'),
  provider: text('payment provider'),
  amount: integer('amount paid'),
  currency: text('currency of the amount'),
  terms: z.nullable(text('terms of the payment')),
  successful: flag('whether the payment went through'),
});

const NoShow = record({
  uri: text('reference of the no-show record'),
  created_at: dateTime('when the invitee was marked'),
});

export const Invitee = resource('invitee', {
  uri: text('canonical reference of the invitee'),
  email: email('e-mail address'),
  first_name: z.nullable(text('given name')),
  last_name: z.nullable(text('family name')),
  name: text('full name'),
  status: eventStatus,
  timezone: z.nullable(text('IANA time zone name of the invitee')),
  event: text('reference of the scheduled event'),
  created_at: dateTime('when the invitee booked'),
  updated_at: dateTime('when the invitee was last changed'),
  tracking: described(
    record(trackingShape((description) => z.nullable(text(description)))),
    'where the booking came from',
  ),
  text_reminder_number: z.nullable(text('phone number for reminders')),
  rescheduled: flag('whether the invitee moved to another event'),
  old_invitee: z.nullable(text('reference of the invitee before rescheduling')),
  new_invitee: z.nullable(text('reference of the invitee after rescheduling')),
  cancel_url: text('page on which the invitee can cancel'),
  reschedule_url: text('page on which the invitee can reschedule'),
  payment: z.nullable(described(Payment, 'payment made at booking')),
  no_show: z.nullable(described(NoShow, 'set when the invitee did not come')),
  reconfirmation: z.nullable(loose({}, 'request to confirm the booking again')),
  scheduling_method: z.nullable(text('how the booking was made')),
  invitee_scheduled_by: z.nullable(text('reference of the user who booked for the invitee')),
});

const QuestionAnswer = record({
  question: text('the question, as the event type words it'),
  answer: text('the answer'),
  position: integer('place of the question'),
});

const NewInvitee = record({
  email: email('e-mail address of the invitee'),
  name: z.optional(word('full name of the invitee')),
  first_name: z.optional(word('given name of the invitee')),
  last_name: z.optional(word('family name of the invitee')),
  timezone: word('IANA time zone of the invitee'),
}).check(
  // Assumed: e-mail, time zone and one of the two names are required.
  z.refine((invitee) => invitee.name !== undefined || invitee.first_name !== undefined, {
    path: ['name'],
    error: 'name or first_name is required',
  }),
);

export const invitees = {
  list: operation({
    summary: 'List the invitees of an event',
    method: 'GET',
    path: '/scheduled_events/{event}/invitees',
    scope: 'scheduled_events:read',
    query: listQuery(
      {
        status: z.optional(described(eventStatus, 'only invitees in this state')),
        // Assumed: the list can be narrowed to an address.
        email: z.optional(email('only the invitee with this address')),
      },
      ['created_at'],
    ),
    reply: many(Invitee),
  }),
  get: operation({
    summary: 'Show an invitee of an event',
    method: 'GET',
    path: '/scheduled_events/{event}/invitees/{invitee}',
    scope: 'scheduled_events:read',
    reply: one(Invitee),
  }),
  create: operation({
    summary: 'Book a meeting for an invitee',
    method: 'POST',
    path: '/invitees',
    effect: 'creation',
    scope: 'scheduled_events:write',
    body: record({
      event_type: reference('event_types', 'what to book'),
      start_time: dateTime('when the meeting starts'),
      invitee: described(NewInvitee, 'who is invited'),
      // Assumed: an answer carries the question's text and position.
      custom_questions: z.optional(list(QuestionAnswer, 'answers to the questions of the event type')),
      location: z.optional(described(LocationChoice, 'where to meet')),
      tracking: described(
        z.optional(record(trackingShape((description) => z.optional(text(description))))),
        'where the booking came from',
      ),
    }),
    reply: one(Invitee),
  }),
  'no-show': operation({
    summary: 'Mark an invitee as a no-show',
    method: 'POST',
    path: '/invitees/{invitee}/no_show',
    effect: 'change',
    scope: 'scheduled_events:write',
    reply: one(Invitee),
  }),
};
