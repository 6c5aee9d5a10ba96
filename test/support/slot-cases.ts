import { idIn } from '../../src/base/uri.ts';
import { type Detail, Refusal } from '../../src/sandbox/error-replies.ts';
import type { Caller, HandlerContext } from '../../src/sandbox/handler.ts';
import { invitees } from '../../src/sandbox/handlers/invitees.ts';
import type { Rule } from '../../src/sandbox/rules/availability.ts';
import { newEventType } from '../../src/sandbox/rules/event-type.ts';
import { localTime } from '../../src/sandbox/rules/local-time.ts';
import { dice } from '../../src/sandbox/seed/random.ts';
import { makeId, timestamp, uri } from '../../src/sandbox/store/names.ts';
import {
  type EventRecord,
  type EventTypeRecord,
  insertEvent,
  type LocationRecord,
  newEvent,
  type UserRecord,
} from '../../src/sandbox/store/records.ts';
import { noon, organization, user, type World } from '../sandbox/world.ts';

/* Random event types, schedules, time zones and days, to compare those who find free times with the booking check. */

export const minute = 60_000;
const hour = 60 * minute;
export const day = 24 * hour;

/** Clock changes of an hour and of half an hour, at night and at midnight, and zones without any. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'America/Santiago',
  'America/Havana',
  'Pacific/Chatham',
  'America/St_Johns',
  'Asia/Kathmandu',
  'UTC',
];

const people = ['amara', 'jonas', 'tomas'];

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const offsetAt = (zone: string, at: number): number => {
  const { date, minutes } = localTime(zone, at);
  return Date.parse(date) + minutes * minute - at;
};

/** Midnights in UTC of the days in 2027 on which the clocks of a zone change. */
const findChanges = (zone: string): { at: number; isForward: boolean }[] =>
  Array.from({ length: 364 }, (_, index) => Date.parse('2027-01-01') + index * day)
    .map((at) => ({ at, shift: offsetAt(zone, at + day) - offsetAt(zone, at) }))
    .filter(({ shift }) => shift !== 0)
    .map(({ at, shift }) => ({ at, isForward: shift > 0 }));

const changes = new Map(zones.map((zone) => [zone, findChanges(zone)]));

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const createCases = (seed: number) => {
  const roll = dice(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[roll(items.length)]!;
  const shuffled = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, order: roll(1000) }))
      .sort((a, b) => a.order - b.order)
      .map(({ item }) => item);

  /** Up to three intervals that don't overlap; some touch, some end at midnight. */
  const intervals = (): Rule['intervals'] => {
    const edges = [...new Set(Array.from({ length: 2 * (1 + roll(3)) }, () => roll(289) * 5))].sort((a, b) => a - b);
    if (roll(4) === 0) edges.push(1440);
    const isTouching = roll(3) === 0;
    const found: Rule['intervals'] = [];
    for (let index = 0; index + 1 < edges.length; index += isTouching ? 1 : 2)
      if (edges[index]! < edges[index + 1]!) found.push({ from: clock(edges[index]!), to: clock(edges[index + 1]!) });
    return found;
  };

  const rules = (since: number): Rule[] => [
    ...weekdays.flatMap((wday): Rule[] => (roll(5) === 0 ? [] : [{ type: 'wday', wday, intervals: intervals() }])),
    ...[0, 1, 2].flatMap((days): Rule[] =>
      roll(4) === 0
        ? [{ type: 'date', date: timestamp(since + days * day).slice(0, 10), intervals: roll(2) ? intervals() : [] }]
        : [],
    ),
  ];

  return () => {
    const hosts = shuffled(people).slice(0, 1 + roll(3));
    const hostZones = hosts.map(() => pick(zones));
    const possible = changes.get(hostZones[0]!)!;
    const isChange = possible.length > 0 && roll(3) > 0;
    const change = pick(possible);
    const around = isChange ? change.at : Date.parse('2027-01-10') + roll(340) * day;
    const since = around - roll(12) * hour + roll(12) * 5 * minute;
    const pooling = hosts.length === 1 ? null : pick(['collective', 'round_robin', 'round_robin'] as const);
    return {
      hosts,
      pooling,
      isGroup: roll(6) === 0,
      change: isChange ? change : undefined,
      schedules: hosts.map((host, index) => ({ host, timezone: hostZones[index]!, rules: rules(since) })),
      duration: pick([10, 15, 25, 30, 45, 60, 90, 180, 420]),
      step: pick([undefined, 10, 15, 20, 25, 30, 45, 60]),
      since,
      until: since + (18 + roll(18)) * hour,
      // Sometimes the window has already begun.
      now: since + (roll(4) === 0 ? roll(600) * minute : -day),
      events: Array.from({ length: roll(8) }, () => ({
        host: pick(hosts),
        start: since + (roll(60 * 12) - 60) * 5 * minute,
        minutes: 5 * (1 + roll(40)),
        isCanceled: roll(4) === 0,
        isOfType: roll(3) === 0,
        seats: roll(3),
      })),
    };
  };
};

export type Case = ReturnType<ReturnType<typeof createCases>>;

/** Writes the event type, its schedules and the events of a case into the sandbox. */
export const storeCase = ({ store }: World, id: string, given: Case): void => {
  const person = (key: string) => store.get<UserRecord>('users', idIn(user(key)))!;
  const type: EventTypeRecord = {
    ...newEventType({
      id,
      name: id,
      slug: null,
      scheduling_url: `https://book.example/${id}`,
      duration: given.duration,
      owner: person(given.hosts[0]!),
      now: noon,
    }),
    kind: given.isGroup ? 'group' : 'solo',
    pooling_type: given.pooling,
  };
  store.transaction(() => {
    const own = { organization: idIn(organization), position: 1000, invitee_limit: 2, locations: '[]', dates: null };
    store.insert('event_types', id, type, own);
    for (const { host, timezone, rules } of given.schedules) {
      const added = 'INSERT INTO event_type_hosts (event_type, user, id, created_at) VALUES (?, ?, ?, ?)';
      store.run(added, id, idIn(user(host)), store.nextId('host'), timestamp(noon));
      const schedule = store.nextId('schedule');
      const doc = {
        uri: uri('event_type_availability_schedules', schedule),
        default: true,
        name: 'Hours',
        user: user(host),
        timezone,
        rules,
      };
      store.insert('schedules', schedule, doc, { event_type: id, user: idIn(user(host)) });
    }
    for (const { host, start, minutes, isCanceled, isOfType, seats } of given.events) {
      const event = store.nextId('event');
      const made = newEvent({ id: event, type, hosts: [person(host)], start, limit: 2, place: undefined, now: noon });
      const doc: EventRecord = {
        ...made,
        status: isCanceled ? 'canceled' : 'active',
        end_time: timestamp(start + minutes * minute),
        invitees_counter: { total: seats, active: seats, limit: 2 },
        event_type: isOfType ? made.event_type : uri('event_types', makeId('seed/event-type/intro-call')),
      };
      const eventType = isOfType ? id : makeId('seed/event-type/intro-call');
      insertEvent(store, event, doc, { organization: idIn(organization), eventType, hosts: [idIn(user(host))] });
    }
  });
};

const undo = new Error('undo');

/** What a booking of an event type needs besides a time and an invitee. */
export const answersTo = ({ store }: World, id: string) => {
  const { custom_questions: questions } = store.get<EventTypeRecord>('event_types', id)!;
  const [{ locations }] = store.all<{ locations: string }>('SELECT locations FROM event_types WHERE id = ?', id) as [
    { locations: string },
  ];
  const [place] = JSON.parse(locations) as { kind: LocationRecord['kind'] }[];
  return {
    custom_questions: questions
      .filter(({ enabled }) => enabled)
      .map(({ name, position, answer_choices: [answer = 'x'] }) => ({ question: name, answer, position })),
    ...(place === undefined ? {} : { location: { kind: place.kind, location: 'x' } }),
  };
};

/** The reason of the sandbox against a booking at this time, by the code that `judge` has for it. Nothing stays booked. */
export const refusalAt = ({ store }: World, id: string, start: number, now: number, more = {}): string | undefined => {
  const caller = { user: idIn(user('amara')), organization: idIn(organization), role: 'owner' } as Caller;
  const context = { store, now, caller } as HandlerContext;
  const invitee = { email: 'ada@engine.example', name: 'Ada Lovelace', timezone: 'Europe/London' };
  const body = { event_type: uri('event_types', id), start_time: timestamp(start), invitee, ...more };
  try {
    store.transaction(() => {
      invitees.create({ params: {}, query: undefined, body }, context);
      throw undo;
    });
  } catch (error) {
    if (error === undo) return undefined;
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 409) return 'busy';
    const [detail] = error.more.details as Detail[];
    return detail?.code === 'unavailable' ? 'hours' : detail?.code;
  }
  return undefined;
};

/** Starts on the grid: every `step` minutes by the clock of a schedule's zone, from the beginning of each interval. */
export const gridOf = ({
  schedules,
  duration,
  step = Math.min(duration, 30),
  since,
  until,
  events,
  isGroup,
}: Case): number[] => {
  const starts = new Set<number>();
  for (let at = Math.ceil(since / (5 * minute)) * 5 * minute; at < until; at += 5 * minute) {
    for (const { timezone, rules } of schedules) {
      const { date, weekday, minutes } = localTime(timezone, at);
      const rule =
        rules.find((each) => each.type === 'date' && each.date === date) ??
        rules.find((each) => each.type === 'wday' && each.wday === weekday);
      const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
      const isOn = rule?.intervals.some(
        ({ from, to }) =>
          minutesOf(from) <= minutes && minutes < minutesOf(to) && (minutes - minutesOf(from)) % step === 0,
      );
      if (isOn) starts.add(at);
    }
  }
  // People can join an event of a group event type whenever it starts.
  if (isGroup)
    for (const { start, isOfType, isCanceled, seats } of events)
      if (isOfType && !isCanceled && seats < 2 && since <= start && start < until) starts.add(start);
  return [...starts].sort((a, b) => a - b);
};

const next = createCases(20261116);
export const cases = Array.from({ length: 200 }, (_, index) => ({ index, given: next() }));

/** People in a group; else clocks that go forward, back or not at all, with one host, all of them or any of them. */
export const kindOf = ({ given }: { given: Case }) =>
  given.isGroup ? 'group' : [given.change?.isForward, given.pooling].join();
