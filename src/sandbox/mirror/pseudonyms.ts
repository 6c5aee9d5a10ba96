import { AvailabilityRule } from '../../api/availability.ts';
import { limits } from '../../api/limits.ts';
import { locationKinds } from '../../api/locations.ts';
import { isObject, type Json, recordsIn } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { wrongZone } from '../rules/local-time.ts';
import { plans } from '../rules/subscription.ts';
import { recordTables } from '../store/migrations.ts';
import type { Store } from '../store/store.ts';
import type { AvailabilityEntry, EventEntry, EventTypeEntry, InviteeEntry, World } from '../world/schema.ts';
import { addTexts, endOf, inventor, noTexts, type RealTexts } from './invented.ts';
import type { MirrorFacts } from './open.ts';

/*
 * The account of a mirror as a world with invented people: so many events, of such lengths, with so many invitees at the
 * same times. Entries are put together from times, numbers and words of closed lists. No text is taken over, and no field
 * that isn't named here, so nothing that somebody typed can come along.
 */

/** What such a world doesn't have. */
export const leftOutOfWorld = 'texts, IDs, links, answers, places, payments, webhooks and the activity log';

/** All that is real in a mirror. */
export const realTextsIn = (store: Store, facts: MirrorFacts): RealTexts => {
  const real = noTexts();
  addTexts(real, facts);
  for (const table of [...recordTables, 'sent'])
    for (const { doc } of store.all<{ doc: string | null }>(`SELECT doc FROM ${table} WHERE doc IS NOT NULL`))
      addTexts(real, JSON.parse(doc!));
  // Nobody is called so.
  for (const name of ['deleted', 'invitee', 'deleted invitee']) endOf(real, name).isName = false;
  return real;
};

const oneOf = <const Choice extends string>(choices: readonly Choice[], value: unknown): Choice | undefined =>
  choices.find((each) => each === value);

const timeOf = (value: unknown): string | undefined => {
  const time = Date.parse(String(value));
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

const stamps = ({ created_at, updated_at }: Json) => ({ created: timeOf(created_at), updated: timeOf(updated_at) });

const zoneOf = (zone: unknown): string | undefined =>
  typeof zone === 'string' && wrongZone(zone).length === 0 ? zone : undefined;

/** How people answer a question of an event type or of a form. */
const questionTypes = [
  ...['string', 'text', 'phone_number', 'single_select', 'multi_select'],
  ...['name', 'email', 'phone', 'textarea', 'select', 'radios', 'checkboxes'],
];

const numberOf = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : 0);

const minutesOf = (value: unknown): number => {
  const { min, max } = limits.durationMinutes;
  return Math.min(max, Math.max(min, numberOf(value) || 30));
};

/** Their usual name is that of many services. */
const hoursName = { name: 'Hours' };

const hoursOf = ({ timezone, rules }: Json): AvailabilityEntry => ({
  ...hoursName,
  timezone: zoneOf(timezone),
  rules: recordsIn(rules).flatMap((rule) => {
    const { type, wday, date, intervals } = rule;
    const read = AvailabilityRule.safeParse({
      ...(type === 'date' ? { type, date } : { type, wday }),
      intervals: recordsIn(intervals).map(({ from, to }) => ({ from, to })),
    });
    return read.success ? [read.data] : [];
  }),
});

const questionsOf = (value: unknown) =>
  recordsIn(value).map(({ type, required, answer_choices: choices }, index) => ({
    name: `Question ${index + 1}`,
    type: oneOf(questionTypes, type),
    required: required === true,
    answer_choices: Array.isArray(choices) ? choices.map((_, at) => `Choice ${at + 1}`) : undefined,
  }));

const answersOf = ({ questions_and_answers: answers }: Json, most: number) =>
  Object.fromEntries(
    recordsIn(answers)
      .slice(0, most)
      .map((_, at) => [`Question ${at + 1}`, 'Answer']),
  );

/** The world of a mirror, whose people are those that `real` doesn't have. */
export const pseudonymousWorld = (store: Store, facts: MirrorFacts, real: RealTexts): World => {
  const invent = inventor(real);
  const docs = (table: string, where = '1', ...params: string[]) =>
    store
      .all<{ id: string; doc: string; about: string }>(
        `SELECT * FROM ${table} WHERE ${where} ORDER BY rowid`,
        ...params,
      )
      .map(({ doc, ...row }) => ({ ...row, doc: JSON.parse(doc) as Json }));

  const users: World['users'] = {};
  const keys = new Map<string, string>();
  /** The key of a user. Events can have hosts who are no members. */
  const keyOf = (uri: unknown, { email, timezone, ...doc }: Json = {}): string => {
    const id = idIn(uri);
    const known = keys.get(id);
    if (known !== undefined) return known;
    const key = `user-${keys.size + 1}`;
    keys.set(id, key);
    const member = store.first<{ role: 'user' }>('SELECT role FROM memberships WHERE user = ?', id);
    users[key] = {
      ...invent(typeof email === 'string' ? email : id),
      role: member?.role ?? (id === idIn(facts.user) ? 'owner' : 'former'),
      timezone: zoneOf(timezone),
      slug: key,
      connected: store
        .all<{ kind: string }>(
          "SELECT DISTINCT l.value ->> 'kind' AS kind FROM sent s, json_each(s.doc) l WHERE s.kind = 'locations' AND s.id = ?",
          id,
        )
        .flatMap(({ kind }) => oneOf(locationKinds, kind) ?? []),
      event_types: {},
      ...stamps(doc),
    };
    return key;
  };
  for (const { doc } of docs('users')) keyOf(doc.uri, doc);
  keyOf(facts.user);
  // Each organization has an owner. A token may not see who it is.
  if (!Object.values(users).some(({ role }) => role === 'owner')) users[keyOf(facts.user)]!.role = 'owner';

  const types = new Map<string, { name: string; entry: EventTypeEntry }>();
  const addType = (id: string, owner: string, doc: Json) => {
    const slug = `meeting-${types.size + 1}`;
    const entry: EventTypeEntry = {
      name: `Meeting ${types.size + 1}`,
      duration: minutesOf(doc.duration),
      active: doc.active === true,
      secret: doc.secret === true,
      pooling: oneOf(['round_robin', 'collective'], doc.pooling_type),
      // How many can book is no field of the service.
      seats: doc.kind === 'group' ? 2 : undefined,
      questions: questionsOf(doc.custom_questions),
      ...stamps(doc),
    };
    users[owner]!.event_types![slug] = entry;
    const type = { name: `${owner}/${slug}`, entry };
    types.set(id, type);
    return type;
  };
  for (const { id, doc } of docs('event_types')) {
    const { owner = facts.user } = isObject(doc.profile) ? doc.profile : {};
    const key = keyOf(owner);
    const { entry } = addType(id, key, doc);
    const hosts: Record<string, AvailabilityEntry> = {};
    for (const { user } of store.all<{ user: string }>('SELECT user FROM event_type_hosts WHERE event_type = ?', id)) {
      const [schedule] = docs('schedules', 'event_type = ? AND "user" = ?', id, user);
      const host = keyOf(user);
      const hours = schedule ? hoursOf(schedule.doc) : hoursName;
      if (host === key) entry.availability = hours;
      else hosts[host] = hours;
    }
    entry.hosts = hosts;
  }

  const numbers = new Map<string, string>();
  const numberFor = (id: string): string => {
    const number = numbers.get(id) ?? `invitee-${numbers.size + 1}`;
    numbers.set(id, number);
    return number;
  };
  /** The numbers of invitees that others refer to. */
  const links = new Set<string>();
  const linkOf = (uri: unknown): string | undefined => {
    const id = idIn(uri);
    if (!store.first('SELECT 1 FROM invitees WHERE id = ?', id)) return undefined;
    links.add(numberFor(id));
    return numberFor(id);
  };

  const inviteeOf = (id: string, doc: Json, questions: number): InviteeEntry => ({
    ...invent(typeof doc.email === 'string' ? doc.email : id),
    id: numberFor(id),
    status: oneOf(['active', 'canceled'], doc.status),
    timezone: zoneOf(doc.timezone),
    answers: answersOf(doc, questions),
    rescheduled: doc.rescheduled === true,
    old_invitee: linkOf(doc.old_invitee),
    new_invitee: linkOf(doc.new_invitee),
    no_show: isObject(doc.no_show) ? { created: timeOf(doc.no_show.created_at) } : undefined,
    ...stamps(doc),
  });

  const events = docs('events').flatMap(({ id, doc }): EventEntry[] => {
    const [start, end] = [timeOf(doc.start_time), timeOf(doc.end_time)];
    if (start === undefined) return [];
    const hosts = [
      ...new Set(recordsIn(doc.event_memberships).map((each) => keyOf(each.user, { email: each.user_email }))),
    ];
    const [owner = keyOf(facts.user)] = hosts;
    const typeId = idIn(doc.event_type);
    const minutes = end === undefined ? 0 : Math.round((Date.parse(end) - Date.parse(start)) / 60_000);
    // A service shows events of types that it doesn't list.
    const type = types.get(typeId) ?? addType(typeId, owner, { duration: minutes });
    const rows = docs('invitees', 'event = ?', id);
    const active = rows.filter((row) => row.doc.status === 'active').length;
    const { limit } = isObject(doc.invitees_counter) ? doc.invitees_counter : {};
    const kind = isObject(doc.location) ? oneOf(locationKinds, doc.location.type) : undefined;
    return [
      {
        type: type.name,
        start,
        ...(minutes > 0 ? { end } : {}),
        hosts: hosts.length > 0 ? hosts : [owner],
        location: kind === undefined ? null : { kind, location: null, join_url: null },
        seats: Math.max(1, numberOf(limit), active),
        canceled: doc.status === 'canceled' ? { at: timeOf(doc.updated_at) } : undefined,
        invitees: rows.map((row) => inviteeOf(row.id, row.doc, type.entry.questions?.length ?? 0)),
        ...stamps(doc),
      },
    ];
  });

  const groups = docs('groups').map(({ id, doc }, index) => {
    const members = store.all<{ user: string; role: string }>(
      'SELECT user, role FROM group_members WHERE "group" = ?',
      id,
    );
    const named = (list: typeof members) => [...new Set(list.map(({ user }) => keyOf(user)))];
    const admins = named(members.filter(({ role }) => role === 'admin'));
    return [`Group ${index + 1}`, { members: named(members), admins, ...stamps(doc) }] as const;
  });

  const forms = docs('routing_forms').map(({ id, doc }, index) => {
    const questions = questionsOf(doc.questions);
    const submissions = docs('submissions', 'form = ?', id).map(({ doc: sent }) => {
      const { type, value } = isObject(sent.result) ? sent.result : {};
      const target = type === 'event_type' ? types.get(idIn(value))?.name : undefined;
      return {
        answers: answersOf(sent, questions.length),
        result: target === undefined ? { custom_message: 'Message' } : { event_type: target },
        submitter: linkOf(sent.submitter),
        ...stamps(sent),
      };
    });
    const status = oneOf(['draft', 'published'], doc.status);
    return [`Form ${index + 1}`, { status, questions, submissions, ...stamps(doc) }] as const;
  });

  // An ID is only written where something refers to it.
  for (const { invitees = [] } of events)
    for (const invitee of invitees) if (!links.has(invitee.id!)) delete invitee.id;

  const [organization] = docs('organizations');
  const world: World = {
    sandbox: 1,
    organization: {
      name: 'Invented organization',
      plan: oneOf(plans, organization?.doc.plan),
      kind: oneOf(['team', 'individual'], organization?.doc.kind),
      ...stamps(organization?.doc ?? {}),
    },
    users,
    groups: Object.fromEntries(groups),
    events,
    forms: Object.fromEntries(forms),
    invitations: docs('invitations').map(({ doc }) => ({
      email: invent(String(doc.email)).email,
      status: oneOf(['pending', 'accepted', 'declined'], doc.status),
      ...stamps(doc),
    })),
  };
  // Without fields that have no value, as in a file.
  return JSON.parse(JSON.stringify(world)) as World;
};
