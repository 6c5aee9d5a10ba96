import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import { actorOf } from '../rules/activity.ts';
import { newSchedule, type Schedule } from '../rules/availability.ts';
import { descriptionOf, newEventType } from '../rules/event-type.ts';
import { wrongZone } from '../rules/local-time.ts';
import { stageOf } from '../rules/subscription.ts';
import { slugOf, timestamp, uri } from '../store/names.ts';
import {
  type EventTypeRecord,
  type GroupRecord,
  type InvitationRecord,
  newInvitation,
  newWebhook,
  type OrganizationRecord,
  type UserRecord,
  type WebhookRecord,
} from '../store/records.ts';
import {
  Draft,
  Names,
  type Path,
  type ReadWhen,
  readPlainTime,
  type WorldEventType,
  type WorldRecords,
  type WorldUser,
  withFields,
} from './draft.ts';
import { eventRows, formRows } from './event-rows.ts';
import { hoursOf } from './hours.ts';
import type {
  ActivityEntry,
  AvailabilityEntry,
  EventTypeEntry,
  GroupEntry,
  InvitationEntry,
  UserEntry,
  WebhookEntry,
  World,
} from './schema.ts';

const checkZone = (draft: Draft, zone: string | undefined, path: Path): string => {
  if (wrongZone(zone).length === 0) return zone ?? 'UTC';
  draft.refuse(path, `"${zone}" is not a time zone. Write one such as Europe/Berlin`);
  return 'UTC';
};

const organizationRow = (draft: Draft, { organization: entry }: World): WorldRecords['organization'] => {
  const id = draft.id(entry, 'organization', ['organization']);
  const plan = entry.plan ?? 'enterprise';
  const record: OrganizationRecord = {
    uri: uri('organizations', id),
    name: entry.name,
    kind: entry.kind ?? 'team',
    plan,
    stage: stageOf(plan),
    ...draft.times(entry, draft.now - 400 * day, ['organization']),
  };
  draft.add('organizations', entry, { id }, record);
  return { id, record };
};

const userRows = (
  draft: Draft,
  records: WorldRecords,
  key: string,
  entry: UserEntry,
  role: WorldUser['role'],
): WorldUser => {
  const path = ['users', key];
  const { organization } = records;
  const id = draft.id(entry, `user/${key}`, path);
  const own = slugOf(entry.name) || slugOf(key) || 'user';
  const { slug = own, timezone, ...fields } = entry;
  const domain = `${slugOf(organization.record.name).split('-')[0] || 'company'}.example`;
  const record: UserRecord = {
    uri: uri('users', id),
    name: entry.name,
    slug,
    email: `${own.replace('-', '.')}@${domain}`,
    scheduling_url: `/book/${slug}`,
    timezone: checkZone(draft, timezone, [...path, 'timezone']),
    avatar_url: `/avatars/${slug}.svg`,
    ...draft.times(entry, Date.parse(organization.record.created_at), path),
    current_organization: organization.record.uri,
    locale: 'en',
    resource_type: 'User',
  };
  withFields(record, fields);
  if (records.users.has(record.email)) draft.refuse(path, `has the email address of another user: ${record.email}`);
  draft.add('users', entry, { id }, record);
  const { membership = {} } = entry;
  const times = draft.times(membership, Date.parse(record.created_at), [...path, 'membership']);
  const joined = { id: draft.id(membership, `membership/${key}`, path), user: id, organization: organization.id };
  if (role !== 'former') draft.add('memberships', membership, { ...joined, role, ...times });
  for (const kind of entry.connected ?? ['google_conference'])
    draft.add('connected_locations', entry, { user: id, kind });
  const user = { id, key, role, record, entry };
  records.users.add(user, key, record.email, entry.name);
  return user;
};

/** The hosts of an event type with the hours written for them. The owner is the first. */
const hostsOf = (draft: Draft, { users }: WorldRecords, owner: WorldUser, entry: EventTypeEntry, path: Path) => {
  const hosts: Array<{ user: WorldUser; hours: AvailabilityEntry; path: Path }> = [
    { user: owner, hours: entry.availability ?? {}, path: [...path, 'availability'] },
  ];
  const given = entry.hosts ?? [];
  const named = Array.isArray(given)
    ? given.map((name, index) => [name, {}, index] as const)
    : Object.entries(given).map(([name, hours]) => [name, hours, name] as const);
  for (const [name, hours, place] of named) {
    const user = draft.find(users, name, [...path, 'hosts', place]);
    if (hosts.some((host) => host.user === user)) draft.refuse([...path, 'hosts', place], 'is listed twice');
    else if (user) hosts.push({ user, hours, path: [...path, 'hosts', place] });
  }
  return hosts;
};

const scheduleOf = (draft: Draft, user: WorldUser, id: string, hours: AvailabilityEntry, path: Path): Schedule => {
  const usual = newSchedule(id, user.record, draft.now);
  const own = user.entry.availability ?? {};
  const inherited = hoursOf(draft, own, usual.rules, ['users', user.key, 'availability']);
  checkZone(draft, hours.timezone, [...path, 'timezone']);
  const { timezone = usual.timezone } = own;
  return withFields({ ...usual, timezone, rules: hoursOf(draft, hours, inherited, path) }, hours);
};

const typeRows = (draft: Draft, records: WorldRecords, owner: WorldUser, slug: string, entry: EventTypeEntry) => {
  const path = ['users', owner.key, 'event_types', slug];
  const id = draft.id(entry, `event-type/${slug}`, path);
  const { created_at, updated_at } = draft.times(entry, Date.parse(owner.record.created_at), path);
  const { seats = 1, pooling = null, deleted_at, ...fields } = entry;
  const type: EventTypeRecord = {
    ...newEventType({
      id,
      name: entry.name,
      slug,
      scheduling_url: `${owner.record.scheduling_url}/${slug}`,
      duration: entry.duration ?? 30,
      owner: owner.record,
      now: Date.parse(created_at),
    }),
    updated_at,
    ...descriptionOf(entry.description_plain ?? undefined),
    kind: seats > 1 ? 'group' : 'solo',
    pooling_type: pooling,
    profile: {
      type: pooling && entry.type !== 'AdhocEventType' ? 'Team' : 'User',
      name: owner.record.name,
      owner: owner.record.uri,
    },
    custom_questions: (entry.questions ?? []).map((question, position) => ({
      enabled: true,
      required: false,
      answer_choices: [],
      include_other: false,
      ...question,
      type: question.type ?? (question.answer_choices?.length ? 'single_select' : 'string'),
      position,
    })),
    deleted_at: draft.timeOrNull(deleted_at, [...path, 'deleted_at']),
    admin_managed: pooling === 'collective',
  };
  withFields(type, fields);
  const places = entry.locations ?? [];
  const hosts = hostsOf(draft, records, owner, entry, path).map(({ user, hours, path: place }) => {
    const scheduleId = draft.id(hours, `schedule/${slug}/${user.key}`, place);
    const { host = {} } = hours;
    const added = {
      id: draft.id(host, `event-type-host/${id}/${user.id}`, [...place, 'host']),
      created_at: draft.times(host, Date.parse(created_at), [...place, 'host']).created_at,
    };
    return { ...user, hours, host, added, schedule: scheduleOf(draft, user, scheduleId, hours, place) };
  });
  const eventType: WorldEventType = { id, type, seats, places, hosts };
  records.types.add(eventType, `${owner.key}/${slug}`, slug, entry.name);
  const addRows = (position: number) => {
    const columns = {
      id,
      organization: records.organization.id,
      position,
      invitee_limit: seats,
      locations: JSON.stringify(places),
      duration_options: JSON.stringify(entry.durations ?? []),
      dates: entry.dates ? JSON.stringify(entry.dates) : null,
    };
    draft.add('event_types', entry, columns, type);
    for (const { id: user, hours, host, added, schedule } of hosts) {
      draft.add('event_type_hosts', host, { event_type: id, user, ...added });
      draft.add('schedules', hours, { id: idIn(schedule.uri), event_type: id, user }, schedule);
    }
  };
  return { eventType, addRows };
};

const groupRows = (draft: Draft, { organization, users }: WorldRecords, name: string, entry: GroupEntry) => {
  const path = ['groups', name];
  const id = draft.id(entry, `group/${name}`, path);
  const times = draft.times(entry, Date.parse(organization.record.created_at), path);
  const group: GroupRecord = { uri: uri('groups', id), name, organization: organization.record.uri, ...times };
  draft.add('groups', entry, { id, organization: organization.id }, group);
  const find = (given: string, ...place: Path) => draft.find(users, given, [...path, ...place]);
  const admins = (entry.admins ?? []).flatMap((each, index) => find(each, 'admins', index) ?? []);
  const members = (entry.members ?? []).flatMap((each, index) => {
    const member = typeof each === 'string' ? { user: each } : each;
    const user = find(member.user, 'members', index, ...(typeof each === 'string' ? [] : ['user']));
    return user ? [{ user, member, place: [...path, 'members', index] }] : [];
  });
  const others = admins.filter((admin) => !members.some(({ user }) => user === admin));
  const all = [
    ...members,
    ...others.map((user) => ({ user, member: {} as { id?: string; created?: string }, place: path })),
  ];
  for (const [index, { user, member, place }] of all.entries()) {
    if (all.findIndex((other) => other.user === user) < index) draft.refuse(place, 'is listed twice');
    // Members join a group after they join the organization.
    const since = Math.max(Date.parse(times.created_at), Date.parse(user.record.created_at)) + index * 60_000;
    const { created_at } = draft.times(member, since, place);
    const relation = { id: draft.id(member, `relationship/${name}/${user.key}`, place), created_at };
    const role = admins.includes(user) ? 'admin' : 'member';
    draft.add('group_members', member, { group: id, user: user.id, ...relation, role });
  }
  return id;
};

const invitationRow = (draft: Draft, records: WorldRecords, entry: InvitationEntry, path: Path) => {
  const id = draft.id(entry, `invitation/${entry.email}`, path);
  const times = draft.times(entry, draft.now, path);
  const { record, id: organization } = records.organization;
  const member = entry.user === undefined ? undefined : draft.find(records.users, entry.user, [...path, 'user']);
  const sent = entry.status === undefined || entry.status === 'pending' ? times.updated_at : times.created_at;
  const { last_sent_at = sent } = entry;
  const invitation: InvitationRecord = {
    ...newInvitation({ id, email: entry.email, organization: record, now: draft.now }),
    status: entry.status ?? 'pending',
    last_sent_at: draft.timeOrNull(last_sent_at, [...path, 'last_sent_at']),
    user: member?.record.uri ?? null,
    ...times,
  };
  draft.add('invitations', entry, { id, organization }, invitation);
};

const webhookRows = (
  draft: Draft,
  { organization }: WorldRecords,
  [scope, owner]: [WebhookRecord['scope'], string],
  entries: readonly WebhookEntry[] | undefined,
  path: Path,
) => {
  for (const [index, entry] of (entries ?? []).entries()) {
    const place = [...path, 'webhooks', index];
    const { url, events, signing_key = null } = entry;
    if (entries!.findIndex((other) => other.url === url) < index) draft.refuse([...place, 'url'], 'is listed twice');
    if (scope !== 'organization' && events.includes('routing_form_submission.created'))
      draft.refuse([...place, 'events'], 'can include routing_form_submission.created only under organization');
    const id = draft.id(entry, `webhook/${url}`, place);
    const times = draft.times(entry, Date.parse(organization.record.created_at), place);
    const webhook: WebhookRecord = {
      ...newWebhook({ id, organization: organization.id, scope, owner, events, url, now: draft.now }),
      state: entry.state ?? 'active',
      retry_started_at: draft.timeOrNull(entry.retry_started_at, [...place, 'retry_started_at']),
      ...times,
    };
    draft.add('webhooks', entry, { id, organization: organization.id, owner, signing_key }, webhook);
  }
};

const activityRow = (draft: Draft, records: WorldRecords, entry: ActivityEntry, index: number) => {
  const path = ['activity', index];
  const id = draft.id(entry, `activity/${index + 1}`, path);
  const user = entry.by === undefined ? undefined : draft.find(records.users, entry.by, [...path, 'by']);
  if (user === undefined && entry.by === undefined && !entry.actor) draft.refuse(path, 'has no user: add by');
  const [namespace, action] = entry.name.split('.');
  const record = {
    uri: uri('activity_log_entries', id),
    organization: records.organization.record.uri,
    action,
    fully_qualified_name: entry.name,
    namespace,
    actor: entry.actor ?? (user && actorOf(user.record, user.role)),
    details: entry.details ?? {},
    occurred_at: timestamp(draft.time(entry.at, draft.now, [...path, 'at'])),
  };
  draft.add('activity', entry, { id, organization: records.organization.id }, record);
};

/** The rows of a world whose clock starts at `now`, what is wrong with it, and its event types, oldest first. */
export const rowsOf = (world: World, now: number, read: ReadWhen = readPlainTime) => {
  const draft = new Draft(now, read);
  const records: WorldRecords = {
    organization: organizationRow(draft, world),
    users: new Names('user'),
    types: new Names('event type'),
  };
  const entries = Object.entries(world.users);
  const hasOwner = entries.some(([, { role }]) => role === 'owner');
  if (entries.length === 0) draft.refuse(['users'], 'must have at least one user');
  const users = entries.map(([key, entry], index) =>
    userRows(draft, records, key, entry, entry.role ?? (index === 0 && !hasOwner ? 'owner' : 'user')),
  );
  if (users.length > 0 && !users.some(({ role }) => role === 'owner'))
    draft.refuse(['users'], 'must have a user with role: owner');
  const types = users.flatMap((user) =>
    Object.entries(user.entry.event_types ?? {}).map(([slug, entry]) => typeRows(draft, records, user, slug, entry)),
  );
  const createdOf = ({ eventType }: (typeof types)[number]) => Date.parse(eventType.type.created_at);
  types.sort((a, b) => createdOf(a) - createdOf(b));
  for (const [position, { addRows }] of types.entries()) addRows(position);
  webhookRows(draft, records, ['organization', records.organization.id], world.organization.webhooks, ['organization']);
  for (const { id, key, entry } of users) webhookRows(draft, records, ['user', id], entry.webhooks, ['users', key]);
  for (const [name, group] of Object.entries(world.groups ?? {}))
    webhookRows(draft, records, ['group', groupRows(draft, records, name, group)], group.webhooks, ['groups', name]);
  const invitees = eventRows(draft, records, world.events ?? []);
  formRows(draft, records, world.forms ?? {}, invitees);
  for (const [index, entry] of (world.invitations ?? []).entries())
    invitationRow(draft, records, entry, ['invitations', index]);
  for (const [index, entry] of (world.activity ?? []).entries()) activityRow(draft, records, entry, index);
  const { rows, problems, needlessIds } = draft;
  return { rows, problems, needlessIds, types: types.map(({ eventType }) => eventType) };
};
