import { plain, type Transcript } from '../transcript.ts';

const user = {
  uri: 'https://api.example.com/users/USER_ID',
  name: 'Grace Hopper',
  slug: 'grace',
  email: 'grace@example.com',
  scheduling_url: 'https://example.com/grace',
  timezone: 'America/New_York',
  avatar_url: 'https://example.com/grace.png',
  created_at: '2026-01-01T10:00:00.000000Z',
  updated_at: '2026-01-01T10:00:00.000000Z',
  current_organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
  locale: 'en',
  resource_type: 'User',
};

export const transcripts: Record<string, Transcript> = {
  'users me': { line: 'GET /users/me', headers: plain, status: 200, reply: { resource: user } },
  'users get': { line: 'GET /users/USER_ID', headers: plain, status: 200, reply: { resource: user } },
};
