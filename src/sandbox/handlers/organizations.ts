import { found, notFound } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { chooseOwner, requireAdministrator, requireOrganization, requireSelf } from '../rules/access.ts';
import { type Condition, type ListQuery, readPage } from '../store/list-page.ts';
import { uri } from '../store/names.ts';
import type { InvitationRecord, OrganizationRecord } from '../store/records.ts';

/** The membership with the current data of its user. */
const membership = `json_object('uri', '${uri('organization_memberships', '')}' || m.id, 'role', m.role, 'user', json(u.doc),
  'organization', '${uri('organizations', '')}' || m.organization, 'created_at', m.created_at, 'updated_at', m.updated_at)`;
const membershipTables = 'memberships m JOIN users u ON u.id = m.user';

export const orgs: Handlers<'orgs'> = {
  get({ params }, { store, caller }) {
    // The caller's organization is the only one.
    if (params.organization !== caller.organization) throw notFound('organization');
    return store.text<OrganizationRecord>('organizations', params.organization)!;
  },
};

export const members: Handlers<'members'> = {
  list({ query }, { store, caller, asked }) {
    // Assumed (organizations.own): without `user` and `organization`, the list of memberships has the members of the
    // token's own organization.
    const user = chooseOwner(store, caller, query, { organization: uri('organizations', caller.organization) });
    const listing: ListQuery = {
      from: membershipTables,
      doc: membership,
      id: 'm.id',
      columns: { created_at: 'm.created_at' },
      where: [
        ['m.organization = ?', caller.organization],
        ['m.user = ?', user],
        ['m.role = ?', query.role],
        ['u.email = ? COLLATE NOCASE', query.email],
      ],
    };
    return readPage(store, listing, query, asked);
  },

  get({ params }, { store, caller }) {
    const row = store.first<{ doc: string; user: string }>(
      `SELECT ${membership} AS doc, m.user FROM ${membershipTables} WHERE m.id = ? AND m.organization = ?`,
      params.membership,
      caller.organization,
    );
    const { doc, user } = found(row, 'membership');
    requireSelf(caller, user, "Only an admin or the owner of the organization can see another user's membership.");
    return doc;
  },
};

export const invitations: Handlers<'invitations'> = {
  list({ query }, { store, caller, asked }) {
    requireOrganization(caller, query.organization);
    requireAdministrator(caller);
    const where: Condition[] = [
      ['organization = ?', caller.organization],
      ['email = ?', query.email],
      ['status = ?', query.status],
    ];
    return readPage<InvitationRecord>(store, { from: 'invitations', where }, query, asked);
  },
};
