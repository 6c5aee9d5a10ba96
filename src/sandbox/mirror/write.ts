import { hash } from 'node:crypto';
import { isObject, type Json, jsonText, parseJson, recordsIn } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { noteUnclean } from '../rules/forgotten-texts.ts';
import type { SqlValue } from '../store/database.ts';
import { timestamp } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import type { Forgetter } from './forget.ts';
import type { MirrorFacts } from './open.ts';

/*
 * Records of the service as rows. A record is stored as it came, so that unknown fields stay; columns have what filters
 * and rules need. All functions run inside a transaction of their caller.
 */

export interface Writing extends Forgetter {
  store: Store;
  facts: MirrorFacts;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const idOf = (value: unknown): string => idIn(textOf(value));

const timeOf = (value: unknown): number => {
  const time = Date.parse(textOf(value));
  return Number.isNaN(time) ? 0 : time;
};

const put = ({ store }: Pick<Writing, 'store'>, table: string, row: Record<string, SqlValue>): void =>
  store.add(table, row, 'REPLACE');

/** Keeps the order of the service if it isn't that of these keys, by which a mirror lists records. */
const keepOrder = (
  writing: Pick<Writing, 'store'>,
  kind: string,
  records: readonly Json[],
  keyOf: (record: Json) => string,
): void => {
  const keys = records.map(keyOf);
  const isUsual = keys.every((key, index) => index === 0 || keys[index - 1]! < key);
  for (const [rank, { uri }] of records.entries())
    if (isUsual) writing.store.run('DELETE FROM sent WHERE kind = ? AND id = ?', kind, idOf(uri));
    else put(writing, 'sent', { kind, id: idOf(uri), doc: null, rank });
};

/**
 * Replaces the rows of a table, or those with a value in a column. Ranks keep the order of the service. Records that are
 * put together from columns have no `doc` of their own.
 */
const replace = (
  writing: Writing,
  table: string,
  records: readonly Json[],
  columnsOf: (record: Json) => Record<string, SqlValue>,
  [column, ...values]: readonly [column: string, value: string] | readonly [] = [],
  isPutTogether = false,
): void => {
  const { store } = writing;
  const condition = column === undefined ? '' : ` WHERE ${column} = ?`;
  store.run(`DELETE FROM sent WHERE kind = '${table}' AND id IN (SELECT id FROM ${table}${condition})`, ...values);
  store.run(`DELETE FROM ${table}${condition}`, ...values);
  for (const [rank, record] of records.map(writing.clean).entries()) {
    const row = { id: idOf(record.uri), ...columnsOf(record) };
    const doc = jsonText(record);
    put(writing, table, isPutTogether ? row : { ...row, doc });
    put(writing, 'sent', { kind: table, id: row.id, doc: isPutTogether ? doc : null, rank });
  }
};

/** Users that a list shows inside its records: those that have all fields of a user. */
const putUser = (writing: Writing, user: unknown): void => {
  const own = writing.store.text<Json>('users', idIn(writing.facts.user));
  if (!isObject(user) || own === undefined) return;
  if (Object.keys(JSON.parse(own)).every((name) => name in user))
    put(writing, 'users', { id: idOf(user.uri), doc: jsonText(user) });
};

const role = (value: unknown, roles: readonly string[]): string => roles.find((role) => role === value) ?? roles[0]!;

type Write = (writing: Writing, records: readonly Json[], about: string) => void;

const organizationIn = ({ facts }: Writing): string => idIn(facts.organization);

const ofOrganization =
  (table: string): Write =>
  (writing, records) =>
    replace(writing, table, records, () => ({ organization: organizationIn(writing) }));

const setMembers: Write = (writing, records) => {
  const columns = ({ user, role: is, created_at, updated_at }: Json) => {
    putUser(writing, user);
    return {
      user: idOf(isObject(user) ? user.uri : user),
      organization: organizationIn(writing),
      role: role(is, ['user', 'admin', 'owner']),
      created_at: textOf(created_at),
      updated_at: textOf(updated_at),
    };
  };
  replace(writing, 'memberships', records, columns, [], true);
};

const setRelationships: Write = (writing, records) => {
  const columns = ({ uri, group, owner, role: is, created_at }: Json) => {
    const { uri: membership, user } = isObject(owner) ? owner : {};
    if (typeof user === 'string' && typeof membership === 'string')
      writing.store.run(
        "INSERT OR IGNORE INTO memberships (id, user, organization, role, created_at, updated_at) VALUES (?, ?, ?, 'user', '', '')",
        ...[idIn(membership), idIn(user), organizationIn(writing)],
      );
    const known = role(is, ['member', 'admin']);
    return { group: idOf(group), user: idOf(user) || idOf(uri), role: known, created_at: textOf(created_at) };
  };
  replace(writing, 'group_members', records, columns, [], true);
};

const setEventTypes: Write = (writing, records) => {
  const organization = organizationIn(writing);
  replace(writing, 'event_types', records, () => ({ organization, position: 0, invitee_limit: 1, locations: '[]' }));
  // The list of a user has the event types of that user, whatever their hosts are.
  if (writing.facts.role !== 'user') return;
  const user = idIn(writing.facts.user);
  for (const { uri } of records)
    put(writing, 'event_type_hosts', { event_type: idOf(uri), user, id: null, created_at: '' });
};

const setHosts: Write = (writing, records, about) => {
  const columns = ({ member, user, created_at }: Json) => {
    putUser(writing, member);
    const host = isObject(member) ? member.uri : user;
    return { event_type: about, user: idOf(host), created_at: textOf(created_at) };
  };
  replace(writing, 'event_type_hosts', records, columns, ['event_type', about], true);
};

const setSchedules: Write = (writing, records, about) => {
  const columns = ({ user, uri }: Json) => {
    const host = idOf(user) || idOf(uri);
    // Some services show schedules without a URI.
    return { id: idOf(uri) || `${about}-${host}`, event_type: about, user: host };
  };
  replace(writing, 'schedules', records, columns, ['event_type', about]);
};

/** Lists that are answered as they came. */
const setWhole =
  (kind: string): Write =>
  (writing, records, about) =>
    put(writing, 'sent', { kind, id: about, doc: jsonText(records.map(writing.clean)), rank: 0 });

const setUser: Write = (writing, [user]) => put(writing, 'users', { id: idOf(user!.uri), doc: jsonText(user) });

/** How each list is stored, by the name of its operation. */
export const writers: Readonly<Record<string, Write>> = {
  'users.me': setUser,
  'users.get': setUser,
  'orgs.get': (writing, records) => replace(writing, 'organizations', records, () => ({})),
  'members.list': setMembers,
  'invitations.list': ofOrganization('invitations'),
  'groups.list': ofOrganization('groups'),
  'groups.relationships': setRelationships,
  'event-types.list': setEventTypes,
  'event-types.hosts': setHosts,
  'availability.list': setSchedules,
  'availability.list-user': setWhole('user_schedules'),
  'locations.list': setWhole('locations'),
  'routing-forms.list': ofOrganization('routing_forms'),
  'routing-forms.submissions': (writing, records, about) =>
    replace(writing, 'submissions', records, () => ({ form: about }), ['form', about]),
};

/** Entries of the activity log, newest first. They are never changed, so they are only added. */
export const addActivity = (writing: Writing, records: readonly Json[]): void => {
  for (const record of records.map(writing.clean))
    put(writing, 'activity', {
      id: idOf(record.uri),
      doc: jsonText(record),
      organization: organizationIn(writing),
      occurred_at: timestamp(timeOf(record.occurred_at)),
    });
};

/** Notes that a list was read, or that the service refused it. */
export const noteList = (
  { store }: Pick<Writing, 'store'>,
  list: string,
  at: number,
  count: number,
  refusal?: { status: number; body: string },
): void => {
  const { status = null, body = null } = refusal ?? {};
  put({ store }, 'mirror_lists', { list, read_at: at, count, status, refusal: body });
};

/** Notes that a list was refused, or that it no longer is. */
export const noteRefusal = (
  writing: Pick<Writing, 'store'>,
  list: string,
  at: number,
  refusal: { status: number; body: string } | undefined,
): void => {
  if (refusal !== undefined) noteList(writing, list, at, 0, refusal);
  else writing.store.run('DELETE FROM mirror_lists WHERE list = ?', list);
};

const digestOf = (event: Json): string => hash('sha256', jsonText(event), 'base64url').slice(0, 22);

const setEvent = (writing: Writing, id: string, event: Json): void => {
  const { store, facts } = writing;
  const start_time = timestamp(timeOf(event.start_time));
  put(writing, 'events', {
    id,
    doc: jsonText(writing.clean(event)),
    organization: organizationIn(writing),
    event_type: idOf(event.event_type),
    start_time,
    end_time: timestamp(timeOf(event.end_time)),
  });
  const hosts = recordsIn(event.event_memberships).map(({ user }) => idOf(user));
  const own = facts.role === 'user' ? [idIn(facts.user)] : [];
  store.run('DELETE FROM event_hosts WHERE event = ?', id);
  for (const user of new Set([...hosts, ...own])) store.add('event_hosts', { user, start_time, event: id });
};

/** Stores events of a page that are new or have changed, and notes that the list shows all of them. */
export const putEvents = (writing: Writing, events: readonly Json[], pass: number): void => {
  for (const event of events) {
    const id = idOf(event.uri);
    const digest = digestOf(event);
    const known = writing.store.first<{ digest: string }>('SELECT digest FROM mirror_events WHERE event = ?', id);
    if (known?.digest !== digest) setEvent(writing, id, event);
    writing.store.run(
      `INSERT INTO mirror_events (event, digest, pass, ends) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET digest = excluded.digest, pass = excluded.pass, ends = excluded.ends`,
      id,
      digest,
      pass,
      timeOf(event.end_time),
    );
  }
};

/** Keeps the order of events that start at the same time. */
export const rankTies = (writing: Writing, events: readonly Json[]): void =>
  keepOrder(writing, 'events', events, ({ uri }) => idOf(uri));

const removeInvitees = (store: Store, event: string): void => {
  store.run("DELETE FROM sent WHERE kind = 'invitees' AND id IN (SELECT id FROM invitees WHERE event = ?)", event);
  store.run('DELETE FROM invitees WHERE event = ?', event);
};

export const removeEvent = (store: Store, id: string): void => {
  removeInvitees(store, id);
  store.run("DELETE FROM sent WHERE kind = 'events' AND id = ?", id);
  for (const table of ['event_hosts', 'mirror_events']) store.run(`DELETE FROM ${table} WHERE event = ?`, id);
  store.run('DELETE FROM events WHERE id = ?', id);
};

/** Replaces the invitees of an event. `digest` is that of the event when its list was asked for. */
export const putInvitees = (
  writing: Writing,
  event: string,
  records: readonly Json[],
  read: { digest: string; at: number; isShort: boolean },
): void => {
  const { store } = writing;
  const text = store.text<Json>('events', event);
  if (text === undefined) return;
  const cleaned = writing.cleanList(records, parseJson(text) as Json);
  const doc = jsonText(cleaned.event);
  if (doc !== text) {
    // The name of somebody who is forgotten was in the event, and may be left in free space.
    store.run('UPDATE events SET doc = ? WHERE id = ?', doc, event);
    noteUnclean(store);
  }
  removeInvitees(store, event);
  for (const invitee of cleaned.invitees)
    put(writing, 'invitees', { id: idOf(invitee.uri), doc: jsonText(invitee), event });
  keepOrder(writing, 'invitees', records, ({ created_at, uri }) => `${textOf(created_at)} ${idOf(uri)}`);
  const sql = 'UPDATE mirror_events SET read_digest = ?, read_at = ?, is_short = ? WHERE event = ?';
  store.run(sql, read.digest, read.at, Number(read.isShort), event);
};
