import { json, plain, type Transcript } from '../transcript.ts';

const event = {
  uri: 'https://api.example.com/scheduled_events/EVENT_ID',
  name: 'Consultation',
  meeting_notes_plain: 'Bring the plans',
  meeting_notes_html: '<p>Bring the plans</p>',
  status: 'active',
  start_time: '2026-12-01T14:00:00.000000Z',
  end_time: '2026-12-01T14:30:00.000000Z',
  event_type: 'https://api.example.com/event_types/EVENT_TYPE_ID',
  location: {
    type: 'zoom_conference',
    location: 'Room 5',
    join_url: 'https://meet.example.com/1',
    status: 'pushed',
  },
  invitees_counter: { total: 1, active: 1, limit: 1 },
  created_at: '2026-11-01T10:00:00.000000Z',
  updated_at: '2026-11-01T10:00:00.000000Z',
  event_memberships: [
    {
      user: 'https://api.example.com/users/USER_ID',
      user_email: 'grace@example.com',
      user_name: 'Grace Hopper',
    },
  ],
};

export const transcripts: Record<string, Transcript> = {
  'events list': {
    line: 'GET /scheduled_events?user=https%3A%2F%2Fapi.example.com%2Fusers%2FUSER_ID&status=active&min_start_time=2026-01-01T00%3A00%3A00Z&max_start_time=2027-01-01T00%3A00%3A00Z&sort=start_time%3Aasc&count=2',
    headers: plain,
    status: 200,
    reply: {
      collection: [event],
      pagination: {
        count: 1,
        next_page: 'https://api.example.com/scheduled_events?count=2&page_token=NEXT',
        previous_page: 'https://api.example.com/scheduled_events?count=2&page_token=PREVIOUS',
        next_page_token: 'NEXT',
        previous_page_token: 'PREVIOUS',
      },
    },
  },
  'events get': {
    line: 'GET /scheduled_events/EVENT_ID',
    headers: plain,
    status: 200,
    reply: { resource: event },
  },
  'events cancel': {
    line: 'POST /scheduled_events/EVENT_ID/cancellation',
    headers: json,
    body: { reason: 'The host is ill' },
    status: 200,
    reply: { resource: { ...event, status: 'canceled' } },
  },
};
