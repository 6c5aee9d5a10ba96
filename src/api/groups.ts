import * as z from 'zod/mini';
import { dateTime, loose, reference, text } from './field.ts';
import { listQuery, many, one, operation, resource } from './operation.ts';

export const Group = resource('group', {
  uri: text('canonical reference of the group'),
  name: text('name'),
  organization: text('reference of the organization'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
});

// Assumed: the fields of a relationship; the change history names the operation alone.
export const GroupRelationship = resource('group relationship', {
  uri: text('canonical reference of the relationship'),
  role: text('member or admin'),
  owner: loose(
    { type: text('kind of the owner'), uri: text('reference of the owner') },
    'who stands in the relationship',
  ),
  organization: text('reference of the organization'),
  group: text('reference of the group'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
});

export const groups = {
  list: operation({
    summary: 'List the groups of the organization',
    method: 'GET',
    path: '/groups',
    scope: 'groups:read',
    query: listQuery({ organization: reference('organizations', 'whose groups') }),
    reply: many(Group),
  }),
  get: operation({
    summary: 'Show a group',
    method: 'GET',
    path: '/groups/{group}',
    scope: 'groups:read',
    reply: one(Group),
  }),
  relationships: operation({
    summary: 'List who is in which group',
    method: 'GET',
    path: '/group_relationships',
    scope: 'groups:read',
    assumed: true,
    query: listQuery({
      organization: z.optional(reference('organizations', 'relationships of the whole organization')),
      owner: z.optional(reference('organization_memberships', 'relationships of one member')),
      group: z.optional(reference('groups', 'relationships of one group')),
    }),
    reply: many(GroupRelationship),
  }),
  relationship: operation({
    summary: 'Show one relationship of a group',
    method: 'GET',
    path: '/group_relationships/{relationship}',
    scope: 'groups:read',
    assumed: true,
    reply: one(GroupRelationship),
  }),
};
