import * as z from 'zod/mini';
import { dateTime, described, loose, reference, text, word } from './field.ts';
import { listQuery, many, operation, resource } from './operation.ts';

// Assumed: the contents of an actor.
const Actor = z.looseObject({
  uri: z.optional(text('reference of the actor')),
  type: text('kind of actor'),
  display_name: text('name of the actor'),
  alternative_identifier: text('e-mail address of the actor'),
});

export const ActivityEntry = resource('activity entry', {
  uri: text('canonical reference of the entry'),
  organization: text('reference of the organization'),
  action: text('what was done'),
  fully_qualified_name: text('namespace and action in one word'),
  namespace: text('what it was done to'),
  actor: described(Actor, 'who did it'),
  details: loose({}, 'particulars'),
  occurred_at: dateTime('when it happened'),
});

export const activity = {
  list: operation({
    summary: 'List what happened in the organization',
    method: 'GET',
    path: '/activity_log_entries',
    scope: 'activity_log:read',
    plan: 'enterprise',
    query: listQuery(
      {
        organization: reference('organizations', 'whose log'),
        // Assumed: these four filters.
        action: z.optional(word('only entries of this action')),
        namespace: z.optional(word('only entries of this namespace')),
        min_occurred_at: z.optional(dateTime('entries at or after this time')),
        max_occurred_at: z.optional(dateTime('entries before this time')),
      },
      ['occurred_at'],
    ),
    reply: many(ActivityEntry),
  }),
};
