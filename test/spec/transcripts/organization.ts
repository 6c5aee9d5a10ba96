import { json, lastPage, plain, type Transcript, user } from '../transcript.ts';

const organization = {
  uri: 'https://api.example.com/organizations/ORGANIZATION_ID',
  name: 'Engines Ltd',
  kind: 'individual',
  plan: 'enterprise',
  stage: 'active',
  created_at: '2026-01-01T10:00:00.000000Z',
  updated_at: '2026-01-01T10:00:00.000000Z',
};

const membership = {
  uri: 'https://api.example.com/organization_memberships/MEMBERSHIP_ID',
  role: 'user',
  user,
  organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
  created_at: '2026-01-01T10:00:00.000000Z',
  updated_at: '2026-01-01T10:00:00.000000Z',
};

const group = {
  uri: 'https://api.example.com/groups/GROUP_ID',
  name: 'Sales',
  organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
  created_at: '2026-01-01T10:00:00.000000Z',
  updated_at: '2026-01-01T10:00:00.000000Z',
};

const relationship = {
  uri: 'https://api.example.com/group_relationships/RELATIONSHIP_ID',
  role: 'member',
  owner: { type: 'OrganizationMembership', uri: 'https://api.example.com/organization_memberships/MEMBERSHIP_ID' },
  organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
  group: 'https://api.example.com/groups/GROUP_ID',
  created_at: '2026-01-01T10:00:00.000000Z',
  updated_at: '2026-01-01T10:00:00.000000Z',
};

const invitation = {
  uri: 'https://api.example.com/organizations/ORGANIZATION_ID/invitations/1',
  organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
  email: 'ada@example.com',
  status: 'pending',
  last_sent_at: '2026-01-01T10:00:00.000000Z',
  user: null,
  name: 'Engines Ltd',
  kind: 'individual',
  plan: 'enterprise',
  stage: 'active',
  created_at: '2026-01-01T10:00:00.000000Z',
  updated_at: '2026-01-01T10:00:00.000000Z',
};

export const transcripts: Record<string, Transcript> = {
  'orgs get': {
    line: 'GET /organizations/ORGANIZATION_ID',
    headers: plain,
    status: 200,
    reply: { resource: organization },
  },
  'members list': {
    line: 'GET /organization_memberships?organization=https%3A%2F%2Fapi.example.com%2Forganizations%2FORGANIZATION_ID&role=user&count=100',
    headers: plain,
    status: 200,
    reply: { collection: [membership], pagination: lastPage(1) },
  },
  'members get': {
    line: 'GET /organization_memberships/MEMBERSHIP_ID',
    headers: plain,
    status: 200,
    reply: { resource: membership },
  },
  'members remove': {
    line: 'DELETE /organization_memberships/OTHER_MEMBERSHIP_ID',
    headers: plain,
    status: 204,
    reply: {},
  },
  'invitations create': {
    line: 'POST /organization_invitations',
    headers: json,
    body: { organization: 'https://api.example.com/organizations/ORGANIZATION_ID', email: 'grace@example.com' },
    status: 201,
    reply: { resource: invitation },
  },
  'invitations revoke': {
    line: 'DELETE /organization_invitations/INVITATION_ID',
    headers: plain,
    status: 204,
    reply: {},
  },
  'invitations list': {
    line: 'GET /organization_invitations?organization=https%3A%2F%2Fapi.example.com%2Forganizations%2FORGANIZATION_ID&status=pending&sort=created_at%3Aasc&count=20',
    headers: plain,
    status: 200,
    reply: {
      collection: [invitation],
      pagination: lastPage(1),
    },
  },
  'groups list': {
    line: 'GET /groups?organization=https%3A%2F%2Fapi.example.com%2Forganizations%2FORGANIZATION_ID&count=100',
    headers: plain,
    status: 200,
    reply: { collection: [group], pagination: lastPage(1) },
  },
  'groups get': { line: 'GET /groups/GROUP_ID', headers: plain, status: 200, reply: { resource: group } },
  'groups relationships': {
    line: 'GET /group_relationships?organization=https%3A%2F%2Fapi.example.com%2Forganizations%2FORGANIZATION_ID&count=100',
    headers: plain,
    status: 200,
    reply: { collection: [relationship], pagination: lastPage(1) },
    open: ['owner'],
  },
  'groups relationship': {
    line: 'GET /group_relationships/RELATIONSHIP_ID',
    headers: plain,
    status: 200,
    reply: { resource: relationship },
    open: ['owner'],
  },
  'activity list': {
    line: 'GET /activity_log_entries?organization=https%3A%2F%2Fapi.example.com%2Forganizations%2FORGANIZATION_ID&sort=occurred_at%3Adesc&count=100',
    headers: plain,
    status: 200,
    reply: {
      collection: [
        {
          uri: 'https://api.example.com/activity_log_entries/1',
          organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
          action: 'Add',
          fully_qualified_name: 'User.Add',
          namespace: 'User',
          actor: {
            uri: 'https://api.example.com/users/USER_ID',
            type: 'User',
            display_name: 'Grace Hopper',
            alternative_identifier: 'grace@example.com',
          },
          details: {},
          occurred_at: '2026-01-01T10:00:00.000000Z',
        },
      ],
      pagination: lastPage(1),
    },
    open: ['actor'],
  },
  'compliance delete': {
    line: 'POST /data_compliance/invitee_deletion',
    headers: { ...plain, 'content-type': 'application/json' },
    body: { emails: ['ada@example.com'] },
    status: 202,
    reply: {},
  },
};
