import * as z from 'zod/mini';
import { choice, dateTime, described, email, record, reference, text } from './field.ts';
import { deleteOne, one, operations, optionally, readMany, readOne, resource } from './operation.ts';
import type { Sent } from './sent.ts';
import { User } from './users.ts';

// Assumed (organizations.kind): besides `individual`, the kind of an organization can be `team`.
export const Organization = resource('organization', {
  uri: text('URI of the organization'),
  name: text('name'),
  kind: text('individual or team'),
  plan: text('plan of the organization'),
  stage: text('trial or active'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
});

export const Membership = resource('member', {
  uri: text('URI of the membership'),
  role: text('owner, admin or user'),
  user: described(User.record, 'the member'),
  organization: text('URI of the organization'),
  created_at: dateTime('when the user joined'),
  updated_at: dateTime('when the membership was last changed'),
});

export type SentMember = Sent<typeof Membership>;

const invitationStatus = choice(['pending', 'accepted', 'declined'], 'pending, accepted or declined');

// Assumed (organizations.invitation): an invitation also has `organization`, `email`, `status` (`pending`, `accepted` or
// `declined`), `last_sent_at` and `user`. The documentation shows only the fields it shares with an organization.
export const Invitation = resource('invitation', {
  uri: text('URI of the invitation'),
  organization: text('URI of the organization'),
  email: email('email address the invitation was sent to'),
  status: invitationStatus,
  last_sent_at: z.nullable(dateTime('when it was last sent')),
  user: z.nullable(text('URI of the user who accepted it')),
  name: text('name of the organization'),
  kind: text('kind of organization'),
  plan: text('plan of the organization'),
  stage: text('stage of the organization'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
});

export const orgs = operations('orgs', 'organizations', {
  get: readOne('Show an organization', '/organizations/{organization}', Organization),
});

export const members = operations('members', 'organizations', {
  list: readMany(Membership, {
    summary: 'List members of the organization',
    path: '/organization_memberships',
    filters: {
      organization: z.optional(reference('organizations', 'organization whose members to list')),
      user: z.optional(reference('users', 'only the membership of this user')),
      role: z.optional(choice(['owner', 'admin', 'user'], 'only members with this role')),
      // Assumed (organizations.member-email): members can be filtered by `email`.
      email: z.optional(email('only the member with this email address')),
    },
  }),
  get: readOne('Show a member of the organization', '/organization_memberships/{membership}', Membership),
  // Assumed (organizations.remove): a member is removed by `DELETE /organization_memberships/{membership}` (`204`).
  remove: {
    ...deleteOne('Remove a member from the organization', '/organization_memberships/{membership}'),
    assumed: true,
  },
});

export const invitations = operations('invitations', 'organizations', {
  list: readMany(Invitation, {
    summary: 'List invitations to join the organization',
    path: '/organization_invitations',
    filters: {
      organization: reference('organizations', 'organization whose invitations to list'),
      email: z.optional(email('only invitations to this email address')),
      status: z.optional(described(invitationStatus, 'only invitations with this status')),
    },
    // Assumed (organizations.invitation-sort): invitations can be sorted by time of creation only: `sort=created_at`.
    sortedBy: ['created_at'],
  }),
  // Assumed (organizations.invite): a person is invited by `POST /organization_invitations` (`201`) with `organization`
  // and `email`, and the invitation is revoked by `DELETE /organization_invitations/{invitation}` (`204`).
  create: {
    summary: 'Invite a person to join the organization',
    method: 'POST',
    path: '/organization_invitations',
    effect: 'creation',
    assumed: true,
    body: record({
      organization: reference('organizations', 'organization to join'),
      email: email('email address of the person to invite'),
    }),
    reply: one(Invitation, 201),
  },
  revoke: { ...deleteOne('Revoke an invitation', '/organization_invitations/{invitation}'), assumed: true },
});

export const moreInvitations = operations(
  'invitations',
  'organizations',
  optionally({ get: readOne('Show an invitation', '/organization_invitations/{invitation}', Invitation) }),
);
