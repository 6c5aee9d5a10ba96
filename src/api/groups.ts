import * as z from 'zod/mini';
import { dateTime, loose, reference, text } from './field.ts';
import { operations, readMany, readOne, resource } from './operation.ts';

export const Group = resource('group', {
  uri: text('URI of the group'),
  name: text('name'),
  organization: text('URI of the organization'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
});

// Assumed (groups.relationship): a group relationship has `uri`, `role`, `owner` (with `type` and `uri`),
// `organization`, `group`, `created_at` and `updated_at`. Its `role` is `member` or `admin`. The change history only
// names the operation.
const GroupRelationship = resource('group relationship', {
  uri: text('URI of the relationship'),
  role: text('member or admin'),
  owner: loose({ type: text('kind of owner'), uri: text('URI of the owner') }, 'member in this relationship'),
  organization: text('URI of the organization'),
  group: text('URI of the group'),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
});

export const groups = operations('groups', 'groups', {
  list: readMany(Group, {
    summary: 'List groups in the organization',
    path: '/groups',
    // Assumed (groups.organization): `organization` is required to list groups.
    filters: { organization: reference('organizations', 'organization whose groups to list') },
  }),
  get: readOne('Show a group', '/groups/{group}', Group),
  // Assumed (groups.relationship-paths): group relationships are at `GET /group_relationships`, filtered by
  // `organization`, `owner` or `group`, and one of them at `GET /group_relationships/{relationship}`.
  relationships: readMany(GroupRelationship, {
    summary: 'List group relationships (who is in which group)',
    path: '/group_relationships',
    assumed: true,
    filters: {
      organization: z.optional(reference('organizations', 'relationships in the whole organization')),
      owner: z.optional(reference('organization_memberships', 'only relationships of this member')),
      group: z.optional(reference('groups', 'only relationships of this group')),
    },
  }),
  relationship: {
    ...readOne('Show a group relationship', '/group_relationships/{relationship}', GroupRelationship),
    assumed: true,
  },
});
