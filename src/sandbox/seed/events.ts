import { idIn } from '../../uri.ts';
import { dice, type Roll } from '../random.ts';
import { intervalsOn, isOpen, type Schedule } from '../rules/availability.ts';
import { instantOf, localTime } from '../rules/local-time.ts';
import { dayMilliseconds, makeId, timestamp, uri } from '../store/names.ts';
import {
  type EventRecord,
  type EventTypeRecord,
  type InviteeRecord,
  insertEvent,
  type LocationRecord,
  newEvent,
  newInvitee,
  type UserRecord,
} from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type Person, people } from './people.ts';
import { type Member, organizationId, type SeedEventType, team } from './team.ts';

export interface HostedEventType {
  offer: SeedEventType;
  id: string;
  type: EventTypeRecord;
  hosts: Array<{ id: string; key: Member; user: UserRecord; schedule: Schedule }>;
}

/** Events are spread over this many days before and after today. */
export const reachDays = 42;

/** Fills in the location if the invitee chooses it: a meeting place or a phone number. */
const placeFor = ({ kind, location }: LocationRecord, roll: Roll): LocationRecord => {
  if (kind === 'outbound_call') return { kind, location: `+1 555 01${10 + roll(90)}` };
  if (kind === 'ask_invitee') return { kind, location: ['Café Vogel, Torstraße 9', 'Our office, 2nd floor'][roll(2)]! };
  return location === undefined ? { kind } : { kind, location };
};

const campaigns = [
  { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'autumn' },
  { utm_source: 'partner-site', utm_medium: 'referral', utm_content: 'sidebar' },
  { utm_source: 'search', utm_medium: 'cpc', utm_term: 'scheduling advice', crm_uuid: 'crm-0042' },
];

const notes = 'Agenda: current status, next steps.\nPlease bring the figures of last quarter.';
const reasons = ['Travel plans changed', 'Ill today, sorry', null, 'Double-booked on our side'];

const topics = ['Our rollout in spring', 'Prices for larger teams', 'Moving our old calendars'];

/** `zoe.mueller@lindenbaum.example` ⇒ `Lindenbaum` */
const companyOf = ({ email }: Person): string => {
  const name = email.slice(email.indexOf('@') + 1).split('.')[0]!;
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** Everyone answers the required questions, and two of three the others. */
const answersOf = (
  { custom_questions: questions }: EventTypeRecord,
  person: Person,
  number: number,
): InviteeRecord['questions_and_answers'] =>
  questions
    .filter(({ required }) => required || number % 3 > 0)
    .map(({ name: question, type, position, answer_choices: choices }) => {
      const words = type === 'string' ? companyOf(person) : topics[number % topics.length]!;
      return { question, answer: choices[number % choices.length] ?? words, position };
    });

/** Tracks when each host is busy, to avoid overlapping meetings. */
const calendar = () => {
  const busy = new Map<string, Array<[start: number, end: number]>>();
  return {
    isFree: (user: string, start: number, end: number) =>
      !(busy.get(user) ?? []).some(([from, to]) => from < end && start < to),
    take(user: string, start: number, end: number) {
      busy.set(user, [...(busy.get(user) ?? []), [start, end]]);
    },
  };
};

export const seedEvents = (store: Store, hosted: HostedEventType[], now: number) => {
  const roll = dice(20_260);
  const { isFree, take } = calendar();
  let events = 0;
  let invitees = 0;

  /** A start on this day that works for all hosts, searched from a random half-hour on. */
  const findStart = ({ type }: HostedEventType, hosts: HostedEventType['hosts'], day: number): number | undefined => {
    const [first] = hosts;
    const { timezone, rules } = first!.schedule;
    const { date, weekday } = localTime(timezone, day);
    const offset = roll(16);
    if (intervalsOn(rules, date, weekday).length === 0) return undefined;
    const nine = instantOf(timezone, date, 9 * 60);
    for (let step = 0; step < 16; step++) {
      const start = nine + ((offset + step) % 16) * 30 * 60_000;
      const end = start + type.duration * 60_000;
      if (hosts.every(({ id, schedule }) => isFree(id, start, end) && isOpen(schedule, start, end))) return start;
    }
    return undefined;
  };

  const makeEvent = (chosen: HostedEventType, hosts: HostedEventType['hosts'], start: number) => {
    const id = makeId(`seed/event/${++events}`);
    for (const host of hosts) take(host.id, start, start + chosen.type.duration * 60_000);
    const booked = Math.min(start, now) - (1 + roll(12)) * dayMilliseconds - roll(600) * 60_000;
    const event = newEvent({
      id,
      type: chosen.type,
      hosts: hosts.map(({ user }) => user),
      start,
      limit: chosen.offer.limit ?? 1,
      place: placeFor(chosen.offer.places[roll(chosen.offer.places.length)]!, roll),
      now: booked,
    });
    if (roll(5) === 0) {
      event.meeting_notes_plain = notes;
      event.meeting_notes_html = `<p>${notes.replace('\n', '</p><p>')}</p>`;
    }
    return { id, event, booked };
  };

  const makeInvitee = (chosen: HostedEventType, event: string, person: Person, booked: number): InviteeRecord => {
    const id = makeId(`seed/invitee/${++invitees}`);
    const tracking = roll(4) === 0 ? campaigns[roll(campaigns.length)] : undefined;
    const invitee = newInvitee({ id, event, person, tracking, now: booked });
    invitee.questions_and_answers = answersOf(chosen.type, person, invitees);
    if (roll(6) === 0) invitee.text_reminder_number = `+1 555 01${10 + roll(90)}`;
    if (roll(12) === 0) invitee.reconfirmation = { created_at: invitee.created_at, confirmed_at: null };
    const { price } = chosen.offer;
    if (price)
      invitee.payment = {
        external_id: `pay_${id.toLowerCase()}`,
        provider: 'stripe',
        ...price,
        terms: 'Refundable until 24 hours before the meeting',
        successful: roll(8) !== 0,
      };
    return invitee;
  };

  const save = (
    chosen: HostedEventType,
    hosts: HostedEventType['hosts'],
    { id, event }: { id: string; event: EventRecord },
    guests: InviteeRecord[],
  ) => {
    const active = guests.filter(({ status }) => status === 'active').length;
    event.invitees_counter = { ...event.invitees_counter, total: guests.length, active };
    const facts = { organization: organizationId, eventType: chosen.id, hosts: hosts.map((host) => host.id) };
    insertEvent(store, id, event, facts);
    for (const guest of guests) store.insert('invitees', idIn(guest.uri), guest, { event: id });
    if (event.status !== 'canceled') return;
    const cancellation = { canceled_by: hosts[0]!.id, reason: reasons[roll(reasons.length)]! };
    store.add('cancellations', { event: id, ...cancellation, created_at: event.updated_at });
  };

  /** Cancels an event after its last guest has booked, and before both the meeting and today. */
  const cancelAll = (event: EventRecord, guests: InviteeRecord[], booked: number) => {
    const at = timestamp(booked + (8 + roll(12)) * 3_600_000);
    Object.assign(event, { status: 'canceled', updated_at: at });
    for (const guest of guests) Object.assign(guest, { status: 'canceled', updated_at: at });
  };

  /** Books the same guest with the same hosts some days later; the two invitees refer to each other. */
  const reschedule = (chosen: HostedEventType, hosts: HostedEventType['hosts'], guest: InviteeRecord, day: number) => {
    const start = findStart(chosen, hosts, day + (2 + roll(5)) * dayMilliseconds);
    if (start === undefined) return false;
    const later = makeEvent(chosen, hosts, start);
    const person = people.find(({ email }) => email === guest.email)!;
    const successor = makeInvitee(chosen, later.id, person, later.booked);
    successor.old_invitee = guest.uri;
    Object.assign(guest, { rescheduled: true, new_invitee: successor.uri });
    save(chosen, hosts, later, [successor]);
    return true;
  };

  const seedOne = (chosen: HostedEventType, hosts: HostedEventType['hosts'], day: number) => {
    const start = findStart(chosen, hosts, day);
    if (start === undefined) return;
    const made = makeEvent(chosen, hosts, start);
    const seats = chosen.offer.limit ? 2 + roll(chosen.offer.limit - 1) : 1;
    const firstPerson = roll(people.length);
    const guests = Array.from({ length: seats }, (_, seat) => {
      const person = people[(firstPerson + seat * 5) % people.length]!;
      return makeInvitee(chosen, made.id, person, made.booked + seat * 3_600_000);
    });
    const fate = roll(100);
    const isOver = start + chosen.type.duration * 60_000 < now;
    if (fate < 8 && seats === 1 && reschedule(chosen, hosts, guests[0]!, day)) {
      cancelAll(made.event, guests, made.booked);
    } else if (fate < 16) cancelAll(made.event, guests, made.booked);
    else if (fate < 30 && isOver) {
      const at = timestamp(Math.min(now, start + 20 * 60_000));
      const id = makeId(`seed/no-show/${events}`);
      Object.assign(guests[0]!, { no_show: { uri: uri('invitee_no_shows', id), created_at: at }, updated_at: at });
    } else if (fate < 50 && seats > 2) guests[1]!.status = 'canceled';
    save(chosen, hosts, made, guests);
  };

  for (let offset = -reachDays; offset <= reachDays; offset++) {
    const day = now + offset * dayMilliseconds;
    for (const { key } of team) {
      // Amara, the default user, has the fullest calendar.
      const wanted = key === 'amara' ? 1 + roll(2) : Number(roll(5) < 2);
      const mine = hosted.filter(
        ({ offer, hosts }) => hosts.some((host) => host.key === key) && !(offer.inactive && offset > -20),
      );
      for (let count = 0; count < wanted; count++) {
        const chosen = mine[roll(mine.length)]!;
        const isTogether = chosen.offer.pooling === 'collective';
        seedOne(chosen, isTogether ? chosen.hosts : chosen.hosts.filter((host) => host.key === key), day);
      }
    }
  }
};
