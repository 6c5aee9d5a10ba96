import { json, lastPage, plain, type Transcript, user } from '../transcript.ts';

const eventType = {
  uri: 'https://api.example.com/event_types/EVENT_TYPE_ID',
  name: 'Consultation',
  active: true,
  slug: 'consultation',
  scheduling_url: 'https://example.com/grace/consultation',
  duration: 30,
  kind: 'solo',
  pooling_type: 'round_robin',
  type: 'StandardEventType',
  color: '#fff200',
  created_at: '2026-01-01T10:00:00.000000Z',
  updated_at: '2026-01-01T10:00:00.000000Z',
  internal_note: 'for customers',
  description_plain: 'Half an hour',
  description_html: '<p>Half an hour</p>',
  profile: { type: 'User', name: 'Grace Hopper', owner: 'https://api.example.com/users/USER_ID' },
  secret: false,
  booking_method: 'instant',
  custom_questions: [
    {
      name: 'Company',
      type: 'string',
      position: 0,
      enabled: true,
      required: false,
      answer_choices: [],
      include_other: false,
    },
  ],
  deleted_at: '2026-10-01T10:00:00.000000Z',
  admin_managed: false,
  locale: 'en',
};

export const transcripts: Record<string, Transcript> = {
  'event-types list': {
    line: 'GET /event_types?organization=https%3A%2F%2Fapi.example.com%2Forganizations%2FORGANIZATION_ID&active=true&sort=name%3Aasc&count=100',
    headers: plain,
    status: 200,
    reply: { collection: [eventType], pagination: lastPage(1) },
  },
  'event-types get': {
    line: 'GET /event_types/EVENT_TYPE_ID',
    headers: plain,
    status: 200,
    reply: { resource: eventType },
  },
  'event-types create': {
    line: 'POST /event_types',
    headers: json,
    body: {
      owner: 'https://api.example.com/users/USER_ID',
      name: 'Consultation',
      duration: 30,
      active: true,
      color: '#fff200',
      description_plain: 'Half an hour',
      location: { kind: 'zoom_conference' },
    },
    status: 201,
    reply: { resource: eventType },
  },
  'event-types update': {
    line: 'PATCH /event_types/EVENT_TYPE_ID',
    headers: json,
    body: {
      name: 'Consultation',
      duration: 45,
      timezone: 'Europe/Paris',
      active: true,
      color: '#fff200',
      description_plain: 'Three quarters of an hour',
      location: { kind: 'physical', location: 'Room 5' },
    },
    status: 200,
    reply: { resource: eventType },
  },
  'event-types hosts': {
    line: 'GET /event_type_memberships?event_type=https%3A%2F%2Fapi.example.com%2Fevent_types%2FEVENT_TYPE_ID&count=100',
    headers: plain,
    status: 200,
    reply: {
      collection: [
        {
          uri: 'https://api.example.com/event_type_memberships/1',
          event_type: 'https://api.example.com/event_types/EVENT_TYPE_ID',
          member: user,
          created_at: '2026-01-01T10:00:00.000000Z',
          updated_at: '2026-01-01T10:00:00.000000Z',
        },
      ],
      pagination: lastPage(1),
    },
  },
};
