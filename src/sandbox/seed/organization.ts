import { makeId, timestamp, uri } from '../store/names.ts';
import {
  type GroupRecord,
  type InvitationRecord,
  type LocationRecord,
  newInvitation,
  type OrganizationRecord,
  type UserRecord,
} from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { daysBefore, eventTypeId, groupId, groups, type Member, organizationId, team, userId } from './team.ts';

const laterGroups: typeof groups = [
  { name: 'Leadership', members: ['amara', 'jonas', 'priya'] },
  { name: 'Berlin office', members: ['amara', 'jonas'] },
];

const groupAdmins: Record<string, Member> = {
  'Customer team': 'sam',
  'Product team': 'priya',
  Leadership: 'amara',
  'Berlin office': 'jonas',
};

/** In addition to Google Meet, which everyone has. */
const connections: Partial<Record<Member, LocationRecord['kind'][]>> = {
  amara: ['zoom_conference', 'microsoft_teams_conference', 'webex_conference'],
  priya: ['zoom_conference'],
  tomas: ['microsoft_teams_conference', 'gotomeeting_conference'],
  kofi: ['zoom_conference', 'gotomeeting_conference'],
  elif: ['zoom_conference'],
  sam: ['gotomeeting_conference'],
};

const invited: ReadonlyArray<{
  email: string;
  status: InvitationRecord['status'];
  /** Days before today: `made` is when it was created, `last` when it was resent or answered. */
  made: number;
  last?: number;
  member?: Member;
}> = [
  { email: 'lucia.romero@northlight.example', status: 'accepted', made: 192, last: 190, member: 'lucia' },
  { email: 'sam.whitaker@northlight.example', status: 'accepted', made: 163, last: 160, member: 'sam' },
  { email: 'henrik.dahl@northlight.example', status: 'declined', made: 120, last: 117 },
  { email: 'yasmin.farouk@northlight.example', status: 'pending', made: 75, last: 30 },
  { email: 'oluwaseun.adeyemi@northlight.example', status: 'declined', made: 44, last: 43 },
  { email: 'chloe.martin@northlight.example', status: 'pending', made: 21 },
  { email: 'raj.patel@northlight.example', status: 'pending', made: 9, last: 2 },
  { email: 'nadia.petrova@northlight.example', status: 'pending', made: 3 },
];

/** More durations that shares can choose from, in addition to the default one. */
const moreDurations: Record<string, number[]> = { consultation: [15, 45, 60] };

/** Shared event types that an admin manages; collective ones are marked when they are created. */
const adminManaged = ['support-call'];

export const insertGroup = (store: Store, { name, members }: (typeof groups)[number], created_at: string) => {
  const id = groupId(name);
  const group: GroupRecord = {
    uri: uri('groups', id),
    name,
    organization: uri('organizations', organizationId),
    created_at,
    updated_at: created_at,
  };
  store.insert('groups', id, group, { organization: organizationId });
  for (const key of members) store.add('group_members', { group: id, user: userId(key) });
};

const seedGroups = (store: Store, now: number) => {
  for (const [index, group] of laterGroups.entries()) insertGroup(store, group, daysBefore(now, 150 - index * 60));
  for (const { name, members } of [...groups, ...laterGroups]) {
    const id = groupId(name);
    const { created_at } = store.get<GroupRecord>('groups', id)!;
    for (const [index, key] of members.entries()) {
      const user = store.get<UserRecord>('users', userId(key))!;
      // Members join a group after they join the organization.
      const since = Math.max(Date.parse(created_at), Date.parse(user.created_at)) + index * 60_000;
      store.run(
        'UPDATE group_members SET id = ?, role = ?, created_at = ? WHERE "group" = ? AND user = ?',
        makeId(`seed/relationship/${name}/${key}`),
        groupAdmins[name] === key ? 'admin' : 'member',
        timestamp(since),
        id,
        userId(key),
      );
    }
  }
};

const seedInvitations = (store: Store, now: number) => {
  const organization = store.get<OrganizationRecord>('organizations', organizationId)!;
  for (const { email, status, made, last = made, member } of invited) {
    const id = makeId(`seed/invitation/${email}`);
    const [created_at, updated_at] = [daysBefore(now, made), daysBefore(now, last)];
    const invitation: InvitationRecord = {
      ...newInvitation({ id, email, organization, now }),
      status,
      last_sent_at: status === 'pending' ? updated_at : created_at,
      user: member ? uri('users', userId(member)) : null,
      created_at,
      updated_at,
    };
    store.insert('invitations', id, invitation, { organization: organizationId });
  }
};

const completeEventTypes = (store: Store) => {
  const hosts = store.all<{ event_type: string; user: string; created_at: string }>(
    `SELECT h.event_type, h.user, t.created_at FROM event_type_hosts h JOIN event_types t ON t.id = h.event_type
     WHERE h.id IS NULL`,
  );
  for (const { event_type, user, created_at } of hosts)
    store.run(
      'UPDATE event_type_hosts SET id = ?, created_at = ? WHERE event_type = ? AND user = ?',
      makeId(`seed/event-type-host/${event_type}/${user}`),
      created_at,
      event_type,
      user,
    );
  for (const [slug, durations] of Object.entries(moreDurations))
    store.run('UPDATE event_types SET duration_options = ? WHERE id = ?', JSON.stringify(durations), eventTypeId(slug));
  for (const slug of adminManaged)
    store.run(
      "UPDATE event_types SET doc = json_set(doc, '$.admin_managed', json('true')) WHERE id = ?",
      eventTypeId(slug),
    );
};

/** Seeds everything around the events: groups, invitations, connected locations and more event type data. */
export const seedOrganization = (store: Store, now: number) => {
  seedGroups(store, now);
  seedInvitations(store, now);
  completeEventTypes(store);
  for (const { key } of team)
    for (const kind of ['google_conference', ...(connections[key] ?? [])])
      store.add('connected_locations', { user: userId(key), kind });
};
