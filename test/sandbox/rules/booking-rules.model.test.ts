import fc from 'fast-check';
import { expect, it } from 'vitest';
import { day, minute } from '../../../src/base/milliseconds.ts';
import { idIn } from '../../../src/base/uri.ts';
import { timestamp } from '../../../src/sandbox/store/names.ts';
import type { EventRecord, EventTypeRecord, InviteeRecord } from '../../../src/sandbox/store/records.ts';
import { runs } from '../../support/tier.ts';
import { visitorOf } from '../pages/visitor.ts';
import { openAt, worldIn } from '../world/every-body.ts';
import { noon, origin } from '../world.ts';

interface Kind {
  name: string;
  length: number;
  seats: number;
  hosts: string[];
  /** How many of the hosts take part. */
  needed: number;
}

const kinds: Kind[] = [
  { name: 'solo', length: 30, seats: 1, hosts: ['Ann'], needed: 1 },
  { name: 'class', length: 60, seats: 2, hosts: ['Ann'], needed: 1 },
  { name: 'any', length: 30, seats: 1, hosts: ['Ann', 'Bob', 'Cy'], needed: 1 },
  { name: 'desks', length: 30, seats: 2, hosts: ['Ann', 'Bob', 'Cy'], needed: 1 },
  { name: 'both', length: 60, seats: 1, hosts: ['Ann', 'Bob'], needed: 2 },
];

/** The hosts always work, so that only seats and other meetings decide. */
const world = worldIn(`
sandbox: 1
organization: { name: Rooms }
users:
  ann:
    name: Ann
    role: owner
    availability: &always { timezone: UTC, hours: [mon-sun 00:00-24:00] }
    event_types:
      solo: { name: solo, duration: 30 }
      class: { name: class, duration: 60, seats: 2 }
      any: { name: any, duration: 30, hosts: [bob, cy], pooling: round_robin }
      desks: { name: desks, duration: 30, seats: 2, hosts: [bob, cy], pooling: round_robin }
      both: { name: both, duration: 60, hosts: [bob], pooling: collective }
  bob: { name: Bob, availability: *always }
  cy: { name: Cy, availability: *always }
`);

interface Meeting {
  kind: Kind;
  start: number;
  hosts: string[];
  /** Who comes. Without anybody, the meeting is canceled. */
  people: string[];
  /** How many have ever booked. */
  total: number;
}

/** The meetings of which a booking joins one, or else the hosts of whom it gets one, or all; or why it gets nothing. */
const outcomes = (all: Meeting[], kind: Kind, start: number, person: string): Meeting[] | string[][] | string => {
  const active = all.filter(({ people }) => people.length > 0);
  const same = active.filter((each) => kind.seats > 1 && each.kind === kind && each.start === start);
  if (same.some(({ people }) => people.includes(person))) return 'booked already';
  const open = same.filter(({ people }) => people.length < kind.seats);
  if (open.length > 0) return open;
  const ofHost = (host: string) => active.filter(({ hosts }) => hosts.includes(host));
  const overlaps = (each: Meeting) =>
    each.start < start + kind.length * minute && start < each.start + each.kind.length * minute;
  const free = kind.hosts.filter((host) => !ofHost(host).some(overlaps));
  if (free.length < kind.needed) return 'nobody is free';
  if (kind.needed > 1) return [free];
  const loads = free.map((host) => ofHost(host).filter((each) => each.start >= start - 7 * day).length);
  return free.filter((_, index) => loads[index] === Math.min(...loads)).map((host) => [host]);
};

/** Three mornings: two are a week apart. */
const starts = [20, 23, 27].flatMap((days) => [0, 30, 60].map((minutes) => noon + days * day + minutes * minute));

const step = fc.record({
  act: fc.constantFrom('book', 'visit', 'book', 'visit', 'move', 'move', 'leave', 'cancel'),
  kind: fc.constantFrom(...kinds),
  start: fc.constantFrom(...starts),
  person: fc.constantFrom('ada', 'ben', 'cal', 'dee'),
  /** Which of the bookings ends or moves. */
  which: fc.nat(),
});

/** A sandbox, and what a visitor and a client of it do. Each booking is its record, or undefined if it was refused. */
const openRooms = async () => {
  const { service, call, store, close } = await openAt(noon, { world });
  const { open, submit } = visitorOf({ send: service });
  const types = store
    .all<{ doc: string }>('SELECT doc FROM event_types')
    .map(({ doc }): EventTypeRecord => JSON.parse(doc));
  const typeOf = ({ name }: Kind) => types.find((type) => type.name === name)!;
  const invitee = (uri = '') => store.get<InviteeRecord>('invitees', idIn(uri));
  /** Without a form for this start, the page doesn't offer it. */
  const choose = async (path: string, start: number, typed = {}) => {
    const form = await open(`${path}?start=${timestamp(start)}`);
    return form.fields.ticket === undefined ? undefined : invitee((await submit(form, typed)).headers.location);
  };
  return {
    close,
    eventOf: ({ event }: InviteeRecord) => store.get<EventRecord>('events', idIn(event))!,
    book: async (kind: Kind, start: number, person: string) => {
      const who = { email: `${person}@x.example`, name: person, timezone: 'UTC' };
      const body = { event_type: origin + typeOf(kind).uri, start_time: timestamp(start), invitee: who };
      const reply = await call('POST', '/invitees', body);
      expect(reply.status).toBeOneOf([200, 409]);
      return invitee(reply.body.resource?.uri);
    },
    visit: (kind: Kind, start: number, person: string) =>
      choose(typeOf(kind).scheduling_url, start, { name: person, email: `${person}@x.example` }),
    move: ({ reschedule_url }: InviteeRecord, start: number) => choose(reschedule_url, start),
    leave: async ({ cancel_url }: InviteeRecord) => submit(await open(cancel_url)),
    cancel: ({ event }: InviteeRecord) => call('POST', `${event}/cancellation`, {}),
    /** Every meeting as the service shows it. */
    meetings: () =>
      store
        .all<{ doc: string; people: string }>(
          `SELECT doc, (SELECT group_concat(email) FROM (SELECT email FROM invitees i
             WHERE i.event = e.id AND i.status = 'active' ORDER BY email)) AS people FROM events e`,
        )
        .map(({ doc, people }) => ({ ...(JSON.parse(doc) as EventRecord), people: people ?? '' })),
  };
};

it('gives seats and hosts as the model does, however people book, move and cancel', { timeout: 600_000 }, async () => {
  const play = fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
    const rooms = await openRooms();
    const meetings = new Map<string, Meeting>();
    let bookings: { person: string; meeting: Meeting; invitee: InviteeRecord }[] = [];
    const without = (list: string[], person: string) => list.filter((each) => each !== person);

    for (const { act, kind: wanted, start, which, ...by } of steps) {
      const isNew = act === 'book' || act === 'visit';
      const old = isNew ? undefined : bookings[which % bookings.length];
      if (!isNew && old === undefined) continue;
      const { meeting: left, person = by.person } = old ?? {};
      const kind = left?.kind ?? wanted;
      bookings = bookings.filter((each) => each !== old);
      if (left) left.people = without(left.people, person);

      if (act === 'leave') await rooms.leave(old!.invitee);
      else if (act === 'cancel') {
        await rooms.cancel(old!.invitee);
        left!.people = [];
        bookings = bookings.filter(({ meeting }) => meeting !== left);
      } else {
        const possible = outcomes([...meetings.values()], kind, start, person);
        const invitee = await (act === 'move' ? rooms.move(old!.invitee, start) : rooms[act](kind, start, person));
        expect(invitee === undefined, `${act} ${kind.name} for ${person}: ${possible}`).toBe(
          typeof possible === 'string',
        );
        if (invitee === undefined) {
          if (old === undefined) continue;
          left!.people.push(person);
          bookings.push(old);
        } else {
          const { uri, event_memberships } = rooms.eventOf(invitee);
          const hosts = event_memberships.map(({ user_name }) => user_name).sort();
          const known = meetings.get(uri);
          const meeting = known ?? { kind, start, hosts, people: [], total: 0 };
          expect(possible).toContainEqual(known ?? hosts);
          meeting.people.push(person);
          meeting.total += 1;
          meetings.set(uri, meeting);
          bookings.push({ person, meeting, invitee });
        }
      }
      const shown = rooms.meetings().map((event) => ({
        uri: event.uri,
        hosts: event.event_memberships.map(({ user_name }) => user_name).sort(),
        start: Date.parse(event.start_time),
        status: event.status,
        seats: event.invitees_counter,
        people: event.people,
      }));
      const modelled = [...meetings].map(
        ([
          uri,
          {
            hosts,
            start: at,
            people,
            total,
            kind: { seats: limit },
          },
        ]) => ({
          uri,
          hosts,
          start: at,
          status: people.length > 0 ? 'active' : 'canceled',
          seats: { total, active: people.length, limit },
          people: people
            .map((each) => `${each}@x.example`)
            .sort()
            .join(),
        }),
      );
      const byUri = (one: { uri: string }, other: { uri: string }) => (one.uri < other.uri ? -1 : 1);
      expect(shown.sort(byUri)).toEqual(modelled.sort(byUri));
    }
    rooms.close();
  });
  await fc.assert(play, runs(5, 200));
});
