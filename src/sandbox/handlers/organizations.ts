import { conflict, denied, notFound, requireFound } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { chooseOwner, requireAdministrator, requireOrganization, requireSelf } from '../rules/access.ts';
import { logActivity } from '../rules/activity.ts';
import { addNotice } from '../rules/notices.ts';
import { joinSent } from '../store/list-page.ts';
import { uri } from '../store/names.ts';
import { type InvitationRecord, newInvitation, type OrganizationRecord, type UserRecord } from '../store/records.ts';

/** The membership with the current data of its user. */
const membership = `coalesce(s.doc, json_object('uri', '${uri('organization_memberships', '')}' || m.id, 'role', m.role, 'user', json(u.doc),
  'organization', '${uri('organizations', '')}' || m.organization, 'created_at', m.created_at, 'updated_at', m.updated_at))`;
const membershipTables = `memberships m LEFT JOIN users u ON u.id = m.user ${joinSent('memberships', 'm.id')}`;

export const orgs: Handlers<'orgs'> = {
  get({ params }, { store, caller }) {
    // The caller's organization is the only one.
    if (params.organization !== caller.organization) throw notFound('organization');
    return store.text<OrganizationRecord>('organizations', params.organization)!;
  },
};

export const members: Handlers<'members'> = {
  list({ query }, { store, caller }) {
    // Assumed (organizations.own): without `user` and `organization`, the list of memberships has the members of the
    // token's own organization.
    const user = chooseOwner(store, caller, query, { organization: uri('organizations', caller.organization) });
    return {
      from: membershipTables,
      doc: membership,
      id: 'm.id',
      columns: { created_at: 'm.created_at' },
      where: [
        ['m.organization = ?', caller.organization],
        ['m.user = ?', user],
        ['m.role = ?', query.role],
        ["coalesce(u.email, s.doc ->> '$.user.email') = ? COLLATE NOCASE", query.email],
      ],
    };
  },

  get({ params }, { store, caller }) {
    const row = store.first<{ doc: string; user: string }>(
      `SELECT ${membership} AS doc, m.user FROM ${membershipTables} WHERE m.id = ?`,
      params.membership,
    );
    const { doc, user } = requireFound(row, 'membership');
    requireSelf(caller, user, "Only an admin or the owner of the organization can see another user's membership.");
    return doc;
  },

  // Assumed (organizations.removed): a removed member loses access and leaves all groups; events and event types stay.
  // Nobody can remove themselves or the owner (403).
  remove({ params }, context) {
    const { store, caller, now } = context;
    requireAdministrator(caller);
    const row = store.first<{ user: string; role: string }>(
      'SELECT user, role FROM memberships WHERE id = ?',
      params.membership,
    );
    const { user, role } = requireFound(row, 'membership');
    if (user === caller.user) throw denied("You can't remove yourself.");
    if (role === 'owner') throw denied("The owner of the organization can't be removed.");
    store.run('DELETE FROM memberships WHERE id = ?', params.membership);
    store.run('DELETE FROM group_members WHERE user = ?', user);
    const { uri: about, email: to } = store.get<UserRecord>('users', user)!;
    const { name } = store.get<OrganizationRecord>('organizations', caller.organization)!;
    addNotice(store, now, { kind: 'member.removed', to, about, subject: `You were removed from ${name}` });
    logActivity(context, 'OrganizationMembership.Delete', { user: about, role });
    return {};
  },
};

export const invitations: Handlers<'invitations'> = {
  list({ query }, { caller }) {
    requireOrganization(caller, query.organization);
    requireAdministrator(caller);
    return {
      from: 'invitations',
      where: [
        ['organization = ?', caller.organization],
        ['email = ?', query.email],
        ['status = ?', query.status],
      ],
    };
  },

  // Assumed (organizations.invite-twice): inviting a member, or a person with a pending invitation, is refused with 409.
  create({ body }, context) {
    const { store, caller, now } = context;
    requireOrganization(caller, body.organization);
    requireAdministrator(caller);
    const { email } = body;
    const member = `SELECT 1 FROM ${membershipTables} WHERE u.email = ? COLLATE NOCASE`;
    if (store.first(member, email)) throw conflict('This person is already a member.');
    const pending = "SELECT 1 FROM invitations WHERE email = ? AND status = 'pending'";
    if (store.first(pending, email)) throw conflict('This person is already invited.');
    const organization = store.get<OrganizationRecord>('organizations', caller.organization)!;
    if (organization.kind === 'individual')
      throw denied('An individual organization has no members besides its owner.');
    const id = store.nextId('invitation');
    const invitation = newInvitation({ id, email, organization, now });
    store.insert('invitations', id, invitation, { organization: caller.organization });
    const subject = `You are invited to join ${organization.name}`;
    addNotice(store, now, { kind: 'invitation.sent', to: email, about: invitation.uri, subject });
    logActivity(context, 'OrganizationInvitation.Create', { invitation: invitation.uri });
    return invitation;
  },

  // Assumed (organizations.revoke): only a pending invitation can be revoked; another one is refused with 409.
  revoke({ params }, context) {
    const { store, caller } = context;
    requireAdministrator(caller);
    const { uri: invitation, status } = requireFound(
      store.get<InvitationRecord>('invitations', params.invitation),
      'invitation',
    );
    if (status !== 'pending') throw conflict('The invitation was already answered.');
    store.run('DELETE FROM invitations WHERE id = ?', params.invitation);
    logActivity(context, 'OrganizationInvitation.Delete', { invitation });
    return {};
  },
};
