import { idIn } from '../../uri.ts';
import { notFound } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { requireOrganization } from '../rules/access.ts';
import { type Condition, readPage } from '../store/list-page.ts';
import type { RoutingFormRecord, SubmissionRecord } from '../store/records.ts';

// Assumed (routing-forms.visible): all members of the organization can see its forms and their submissions.
export const routingForms: Handlers<'routing-forms'> = {
  list({ query }, { store, caller, asked }) {
    requireOrganization(caller, query.organization);
    const listing = {
      from: 'routing_forms f',
      doc: 'f.doc',
      id: 'f.id',
      sortable: { created_at: 'f.created_at' },
      defaultSort: 'created_at:asc',
      where: [['f.organization = ?', caller.organization]] satisfies Condition[],
    };
    return readPage<RoutingFormRecord>(store, listing, query, asked);
  },

  submissions({ query }, { store, asked }) {
    const form = idIn(query.form);
    if (!store.get('routing_forms', form)) throw notFound('routing form');
    const listing = {
      from: 'submissions s',
      doc: 's.doc',
      id: 's.id',
      sortable: { created_at: 's.created_at' },
      defaultSort: 'created_at:asc',
      where: [['s.form = ?', form]] satisfies Condition[],
    };
    return readPage<SubmissionRecord>(store, listing, query, asked);
  },
};
