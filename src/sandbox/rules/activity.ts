import type { ChangeContext } from '../handler.ts';
import { timestamp, uri } from '../store/names.ts';
import type { ActivityRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/**
 * Assumed (activity.user): an actor of type `User` has an email address as `alternative_identifier`, and an
 * `organization` with `uri` and `role`.
 */
export const actorOf = (user: UserRecord, role: string): ActivityRecord['actor'] => ({
  uri: user.uri,
  type: 'User',
  display_name: user.name,
  alternative_identifier: user.email,
  organization: { uri: user.current_organization, role },
});

interface NewEntry {
  /**
   * `Namespace.Action`. Assumed (activity.names): `fully_qualified_name` is the namespace and the action with a dot
   * between them, such as `ScheduledEvent.Cancel`.
   */
  name: `${string}.${string}`;
  actor: ActivityRecord['actor'];
  details: Record<string, unknown>;
  at: number;
}

export const writeActivity = (
  store: Store,
  id: string,
  organization: string,
  { name, actor, details, at }: NewEntry,
) => {
  const [namespace, action] = name.split('.') as [string, string];
  const entry: ActivityRecord = {
    uri: uri('activity_log_entries', id),
    organization: uri('organizations', organization),
    action,
    fully_qualified_name: name,
    namespace,
    actor,
    details,
    occurred_at: timestamp(at),
  };
  store.insert('activity', id, entry, { organization });
};

/** The log has its own counter, so that logging doesn't change the IDs of other records. */
export const nextActivityId = (store: Store): string => store.nextId('activity', 'activity_sequence');

/** Logs an action of the caller. `details` refer to records and never contain an invitee's address. */
export const logActivity = (
  { store, caller: { user, organization }, now }: ChangeContext,
  name: NewEntry['name'],
  details: Record<string, unknown>,
) => {
  // The owner of an event type that is booked on a page may have left the organization.
  const member = store.first<{ role: string }>('SELECT role FROM memberships WHERE user = ?', user);
  const actor = actorOf(store.get<UserRecord>('users', user)!, member?.role ?? 'user');
  writeActivity(store, nextActivityId(store), organization, { name, actor, details, at: now });
};
