import type { Handlers } from '../handler.ts';
import { requireAdministrator, requireOrganization } from '../rules/access.ts';
import { type Condition, readPage } from '../store/list-page.ts';
import { storedWindow } from '../store/names.ts';
import type { ActivityRecord } from '../store/records.ts';

export const activity: Handlers<'activity'> = {
  list({ query }, { store, caller, asked }) {
    requireOrganization(caller, query.organization);
    requireAdministrator(caller);
    const where: Condition[] = [['a.organization = ?', caller.organization]];
    if (query.action !== undefined) where.push(['a.action = ?', query.action]);
    if (query.namespace !== undefined) where.push(['a.namespace = ?', query.namespace]);
    const listing = {
      from: 'activity a',
      doc: 'a.doc',
      id: 'a.id',
      sortable: { occurred_at: 'a.occurred_at' },
      defaultSort: 'occurred_at:desc',
      where,
      window: storedWindow(query),
    };
    return readPage<ActivityRecord>(store, listing, query, asked);
  },
};
