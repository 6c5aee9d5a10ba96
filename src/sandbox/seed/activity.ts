import { idIn } from '../../base/uri.ts';
import { makeId, timestamp, uri } from '../store/names.ts';
import type { EventTypeRecord, GroupRecord, RoutingFormRecord } from '../store/records.ts';
import type { Row } from '../world/draft.ts';
import type { ActivityEntry, EventEntry, World } from '../world/schema.ts';
import { reachDays } from './events.ts';
import { dice } from './random.ts';

/** Number of invented entries, in addition to those derived from events. */
const inventedEntries = 90;

type ActivityLine = readonly [name: string, details: Record<string, unknown>];

const fromEvents = (events: readonly EventEntry[], types: readonly EventTypeRecord[]): ActivityEntry[] =>
  events.flatMap(({ type, canceled, hosts, invitees = [] }, index) => {
    const event = uri('scheduled_events', makeId(`seed/event/${index + 1}`));
    const { uri: event_type, name } = types.find(({ slug }) => slug === type)!;
    const cancellation = canceled && {
      id: makeId(`seed/activity/cancel/${event}`),
      name: 'ScheduledEvent.Cancel',
      by: canceled.by,
      details: { event, event_type, name },
      at: canceled.at!,
    };
    const noShows = invitees.flatMap(({ id, no_show }) => {
      const details = { event, invitee: `${event}/invitees/${id}` };
      const key = makeId(`seed/activity/no-show/${details.invitee}`);
      return no_show ? [{ id: key, name: 'Invitee.MarkNoShow', by: hosts?.[0], details, at: no_show.created! }] : [];
    });
    return cancellation ? [cancellation, ...noShows] : noShows;
  });

/** Invents the activity log of the demo, from the rows of its records and its events. */
export const inventActivity = (
  rows: readonly Row[],
  users: World['users'],
  events: readonly EventEntry[],
  now: number,
): ActivityEntry[] => {
  const roll = dice(1_789);
  const pick = <Item>(items: readonly Item[]): Item => items[roll(items.length)]!;
  /** In a stable order. */
  const docs = <Doc extends { uri: string }>(table: string) =>
    rows
      .flatMap((row) => (row.table === table ? [row.doc as Doc] : []))
      .sort((a, b) => (idIn(a.uri) < idIn(b.uri) ? -1 : 1));
  const types = docs<EventTypeRecord>('event_types');
  const forms = docs<RoutingFormRecord>('routing_forms');
  const groups = docs<GroupRecord>('groups');
  const schedules = docs<{ uri: string }>('schedules');
  const actors = Object.keys(users);
  const administrators = actors.filter((key) => users[key]!.role !== 'user');

  const daily: Array<() => ActivityLine> = [
    () => {
      const { uri: event_type, name } = pick(types);
      return ['EventType.Update', { event_type, name, fields: [pick(['name', 'color', 'duration', 'location'])] }];
    },
    () => ['AvailabilitySchedule.Update', { availability_schedule: pick(schedules).uri, fields: ['rules'] }],
    () => {
      const { uri: event_type, name } = pick(types);
      return ['Share.Create', { event_type, name }];
    },
    () => ['User.SignIn', { method: pick(['password', 'single sign-on']) }],
  ];
  const administrative: Array<() => ActivityLine> = [
    () => {
      const { uri: group, name } = pick(groups);
      return ['Group.Update', { group, name }];
    },
    () => {
      const { uri: routing_form, name } = pick(forms);
      return ['RoutingForm.Update', { routing_form, name }];
    },
    () => ['OrganizationInvitation.Send', { role: 'user' }],
    () => ['Organization.Update', { fields: [pick(['name', 'security', 'branding'])] }],
  ];

  const invented = Array.from({ length: inventedEntries }, (): ActivityEntry => {
    const isAdministrative = roll(4) === 0;
    const by = pick(isAdministrative ? administrators : actors);
    const [name, details] = pick(isAdministrative ? administrative : daily)();
    const at = now - 60_000 - roll(reachDays * 24 * 60) * 60_000 - roll(60) * 1000;
    return { name, by, details, at: timestamp(at) };
  });
  return [...invented, ...fromEvents(events, types)];
};
