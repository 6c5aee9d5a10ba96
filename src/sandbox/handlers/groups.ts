import { idIn } from '../../base/uri.ts';
import { detail, invalid, requireFound } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { requireOrganization } from '../rules/access.ts';
import { joinSent } from '../store/list-page.ts';
import { uri } from '../store/names.ts';
import type { GroupRecord } from '../store/records.ts';
import type { Store, Text } from '../store/store.ts';

/**
 * Assumed (groups.owner): the owner of a group relationship is an organization membership, shown with `user`, `name` and
 * `email`.
 */
const relationship = `coalesce(s.doc, json_object('uri', '${uri('group_relationships', '')}' || r.id, 'role', r.role,
  'owner', json_object('type', 'OrganizationMembership', 'uri', '${uri('organization_memberships', '')}' || m.id,
    'user', u.doc ->> 'uri', 'name', u.doc ->> 'name', 'email', u.doc ->> 'email'),
  'organization', '${uri('organizations', '')}' || g.organization, 'group', '${uri('groups', '')}' || r."group",
  'created_at', r.created_at, 'updated_at', r.created_at))`;
const relationshipTables = `group_members r JOIN groups g ON g.id = r."group" LEFT JOIN memberships m ON m.user = r.user
  LEFT JOIN users u ON u.id = r.user ${joinSent('group_members', 'r.id')}`;

const requireGroup = (store: Store, id: string): Text<GroupRecord> =>
  requireFound(store.text<GroupRecord>('groups', id), 'group');

const scopes = ['organization', 'owner', 'group'] as const;

// Assumed (groups.visible): all members of the organization can see its groups and their members.
export const groups: Handlers<'groups'> = {
  list({ query }, { caller }) {
    requireOrganization(caller, query.organization);
    return {
      from: 'groups',
      columns: { name: "(doc ->> 'name')" },
      defaultSort: 'name',
      where: [['organization = ?', caller.organization]],
    };
  },

  get: ({ params }, { store }) => requireGroup(store, params.group),

  relationships({ query }, { store, caller }) {
    const given = scopes.filter((scope) => query[scope] !== undefined);
    const [wrong, code] = given.length === 0 ? [scopes, 'required'] : [given, 'exclusive'];
    if (given.length !== 1)
      throw invalid(
        ...wrong.map((name) => detail(name, 'exactly one of organization, owner and group is required', code)),
      );
    const [group, owner] = [query.group && idIn(query.group), query.owner && idIn(query.owner)];
    if (query.organization !== undefined) requireOrganization(caller, query.organization);
    if (group !== undefined) requireGroup(store, group);
    if (owner !== undefined) requireFound(store.first('SELECT 1 FROM memberships WHERE id = ?', owner), 'membership');
    return {
      from: relationshipTables,
      doc: relationship,
      id: 'r.id',
      columns: { created_at: 'r.created_at' },
      where: [
        ['g.organization = ?', caller.organization],
        ['r."group" = ?', group],
        ['m.id = ?', owner],
      ],
    };
  },

  relationship({ params }, { store }) {
    const row = store.first<{ doc: string }>(
      `SELECT ${relationship} AS doc FROM ${relationshipTables} WHERE r.id = ?`,
      params.relationship,
    );
    return requireFound(row, 'group relationship').doc;
  },
};
