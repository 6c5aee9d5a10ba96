import { lastPage, plain, type Transcript } from '../transcript.ts';

export const transcripts: Record<string, Transcript> = {
  'routing-forms list': {
    line: 'GET /routing_forms?organization=https%3A%2F%2Fapi.example.com%2Forganizations%2FORGANIZATION_ID&sort=created_at%3Adesc&count=100',
    headers: plain,
    status: 200,
    reply: {
      collection: [
        {
          uri: 'https://api.example.com/routing_forms/FORM_ID',
          organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
          name: 'Contact',
          status: 'draft',
          questions: [
            { uuid: '1', name: 'Company size', type: 'select', required: true, answer_choices: ['1', '2 and more'] },
          ],
          created_at: '2026-01-01T10:00:00.000000Z',
          updated_at: '2026-01-01T10:00:00.000000Z',
        },
      ],
      pagination: lastPage(1),
    },
  },
  'routing-forms submissions': {
    line: 'GET /routing_form_submissions?form=https%3A%2F%2Fapi.example.com%2Frouting_forms%2FFORM_ID&sort=created_at%3Adesc&count=100',
    headers: plain,
    status: 200,
    reply: {
      collection: [
        {
          uri: 'https://api.example.com/routing_form_submissions/1',
          routing_form: 'https://api.example.com/routing_forms/FORM_ID',
          questions_and_answers: [{ question_uuid: '1', question: 'Company size', answer: '1' }],
          tracking: {},
          result: { type: 'event_type', value: 'https://api.example.com/event_types/EVENT_TYPE_ID' },
          submitter: 'https://api.example.com/scheduled_events/EVENT_ID/invitees/INVITEE_ID',
          submitter_type: 'Invitee',
          created_at: '2026-01-01T10:00:00.000000Z',
          updated_at: '2026-01-01T10:00:00.000000Z',
        },
      ],
      pagination: lastPage(1),
    },
  },
};
