import { json, lastPage, plain, type Transcript } from '../transcript.ts';

const rules = [
  { type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '17:00' }] },
  { type: 'date', date: '2026-12-24', intervals: [] },
];

const schedule = {
  uri: 'https://api.example.com/event_type_availability_schedules/SCHEDULE_ID',
  default: true,
  name: 'Working hours',
  user: 'https://api.example.com/users/USER_ID',
  timezone: 'America/New_York',
  rules,
};

export const transcripts: Record<string, Transcript> = {
  'availability list': {
    line: 'GET /event_type_availability_schedules?event_type=https%3A%2F%2Fapi.example.com%2Fevent_types%2FEVENT_TYPE_ID&count=100',
    headers: plain,
    status: 200,
    reply: { collection: [schedule], pagination: lastPage(1) },
  },
  'availability update': {
    line: 'PATCH /event_type_availability_schedules/SCHEDULE_ID',
    headers: json,
    body: { rules, timezone: 'America/New_York' },
    status: 200,
    reply: { resource: schedule },
  },
  'availability update-all': {
    line: 'PATCH /event_type_availability_schedules',
    headers: json,
    body: { event_type: 'https://api.example.com/event_types/EVENT_TYPE_ID', rules, timezone: 'America/New_York' },
    status: 200,
    reply: { collection: [schedule], pagination: lastPage(1) },
  },
};
