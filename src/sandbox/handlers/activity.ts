import type { Handlers } from '../handler.ts';
import { requireAdministrator, requireOrganization } from '../rules/access.ts';

export const activity: Handlers<'activity'> = {
  list({ query }, { caller }) {
    requireOrganization(caller, query.organization);
    requireAdministrator(caller);
    return {
      from: 'activity',
      defaultSort: 'occurred_at:desc',
      where: [
        ['organization = ?', caller.organization],
        ['action = ?', query.action],
        ['namespace = ?', query.namespace],
      ],
    };
  },
};
