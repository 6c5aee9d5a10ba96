import type { Handlers } from '../handler.ts';
import type { UserRecord } from '../records.ts';

export const users: Handlers<'users'> = {
  me: (_, { store, caller }) => store.get<UserRecord>('users', caller.user)!,
};
