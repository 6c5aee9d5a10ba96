import * as z from 'zod/mini';
import { email, list, record } from './field.ts';
import { bare, operations, resource } from './operation.ts';

/**
 * Assumed (compliance.reply): a deletion is answered with `202` and an empty object, and the service does not report
 * when the data is deleted.
 */
const DeletionAccepted = resource('accepted deletion', {});

export const compliance = operations('compliance', 'data_compliance', {
  delete: {
    summary: 'Request deletion of invitee data by email address (Enterprise plan)',
    method: 'POST',
    path: '/data_compliance/invitee_deletion',
    effect: 'deletion',
    plan: 'enterprise',
    // Assumed (compliance.emails): `emails` is required, with at least one address.
    body: record({
      emails: list(email('email address of an invitee'), 'invitees whose data to delete').check(z.minLength(1)),
    }),
    reply: bare(DeletionAccepted, 202),
  },
});
