import { isDeepStrictEqual } from 'node:util';
import { idIn } from '../../base/uri.ts';
import { rulesTexts, ruleText } from '../../time/availability-rules.ts';
import type { Rule, Schedule } from '../rules/availability.ts';
import type { SqlValue } from '../store/database.ts';
import { slugOf } from '../store/names.ts';
import type {
  ActivityRecord,
  EventRecord,
  EventTypeRecord,
  GroupRecord,
  InvitationRecord,
  InviteeRecord,
  OrganizationRecord,
  RoutingFormRecord,
  SubmissionRecord,
  UserRecord,
  WebhookRecord,
} from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { Draft, type Row, readPlainTime } from './draft.ts';
import { hoursOf } from './hours.ts';
import { rowsOf } from './rows.ts';
import type { AvailabilityEntry, EventEntry, EventTypeEntry, InviteeEntry, WebhookEntry, World } from './schema.ts';

/** What an exported world doesn't have. */
export const leftOut = 'logins, tokens, signing keys, shares, deliveries, due deletions and rate windows';

/** Without the milliseconds that most times don't have. */
const time = (stored: string): string => stored.replace('.000Z', 'Z');

const stamp = (doc: { uri: string; created_at: string }) => ({ id: idIn(doc.uri), created: time(doc.created_at) });

const isEmpty = (value: unknown): boolean => isDeepStrictEqual(value, {}) || isDeepStrictEqual(value, []);

/** The entry without fields that have no value. */
const compact = <Entry extends object>(entry: Entry): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined && !isEmpty(value))) as Entry;

/** The first of `name`, `name-2`, `name-3` … that is free. */
const freeName = (name: string, taken: object): string => {
  let free = name;
  for (let number = 2; Object.hasOwn(taken, free); number++) free = `${name}-${number}`;
  return free;
};

/** The hours of a schedule as people write them, or as its rules if that would change them. */
const hoursEntry = ({ rules, timezone }: Schedule): AvailabilityEntry => {
  const dates = rules.filter((rule) => rule.type === 'date').map((rule) => [rule.date, ruleText(rule).slice(11)]);
  const hours = rulesTexts({ rules: rules.filter(({ type }) => type === 'wday') });
  const entry = { timezone, hours, ...(dates.length > 0 ? { dates: Object.fromEntries(dates) } : {}) };
  const isSame = isDeepStrictEqual(hoursOf(new Draft(0, readPlainTime), entry, [], []), rules);
  return isSame ? entry : { timezone, rules: rules as Rule[] };
};

/** Without what most questions don't have. */
const questionEntry = <Question extends object>(question: Question): Question => {
  const given = Object.entries(question).filter(([name, value]) => value !== null && value !== (name === 'enabled'));
  return compact(Object.fromEntries(given) as Question);
};

/** Answers by question, or as they are if they don't fit the questions any more. */
const answersEntry = <Answer extends { question: string; answer: string }>(
  given: Answer[],
  answerTo: (question: string, answer: string) => unknown,
) => {
  const answers = Object.fromEntries(given.map(({ question, answer }) => [question, answer]));
  const read = Object.entries(answers).map(([question, answer]) => answerTo(question, answer));
  return isDeepStrictEqual(read, given) ? { answers } : { questions_and_answers: given };
};

/** What the table of event types has beside the record. */
interface EventTypeColumns {
  id: string;
  invitee_limit: number;
  locations: string;
  duration_options: string;
  dates: string | null;
}

/** Reads the records of a store as entries of a world, each with its ID and the time it was created. */
const entriesIn = (store: Store): World => {
  const keys = new Map<string, string>();
  const keyOf = (uri: string) => keys.get(idIn(uri))!;
  const types = new Map<string, { name: string; seats: number; type: EventTypeRecord }>();
  const typeOf = (uri: string) => types.get(idIn(uri))!;

  /** The records of a table in the order in which they were added. */
  const docs = <Doc, Columns = object>(table: string, where = '1', ...params: SqlValue[]) =>
    store
      .all<Columns & { doc: string }>(`SELECT * FROM ${table} WHERE ${where} ORDER BY rowid`, ...params)
      .map((row) => ({ ...row, doc: JSON.parse(row.doc) as Doc }));

  const webhooksOf = (owner: string) =>
    docs<WebhookRecord>('webhooks', 'owner = ? AND pid IS NULL', owner).map(({ doc }) =>
      compact({
        url: doc.callback_url,
        events: doc.events as WebhookEntry['events'],
        state: doc.state === 'active' ? undefined : doc.state,
        retry_started_at: doc.retry_started_at ? time(doc.retry_started_at) : undefined,
        ...stamp(doc),
      }),
    );

  const typesOf = (owner: string) => {
    const entries: Record<string, EventTypeEntry> = {};
    for (const row of docs<EventTypeRecord, EventTypeColumns>('event_types', "doc ->> '$.profile.owner' = ?", owner)) {
      const { doc } = row;
      const slug = freeName(doc.slug ?? (slugOf(doc.name) || 'meeting'), entries);
      const seats = row.invitee_limit;
      entries[slug] = compact({
        name: doc.name,
        duration: doc.duration,
        description_plain: doc.description_plain ?? undefined,
        seats: seats > 1 ? seats : undefined,
        pooling: (doc.pooling_type as 'collective' | null) ?? undefined,
        questions: doc.custom_questions.map(({ position: _, ...question }) => questionEntry(question)),
        locations: JSON.parse(row.locations),
        durations: JSON.parse(row.duration_options),
        dates: row.dates === null ? undefined : JSON.parse(row.dates),
        ...stamp(doc),
      });
      types.set(row.id, { name: `${keyOf(owner)}/${slug}`, seats, type: doc });
    }
    return entries;
  };

  const users: World['users'] = {};
  for (const { doc } of docs<UserRecord>('users')) {
    const { id, created } = stamp(doc);
    const key = freeName(slugOf(doc.name.split(' ')[0]!) || doc.slug, users);
    keys.set(id, key);
    const member = store.first<{ id: string; role: 'user' }>('SELECT id, role FROM memberships WHERE user = ?', id);
    users[key] = {
      name: doc.name,
      email: doc.email,
      role: member?.role ?? 'former',
      timezone: doc.timezone,
      membership: member && { id: member.id },
      connected: store
        .all<{ kind: 'google_conference' }>('SELECT kind FROM connected_locations WHERE user = ?', id)
        .map(({ kind }) => kind),
      id,
      created,
    };
  }
  for (const [id, key] of keys)
    Object.assign(users[key]!, { event_types: typesOf(`/users/${id}`), webhooks: webhooksOf(id) });

  // The hours that the first event type of a user has are written once, with the user.
  for (const { doc, event_type, user } of docs<Schedule, { event_type: string; user: string }>('schedules')) {
    const [owner, slug] = types.get(event_type)!.name.split('/') as [string, string];
    const key = keys.get(user)!;
    const hours = hoursEntry(doc);
    users[key]!.availability ??= hours;
    const sql = 'SELECT id FROM event_type_hosts WHERE event_type = ? AND user = ?';
    const host = store.first<{ id: string }>(sql, event_type, user)!;
    const own = isDeepStrictEqual(hours, users[key]!.availability) ? {} : hours;
    const entry = { ...own, id: idIn(doc.uri), host: { id: host.id } };
    const type = users[owner]!.event_types![slug]!;
    if (owner === key) type.availability = entry;
    else type.hosts = { ...(type.hosts as Record<string, AvailabilityEntry> | undefined), [key]: entry };
  }

  const groups = docs<GroupRecord>('groups').map(({ doc }) => {
    const members = store.all<{ user: string; id: string; role: string }>(
      'SELECT user, id, role FROM group_members WHERE "group" = ? ORDER BY created_at, id',
      idIn(doc.uri),
    );
    const admins = members.filter(({ role }) => role === 'admin').map(({ user }) => keys.get(user)!);
    const named = members.map(({ user, id }) => ({ user: keys.get(user)!, id }));
    return [doc.name, compact({ members: named, admins, webhooks: webhooksOf(idIn(doc.uri)), ...stamp(doc) })];
  });

  const inviteeOf = (doc: InviteeRecord, questions: EventTypeRecord['custom_questions']): InviteeEntry =>
    compact({
      name: doc.name,
      email: doc.email,
      ...answersEntry(doc.questions_and_answers, (question, answer) => {
        const { position } = questions.find(({ name }) => name === question) ?? {};
        return { question, answer, position };
      }),
      tracking: Object.fromEntries(Object.entries(doc.tracking).filter(([, value]) => value !== null)),
      old_invitee: doc.old_invitee ? idIn(doc.old_invitee) : undefined,
      new_invitee: doc.new_invitee ? idIn(doc.new_invitee) : undefined,
      no_show: doc.no_show ? stamp(doc.no_show) : undefined,
      invitee_scheduled_by: doc.invitee_scheduled_by ? keyOf(doc.invitee_scheduled_by) : undefined,
      ...stamp(doc),
    });

  const canceled = (event: string) => {
    const sql = 'SELECT canceled_by, reason, created_at FROM cancellations WHERE event = ?';
    const row = store.first<Record<'canceled_by' | 'reason' | 'created_at', string>>(sql, event);
    return row && { by: keys.get(row.canceled_by)!, reason: row.reason, at: time(row.created_at) };
  };

  const events = docs<EventRecord>('events').map(({ doc }): EventEntry => {
    const { location, invitees_counter: counter } = doc;
    const { name, seats, type } = typeOf(doc.event_type);
    return compact({
      type: name,
      start: time(doc.start_time),
      hosts: doc.event_memberships.map(({ user }) => keyOf(user)),
      location: location && compact({ kind: location.type, location: location.location ?? undefined }),
      seats: counter.limit === seats ? undefined : counter.limit,
      meeting_notes_plain: doc.meeting_notes_plain ?? undefined,
      canceled: canceled(idIn(doc.uri)),
      invitees: docs<InviteeRecord>('invitees', 'event = ?', idIn(doc.uri)).map((row) =>
        inviteeOf(row.doc, type.custom_questions),
      ),
      ...stamp(doc),
    });
  });

  const submissionOf = (doc: SubmissionRecord, questions: RoutingFormRecord['questions']) => {
    const { result, submitter } = doc;
    const value = result?.type === 'event_type' ? typeOf(result.value).name : result?.value;
    return compact({
      ...answersEntry(doc.questions_and_answers, (question, answer) => {
        const { uuid } = questions.find(({ name }) => name === question) ?? {};
        return { question_uuid: uuid, question, answer };
      }),
      result: result ? { [result.type]: value } : undefined,
      tracking: doc.tracking,
      submitter: submitter ? idIn(submitter) : undefined,
      ...stamp(doc),
    });
  };

  const forms = docs<RoutingFormRecord>('routing_forms').map(({ doc }) => {
    const questions = doc.questions.map((each) => questionEntry(each));
    const submissions = docs<SubmissionRecord>('submissions', 'form = ?', idIn(doc.uri)).map((row) =>
      submissionOf(row.doc, doc.questions),
    );
    return [doc.name, compact({ status: doc.status as 'draft', questions, submissions, ...stamp(doc) })];
  });

  const { doc: organization } = docs<OrganizationRecord & World['organization']>('organizations')[0]!;
  const { name, plan, kind } = organization;
  return {
    sandbox: 1,
    organization: compact({ name, plan, kind, webhooks: webhooksOf(idIn(organization.uri)), ...stamp(organization) }),
    users,
    groups: Object.fromEntries(groups),
    events,
    forms: Object.fromEntries(forms),
    invitations: docs<InvitationRecord>('invitations').map(({ doc }) =>
      compact({ email: doc.email, status: doc.status, user: doc.user ? keyOf(doc.user) : undefined, ...stamp(doc) }),
    ),
    activity: docs<ActivityRecord>('activity').map(({ doc: { actor, details, ...doc } }) =>
      compact({
        name: doc.fully_qualified_name,
        ...(actor.uri ? { by: keyOf(String(actor.uri)) } : { actor }),
        details,
        at: time(doc.occurred_at),
        id: idIn(doc.uri),
      }),
    ),
    counters: Object.fromEntries(
      ['sequence', 'activity_sequence'].flatMap((fact) => {
        const count = store.fact(fact);
        return count === undefined ? [] : [[fact, Number(count)]];
      }),
    ),
  };
};

const entryNames: Record<string, string> = { created_at: 'created', updated_at: 'updated', end_time: 'end' };

/** Fields that follow from others, once those are added. */
const following = ['invitees_counter', 'profile'];

/** Adds the fields of the stored records that the entries don't give by themselves. */
const addFields = (store: Store, rows: readonly Row[]) => {
  for (const { table, columns, doc = columns, entry } of rows) {
    if (columns.id === undefined) continue;
    const stored = store.first<Record<string, SqlValue>>(`SELECT * FROM ${table} WHERE id = ?`, columns.id)!;
    const actual: Record<string, unknown> = stored.doc === undefined ? stored : JSON.parse(String(stored.doc));
    for (const [field, value] of Object.entries(actual)) {
      if (isDeepStrictEqual(value, doc[field]) || following.includes(field)) continue;
      const isTime = (field.endsWith('_at') || field === 'end_time') && value !== null;
      if (field !== 'location')
        Object.assign(entry, { [entryNames[field] ?? field]: isTime ? time(String(value)) : value });
      else {
        const { join_url, status } = value as NonNullable<EventRecord['location']>;
        Object.assign((entry as EventEntry).location!, { join_url, status });
      }
    }
  }
};

/** Writes short forms of what is left. */
const shorten = (world: World): World => {
  for (const [key, user] of Object.entries(world.users)) {
    for (const [slug, type] of Object.entries(user.event_types ?? {})) {
      const hosts = Object.entries(type.hosts ?? {}).map(([name, hours]) => [name, compact(hours)] as const);
      const isPlain = hosts.every(([, hours]) => isEmpty(hours));
      type.hosts = isPlain ? hosts.map(([name]) => name) : Object.fromEntries(hosts);
      type.availability = compact(type.availability ?? {});
      user.event_types![slug] = compact(type);
    }
    // Without it, a user would be connected to the default provider.
    const { connected } = user;
    world.users[key] = { ...compact(user), connected };
  }
  for (const group of Object.values(world.groups ?? {}))
    group.members = group.members?.map((member) =>
      Object.keys(member).join() === 'user' ? (member as { user: string }).user : member,
    );
  return compact(world);
};

/** The world that the data is now. To load it into another sandbox gives the same records. */
export const exportWorld = (store: Store): World => {
  const world = entriesIn(store);
  const { rows, needlessIds } = rowsOf(world, 0);
  addFields(store, rows);
  for (const remove of needlessIds) remove();
  return shorten(world);
};
