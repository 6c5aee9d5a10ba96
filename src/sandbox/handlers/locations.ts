import { locationKinds } from '../../api/locations.ts';
import { idIn } from '../../base/uri.ts';
import { requireFound } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { requireSelf } from '../rules/access.ts';
import { sentRecords } from '../store/list-page.ts';

/**
 * Assumed (locations.connectable): only online meeting providers can be connected, so only they are listed, connected
 * or not.
 */
const providers = locationKinds.filter((kind) => kind.endsWith('_conference'));

export const locations: Handlers<'locations'> = {
  list({ query }, { store, caller }) {
    const user = query.user === undefined ? caller.user : idIn(query.user);
    requireSelf(caller, user, "Only an admin or the owner of the organization can see another user's locations.");
    requireFound(store.text('users', user), 'user');
    const sent = sentRecords(store, 'locations', user);
    if (sent !== undefined) return sent;
    const connected = store
      .all<{ kind: string }>('SELECT kind FROM connected_locations WHERE user = ?', user)
      .map(({ kind }) => kind);
    return providers.map((kind) => ({ kind, connected: connected.includes(kind) }));
  },
};
