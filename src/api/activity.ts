import * as z from 'zod';
import { dateTime, listQuery, many, operation, reference, resource, text } from './operation.ts';

// Assumed: the contents of an actor.
const Actor = z.looseObject({
  uri: z.string().optional().describe('reference of the actor'),
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
  actor: Actor.describe('who did it'),
  details: z.looseObject({}).describe('particulars'),
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
        action: z.string().min(1).optional().describe('only entries of this action'),
        namespace: z.string().min(1).optional().describe('only entries of this namespace'),
        min_occurred_at: z.iso.datetime({ offset: true }).optional().describe('entries at or after this time'),
        max_occurred_at: z.iso.datetime({ offset: true }).optional().describe('entries before this time'),
      },
      ['occurred_at'],
    ),
    reply: many(ActivityEntry),
  }),
};
