import * as z from 'zod';
import { eventStatus } from './events.ts';
import { LocationChoice } from './locations.ts';
import {
  dateTime,
  email,
  flag,
  integer,
  listQuery,
  many,
  one,
  operation,
  reference,
  resource,
  text,
} from './operation.ts';

const trackingFields = {
  utm_campaign: 'campaign the booking came from',
  utm_source: 'site the booking came from',
  utm_medium: 'medium the booking came from',
  utm_content: 'link the booking came from',
  utm_term: 'search words the booking came from',
  crm_uuid: 'reference of the customer in a CRM',
} as const;

const trackingShape = <Field extends z.ZodType>(field: (description: string) => Field) =>
  Object.fromEntries(Object.entries(trackingFields).map(([name, description]) => [name, field(description)])) as Record<
    keyof typeof trackingFields,
    Field
  >;

const Payment = z.strictObject({
  external_id: text('reference at the payment provider'),
  provider: text('payment provider'),
  amount: integer('amount paid'),
  currency: text('currency of the amount'),
  terms: z.string().nullable().describe('terms of the payment'),
  successful: flag('whether the payment went through'),
});

const NoShow = z.strictObject({
  uri: text('reference of the no-show record'),
  created_at: dateTime('when the invitee was marked'),
});

export const Invitee = resource('invitee', {
  uri: text('canonical reference of the invitee'),
  email: email('e-mail address'),
  first_name: z.string().nullable().describe('given name'),
  last_name: z.string().nullable().describe('family name'),
  name: text('full name'),
  status: eventStatus.describe('active or canceled'),
  timezone: z.string().nullable().describe('IANA time zone name of the invitee'),
  event: text('reference of the scheduled event'),
  created_at: dateTime('when the invitee booked'),
  updated_at: dateTime('when the invitee was last changed'),
  tracking: z
    .strictObject(trackingShape((description) => z.string().nullable().describe(description)))
    .describe('where the booking came from'),
  text_reminder_number: z.string().nullable().describe('phone number for reminders'),
  rescheduled: flag('whether the invitee moved to another event'),
  old_invitee: z.string().nullable().describe('reference of the invitee before rescheduling'),
  new_invitee: z.string().nullable().describe('reference of the invitee after rescheduling'),
  cancel_url: text('page on which the invitee can cancel'),
  reschedule_url: text('page on which the invitee can reschedule'),
  payment: Payment.nullable().describe('payment made at booking'),
  no_show: NoShow.nullable().describe('set when the invitee did not come'),
  reconfirmation: z.looseObject({}).nullable().describe('request to confirm the booking again'),
  scheduling_method: z.string().nullable().describe('how the booking was made'),
  invitee_scheduled_by: z.string().nullable().describe('reference of the user who booked for the invitee'),
});

const QuestionAnswer = z.strictObject({
  question: text('the question, as the event type words it'),
  answer: text('the answer'),
  position: integer('place of the question'),
});

const NewInvitee = z
  .strictObject({
    email: email('e-mail address of the invitee'),
    name: z.string().min(1).optional().describe('full name of the invitee'),
    first_name: z.string().min(1).optional().describe('given name of the invitee'),
    last_name: z.string().min(1).optional().describe('family name of the invitee'),
    timezone: z.string().min(1).describe('IANA time zone of the invitee'),
  })
  // Assumed: e-mail, time zone and one of the two names are required.
  .refine((invitee) => invitee.name !== undefined || invitee.first_name !== undefined, {
    path: ['name'],
    message: 'name or first_name is required',
  });

export const invitees = {
  list: operation({
    summary: 'List the invitees of an event',
    method: 'GET',
    path: '/scheduled_events/{event}/invitees',
    scope: 'scheduled_events:read',
    query: listQuery(
      {
        status: eventStatus.optional().describe('only invitees in this state'),
        // Assumed: the list can be narrowed to an address.
        email: z.email().optional().describe('only the invitee with this address'),
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
    body: z.strictObject({
      event_type: reference('event_types', 'what to book'),
      start_time: dateTime('when the meeting starts'),
      invitee: NewInvitee.describe('who is invited'),
      // Assumed: an answer carries the question's text and position.
      custom_questions: z.array(QuestionAnswer).optional().describe('answers to the questions of the event type'),
      location: LocationChoice.optional().describe('where to meet'),
      tracking: z
        .strictObject(trackingShape((description) => z.string().optional().describe(description)))
        .optional()
        .describe('where the booking came from'),
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
