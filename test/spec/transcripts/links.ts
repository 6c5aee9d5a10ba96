import { json, type Transcript } from '../transcript.ts';

export const transcripts: Record<string, Transcript> = {
  'shares create': {
    line: 'POST /shares',
    headers: json,
    body: {
      event_type: 'https://api.example.com/event_types/EVENT_TYPE_ID',
      name: 'For Ada',
      duration: 30,
      duration_options: [15, 30],
      availability_rule: {
        rules: [{ type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '17:00' }] }],
        timezone: 'Europe/Paris',
      },
      period_type: 'fixed',
      max_booking_time: 30,
      location_configurations: [{ kind: 'zoom_conference' }],
    },
    status: 201,
    reply: {
      resource: {
        scheduling_links: [
          {
            booking_url: 'https://example.com/s/1',
            owner: 'https://api.example.com/event_types/EVENT_TYPE_ID',
            owner_type: 'EventType',
          },
        ],
        share_override: {},
      },
    },
  },
  'one-offs create': {
    line: 'POST /one_off_event_types',
    headers: json,
    body: {
      name: 'Board meeting',
      host: 'https://api.example.com/users/USER_ID',
      co_hosts: ['https://api.example.com/users/OTHER_USER_ID'],
      duration: 60,
      timezone: 'Europe/Paris',
      date_setting: { type: 'date_range', start_date: '2026-12-01', end_date: '2026-12-05' },
      location: { kind: 'zoom_conference' },
    },
    status: 201,
    reply: {
      resource: {
        uri: 'https://api.example.com/event_types/EVENT_TYPE_ID',
        name: 'Board meeting',
        active: true,
        slug: 'board-meeting',
        scheduling_url: 'https://example.com/d/board-meeting',
        duration: 60,
        kind: 'solo',
        pooling_type: 'collective',
        type: 'AdhocEventType',
        color: '#fff200',
        created_at: '2026-01-01T10:00:00.000000Z',
        updated_at: '2026-01-01T10:00:00.000000Z',
        internal_note: null,
        description_plain: null,
        description_html: null,
        profile: { type: 'User', name: 'Grace Hopper', owner: 'https://api.example.com/users/USER_ID' },
        secret: true,
        booking_method: 'instant',
        custom_questions: [],
        deleted_at: null,
        admin_managed: false,
        locale: 'en',
      },
    },
  },
};
