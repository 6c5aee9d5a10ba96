import * as z from 'zod/mini';
import { choice, dateTime, described, flag, list, loose, record, reference, text } from './field.ts';
import { operations, optionally, readMany, readOne, resource } from './operation.ts';
import type { Sent } from './sent.ts';

// Assumed (routing-forms.contents): a question has `uuid`, `name`, `type`, `required` and `answer_choices`, an answer
// `question_uuid`, `question` and `answer`. The `result` of a submission has a `type` (`event_type`, `external_url` or
// `custom_message`) and a `value`.
const FormQuestion = record({
  uuid: text('ID of the question'),
  name: text('question'),
  type: text('kind of answer'),
  required: flag('whether an answer is required'),
  answer_choices: z.nullable(list(z.string(), 'answers to choose from')),
});

const FormAnswer = record({
  question_uuid: text('ID of the question'),
  question: text('question'),
  answer: text('answer'),
});

const SubmissionResult = record({
  type: choice(['event_type', 'external_url', 'custom_message'], 'where the submitter was sent'),
  value: text('event type, URL or message'),
});

// Assumed (routing-forms.status): besides `draft`, the status of a routing form can be `published`.
export const RoutingForm = resource('routing form', {
  uri: text('URI of the form'),
  organization: text('URI of the organization'),
  name: text('name'),
  status: text('draft or published'),
  questions: list(FormQuestion, 'questions of the form'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
});

export const Submission = resource('submission', {
  uri: text('URI of the submission'),
  routing_form: text('URI of the form'),
  questions_and_answers: list(FormAnswer, 'questions with their answers'),
  tracking: loose({}, 'where the submitter came from'),
  result: z.nullable(described(SubmissionResult, 'where the submitter was sent')),
  submitter: z.nullable(text('URI of the invitee who booked afterwards')),
  submitter_type: z.nullable(text('kind of submitter')),
  created_at: dateTime('when it was submitted'),
  updated_at: dateTime('when it was last changed'),
});

export type SentSubmission = Sent<typeof Submission>;

export const routingForms = operations('routing-forms', 'routing_forms', {
  list: readMany(RoutingForm, {
    summary: 'List routing forms of the organization',
    path: '/routing_forms',
    // Assumed (routing-forms.organization): `organization` is required to list routing forms.
    // Assumed (routing-forms.sort): routing forms can be sorted by time of creation only: `sort=created_at`.
    filters: { organization: reference('organizations', 'organization whose forms to list') },
    sortedBy: ['created_at'],
  }),
  submissions: readMany(Submission, {
    summary: 'List submissions to a routing form',
    path: '/routing_form_submissions',
    // Assumed (routing-forms.submissions): submissions are listed by `form`, which is required, and can be sorted by time
    // of creation only: `sort=created_at`.
    filters: { form: reference('routing_forms', 'form whose submissions to list') },
    sortedBy: ['created_at'],
  }),
});

export const moreRoutingForms = operations(
  'routing-forms',
  'routing_forms',
  optionally({
    get: readOne('Show a routing form', '/routing_forms/{routing_form}', RoutingForm),
    submission: readOne('Show a submission', '/routing_form_submissions/{submission}', Submission),
  }),
);
