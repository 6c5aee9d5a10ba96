import * as z from 'zod/mini';
import { dateTime, described, loose, reference, text, word } from './field.ts';
import { operations, readMany, resource } from './operation.ts';

// Assumed (activity.actor): an actor has `type`, `display_name`, `alternative_identifier` and sometimes `uri`.
const Actor = z.looseObject({
  uri: z.optional(text('URI of the actor')),
  type: text('kind of actor'),
  display_name: text('name of the actor'),
  alternative_identifier: text('email address of the actor'),
});

export const ActivityEntry = resource('activity entry', {
  uri: text('URI of the entry'),
  organization: text('URI of the organization'),
  action: text('action performed'),
  fully_qualified_name: text('namespace and action combined'),
  namespace: text('kind of record affected'),
  actor: described(Actor, 'user or system that performed it'),
  details: loose({}, 'details of the action'),
  occurred_at: dateTime('when it happened'),
});

export const activity = operations('activity', 'activity_log', {
  list: readMany(ActivityEntry, {
    summary: 'List activity log entries',
    path: '/activity_log_entries',
    plan: 'enterprise',
    filters: {
      // Assumed (activity.organization): `organization` is required to list activity log entries.
      organization: reference('organizations', 'organization whose entries to list'),
      // Assumed (activity.filters): entries can be filtered by `action`, `namespace`, `min_occurred_at` (inclusive)
      // and `max_occurred_at` (exclusive).
      action: z.optional(word('only entries with this action')),
      namespace: z.optional(word('only entries in this namespace')),
      min_occurred_at: z.optional(dateTime('only entries at or after this time')),
      max_occurred_at: z.optional(dateTime('only entries before this time')),
    },
    // Assumed (activity.sort): activity log entries can be sorted by time only: `sort=occurred_at`.
    sortedBy: ['occurred_at'],
  }),
});
