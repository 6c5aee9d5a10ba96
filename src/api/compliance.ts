import * as z from 'zod';
import { bare, email, operation, resource } from './operation.ts';

/** Assumed: 202 with an empty object; deletion follows within days, and nothing tells when it is done. */
export const DeletionAccepted = resource('accepted deletion', {});

export const compliance = {
  delete: operation({
    summary: 'Ask for the deletion of all data of invitees',
    method: 'POST',
    path: '/data_compliance/invitee_deletion',
    effect: 'deletion',
    scope: 'data_compliance:write',
    plan: 'enterprise',
    body: z.strictObject({
      emails: z.array(email('address of an invitee')).min(1).describe('whose data is deleted'),
    }),
    reply: bare(DeletionAccepted, 202),
  }),
};
