import * as z from 'zod/mini';
import { email, list, record } from './field.ts';
import { bare, operation, resource } from './operation.ts';

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
    body: record({
      emails: list(email('address of an invitee'), 'whose data is deleted').check(z.minLength(1)),
    }),
    reply: bare(DeletionAccepted, 202),
  }),
};
