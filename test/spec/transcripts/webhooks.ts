import { json, lastPage, plain, type Transcript } from '../transcript.ts';

const webhook = {
  uri: 'https://api.example.com/webhook_subscriptions/WEBHOOK_ID',
  callback_url: 'https://example.com/hooks',
  state: 'active',
  events: ['invitee.created', 'invitee.canceled'],
  scope: 'organization',
  organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
  user: null,
  group: null,
  retry_started_at: null,
  created_at: '2026-01-01T10:00:00.000000Z',
  updated_at: '2026-01-01T10:00:00.000000Z',
};

export const transcripts: Record<string, Transcript> = {
  'webhooks list': {
    line: 'GET /webhook_subscriptions?organization=https%3A%2F%2Fapi.example.com%2Forganizations%2FORGANIZATION_ID&scope=organization&count=10',
    headers: plain,
    status: 200,
    reply: { collection: [webhook], pagination: lastPage(1) },
  },
  'webhooks get': {
    line: 'GET /webhook_subscriptions/WEBHOOK_ID',
    headers: plain,
    status: 200,
    reply: { resource: webhook },
  },
  'webhooks create': {
    line: 'POST /webhook_subscriptions',
    headers: json,
    body: {
      url: 'https://example.com/hooks',
      events: ['invitee.created', 'invitee.canceled'],
      organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
      scope: 'group',
      user: 'https://api.example.com/users/USER_ID',
      group: 'https://api.example.com/groups/GROUP_ID',
      signing_key: 'a-key-of-the-receiver',
    },
    status: 201,
    reply: { resource: { ...webhook, scope: 'group', group: 'https://api.example.com/groups/GROUP_ID' } },
  },
  'webhooks delete': {
    line: 'DELETE /webhook_subscriptions/WEBHOOK_ID',
    headers: plain,
    status: 204,
    reply: {},
  },
};
