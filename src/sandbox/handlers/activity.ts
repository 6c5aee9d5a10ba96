import type { Handlers } from '../handler.ts';
import { requireAdministrator, requireOrganization } from '../rules/access.ts';
import { type ListQuery, readPage } from '../store/list-page.ts';
import { storedWindow } from '../store/names.ts';
import type { ActivityRecord } from '../store/records.ts';

export const activity: Handlers<'activity'> = {
  list({ query }, { store, caller, asked }) {
    requireOrganization(caller, query.organization);
    requireAdministrator(caller);
    const listing: ListQuery = {
      from: 'activity',
      defaultSort: 'occurred_at:desc',
      where: [
        ['organization = ?', caller.organization],
        ['action = ?', query.action],
        ['namespace = ?', query.namespace],
      ],
      window: storedWindow(query),
    };
    return readPage<ActivityRecord>(store, listing, query, asked);
  },
};
