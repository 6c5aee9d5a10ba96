import type { Context } from './handler.ts';
import { timestamp, uri } from './names.ts';
import type { ActivityRecord, UserRecord } from './records.ts';
import type { Store } from './store.ts';

/** Assumed: what is told of an actor, beyond the name. */
export const actorOf = (user: UserRecord, role: string): ActivityRecord['actor'] => ({
  uri: user.uri,
  type: 'User',
  display_name: user.name,
  alternative_identifier: user.email,
  organization: { uri: user.current_organization, role },
});

interface Happening {
  /** `Namespace.Action`; Assumed: these words, and that the two are joined by a dot. */
  name: `${string}.${string}`;
  actor: ActivityRecord['actor'];
  details: Record<string, unknown>;
  at: number;
}

export const writeActivity = (
  store: Store,
  id: string,
  organization: string,
  { name, actor, details, at }: Happening,
) => {
  const [namespace, action] = name.split('.') as [string, string];
  const entry: ActivityRecord = {
    uri: uri.activity(id),
    organization: uri.organization(organization),
    action,
    fully_qualified_name: name,
    namespace,
    actor,
    details,
    occurred_at: timestamp(at),
  };
  store.insert('activity', id, entry, { organization });
};

/** The log counts for itself, so that it takes no IDs away from what is logged. */
export const nextActivityId = (store: Store): string => store.nextId('activity', 'activity_sequence');

/** Writes down what the caller has just done. `details` name records, never the address of an invitee. */
export const logActivity = (
  { store, caller, now }: Context,
  name: Happening['name'],
  details: Record<string, unknown>,
) => {
  const actor = actorOf(store.get<UserRecord>('users', caller.user)!, caller.role);
  writeActivity(store, nextActivityId(store), caller.organization, { name, actor, details, at: now });
};
