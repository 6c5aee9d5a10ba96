import { dice } from '../random.ts';
import { actorOf, writeActivity } from '../rules/activity.ts';
import { makeId } from '../store/names.ts';
import type {
  EventRecord,
  EventTypeRecord,
  GroupRecord,
  InviteeRecord,
  RoutingFormRecord,
  UserRecord,
} from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { organizationId } from './team.ts';

/** Number of invented entries, in addition to those derived from events. */
const inventedEntries = 90;
const reachDays = 42;

type ActivityLine = readonly [name: `${string}.${string}`, details: Record<string, unknown>];

interface SeedActor {
  user: UserRecord;
  role: string;
}

const actorsOf = (store: Store): SeedActor[] =>
  store
    .all<{ doc: string; role: string }>(
      'SELECT u.doc, m.role FROM memberships m JOIN users u ON u.id = m.user ORDER BY m.created_at',
    )
    .map(({ doc, role }) => ({ user: JSON.parse(doc), role }));

/** All records of a table in a stable order. */
const docs = <Doc>(store: Store, table: string): Doc[] =>
  store.all<{ doc: string }>(`SELECT doc FROM ${table} ORDER BY id`).map(({ doc }) => JSON.parse(doc));

const fromEvents = (store: Store, actors: SeedActor[]) => {
  const write = (key: string, host: string, [name, details]: ActivityLine, at: string) => {
    const found = actors.find(({ user }) => user.uri === host) ?? actors[0]!;
    const actor = actorOf(found.user, found.role);
    writeActivity(store, makeId(`seed/activity/${key}`), organizationId, { name, actor, details, at: Date.parse(at) });
  };
  const canceled = store.all<{ doc: string; user: string; created_at: string }>(
    `SELECT e.doc, u.doc ->> 'uri' AS user, c.created_at
     FROM cancellations c JOIN events e ON e.id = c.event JOIN users u ON u.id = c.canceled_by`,
  );
  for (const { doc, user, created_at } of canceled) {
    const { uri, event_type, name }: EventRecord = JSON.parse(doc);
    write(`cancel/${uri}`, user, ['ScheduledEvent.Cancel', { event: uri, event_type, name }], created_at);
  }
  const missed = store.all<{ doc: string; event_doc: string }>(
    `SELECT i.doc, e.doc AS event_doc FROM invitees i JOIN events e ON e.id = i.event
     WHERE i.doc ->> '$.no_show.uri' IS NOT NULL`,
  );
  for (const { doc, event_doc } of missed) {
    const invitee: InviteeRecord = JSON.parse(doc);
    const [host] = (JSON.parse(event_doc) as EventRecord).event_memberships;
    const line: ActivityLine = ['Invitee.MarkNoShow', { event: invitee.event, invitee: invitee.uri }];
    write(`no-show/${invitee.uri}`, host!.user, line, invitee.no_show!.created_at);
  }
};

export const seedActivity = (store: Store, now: number) => {
  const actors = actorsOf(store);
  fromEvents(store, actors);

  const roll = dice(1_789);
  const pick = <Item>(items: readonly Item[]): Item => items[roll(items.length)]!;
  const types = docs<EventTypeRecord>(store, 'event_types');
  const forms = docs<RoutingFormRecord>(store, 'routing_forms');
  const groups = docs<GroupRecord>(store, 'groups');
  const schedules = docs<{ uri: string }>(store, 'schedules');
  const administrators = actors.filter(({ role }) => role !== 'user');

  const daily: Array<() => ActivityLine> = [
    () => {
      const { uri, name } = pick(types);
      return ['EventType.Update', { event_type: uri, name, fields: [pick(['name', 'color', 'duration', 'location'])] }];
    },
    () => ['AvailabilitySchedule.Update', { availability_schedule: pick(schedules).uri, fields: ['rules'] }],
    () => {
      const { uri, name } = pick(types);
      return ['Share.Create', { event_type: uri, name }];
    },
    () => ['User.SignIn', { method: pick(['password', 'single sign-on']) }],
  ];
  const administrative: Array<() => ActivityLine> = [
    () => {
      const { uri, name } = pick(groups);
      return ['Group.Update', { group: uri, name }];
    },
    () => {
      const { uri, name } = pick(forms);
      return ['RoutingForm.Update', { routing_form: uri, name }];
    },
    () => ['OrganizationInvitation.Send', { role: 'user' }],
    () => ['Organization.Update', { fields: [pick(['name', 'security', 'branding'])] }],
  ];

  for (let number = 1; number <= inventedEntries; number++) {
    const isAdministrative = roll(4) === 0;
    const { user, role } = pick(isAdministrative ? administrators : actors);
    const [name, details] = pick(isAdministrative ? administrative : daily)();
    const at = now - 60_000 - roll(reachDays * 24 * 60) * 60_000 - roll(60) * 1000;
    const entry = { name, details, actor: actorOf(user, role), at } as const;
    writeActivity(store, makeId(`seed/activity/${number}`), organizationId, entry);
  }
};
