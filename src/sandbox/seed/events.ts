import { day as dayLength, hour, minute } from '../../base/milliseconds.ts';
import { resolveWall } from '../../time/zoned.ts';
import { intervalsOn, isOpen } from '../rules/availability.ts';
import { localTime } from '../rules/local-time.ts';
import { makeId, timestamp } from '../store/names.ts';
import type { EventTypeRecord, InviteeRecord, LocationRecord } from '../store/records.ts';
import type { Host, WorldEventType } from '../world/draft.ts';
import type { EventEntry, InviteeEntry } from '../world/schema.ts';
import invented from './invented.json' with { type: 'json' };
import { dice, type Roll } from './random.ts';

type Person = (typeof invented.people)[number];

/** Events and activity are spread over this many days before today, and events after it too. */
export const reachDays = 42;

const { people, campaigns, notes, reasons, topics, places } = invented;
const prices: Readonly<Record<string, { amount: number; currency: string }>> = invented.prices;

/** Fills in the location if the invitee chooses it: a meeting place or a phone number. */
const placeFor = ({ kind, location }: LocationRecord, roll: Roll): LocationRecord => {
  if (kind === 'outbound_call') return { kind, location: `+1 555 01${10 + roll(90)}` };
  if (kind === 'ask_invitee') return { kind, location: places[roll(places.length)]! };
  return location === undefined ? { kind } : { kind, location };
};

/** `zoe.mueller@lindenbaum.example` ⇒ `Lindenbaum` */
const companyOf = ({ email }: Person): string => {
  const name = email.slice(email.indexOf('@') + 1).split('.')[0]!;
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** Everyone answers the required questions, and two of three the others. */
const inventAnswers = ({ custom_questions: questions }: EventTypeRecord, person: Person, number: number) =>
  Object.fromEntries(
    questions
      .filter(({ required }) => required || number % 3 > 0)
      .map(({ name, type, answer_choices: choices }) => {
        const words = type === 'string' ? companyOf(person) : topics[number % topics.length]!;
        return [name, choices[number % choices.length] ?? words];
      }),
  );

/** An event in the making. */
type Made = EventEntry & { created: string; invitees: InviteeEntry[] };

/** Invents the events of the demo. The same time always gives the same ones. */
export const inventEvents = (hosted: readonly WorldEventType[], members: readonly string[], now: number) => {
  const roll = dice(20_260);
  /** When each host is busy, to avoid overlapping meetings. */
  const busy: Array<{ user: string; from: number; to: number }> = [];
  const isFree = (host: string, start: number, end: number) =>
    !busy.some(({ user, from, to }) => user === host && from < end && start < to);
  const events: EventEntry[] = [];
  let invitees = 0;

  /** A start on this day that works for all hosts, searched from a random half-hour on. */
  const findStart = ({ type }: WorldEventType, hosts: Host[], day: number): number | undefined => {
    const [first] = hosts;
    const { timezone, rules } = first!.schedule;
    const { date, weekday } = localTime(timezone, day);
    const offset = roll(16);
    if (intervalsOn(rules, date, weekday).length === 0) return undefined;
    const nine = resolveWall(Date.parse(date) + 9 * hour, timezone);
    if (nine.kind !== 'one') return undefined;
    for (let step = 0; step < 16; step++) {
      const start = nine.at + ((offset + step) % 16) * 30 * 60_000;
      const end = start + type.duration * 60_000;
      if (hosts.every(({ key, schedule }) => isFree(key, start, end) && isOpen(schedule, start, end))) return start;
    }
    return undefined;
  };

  const makeEvent = ({ type, places: offered }: WorldEventType, hosts: Host[], start: number): Made => {
    for (const { key } of hosts) busy.push({ user: key, from: start, to: start + type.duration * 60_000 });
    const booked = Math.min(start, now) - (1 + roll(12)) * dayLength - roll(600) * minute;
    const event: Made = {
      type: type.slug!,
      start: timestamp(start),
      created: timestamp(booked),
      hosts: hosts.map(({ key }) => key),
      location: placeFor(offered[roll(offered.length)]!, roll),
      invitees: [],
    };
    if (roll(5) === 0) event.meeting_notes_plain = notes;
    events.push(event);
    return event;
  };

  const makeInvitee = ({ type }: WorldEventType, event: Made, person: Person, hoursLater = 0) => {
    const id = makeId(`seed/invitee/${++invitees}`);
    const created = timestamp(Date.parse(event.created) + hoursLater * hour);
    const tracking =
      roll(4) === 0 ? (campaigns[roll(campaigns.length)] as Partial<InviteeRecord['tracking']>) : undefined;
    const invitee: InviteeEntry = { ...person, id, created, tracking, answers: inventAnswers(type, person, invitees) };
    if (roll(6) === 0) invitee.text_reminder_number = `+1 555 01${10 + roll(90)}`;
    if (roll(12) === 0) invitee.reconfirmation = { created_at: created, confirmed_at: null };
    const price = prices[type.slug!];
    if (price)
      invitee.payment = {
        external_id: `pay_${id.toLowerCase()}`,
        provider: 'stripe',
        ...price,
        terms: 'Refundable until 24 hours before the meeting',
        successful: roll(8) !== 0,
      };
    event.invitees.push(invitee);
    return invitee;
  };

  /** Cancels an event after its last guest has booked, and before both the meeting and today. */
  const cancel = (event: Made, hosts: Host[]) => {
    const at = timestamp(Date.parse(event.created) + (8 + roll(12)) * hour);
    event.canceled = { by: hosts[0]!.key, reason: reasons[roll(reasons.length)]!, at };
  };

  /** Books the same guest with the same hosts some days later; the two invitees refer to each other. */
  const reschedule = (chosen: WorldEventType, hosts: Host[], guest: InviteeEntry, day: number) => {
    const start = findStart(chosen, hosts, day + (2 + roll(5)) * dayLength);
    if (start === undefined) return false;
    const later = makeEvent(chosen, hosts, start);
    const person = people.find(({ email }) => email === guest.email)!;
    const successor = makeInvitee(chosen, later, person);
    successor.old_invitee = guest.id;
    guest.new_invitee = successor.id;
    return true;
  };

  const inventOne = (chosen: WorldEventType, hosts: Host[], day: number) => {
    const start = findStart(chosen, hosts, day);
    if (start === undefined) return;
    const made = makeEvent(chosen, hosts, start);
    const seats = chosen.seats > 1 ? 2 + roll(chosen.seats - 1) : 1;
    const firstPerson = roll(people.length);
    const guests = Array.from({ length: seats }, (_, seat) => {
      const person = people[(firstPerson + seat * 5) % people.length]!;
      return makeInvitee(chosen, made, person, seat);
    });
    const fate = roll(100);
    const isOver = start + chosen.type.duration * 60_000 < now;
    if (fate < 8 && seats === 1 && reschedule(chosen, hosts, guests[0]!, day)) cancel(made, hosts);
    else if (fate < 16) cancel(made, hosts);
    else if (fate < 30 && isOver) guests[0]!.no_show = { created: timestamp(Math.min(now, start + 20 * 60_000)) };
    else if (fate < 50 && seats > 2) guests[1]!.status = 'canceled';
  };

  for (let offset = -reachDays; offset <= reachDays; offset++) {
    const day = now + offset * dayLength;
    for (const key of members) {
      // Amara, the default user, has the fullest calendar.
      const bookings = key === 'amara' ? 1 + roll(2) : Number(roll(5) < 2);
      const mine = hosted.filter(
        ({ type, hosts }) => hosts.some((host) => host.key === key) && (type.active || offset <= -20),
      );
      for (let count = 0; count < bookings; count++) {
        const chosen = mine[roll(mine.length)]!;
        const isTogether = chosen.type.pooling_type === 'collective';
        inventOne(chosen, isTogether ? chosen.hosts : chosen.hosts.filter((host) => host.key === key), day);
      }
    }
  }
  return events;
};
