import type { Catalogue } from '../../api/catalogue.ts';
import type { Value } from '../../api/field.ts';
import { limits } from '../../api/limits.ts';
import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import { conflict, type Detail, detail, invalidParameter, refuseInvalid } from '../error-replies.ts';
import type { ChangeContext } from '../handler.ts';
import { timestamp, uri } from '../store/names.ts';
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
import { queueInviteeEvent } from '../webhooks/outbox.ts';
import { logActivity } from './activity.ts';
import { isOpen, type Schedule } from './availability.ts';
import { isWithin } from './dates.ts';
import type { StoredEventType } from './event-type.ts';
import { wrongZone } from './local-time.ts';
import { noticeBooking } from './notices.ts';

type BookingBody = Value<Catalogue['invitees']['create']['body']>;

/** Whether a text is some of the choices, each at most once, joined by `, `. A choice may have a comma itself. */
const isJoined = (text: string, choices: readonly string[]): boolean =>
  choices.some((choice) => {
    if (text === choice) return true;
    const others = choices.filter((each) => each !== choice);
    return text.startsWith(`${choice}, `) && isJoined(text.slice(choice.length + 2), others);
  });

/**
 * What an answer must be to a question with choices, if it isn't. No answer is fine unless the question is required.
 * Assumed (invitees.choices): the answer to a `single_select` question is one of its choices, to a `multi_select`
 * question some of them, joined by `, `. With `include_other` any text will do.
 */
const wrongChoice = (
  { type, answer_choices: choices, include_other }: EventTypeRecord['custom_questions'][number],
  answer: string,
): string | undefined => {
  if (include_other || choices.length === 0 || answer.trim() === '') return undefined;
  if (type === 'single_select' && !choices.includes(answer)) return `must be one of: ${choices.join(', ')}`;
  if (type === 'multi_select' && !isJoined(answer, choices))
    return `must be one or more of these, joined by ", ": ${choices.join(', ')}`;
  return undefined;
};

const wrongAnswers = (
  { custom_questions: questions }: EventTypeRecord,
  answers: BookingBody['custom_questions'] = [],
) => {
  const enabledQuestions = questions.filter(({ enabled }) => enabled);
  const details: Detail[] = [];
  const seen = new Set<string>();
  for (const [index, { question: text, answer, position }] of answers.entries()) {
    const wrong = (field: string, message: string) =>
      details.push(detail(`custom_questions[${index}].${field}`, message));
    const question = enabledQuestions.find(({ name }) => name === text);
    if (!question) wrong('question', 'is not a question of this event type');
    else if (seen.has(text)) wrong('question', 'is answered twice');
    else if (question.position !== position) wrong('position', `must be ${question.position} for this question`);
    else if (question.required && answer.trim() === '') wrong('answer', 'is required');
    else {
      const problem = wrongChoice(question, answer);
      if (problem !== undefined) wrong('answer', problem);
    }
    seen.add(text);
  }
  for (const { name, required } of enabledQuestions)
    if (required && !seen.has(name)) details.push(detail('custom_questions', `"${name}" must be answered`, 'required'));
  return details;
};

/**
 * Assumed (invitees.location): the location of a booking is one the event type offers, and its first one by default.
 * Assumed (invitees.location-text): `location.location` is required for the kinds `ask_invitee` and `outbound_call`.
 */
const choosePlace = (places: LocationRecord[], choice: BookingBody['location']): LocationRecord | undefined => {
  if (places.length === 0 && !choice) return undefined;
  const offered = choice ? places.find(({ kind }) => kind === choice.kind) : places[0];
  if (places.length === 0) throw invalidParameter('location.kind', 'is not available: this event type has no location');
  if (!offered) throw invalidParameter('location.kind', `must be one of: ${places.map(({ kind }) => kind).join(', ')}`);
  const needsWords = offered.kind === 'ask_invitee' || offered.kind === 'outbound_call';
  const location = needsWords ? choice?.location : offered.location;
  if (needsWords && !location)
    throw invalidParameter('location.location', `is required for ${offered.kind}`, 'required');
  return location === undefined ? { kind: offered.kind } : { kind: offered.kind, location };
};

interface Span {
  start: number;
  end: number;
}

/** What decides when a meeting can start: the hours of each host, and the times at which they are busy. */
export interface Agenda {
  eventType: StoredEventType;
  hosts: Array<{ user: string; hours: Pick<Schedule, 'timezone' | 'rules'>; busy: Span[] }>;
}

/** The active events of a host that overlap a stretch of time. An event is not among them if its last invitee leaves it. */
const busyTimes = (store: Store, user: string, from: number, to: number, left: EventRecord | undefined): Span[] =>
  store
    .all<{ start_time: string; end_time: string }>(
      // The lower bound excludes nothing, because no event is longer, but lets SQLite use the index.
      `SELECT h.start_time, e.end_time FROM event_hosts h JOIN events e ON e.id = h.event
       WHERE h.user = ? AND h.start_time > ? AND h.start_time < ? AND e.end_time > ? AND e.status = 'active'
         AND e.id <> ?`,
      user,
      timestamp(from - limits.durationMinutes.max * 60_000 - 1),
      timestamp(to),
      timestamp(from),
      left?.status === 'canceled' ? idIn(left.uri) : '',
    )
    .map(({ start_time, end_time }) => ({ start: Date.parse(start_time), end: Date.parse(end_time) }));

/** Reads what decides about all meetings between two moments. */
export const readAgenda = (store: Store, eventType: StoredEventType, from: number, to: number): Agenda => {
  const schedules = store.all<{ user: string; doc: string }>(
    'SELECT user, doc FROM schedules WHERE event_type = ? ORDER BY user',
    eventType.id,
  );
  const hosts = schedules.map(({ user, doc }) => {
    const hours: Schedule = JSON.parse(doc);
    return { user, hours: { ...hours, ...eventType.hours }, busy: busyTimes(store, user, from, to, eventType.left) };
  });
  return { eventType, hosts };
};

/** The hosts who can take part: all of them, or with round robin any of them. */
export const freeHostsAt = ({ eventType, hosts }: Agenda, start: number): string[] | 'unavailable' | 'taken' => {
  const { type, dates } = eventType;
  const end = start + type.duration * 60_000;
  const isShared = type.pooling_type === 'round_robin';
  // Assumed (one-offs.hours): the single spots of a one-off meeting replace the hosts' hours; on its days, those hours
  // apply.
  const isSpots = dates?.kind === 'spots';
  if (dates !== null && !isWithin(dates, start, end)) return 'unavailable';
  const open = hosts.filter(({ hours }) => isSpots || isOpen(hours, start, end));
  if (open.length === 0 || (!isShared && open.length < hosts.length)) return 'unavailable';
  const free = open.filter(({ busy }) => !busy.some((each) => each.start < end && start < each.end));
  return free.length === 0 || (!isShared && free.length < open.length) ? 'taken' : free.map(({ user }) => user);
};

/** Returns the hosts of the meeting. Refuses a time outside the availability (400) or already booked (409). */
const chooseHosts = (store: Store, eventType: StoredEventType, start: number, end: number): string[] => {
  const free = freeHostsAt(readAgenda(store, eventType, start, end), start);
  if (free === 'unavailable')
    throw invalidParameter('start_time', 'is outside the availability of this event type', free);
  if (free === 'taken') throw conflict('This time is no longer available.');
  if (eventType.type.pooling_type !== 'round_robin') return free;
  // Assumed (invitees.round-robin): round robin picks the host with the fewest active meetings, counted from a week
  // before the start.
  const loadOf = (user: string) =>
    store.all<{ n: number }>(
      `SELECT count(*) AS n FROM event_hosts h JOIN events e ON e.id = h.event
       WHERE h.user = ? AND h.start_time >= ? AND e.status = 'active'`,
      user,
      timestamp(start - 7 * day),
    )[0]!.n;
  const [next] = free.map((user) => ({ user, load: loadOf(user) })).sort((a, b) => a.load - b.load);
  return [next!.user];
};

/** The group events that start between two moments and have a free seat, in the order in which seats are taken. */
export const eventsWithSeats = (store: Store, { id, type, left }: StoredEventType, from: number, to: number) => {
  if (type.kind !== 'group') return [];
  // Several hosts of a round-robin event type can each have one.
  const rows = store.all<{ id: string; doc: string }>(
    "SELECT id, doc FROM events WHERE event_type = ? AND start_time BETWEEN ? AND ? AND status = 'active' ORDER BY id",
    id,
    timestamp(from),
    timestamp(to),
  );
  return rows
    .map((row) => ({ id: row.id, event: JSON.parse(row.doc) as EventRecord }))
    .map(({ id, event }) => ({ id, event: event.uri === left?.uri ? left : event }))
    .filter(({ event: { invitees_counter: seats, status } }) => status === 'active' && seats.active < seats.limit);
};

/** Whether this address is already booked for a group event at this time. */
export const isBookedFor = (store: Store, { id, type }: StoredEventType, start: number, email: string): boolean =>
  type.kind === 'group' &&
  store.first(
    `SELECT 1 FROM events e JOIN invitees i ON i.event = e.id
     WHERE e.event_type = ? AND e.start_time = ? AND e.status = 'active' AND i.email = ? AND i.status = 'active'`,
    id,
    timestamp(start),
    email,
  ) !== undefined;

const personOf = ({ email, name, first_name, last_name, timezone }: BookingBody['invitee']) => ({
  email,
  name: name ?? [first_name, last_name].filter(Boolean).join(' '),
  // Assumed (invitees.full-name): if only the full name of an invitee is sent, it is split at its first space.
  first_name: first_name ?? name?.split(' ')[0] ?? null,
  last_name: last_name ?? (first_name === undefined ? name?.split(' ').slice(1).join(' ') || null : null),
  timezone,
});

export interface BookingContext extends ChangeContext {
  /** How it was booked, as in the record. Null: by the invitee, on a page. */
  method: 'instant_book' | null;
}

export type NewBooking = Omit<BookingBody, 'event_type'>;

interface Booked {
  invitee: InviteeRecord;
  event: EventRecord;
}

/** Stores a booking. `moved` has the fields of an invitee who was booked for another time before. */
export const storeBooking = (
  body: NewBooking,
  bookable: StoredEventType,
  { store, now, caller, method }: BookingContext,
  moved: Partial<InviteeRecord> = {},
): Booked => {
  const { type } = bookable;
  if (!type.active) throw invalidParameter('event_type', 'is not active', 'inactive');
  const start = Date.parse(body.start_time);
  const end = start + type.duration * 60_000;

  const details = wrongAnswers(type, body.custom_questions);
  if (start <= now) details.push(detail('start_time', 'must be in the future', 'past'));
  refuseInvalid([...details, ...wrongZone(body.invitee.timezone, 'invitee.timezone')]);
  const place = choosePlace(bookable.places, body.location);

  if (isBookedFor(store, bookable, start, body.invitee.email))
    throw conflict('This invitee is already booked for this time.');
  let [seat] = eventsWithSeats(store, bookable, start, start);
  if (!seat) {
    const hosts = chooseHosts(store, bookable, start, end);
    const id = store.nextId('event');
    const people = hosts.map((host) => store.get<UserRecord>('users', host)!);
    const event = newEvent({ id, type, hosts: people, start, limit: bookable.limit, place, now });
    insertEvent(store, id, event, { organization: caller.organization, eventType: bookable.id, hosts });
    seat = { id, event };
  }

  const { total, active, limit } = seat.event.invitees_counter;
  const invitees_counter = { total: total + 1, active: active + 1, limit };
  const event: EventRecord = { ...seat.event, invitees_counter, updated_at: timestamp(now) };
  store.update('events', seat.id, event);

  const id = store.nextId('invitee');
  const invitee: InviteeRecord = {
    ...newInvitee({ id, event: seat.id, person: personOf(body.invitee), tracking: body.tracking, now }),
    scheduling_method: method,
    // Assumed (invitees.scheduled-by): `invitee_scheduled_by` is the user who owns the token. A booking through the API
    // has no payment, because the request can't take one.
    invitee_scheduled_by: method && uri('users', caller.user),
    questions_and_answers: [...(body.custom_questions ?? [])].sort((a, b) => a.position - b.position),
    ...moved,
  };
  store.insert('invitees', id, invitee, { event: seat.id });
  return { invitee, event };
};

export const reportBooking = (context: ChangeContext, { invitee, event }: Booked) => {
  queueInviteeEvent(context, 'invitee.created', invitee, event);
  noticeBooking(context, invitee, event);
  const { event_type, name } = event;
  logActivity(context, 'ScheduledEvent.Book', { event: event.uri, event_type, name });
};

/** Books a meeting. Must run in a transaction, so that no other booking can take the slot in between. */
export const book = (body: NewBooking, bookable: StoredEventType, context: BookingContext): InviteeRecord => {
  const booked = storeBooking(body, bookable, context);
  reportBooking(context, booked);
  return booked.invitee;
};
