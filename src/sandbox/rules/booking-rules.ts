import type { Catalogue } from '../../api/catalogue.ts';
import type { Value } from '../../api/field.ts';
import { limits } from '../../api/limits.ts';
import { idIn } from '../../uri.ts';
import { conflict, type Detail, detail, invalidParameter, refuseInvalid } from '../error-replies.ts';
import type { HandlerContext } from '../handler.ts';
import { noticeBooking } from '../notices.ts';
import { dayMilliseconds, timestamp, uri } from '../store/names.ts';
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
import { type KnownEventType, requireEventType } from './event-type.ts';
import { wrongZone } from './local-time.ts';

type BookingBody = Value<Catalogue['invitees']['create']['body']>;

/** Assumed (invitees.who): all members of the organization can book its event types, secret ones included. */
const findBookable = ({ store, caller }: HandlerContext, reference: string): KnownEventType => {
  const known = requireEventType(store, caller, idIn(reference));
  if (!known.type.active) throw invalidParameter('event_type', 'is not active', 'inactive');
  return known;
};

const wrongAnswers = (
  { custom_questions: questions }: EventTypeRecord,
  answers: BookingBody['custom_questions'] = [],
) => {
  const asked = questions.filter(({ enabled }) => enabled);
  const details: Detail[] = [];
  const seen = new Set<string>();
  for (const [index, { question: text, answer, position }] of answers.entries()) {
    const wrong = (field: string, message: string) =>
      details.push(detail(`custom_questions[${index}].${field}`, message));
    const question = asked.find(({ name }) => name === text);
    if (!question) wrong('question', 'is not a question of this event type');
    else if (seen.has(text)) wrong('question', 'is answered twice');
    else if (question.position !== position) wrong('position', `must be ${question.position} for this question`);
    else if (question.required && answer.trim() === '') wrong('answer', 'is required');
    else if (question.type === 'single_select' && !question.include_other && !question.answer_choices.includes(answer))
      wrong('answer', `must be one of: ${question.answer_choices.join(', ')}`);
    seen.add(text);
  }
  for (const { name, required } of asked)
    if (required && !seen.has(name)) details.push(detail('custom_questions', `"${name}" must be answered`, 'required'));
  return details;
};

/**
 * Assumed (invitees.location): the location of a booking is one the event type offers, and its first one by default.
 * Assumed (invitees.location-text): `location.location` is required for the kinds `ask_invitee` and `outbound_call`.
 */
const choosePlace = (places: LocationRecord[], wanted: BookingBody['location']): LocationRecord | undefined => {
  if (places.length === 0 && !wanted) return undefined;
  const offered = wanted ? places.find(({ kind }) => kind === wanted.kind) : places[0];
  if (places.length === 0) throw invalidParameter('location.kind', 'is not available: this event type has no location');
  if (!offered) throw invalidParameter('location.kind', `must be one of: ${places.map(({ kind }) => kind).join(', ')}`);
  const needsWords = offered.kind === 'ask_invitee' || offered.kind === 'outbound_call';
  const location = needsWords ? wanted?.location : offered.location;
  if (needsWords && !location)
    throw invalidParameter('location.location', `is required for ${offered.kind}`, 'required');
  return location === undefined ? { kind: offered.kind } : { kind: offered.kind, location };
};

const isFree = (store: Store, user: string, start: number, end: number): boolean =>
  // The lower bound excludes nothing, because no event is longer, but lets SQLite use the index.
  store.all(
    `SELECT 1 FROM event_hosts h JOIN events e ON e.id = h.event
     WHERE h.user = ? AND h.start_time > ? AND h.start_time < ? AND e.end_time > ? AND e.status = 'active' LIMIT 1`,
    user,
    timestamp(start - limits.durationMinutes.max * 60_000 - 1),
    timestamp(end),
    timestamp(start),
  ).length === 0;

const taken = () => conflict('This time is no longer available.');

/** Returns the hosts of the meeting. Refuses a time outside the availability (400) or already booked (409). */
const chooseHosts = (store: Store, { id, type, dates }: KnownEventType, start: number, end: number): string[] => {
  const schedules = store.all<{ user: string; doc: string }>(
    'SELECT user, doc FROM schedules WHERE event_type = ? ORDER BY user',
    id,
  );
  const isShared = type.pooling_type === 'round_robin';
  // Assumed (one-offs.hours): the single spots of a one-off meeting replace the hosts' hours; on its days, those hours
  // apply.
  const isSpots = dates?.kind === 'spots';
  const open = schedules.filter(({ doc }) => isSpots || isOpen(JSON.parse(doc) as Schedule, start, end));
  const isOffered = dates === null || isWithin(dates, start, end);
  if (!isOffered || open.length === 0 || (!isShared && open.length < schedules.length))
    throw invalidParameter('start_time', 'is outside the availability of this event type', 'unavailable');
  const free = open.filter(({ user }) => isFree(store, user, start, end)).map(({ user }) => user);
  if (!isShared) {
    if (free.length < open.length) throw taken();
    return free;
  }
  // Assumed (invitees.round-robin): round robin picks the host with the fewest meetings, counted from a week before the
  // start.
  const loadOf = (user: string) =>
    store.all<{ n: number }>(
      'SELECT count(*) AS n FROM event_hosts WHERE user = ? AND start_time >= ?',
      user,
      timestamp(start - 7 * dayMilliseconds),
    )[0]!.n;
  const [next] = free.map((user) => ({ user, load: loadOf(user) })).sort((a, b) => a.load - b.load);
  if (!next) throw taken();
  return [next.user];
};

/** The group event with a free seat at exactly this time, if there is one. Refuses an invitee who is already booked. */
const eventWithSeat = (store: Store, { id, type }: KnownEventType, start: number, email: string) => {
  if (type.kind !== 'group') return undefined;
  // Several hosts of a round-robin event type can each have one.
  const rows = store.all<{ id: string; doc: string }>(
    "SELECT id, doc FROM events WHERE event_type = ? AND start_time = ? AND status = 'active' ORDER BY id",
    id,
    timestamp(start),
  );
  const twice = "SELECT 1 FROM invitees WHERE event = ? AND email = ? AND status = 'active'";
  if (rows.some((row) => store.all(twice, row.id, email).length > 0))
    throw conflict('This invitee is already booked for this time.');
  return rows
    .map((row) => ({ id: row.id, event: JSON.parse(row.doc) as EventRecord }))
    .find(({ event: { invitees_counter: seats } }) => seats.active < seats.limit);
};

const personOf = ({ email, name, first_name, last_name, timezone }: BookingBody['invitee']) => ({
  email,
  name: name ?? [first_name, last_name].filter(Boolean).join(' '),
  // Assumed (invitees.full-name): if only the full name of an invitee is sent, it is split at its first space.
  first_name: first_name ?? name?.split(' ')[0] ?? null,
  last_name: last_name ?? (first_name === undefined ? name?.split(' ').slice(1).join(' ') || null : null),
  timezone,
});

/** Books a meeting. Must run in a transaction, so that no other booking can take the slot in between. */
export const book = (body: BookingBody, context: HandlerContext): InviteeRecord => {
  const { store, caller, now } = context;
  const bookable = findBookable(context, body.event_type);
  const { type } = bookable;
  const start = Date.parse(body.start_time);
  const end = start + type.duration * 60_000;

  const details = wrongAnswers(type, body.custom_questions);
  if (start <= now) details.push(detail('start_time', 'must be in the future', 'past'));
  refuseInvalid([...details, ...wrongZone(body.invitee.timezone, 'invitee.timezone')]);
  const place = choosePlace(bookable.places, body.location);

  let seat = eventWithSeat(store, bookable, start, body.invitee.email);
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
    scheduling_method: 'instant_book',
    // Assumed (invitees.scheduled-by): `invitee_scheduled_by` is the user who owns the token. A booking through the API
    // has no payment, because the request can't take one.
    invitee_scheduled_by: uri('users', caller.user),
    questions_and_answers: [...(body.custom_questions ?? [])].sort((a, b) => a.position - b.position),
  };
  store.insert('invitees', id, invitee, { event: seat.id });
  queueInviteeEvent(context, 'invitee.created', invitee, event);
  noticeBooking(context, invitee, event);
  logActivity(context, 'ScheduledEvent.Book', { event: invitee.event, event_type: type.uri, name: type.name });
  return invitee;
};
