import { valueAt } from '../../output/fields.ts';
import type { Column, View } from '../../output/view.ts';
import { idColumn, isCanceled, marked, placeOf, whoText } from './view-values.ts';

export const nameOf = (record: object): unknown => valueAt(record, 'name');
const startAndEnd = (record: object): unknown => ['start_time', 'end_time'].map((path) => valueAt(record, path));

/** Where an event is, or why it isn't. */
const where: Column = {
  header: 'WHERE',
  path: 'location',
  value: (event) => (isCanceled(event) ? 'canceled' : placeOf(event)),
  paint: (text, event, paint) => (isCanceled(event) ? paint.status(text) : text),
  blank: true,
  priority: 2,
};

const hostsIn = (event: object): unknown[] => [valueAt(event, 'event_memberships.*.user_name') ?? []].flat();

/** The hosts, without those that all the events have. */
const otherHosts = (events: readonly object[]): Column => {
  const shared = hostsIn(events[0] ?? {}).filter((host) => events.every((event) => hostsIn(event).includes(host)));
  const value = (event: object): unknown => hostsIn(event).filter((host) => !shared.includes(host));
  return {
    header: 'HOSTS',
    path: 'event_memberships.*.user_name',
    as: 'list',
    value,
    blank: true,
    varies: true,
    // Beside a host of all events, the others matter less than an ID.
    priority: shared.length > 0 ? -2 : 1,
  };
};

/** An event below its day: the time, what, who and where. */
const eventRow = (events: readonly object[]): readonly Column[] => [
  { header: 'TIME', path: 'start_time', as: 'span', value: startAndEnd, priority: 6 },
  { header: 'NAME', path: 'name', ...marked(nameOf), priority: 5, least: 16 },
  { header: 'WHO', path: '_sched.invitees.*.name', value: whoText, blank: true, priority: 4, least: 14 },
  where,
  otherHosts(events),
  idColumn,
];

/** Below this width, an event is its start, its name and one person. */
const narrow = 60;
const narrowEvent: readonly Column[] = [
  { header: 'TIME', path: 'start_time', as: 'span', priority: 6 },
  {
    header: 'NAME',
    path: 'name',
    ...marked((event) => [nameOf(event) ?? '–', whoText(event) ?? []].flat().join(' · ')),
    priority: 5,
  },
];

/** An event for a screen reader. */
const spokenEvent: readonly Column[] = [
  { header: 'START', path: 'start_time', as: 'time' },
  { header: 'END', path: 'end_time', as: 'time' },
  { header: 'NAME', path: 'name' },
  { header: 'WHO', path: '_sched.invitees.*.name', value: whoText, blank: true },
  { header: 'WHERE', path: 'location', value: (event) => placeOf(event), blank: true },
  { header: 'HOSTS', path: 'event_memberships.*.user_name', as: 'list' },
  { header: 'STATUS', path: 'status' },
  { header: 'ID', path: 'uri', as: 'id' },
];

/** The columns of events in a list for people. */
export const eventColumns: NonNullable<View['tableColumns']> = (events, { available, isSpoken }) => {
  if (isSpoken) return spokenEvent;
  return available < narrow ? narrowEvent : eventRow(events);
};
