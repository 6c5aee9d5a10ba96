import type { Handlers } from '../handler.ts';
import { requireAdministrator } from '../rules/access.ts';
import { logActivity } from '../rules/activity.ts';
import { requestDeletion } from '../rules/deletion.ts';

export const compliance: Handlers<'compliance'> = {
  // Assumed (compliance.who): only admins and the owner can delete invitee data. An unknown address is accepted too, so
  // the reply reveals nothing.
  delete({ body }, context) {
    requireAdministrator(context.caller);
    const emails = [...new Set(body.emails.map((email) => email.toLowerCase()))];
    requestDeletion(context, emails);
    logActivity(context, 'InviteeData.RequestDeletion', { addresses: emails.length });
    return {};
  },
};
