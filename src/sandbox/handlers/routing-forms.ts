import { idIn } from '../../uri.ts';
import { found } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { requireOrganization } from '../rules/access.ts';
import { type Condition, readPage } from '../store/list-page.ts';
import type { RoutingFormRecord, SubmissionRecord } from '../store/records.ts';

// Assumed (routing-forms.visible): all members of the organization can see its forms and their submissions.
export const routingForms: Handlers<'routing-forms'> = {
  list({ query }, { store, caller, asked }) {
    requireOrganization(caller, query.organization);
    const where: Condition[] = [['organization = ?', caller.organization]];
    return readPage<RoutingFormRecord>(store, { from: 'routing_forms', where }, query, asked);
  },

  submissions({ query }, { store, asked }) {
    const form = idIn(query.form);
    found(store.text('routing_forms', form), 'routing form');
    return readPage<SubmissionRecord>(store, { from: 'submissions', where: [['form = ?', form]] }, query, asked);
  },
};
