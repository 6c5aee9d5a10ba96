import { idIn } from '../../base/uri.ts';
import { denied, detail, invalid, requireFound } from '../error-replies.ts';
import type { Caller } from '../handler.ts';
import type { EventRecord } from '../store/records.ts';
import type { Store, Text } from '../store/store.ts';

const isAdministrator = ({ role }: Caller) => role !== 'user';

interface Owners {
  user?: string | undefined;
  organization?: string | undefined;
}

/**
 * The ID of the user whose records are listed, or undefined for all of the organization, after checking that the caller
 * may see them. `fallback` is used if the request names neither.
 * Assumed (paging.owners): in lists, `user` alone works only for the caller; another user needs `organization` too, and
 * an admin or owner. Where neither has a default, one of them is required.
 */
export const chooseOwner = (
  store: Store,
  caller: Caller,
  owners: Owners,
  fallback: Owners = {},
): string | undefined => {
  const query = owners.user === undefined && owners.organization === undefined ? fallback : owners;
  if (query.user === undefined && query.organization === undefined)
    throw invalid(
      ...['user', 'organization'].map((name) => detail(name, 'user or organization is required', 'required')),
    );
  const user = query.user && idIn(query.user);
  if (query.organization !== undefined) requireOrganization(caller, query.organization);
  if (user === caller.user) return user;
  if (query.organization === undefined) throw denied("To read another user's records, send organization too.");
  requireAdministrator(caller);
  if (user !== undefined) requireFound(store.text('users', user), 'user');
  return user;
};

export const requireAdministrator = (caller: Caller) => {
  if (!isAdministrator(caller)) throw denied('Only an admin or the owner of the organization can do this.');
};

/** Whether the caller is this user, or an admin or the owner of the organization. */
export const isSelf = (caller: Caller, user: string): boolean => user === caller.user || isAdministrator(caller);

/** Allows the user themselves, and the admins and owner of the organization. */
export const requireSelf = (
  caller: Caller,
  user: string,
  refusal = 'Only an admin or the owner of the organization can do this for another user.',
) => {
  if (!isSelf(caller, user)) throw denied(refusal);
};

/** For lists that require the `organization` parameter. */
export const requireOrganization = (caller: Caller, organization: string) => {
  if (idIn(organization) !== caller.organization) throw denied("You don't belong to this organization.");
};

/**
 * Assumed (events.who): an event can be read and changed by its hosts, and by the admins and the owner of their
 * organization.
 */
export const requireEvent = (store: Store, caller: Caller, id: string): Text<EventRecord> => {
  const event = requireFound(store.text<EventRecord>('events', id), 'event');
  const isHost = () => store.first('SELECT 1 FROM event_hosts WHERE event = ? AND user = ?', id, caller.user);
  if (!isAdministrator(caller) && !isHost()) throw denied("You don't host this event.");
  return event;
};
