import { requireFound } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import type { UserRecord } from '../store/records.ts';

export const users: Handlers<'users'> = {
  me: (_, { store, caller }) => store.text<UserRecord>('users', caller.user)!,

  // Assumed (users.visible): members of an organization can see each other, as hosts of the same event type already do.
  get: ({ params }, { store }) => requireFound(store.text<UserRecord>('users', params.user), 'user'),
};
