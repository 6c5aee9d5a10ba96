import { eventStatus } from './events.ts';
import { dateTime, email, type Field, flag, integer, list, loose, record, reference, text, word } from './field.ts';
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
  terms: text('terms of the payment').nullable(),
  successful: flag('whether the payment went through'),
});

const NoShow = record({
  uri: text('reference of the no-show record'),
  created_at: dateTime('when the invitee was marked'),
});

export const Invitee = resource('invitee', {
  uri: text('canonical reference of the invitee'),
  email: email('e-mail address'),
  first_name: text('given name').nullable(),
  last_name: text('family name').nullable(),
  name: text('full name'),
  status: eventStatus.as('active or canceled'),
  timezone: text('IANA time zone name of the invitee').nullable(),
  event: text('reference of the scheduled event'),
  created_at: dateTime('when the invitee booked'),
  updated_at: dateTime('when the invitee was last changed'),
  tracking: record(trackingShape((description) => text(description).nullable())).as('where the booking came from'),
  text_reminder_number: text('phone number for reminders').nullable(),
  rescheduled: flag('whether the invitee moved to another event'),
  old_invitee: text('reference of the invitee before rescheduling').nullable(),
  new_invitee: text('reference of the invitee after rescheduling').nullable(),
  cancel_url: text('page on which the invitee can cancel'),
  reschedule_url: text('page on which the invitee can reschedule'),
  payment: Payment.as('payment made at booking').nullable(),
  no_show: NoShow.as('set when the invitee did not come').nullable(),
  reconfirmation: loose({}, 'request to confirm the booking again').nullable(),
  scheduling_method: text('how the booking was made').nullable(),
  invitee_scheduled_by: text('reference of the user who booked for the invitee').nullable(),
});

const QuestionAnswer = record({
  question: text('the question, as the event type words it'),
  answer: text('the answer'),
  position: integer('place of the question'),
});

const NewInvitee = record({
  email: email('e-mail address of the invitee'),
  name: word('full name of the invitee').optional(),
  first_name: word('given name of the invitee').optional(),
  last_name: word('family name of the invitee').optional(),
  timezone: word('IANA time zone of the invitee'),
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
        status: eventStatus.as('only invitees in this state').optional(),
        // Assumed: the list can be narrowed to an address.
        email: email('only the invitee with this address').optional(),
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
      invitee: NewInvitee.as('who is invited'),
      // Assumed: an answer carries the question's text and position.
      custom_questions: list(QuestionAnswer, 'answers to the questions of the event type').optional(),
      location: LocationChoice.as('where to meet').optional(),
      tracking: record(trackingShape((description) => text(description).optional()))
        .optional()
        .as('where the booking came from'),
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
