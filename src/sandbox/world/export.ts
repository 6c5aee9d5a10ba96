import { isDeepStrictEqual } from 'node:util';
import { rulesTexts, ruleText } from '../../time/availability-rules.ts';
import { idIn } from '../../uri.ts';
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
import { type AvailabilityEntry, Draft, type Row, readPlainTime, type UserEntry } from './draft.ts';
import { hoursOf } from './hours.ts';
import { rowsOf } from './rows.ts';
import type { World } from './schema.ts';

/** What an exported world doesn't have. */
export const leftOut = 'logins, tokens, signing keys, shares, deliveries, due deletions and rate windows';

type EventTypeEntry = NonNullable<UserEntry['event_types']>[string];
type WebhookEntry = NonNullable<UserEntry['webhooks']>[number];
type EventEntry = NonNullable<World['events']>[number];
type FormEntry = NonNullable<World['forms']>[string];
type InviteeEntry = NonNullable<EventEntry['invitees']>[number];

/** Without the milliseconds that most times don't have. */
const time = (stored: string): string => stored.replace('.000Z', 'Z');

const stamp = (record: { uri: string; created_at: string }) => ({
  id: idIn(record.uri),
  created: time(record.created_at),
});

/**
 * Fields of records that are written only if they differ from what the rest of the entry gives. The others are always
 * written, or always derived.
 */
const derived: Record<string, readonly string[]> = {
  organizations: ['updated_at'],
  users: ['locale', 'slug', 'scheduling_url', 'avatar_url', 'updated_at'],
  memberships: ['created_at', 'updated_at'],
  group_members: ['created_at'],
  event_type_hosts: ['created_at'],
  groups: ['updated_at'],
  event_types: [
    'active',
    'slug',
    'scheduling_url',
    'kind',
    'type',
    'color',
    'updated_at',
    'internal_note',
    'description_html',
    'secret',
    'booking_method',
    'deleted_at',
    'admin_managed',
    'locale',
  ],
  schedules: ['name', 'default'],
  events: ['name', 'meeting_notes_html', 'end_time', 'updated_at'],
  invitees: [
    'first_name',
    'last_name',
    'timezone',
    'status',
    'updated_at',
    'text_reminder_number',
    'rescheduled',
    'payment',
    'reconfirmation',
    'scheduling_method',
  ],
  invitations: ['last_sent_at', 'updated_at'],
  routing_forms: ['updated_at'],
  submissions: ['updated_at'],
  activity: ['actor'],
  webhooks: ['updated_at'],
};

const entryNames: Record<string, string> = { created_at: 'created', updated_at: 'updated', end_time: 'end' };

/** The hours of a schedule as people write them, or as its rules if that would change them. */
const hoursEntry = ({ rules, timezone }: Schedule): AvailabilityEntry => {
  const dates = rules.filter((rule) => rule.type === 'date').map((rule) => [rule.date, ruleText(rule).slice(11)]);
  const hours = rulesTexts({ rules: rules.filter(({ type }) => type === 'wday') });
  const entry = { timezone, hours, ...(dates.length > 0 ? { dates: Object.fromEntries(dates) } : {}) };
  const isSame = isDeepStrictEqual(hoursOf(new Draft(0, readPlainTime), entry, [], []), rules);
  return isSame ? entry : { timezone, rules: rules as Rule[] };
};

const questionEntry = (question: EventTypeRecord['custom_questions'][number]) => ({
  name: question.name,
  type: question.type,
  ...(question.enabled ? {} : { enabled: false }),
  ...(question.required ? { required: true } : {}),
  ...(question.answer_choices.length > 0 ? { answer_choices: question.answer_choices } : {}),
  ...(question.include_other ? { include_other: true } : {}),
});

const formQuestion = ({ uuid, name, type, required, answer_choices }: RoutingFormRecord['questions'][number]) => ({
  name,
  type,
  ...(required ? { required } : {}),
  ...(answer_choices ? { answer_choices } : {}),
  uuid,
});

/** Answers by question, or as they are if they don't fit the questions any more. */
const answersEntry = <Answer extends { question: string; answer: string }>(
  given: readonly Answer[],
  answerTo: (question: string, answer: string) => unknown,
) => {
  const answers = Object.fromEntries(given.map(({ question, answer }) => [question, answer]));
  const read = Object.entries(answers).map(([question, answer]) => answerTo(question, answer));
  if (!isDeepStrictEqual(read, given)) return { questions_and_answers: [...given] };
  return given.length > 0 ? { answers } : {};
};

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Reads the records of a store as entries of a world. */
class Reader {
  readonly #store: Store;
  readonly #keys = new Map<string, string>();
  /** References to event types, and their seats, by ID. */
  readonly #types = new Map<string, { name: string; seats: number; type: EventTypeRecord }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The records of a table in the order in which they were added, with columns beside the record. */
  #docs<Doc>(table: string, columns = '', where = '1', ...params: SqlValue[]) {
    return this.#store
      .all<Record<string, SqlValue> & { doc: string }>(
        `SELECT doc${columns} FROM ${table} WHERE ${where} ORDER BY rowid`,
        ...params,
      )
      .map(({ doc, ...rest }) => ({ doc: JSON.parse(doc) as Doc, ...rest }) as { doc: Doc } & Record<string, SqlValue>);
  }

  #key(uri: string): string {
    return this.#keys.get(idIn(uri))!;
  }

  #webhooks(owner: string): WebhookEntry[] | undefined {
    const found = this.#docs<WebhookRecord>('webhooks', '', 'owner = ? AND pid IS NULL', owner).map(({ doc }) => ({
      ...stamp(doc),
      url: doc.callback_url,
      events: doc.events as WebhookEntry['events'],
      ...(doc.state === 'active' ? {} : { state: doc.state }),
      ...(doc.retry_started_at ? { retry_started_at: time(doc.retry_started_at) } : {}),
    }));
    return found.length > 0 ? found : undefined;
  }

  #eventTypes(owner: string): Record<string, EventTypeEntry> {
    const columns = ', id, invitee_limit, locations, duration_options, dates';
    const entries: Record<string, EventTypeEntry> = {};
    for (const row of this.#docs<EventTypeRecord>('event_types', columns, "doc ->> '$.profile.owner' = ?", owner)) {
      const { doc, locations, duration_options: options, dates } = row;
      const wanted = doc.slug ?? (slugOf(doc.name) || 'meeting');
      let slug = wanted;
      for (let number = 2; slug in entries; number++) slug = `${wanted}-${number}`;
      const [places, durations] = [locations, options].map((text) => JSON.parse(String(text)));
      const seats = Number(row.invitee_limit);
      entries[slug] = {
        ...stamp(doc),
        name: doc.name,
        duration: doc.duration,
        ...(doc.description_plain === null ? {} : { description_plain: doc.description_plain }),
        ...(seats > 1 ? { seats } : {}),
        ...(doc.pooling_type === null ? {} : { pooling: doc.pooling_type as 'collective' }),
        ...(doc.custom_questions.length > 0 ? { questions: doc.custom_questions.map(questionEntry) } : {}),
        ...(places.length > 0 ? { locations: places } : {}),
        ...(durations.length > 0 ? { durations } : {}),
        ...(dates === null ? {} : { dates: JSON.parse(String(dates)) }),
      };
      this.#types.set(String(row.id), { name: `${this.#key(owner)}/${slug}`, seats, type: doc });
    }
    return entries;
  }

  /** Adds the hours of each host. Those that most of a user's event types have are written once, with the user. */
  #addHours(users: World['users']) {
    const schedules = this.#store.all<Record<'doc' | 'event_type' | 'user' | 'host', string>>(
      `SELECT s.doc, s.event_type, s.user, h.id AS host FROM schedules s
       JOIN event_type_hosts h ON h.event_type = s.event_type AND h.user = s.user ORDER BY s.rowid`,
    );
    for (const { doc, event_type, user, host } of schedules) {
      const schedule: Schedule = JSON.parse(doc);
      const key = this.#keys.get(user)!;
      const hours = hoursEntry(schedule);
      users[key]!.availability ??= hours;
      const own = isDeepStrictEqual(hours, users[key]!.availability) ? {} : hours;
      const entry = { id: idIn(schedule.uri), ...own, host: { id: host } };
      const [owner, slug] = this.#types.get(event_type)!.name.split('/') as [string, string];
      const type = users[owner]!.event_types![slug]!;
      if (owner === key) type.availability = entry;
      else type.hosts = { ...(type.hosts as Record<string, AvailabilityEntry> | undefined), [key]: entry };
    }
  }

  users(): World['users'] {
    const rows = this.#store.all<{ doc: string; id: string; role: 'user' | null; member: string }>(
      `SELECT u.id, u.doc, m.role, m.id AS member
       FROM users u LEFT JOIN memberships m ON m.user = u.id ORDER BY u.rowid`,
    );
    const users: World['users'] = {};
    for (const { id, doc, role, member } of rows) {
      const user: UserRecord = JSON.parse(doc);
      const wanted = slugOf(user.name.split(' ')[0]!) || user.slug;
      let key = wanted;
      for (let number = 2; key in users; number++) key = `${wanted}-${number}`;
      this.#keys.set(id, key);
      const connected = this.#store.all<{ kind: string }>('SELECT kind FROM connected_locations WHERE user = ?', id);
      users[key] = {
        ...stamp(user),
        name: user.name,
        email: user.email,
        role: role ?? 'former',
        timezone: user.timezone,
        ...(role === null ? {} : { membership: { id: member } }),
        connected: connected.map(({ kind }) => kind as 'google_conference'),
      };
    }
    for (const [id, key] of this.#keys) {
      Object.assign(users[key]!, { event_types: this.#eventTypes(`/users/${id}`), webhooks: this.#webhooks(id) });
    }
    this.#addHours(users);
    return users;
  }

  organization(): World['organization'] {
    const { doc } = this.#docs<OrganizationRecord>('organizations')[0]!;
    const { name, plan, kind } = doc as OrganizationRecord & Pick<World['organization'], 'plan' | 'kind'>;
    return { ...stamp(doc), name, plan, kind, webhooks: this.#webhooks(idIn(doc.uri)) };
  }

  groups(): World['groups'] {
    return Object.fromEntries(
      this.#docs<GroupRecord>('groups').map(({ doc }) => {
        const members = this.#store.all<{ user: string; id: string; role: string }>(
          'SELECT user, id, role FROM group_members WHERE "group" = ? ORDER BY created_at, id',
          idIn(doc.uri),
        );
        const named = members.map(({ user, id }) => ({ user: this.#keys.get(user)!, id }));
        const admins = members.filter(({ role }) => role === 'admin').map(({ user }) => this.#keys.get(user)!);
        const webhooks = this.#webhooks(idIn(doc.uri));
        return [doc.name, { ...stamp(doc), members: named, ...(admins.length > 0 ? { admins } : {}), webhooks }];
      }),
    );
  }

  #invitee(doc: InviteeRecord, questions: EventTypeRecord['custom_questions']): InviteeEntry {
    const { tracking, old_invitee, new_invitee, no_show, invitee_scheduled_by: booker } = doc;
    const known = Object.entries(tracking).filter(([, value]) => value !== null);
    return {
      ...stamp(doc),
      name: doc.name,
      email: doc.email,
      ...answersEntry(doc.questions_and_answers, (question, answer) => ({
        question,
        answer,
        position: questions.find(({ name }) => name === question)?.position,
      })),
      ...(known.length > 0 ? { tracking: Object.fromEntries(known) } : {}),
      ...(old_invitee ? { old_invitee: idIn(old_invitee) } : {}),
      ...(new_invitee ? { new_invitee: idIn(new_invitee) } : {}),
      ...(no_show ? { no_show: stamp(no_show) } : {}),
      ...(booker ? { invitee_scheduled_by: this.#key(booker) } : {}),
    };
  }

  events(): EventEntry[] {
    const cancellations = new Map(
      this.#store
        .all<Record<'event' | 'canceled_by' | 'created_at', string> & { reason: string | null }>(
          'SELECT * FROM cancellations',
        )
        .map(({ event, canceled_by: by, reason, created_at: at }) => [event, { by, reason, at }]),
    );
    return this.#docs<EventRecord>('events').map(({ doc }) => {
      const { location, invitees_counter: counter } = doc;
      const { name, seats, type } = this.#types.get(idIn(doc.event_type))!;
      const canceled = cancellations.get(idIn(doc.uri));
      return {
        ...stamp(doc),
        type: name,
        start: time(doc.start_time),
        hosts: doc.event_memberships.map(({ user }) => this.#key(user)),
        location: location && {
          kind: location.type,
          ...(location.location === null ? {} : { location: location.location }),
        },
        ...(counter.limit === seats ? {} : { seats: counter.limit }),
        ...(doc.meeting_notes_plain === null ? {} : { meeting_notes_plain: doc.meeting_notes_plain }),
        ...(canceled
          ? { canceled: { by: this.#keys.get(canceled.by)!, reason: canceled.reason, at: time(canceled.at) } }
          : {}),
        invitees: this.#docs<InviteeRecord>('invitees', '', 'event = ?', idIn(doc.uri)).map((row) =>
          this.#invitee(row.doc, type.custom_questions),
        ),
      };
    });
  }

  forms(): World['forms'] {
    return Object.fromEntries(
      this.#docs<RoutingFormRecord>('routing_forms').map(({ doc }) => {
        const found = this.#docs<SubmissionRecord>('submissions', '', 'form = ?', idIn(doc.uri));
        const sent = found.map(({ doc: { result, submitter, ...each } }) => ({
          ...stamp(each),
          ...answersEntry(each.questions_and_answers, (question, answer) => ({
            question_uuid: doc.questions.find(({ name }) => name === question)?.uuid,
            question,
            answer,
          })),
          ...(result
            ? {
                result: {
                  [result.type]:
                    result.type === 'event_type' ? this.#types.get(idIn(result.value))!.name : result.value,
                },
              }
            : {}),
          ...(isEmpty(each.tracking) ? {} : { tracking: each.tracking }),
          ...(submitter ? { submitter: idIn(submitter) } : {}),
        }));
        const status = doc.status as 'draft';
        return [
          doc.name,
          {
            ...stamp(doc),
            status,
            questions: doc.questions.map((question) => formQuestion(question)),
            ...(sent.length > 0 ? { submissions: sent } : {}),
          },
        ];
      }),
    );
  }

  invitations(): World['invitations'] {
    return this.#docs<InvitationRecord>('invitations').map(({ doc }) => ({
      ...stamp(doc),
      email: doc.email,
      status: doc.status,
      ...(doc.user ? { user: this.#key(doc.user) } : {}),
    }));
  }

  activity(): World['activity'] {
    return this.#docs<ActivityRecord>('activity').map(({ doc }) => {
      const by = doc.actor.uri && this.#key(String(doc.actor.uri));
      const { details, occurred_at } = doc;
      return {
        id: idIn(doc.uri),
        name: doc.fully_qualified_name,
        ...(by ? { by } : { actor: doc.actor }),
        ...(isEmpty(details) ? {} : { details }),
        at: time(occurred_at),
      };
    });
  }
}

/** Adds the fields of the stored records that the entries don't give by themselves. */
const addFields = (store: Store, rows: readonly Row[]) => {
  for (const { table, columns, doc = columns, entry } of rows) {
    const fields = derived[table];
    if (fields === undefined) continue;
    const stored = store.first<Record<string, SqlValue>>(`SELECT * FROM ${table} WHERE id = ?`, columns.id!)!;
    const actual: Record<string, unknown> = stored.doc === undefined ? stored : JSON.parse(String(stored.doc));
    // The join URL of an online meeting follows from the ID of its event.
    if (table === 'events' && actual.location !== null && !isDeepStrictEqual(actual.location, doc.location)) {
      const { join_url, status } = actual.location as Record<string, unknown>;
      Object.assign((entry as EventEntry).location!, { join_url, status });
    }
    for (const field of fields)
      if (!isDeepStrictEqual(actual[field], doc[field])) {
        const value = actual[field];
        const isTime = field.endsWith('_at') || field === 'end_time';
        Object.assign(entry, { [entryNames[field] ?? field]: isTime && value ? time(String(value)) : value });
      }
  }
};

const withoutIds = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      key === 'id' && typeof item === 'string' ? [] : [[key, withoutIds(item)]],
    ),
  );
};

/** Removes IDs that the names and positions of the entries give too. */
const removeIds = (world: World, rows: readonly Row[]) => {
  const { rows: plain } = rowsOf(withoutIds(world) as World, 0);
  for (const [index, { table, columns, doc, entry }] of rows.entries()) {
    const other = plain[index];
    if (columns.id !== undefined && other?.columns.id === columns.id) delete (entry as { id?: string }).id;
    if (table === 'routing_forms' && isDeepStrictEqual(doc?.questions, other?.doc?.questions))
      for (const question of (entry as FormEntry).questions) delete question.uuid;
    const noShow = table === 'invitees' && (entry as InviteeEntry).no_show;
    if (noShow && isDeepStrictEqual(doc?.no_show, other?.doc?.no_show)) delete noShow.id;
  }
};

/** Parts that are left out if they are empty. */
const removable = new Set([
  'membership',
  'host',
  'availability',
  'event_types',
  'groups',
  'events',
  'invitees',
  'forms',
  'invitations',
  'activity',
  'counters',
]);

/** Contents as in the API, which stay as they are. */
const raw = new Set(['details', 'actor', 'tracking', 'reconfirmation', 'payment', 'dates', 'rules', 'questions']);

/** Written last, after what people look for. */
const stamps = ['id', 'created', 'updated'];

/** Removes what is left empty, and writes short forms. */
const tidied = (value: unknown, key = ''): unknown => {
  if (typeof value !== 'object' || value === null || raw.has(key)) return value;
  if (Array.isArray(value)) {
    const isPlain = (item: object) => key === 'members' && Object.keys(item).join() === 'user';
    return value.map((item) => (isPlain(item) ? item.user : tidied(item)));
  }
  const entries = Object.entries(value).map(([name, item]) => [name, tidied(item, name)] as const);
  const kept = entries.filter(([name, item]) => item !== undefined && !(removable.has(name) && isEmpty(item)));
  if (key === 'hosts' && kept.every(([, item]) => isEmpty(item))) return kept.map(([name]) => name);
  const isStamp = (name: string) => stamps.includes(name);
  return Object.fromEntries([...kept.filter(([name]) => !isStamp(name)), ...kept.filter(([name]) => isStamp(name))]);
};

/** The world that the data is now. To load it into another sandbox gives the same records. */
export const exportWorld = (store: Store): World => {
  const reader = new Reader(store);
  const counters = ['sequence', 'activity_sequence'].flatMap((name) => {
    const count = store.fact(name);
    return count === undefined ? [] : [[name, Number(count)]];
  });
  const organization = reader.organization();
  const users = reader.users();
  const world: World = {
    sandbox: 1,
    organization,
    users,
    groups: reader.groups(),
    events: reader.events(),
    forms: reader.forms(),
    invitations: reader.invitations(),
    activity: reader.activity(),
    counters: Object.fromEntries(counters),
  };
  addFields(store, rowsOf(world, 0).rows);
  removeIds(world, rowsOf(world, 0).rows);
  return tidied(world) as World;
};
