import * as z from 'zod/mini';
import { choice, dateTime, described, flag, list, loose, record, reference, text } from './field.ts';
import { listQuery, many, operation, resource } from './operation.ts';

// Assumed: the contents of questions, answers and results.
const Question = record({
  uuid: text('identifier of the question'),
  name: text('the question'),
  type: text('kind of answer'),
  required: flag('whether an answer is needed'),
  answer_choices: z.nullable(list(z.string(), 'answers to choose from')),
});

const Answer = record({
  question_uuid: text('identifier of the question'),
  question: text('the question'),
  answer: text('the answer'),
});

const Result = record({
  type: choice(['event_type', 'external_url', 'custom_message'], 'where the submitter was led'),
  value: text('the event type, address or message'),
});

export const RoutingForm = resource('routing form', {
  uri: text('canonical reference of the form'),
  organization: text('reference of the organization'),
  name: text('name'),
  status: text('draft or published'),
  questions: list(Question, 'what it asks'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
});

export const Submission = resource('submission', {
  uri: text('canonical reference of the submission'),
  routing_form: text('reference of the form'),
  questions_and_answers: list(Answer, 'what was answered'),
  tracking: loose({}, 'where the submitter came from'),
  result: z.nullable(described(Result, 'where the submitter was led')),
  submitter: z.nullable(text('reference of the invitee who booked afterwards')),
  submitter_type: z.nullable(text('kind of the submitter')),
  created_at: dateTime('when it was submitted'),
  updated_at: dateTime('when it was last changed'),
});

export const routingForms = {
  list: operation({
    summary: 'List the routing forms of the organization',
    method: 'GET',
    path: '/routing_forms',
    scope: 'routing_forms:read',
    query: listQuery({ organization: reference('organizations', 'whose forms') }, ['created_at']),
    reply: many(RoutingForm),
  }),
  submissions: operation({
    summary: 'List what was submitted to a routing form',
    method: 'GET',
    path: '/routing_form_submissions',
    scope: 'routing_forms:read',
    // Assumed: the filter `form`, and that it is required.
    query: listQuery({ form: reference('routing_forms', 'the form') }, ['created_at']),
    reply: many(Submission),
  }),
};
