import { recordsIn } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { valueAt } from '../../output/fields.ts';
import type { Column, View } from '../../output/view.ts';
import { spanLabel } from '../../time/label.ts';
import { eventPlace, idColumn, isCanceled, markedName, whoText } from './view-values.ts';

export const eventName = (record: object): unknown => valueAt(record, 'name');
const startAndEnd = (record: object): unknown[] => ['start_time', 'end_time'].map((path) => valueAt(record, path));

/** Where an event is, or why it isn't. */
const where: Column = {
  header: 'WHERE',
  path: 'location',
  value: (event) => (isCanceled(event) ? 'canceled' : eventPlace(event)),
  paint: (text, event, paint) => (isCanceled(event) ? paint.status(text) : text),
  blank: true,
  priority: 2,
};

const hostNamesIn = (event: object): unknown[] => [valueAt(event, 'event_memberships.*.user_name') ?? []].flat();

/** The hosts, without those that all the events have. */
const otherHosts = (events: readonly object[]): Column => {
  const commonHosts = hostNamesIn(events[0] ?? {}).filter((host) =>
    events.every((event) => hostNamesIn(event).includes(host)),
  );
  const value = (event: object): unknown => hostNamesIn(event).filter((host) => !commonHosts.includes(host));
  return {
    header: 'HOSTS',
    path: 'event_memberships.*.user_name',
    as: 'list',
    value,
    blank: true,
    varies: true,
    least: 15,
    // Beside a host of all events, the others matter less than an ID.
    priority: commonHosts.length > 0 ? -2 : 1,
  };
};

/** Who comes, where there is no room to say elsewhere that nobody does. */
const whoOrCanceled = (event: object): string =>
  [isCanceled(event) ? 'canceled' : [], whoText(event) ?? []].flat().join(' · ');

/** From this width on, there is room for the place and the ID of an event, and for the addresses of its people. */
const [forPlace, forEmail] = [72, 140];

const emails: Column = {
  header: 'EMAIL',
  path: '_sched.invitees.*.email',
  value: (event) => [valueAt(event, '_sched.invitees.*.email') ?? []].flat()[0],
  blank: true,
  priority: 0,
  least: 26,
};

/** An event below its day: the time, what, who and where. */
const eventRow = (events: readonly object[], available: number, hosts = otherHosts(events)): readonly Column[] => [
  { header: 'TIME', path: 'start_time', as: 'span', value: startAndEnd, priority: 6 },
  // A host who matters is worth some letters of a name.
  { header: 'NAME', path: 'name', ...markedName(eventName), priority: 5, least: hosts.priority! > 0 ? 16 : 21 },
  {
    header: 'WHO',
    path: '_sched.invitees.*.name',
    value: available < forPlace ? whoOrCanceled : whoText,
    blank: true,
    priority: 4,
    least: hosts.priority! > 0 ? 14 : 18,
  },
  ...(available < forPlace ? [] : [where]),
  hosts,
  ...(available < forEmail ? [] : [emails]),
  // A name is worth more than an ID.
  ...(available < forPlace ? [] : [idColumn]),
];

/** Below this width, an event is its start, its name and one person. */
const narrow = 60;
const narrowEvent: readonly Column[] = [
  { header: 'TIME', path: 'start_time', as: 'span', priority: 6 },
  {
    header: 'NAME',
    path: 'name',
    ...markedName((event) =>
      [eventName(event) ?? '–', (isCanceled(event) ? 'canceled' : whoText(event)) ?? []].flat().join(' · '),
    ),
    priority: 5,
  },
];

/** An event in a sentence: `Thu 19 Nov 12:30 to 13:00: Intro call, with Ada Byron, Zoom. ID K3RS…` */
export const spokenEvent: NonNullable<View['spoken']> = (event, { zoneLabel, now, showTime }) => {
  const [start, end] = startAndEnd(event).map(String) as [string, string];
  const when = spanLabel(start, end, zoneLabel, now)?.replace(' – ', ' to ').replace('–', ' to ') ?? showTime(start);
  const people = recordsIn(valueAt(event, '_sched.invitees')).map(({ name, email, status }) =>
    status === 'canceled' && !isCanceled(event) ? `${name ?? email} (canceled)` : String(name ?? email),
  );
  const who = people.length > 0 ? people.join(', ') : whoText(event);
  const hosts = hostNamesIn(event);
  const facts = [
    isCanceled(event) ? 'canceled' : undefined,
    who === undefined ? undefined : `with ${who}`,
    eventPlace(event),
    hosts.length > 1 ? `hosts ${hosts.join(', ')}` : undefined,
  ].filter((fact) => fact !== undefined && fact !== '');
  return `${when}: ${[eventName(event) ?? 'no name', ...facts].join(', ')}. ID ${idIn(valueAt(event, 'uri'))}`;
};

/** The same as lines with labels, where no terminal shows them. */
const spokenColumns: readonly Column[] = [
  { header: 'START', path: 'start_time', as: 'time' },
  { header: 'END', path: 'end_time', as: 'time' },
  { header: 'NAME', path: 'name' },
  { header: 'WHO', path: '_sched.invitees.*.name', value: whoText, blank: true },
  { header: 'WHERE', path: 'location', value: (event) => eventPlace(event), blank: true },
  { header: 'HOSTS', path: 'event_memberships.*.user_name', as: 'list' },
  { header: 'STATUS', path: 'status' },
  { header: 'ID', path: 'uri', as: 'id' },
];

/** The columns of events in a list for people. */
export const eventColumns: NonNullable<View['tableColumns']> = (events, { available, isSpoken }) => {
  if (isSpoken) return spokenColumns;
  return available < narrow ? narrowEvent : eventRow(events, available);
};
