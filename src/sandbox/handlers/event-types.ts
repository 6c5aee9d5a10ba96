import { chooseOwners } from '../access.ts';
import type { Handlers } from '../handler.ts';
import { type Condition, readPage } from '../page.ts';
import type { EventTypeRecord } from '../records.ts';
import { notFound } from '../refusal.ts';

export const eventTypes: Handlers<'event-types'> = {
  list({ query }, { store, caller, asked }) {
    const { user } = chooseOwners(store, caller, query);
    const where: Condition[] = [['t.organization = ?', caller.organization]];
    if (user !== undefined)
      where.push(['EXISTS (SELECT 1 FROM event_type_hosts h WHERE h.event_type = t.id AND h.user = ?)', user]);
    if (query.active !== undefined) where.push(['t.active = ?', Number(query.active)]);
    const listing = {
      from: 'event_types t',
      doc: 't.doc',
      id: 't.id',
      sortable: { name: 't.name', position: 't.position', created_at: 't.created_at', updated_at: 't.updated_at' },
      defaultSort: 'name:asc',
      where,
    };
    return readPage<EventTypeRecord>(store, listing, query, asked);
  },

  get({ params }, { store, caller }) {
    // Assumed: everybody in the organization may read its event types.
    const [row] = store.all<{ doc: string }>(
      'SELECT doc FROM event_types WHERE id = ? AND organization = ?',
      params.event_type,
      caller.organization,
    );
    if (!row) throw notFound('event type');
    return JSON.parse(row.doc) as EventTypeRecord;
  },
};
