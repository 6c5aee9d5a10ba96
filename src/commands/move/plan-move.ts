import type { SentEventType } from '../../api/event-types.ts';
import type { SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { hasCategory, SchedError, usageError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { minute } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Call } from '../../cli/input/input.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { changeOptions } from '../../cli/operation/change-record.ts';
import type { Context } from '../../cli/session/context.ts';
import { TimeNotFree } from '../../client/refusal.ts';
import { timeLabel } from '../../time/label.ts';
import { readMutationTime } from '../../time/mutation.ts';
import { overlap, type Span } from '../../time/slots.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import { readZone } from '../../time/zone.ts';
import { bookingContextOf } from '../booking/booking-context.ts';
import { hostsIn, nameAndTime, textIn } from '../events/screen.ts';
import { type FreeTimes, findFreeTimes, noteUnchecked, seatsIn } from '../slots/free-slots.ts';
import { timeNotFree } from '../slots/judge-time.ts';
import type { MoveChoices } from './input.ts';
import { openMoves, standingMove } from './work.ts';
import { type Carried, carry, missingFacts } from './work-carry-over.ts';
import { endsMove, type MoveEntry, moves } from './work-record.ts';
import {
  isCanceledRecord,
  type MoveContext,
  type MovePlan,
  type Person,
  readEvent,
  readEventInvitees,
} from './work-steps.ts';

export const risk = 'for a moment nobody is booked, and the time can be lost';

/** An event to move, the people who move with it, and the record of an earlier attempt. */
export interface Movable {
  event: SentEvent;
  type: SentEventType;
  people: readonly Carried[];
  record: MoveEntry | undefined;
}

export interface Move extends Movable {
  /** IDs of the hosts. */
  hosts: ReadonlySet<string>;
  old: Span;
  new: Span;
  /** The same move was begun before, so its new time may be taken by itself. Or the event has been moved. */
  isAgain: boolean;
  /** There is nothing to move. */
  isThere: boolean;
}

type Spans = Pick<Move, 'hosts' | 'old' | 'new'>;

export const moveContextOf = async (context: Context): Promise<MoveContext> => ({
  booking: await bookingContextOf(context),
  change: changeOptions(context),
  moves: (await context.sharedState()).ledger(moves),
});

/** Names the moves that are not finished, with the command that finishes each. */
export const noteOpenMoves = async (context: Context, moving: MoveContext, besides?: SentEvent): Promise<void> => {
  for (const { entry } of await openMoves(moving))
    if (entry.old !== besides?.uri)
      context.notes.warn(`A move is not finished. To finish it: ${commandHere(context, ...endsMove(entry))}`);
};

/** Reads an event and the people who move: those who are active, or were when an earlier attempt began. */
export const readMovable = async (
  moving: MoveContext,
  id: string,
  choices: MoveChoices,
  typeOf: (uri: string) => Promise<SentEventType>,
): Promise<Movable> => {
  let event = await readEvent(moving, id);
  const all = await readEventInvitees(moving, id);
  // Another process may have canceled the event between the two reads.
  if (all.every(isCanceledRecord)) event = await readEvent(moving, id);
  const record = await standingMove(moving, event, all);
  const isMoving = (invitee: SentInvitee): boolean =>
    record !== undefined && isCanceledRecord(event)
      ? record.invitees.includes(String(invitee.uri))
      : !isCanceledRecord(invitee);
  const invitees = all.filter(isMoving);
  const type = await typeOf(String(event.event_type));
  return { event, type, people: invitees.map((invitee) => carry(event, type, invitee, choices)), record };
};

/** Refuses an event that can't be moved. */
export const checkMovable = (
  context: Context,
  { event, type, people, record }: Movable,
  choices: MoveChoices,
): void => {
  const refuse = (why: string, facts: SchedError['facts'] = {}): never => {
    throw new SchedError(
      isCanceledRecord(event) ? 'conflict' : 'usage',
      `${nameAndTime(context, event)} ${why}`,
      facts,
    );
  };
  if (record === undefined) {
    if (isCanceledRecord(event)) refuse("is canceled, so it can't be moved");
    if (!(timestampOf(event.start_time)! > context.now())) refuse("has begun, so it can't be moved");
    if (people.length === 0) refuse("has no invitees, so it can't be moved");
    if (type.active === false) refuse("can't be moved, because its event type is not active");
    if (
      !choices.withoutPayment &&
      people.some(({ invitee: { payment } }) => isObject(payment) && payment.successful !== false)
    )
      refuse('is paid, and a new booking has no payment', { hint: { flags: { 'without-payment': true } } });
  }
  const missingSentences = record?.state === 'closed' ? [] : missingFacts(type, people, choices);
  if (missingSentences.length > 0) throw usageError(missingSentences);
};

/** The time zones of the people, as far as they are known. */
export const zonesOf = ({ people }: Movable): string[] =>
  people.flatMap(({ invitee }) => {
    const reading = readZone(String(invitee.timezone));
    return reading.ok ? [reading.zone] : [];
  });

/**
 * Reads the new start. Without an offset, it must mean the same in these zones, unless a question shows the local time of
 * both sides. `since` is what a shift such as +1h counts from.
 */
export const readNewStart = (
  { context, how }: Pick<Call, 'context' | 'how'>,
  raw: string,
  zones: readonly string[],
  since?: number,
): number => {
  const { settings } = context;
  const { zone, zoneSource } = settings;
  const { isTerminal } = how;
  const [start] = [...zones, undefined].map((inviteeZone) => {
    const now = since ?? context.now();
    const reading = readMutationTime(raw, { zone, zoneSource, inviteeZone, isTerminal, now });
    if (!reading.ok) throw usageError([words`${the(since === undefined ? 'to' : 'shift')}: ${reading.problem}`]);
    return timestampOf(reading.instant)!;
  });
  return start!;
};

/** The move of an event to a new start. Its length is that of the event type now. */
export const moveTo = (movable: Movable, start: number): Move => {
  const { event, record, type } = movable;
  const old = { start: timestampOf(event.start_time)!, end: timestampOf(event.end_time)! };
  return {
    ...movable,
    hosts: new Set(hostsIn(event).map(({ user }) => idIn(user))),
    old,
    new: { start, end: start + Number(type.duration) * minute },
    isAgain: record !== undefined && (timestampOf(record.to) === start || record.state === 'closed'),
    isThere: record === undefined && old.start === start,
  };
};

/** The old event as it will be. */
export const eventAfter = ({ event, new: { start, end } }: Move): SentEvent => ({
  ...event,
  start_time: utcText(start),
  end_time: utcText(end),
});

/** Whether a host would have to be at both times. Of a round robin, another host can take the new time. */
export const overlapsItself = ({ old, new: next, type }: Move): boolean =>
  type.pooling_type !== 'round_robin' && overlap(old, next);

/** The error for a move that would leave people without a booking for a moment. */
export const cancelFirstNeeded = (why: string): SchedError =>
  new SchedError('confirmation-required', `${why}, so sched must cancel first`, {
    reason: risk,
    hint: { flags: { 'cancel-first': true } },
  });

/** Reads what tells whether new starts are free. Undefined if the token may not read it. */
export const readTimes = async (context: Context, type: SentEventType, starts: readonly number[]) => {
  const window = { since: Math.min(...starts), until: Math.max(...starts) + 1 };
  const times = await findFreeTimes(context, { type, ...window }).catch((error: unknown) => {
    if (!hasCategory(error, 'forbidden', 'not-found', 'integrity')) throw error;
    context.notes.warn(`Not checked whether the new time is free: ${error.message}`);
    return undefined;
  });
  if (times !== undefined) noteUnchecked(context, times);
  return times;
};

/** Why the new time of a move isn't free, if the others are made too. Undefined if it is. */
export const whyNotFree = (
  context: Context,
  times: FreeTimes | undefined,
  move: Move,
  others: readonly Move[] = [],
): TimeNotFree | undefined => {
  if (times === undefined) return undefined;
  const { type, people, new: next } = move;
  const without = new Set([move, ...others].map(({ event }) => event.uri));
  const [first, ...rest] = times.judge(next.start, { without, also: others.map(eventAfter) });
  if (first !== undefined) return timeNotFree(context, first.code === 'past' ? [first] : [first, ...rest], next);
  const isJoined = ({ uri, event_type, start_time }: SentEvent): boolean =>
    idIn(event_type) === idIn(type.uri) && timestampOf(start_time) === next.start && !without.has(uri);
  const groupEvent = type.kind === 'group' ? times.events.find(isJoined) : undefined;
  if (groupEvent === undefined || seatsIn(groupEvent) >= people.length) return undefined;
  const seats = `${counted(seatsIn(groupEvent), 'free seat')} for ${counted(people.length, 'person', 'people')}`;
  return new TimeNotFree('conflict', `${nameAndTime(context, groupEvent)} has ${seats}`);
};

/** Whether a move needs the old time of another one. */
const needsOldTime = (one: Spans, other: Spans): boolean =>
  one !== other && overlap(one.new, other.old) && [...one.hosts].some((host) => other.hosts.has(host));

/** Puts each move after those whose old time it needs. Moves that need each other are returned as a circle. */
export const orderMoves = <M extends Spans>(moves: readonly M[]): { ordered: M[]; circle: M[] | undefined } => {
  const order = new Set<M>();
  let circle: M[] | undefined;
  const visit = (move: M, before: readonly M[]): void => {
    if (order.has(move)) return;
    if (before.includes(move)) circle ??= before.slice(before.indexOf(move));
    else for (const other of moves) if (needsOldTime(move, other)) visit(other, [...before, move]);
    order.add(move);
  };
  for (const move of moves) visit(move, []);
  return { ordered: [...order], circle };
};

/** The requests of a move. */
export const planOf = (context: Context, move: Move, choices: MoveChoices): MovePlan => {
  const { event, type, people, record, old, isAgain } = move;
  const to = utcText(move.new.start);
  const [zone, other] = new Set(people.map(({ body }) => String(body.invitee.timezone)));
  const shownZone = other === undefined && zone !== undefined ? zone : context.settings.zone;
  const bookingOf = ({ invitee, body }: Carried): Person => ({
    invitee: String(invitee.uri),
    name: textIn(invitee.name, invitee.email) ?? idIn(invitee.uri),
    body: { ...body, start_time: to },
  });
  return {
    event: String(event.uri),
    from: utcText(old.start),
    to,
    order: (isAgain ? record?.order : undefined) ?? (choices.cancelFirst ? 'cancel-first' : 'book-first'),
    bookings: people.map(bookingOf),
    personOf: (invitee) => bookingOf(carry(event, type, invitee, choices)),
    allowDuplicate: choices.allowDuplicate === true,
    reason: choices.reason ?? `Moved to ${timeLabel(to, shownZone, context.now()) ?? to} ${shownZone}`,
  };
};
