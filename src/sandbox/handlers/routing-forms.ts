import { idIn } from '../../base/uri.ts';
import { requireFound } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { requireOrganization } from '../rules/access.ts';

// Assumed (routing-forms.visible): all members of the organization can see its forms and their submissions.
export const routingForms: Handlers<'routing-forms'> = {
  list({ query }, { caller }) {
    requireOrganization(caller, query.organization);
    return { from: 'routing_forms', where: [['organization = ?', caller.organization]] };
  },

  submissions({ query }, { store }) {
    const form = idIn(query.form);
    requireFound(store.text('routing_forms', form), 'routing form');
    return { from: 'submissions', where: [['form = ?', form]] };
  },
};
