import { events } from '../../api/events.ts';
import { invitees, type SentInvitee } from '../../api/invitees.ts';
import { hasCategory, type SchedError } from '../../base/errors.ts';
import { textOf } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { RecordAnswer } from '../../cli/answer/answer.ts';
import { type Danger, plan, type Question, type Reply, type Requests } from '../../cli/answer/plan.ts';
import type { Invocation } from '../../cli/command.ts';
import { type Call, readCall } from '../../cli/input/input.ts';
import { eventTypeOf } from '../../cli/operation/event-type.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import { withFacts } from '../../cli/operation/write-result.ts';
import type { Asker } from '../../cli/session/asker.ts';
import { requireBookings } from '../../cli/session/booking-limits.ts';
import type { Context } from '../../cli/session/context.ts';
import type { Facts } from '../../cli/session/prompt.ts';
import { TimeNotFree } from '../../client/refusal.ts';
import type { View } from '../../output/view.ts';
import { dateText } from '../../time/days.ts';
import { describeInstant, spanLabel, timeLabel } from '../../time/label.ts';
import { readTime } from '../../time/read.ts';
import { wallClock } from '../../time/show.ts';
import type { Span } from '../../time/slots.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import { offsetText } from '../../time/zoned.ts';
import { askStart, chooseAnother, inviteeOf } from '../booking/choose-time.ts';
import { joinLine, notifiedText, peopleText, undoLine } from '../events/answer.ts';
import { hostNames, hostsIn, nameAndTime, quotedName, textIn } from '../events/screen.ts';
import { type MoveChoices, type MoveInput, singleInput } from './input.ts';
import {
  cancelFirstNeeded,
  checkMovable,
  type Movable,
  type Move,
  moveContextOf,
  moveTo,
  noteOpenMoves,
  overlapsItself,
  planOf,
  readMovable,
  readNewStart,
  readTimes,
  risk,
  whyNotFree,
  zonesOf,
} from './plan-move.ts';
import { moveEvent } from './work.ts';
import { carriedWords } from './work-carry-over.ts';
import type { Moved } from './work-end.ts';
import type { MoveContext, MovePlan } from './work-steps.ts';

const spanText = (context: Context, { start, end }: Span): string =>
  spanLabel(utcText(start), utcText(end), context.settings.zone, context.now())!;

/** Each person gets a notice about the new event, and one about the old. */
export const noticesText = (who: string): string => `notify ${who} (a cancellation and a new invitation)`;

const inviteesOf = ({ people }: Move): SentInvitee[] => people.map(({ invitee }) => invitee);

const questionAbout = (context: Context, move: Move, reason = '', isFree = false): Question => {
  const { event, type, people, old, new: next, isAgain } = move;
  const { keeps, changes, lost } = carriedWords(event, type, people);
  const details: Facts = [
    ['from', spanText(context, old)],
    ['to', `${spanText(context, next)} ${context.settings.zone}${isFree ? ' · free' : ''}`],
    ['who', peopleText(context, inviteesOf(move), utcText(next.start))],
    ['same', keeps],
    ['new', changes],
    ['lost', lost],
    ['reason', reason],
  ];
  const who =
    people.length === 1 ? peopleText(context, inviteesOf(move), undefined) : counted(people.length, 'person', 'people');
  return {
    question: `${isAgain ? 'Finish moving' : 'Move'} ${quotedName(event)} and ${noticesText(who)}?`,
    action: `move ${nameAndTime(context, event)} to ${spanText(context, next)}`,
    details: details.filter(([, value]) => value !== ''),
  };
};

const overlaps = 'The new time overlaps the old one';

/** Whether the old event may be canceled first. */
const overlapDanger = (context: Context, { event }: Move): Danger => ({
  question: {
    question: `${overlaps}. sched must cancel first; ${risk}. Cancel first?`,
    action: `cancel ${nameAndTime(context, event)} first`,
  },
  unasked: cancelFirstNeeded(overlaps),
});

/** What else to know about a move that is done. */
const movedHints = ({ how, formerInvitees: names }: Moved): string[] => {
  if (names.length === 0) return [];
  return [
    how === 'already'
      ? `${names.join(', ')} left the new event since then`
      : `${names.join(', ')} left the old event meanwhile, so they were not booked at the new time`,
  ];
};

/** What was done, and how to join and to undo it. */
const movedAnswer = (context: Context, view: View, move: Move, moved: Moved): RecordAnswer => {
  const { settings, now, runtime } = context;
  const { event, how, at, unnotedReason } = moved;
  const isAlready = how === 'already';
  const hosts = hostsIn(event).map(({ user }) => idIn(user));
  const isChanged = hosts.length !== move.hosts.size || hosts.some((host) => !move.hosts.has(host));
  const span = spanText(context, move.new);
  const before = offsetText(move.old.start, settings.zone);
  const people = inviteesOf(move).filter(({ name }) => !moved.formerInvitees.includes(String(name)));
  const atText = at && timeLabel(new Date(at).toISOString(), settings.zone, runtime.clock.now());
  const when = describeInstant(utcText(move.new.start), settings.zone, now());
  const facts = { moved_from: move.event.uri, invitees: moved.invitees, host_changed: isChanged };
  return {
    kind: 'record',
    view,
    record: withFacts(event, isAlready ? { ...facts, already: true } : facts),
    done: {
      log: `${isAlready ? 'already moved' : 'moved'}: ${textOf(event.name, move.event.name, event.uri)}, ${when}`,
      sentence: isAlready
        ? `Already moved${atText ? ` on ${atText}` : ''} to ${span} ${settings.zone}`
        : `Moved: ${textIn(event.name, move.event.name) ?? 'the event'} to ${span} ${settings.zone}`,
      below: [
        isAlready ? undefined : notifiedText(context, people, utcText(move.new.start)),
        isChanged ? `The host is now ${hostNames(event).join(', ')}.` : undefined,
        joinLine(event),
        isAlready ? undefined : undoLine(context, 'move', event.uri, '--to', before),
      ],
      hints: movedHints(moved),
      warnings:
        unnotedReason === undefined
          ? []
          : [`The move is done, but this could not be recorded (${unnotedReason}). The same command notes it later.`],
      saysAll: true,
    },
  };
};

/** The requests of moves. */
export const requestsOf = async (context: Context, plans: readonly MovePlan[]): Promise<Requests> => {
  const client = await context.client();
  const requests = plans.flatMap(({ event, bookings, reason, order }) => {
    const bookingRequests = bookings.map(({ body }) => client.prepare(invitees.create, { body }));
    const cancellationRequest = client.prepare(events.cancel, { path: { event: idIn(event) }, body: { reason } });
    return order === 'book-first'
      ? [...bookingRequests, cancellationRequest]
      : [cancellationRequest, ...bookingRequests];
  });
  return { prepared: await Promise.all(requests) };
};

/** A time of day without a date is today's. If that isn't free, offers the same time on the event's day. */
const withOwnDay = ({ settings, now }: Context, error: SchedError, raw: string, { old, new: next }: Move) => {
  const date = dateText(wallClock(settings.zone)(old.start));
  const reading = readTime(`${date} ${raw}`, { zone: settings.zone, now: now() });
  const start = reading.ok ? timestampOf(reading.instant)! : next.start;
  const isOther = start !== next.start && start !== old.start;
  return isOther ? error.with({ hint: { flags: { to: offsetText(start, settings.zone) } } }) : error;
};

/** Reads the event. Refuses one that can't be moved. */
const readMove = async (context: Context, moving: MoveContext, id: string, choices: MoveChoices): Promise<Movable> => {
  const movable = await readMovable(moving, id, choices, (uri) => eventTypeOf(context, uri));
  checkMovable(context, movable, choices);
  return movable;
};

/** Asks for the new start: the free times of the event type. */
export const askNewStart = async (invocation: Invocation, asker: Asker): Promise<string | undefined> => {
  const { context } = invocation;
  const { event, ...choices } = await readCall(singleInput, invocation);
  const { type, people } = await readMove(context, await moveContextOf(context), event, choices);
  return askStart(invocation, { type, invitee: inviteeOf(people[0]?.invitee ?? {}) }, asker);
};

/** A move as it was given, read and planned. */
interface Refused {
  raw: string;
  move: Move;
  moves: MovePlan;
}

/** Asks for another time if a move was refused because of its time. The flag gets what was chosen. */
const askOther = async ({ context, problems }: Call, { raw, move, moves }: Refused, error: unknown) => {
  const booking = { event_type: moves.bookings[0]?.body.event_type ?? '', start_time: moves.to };
  // Once the old event is canceled, another time is another command.
  const mayAsk = moves.order === 'book-first' || error instanceof TimeNotFree;
  const other = await chooseAnother(context, booking, error, { mayAsk }).catch((failure) => {
    if (error instanceof TimeNotFree) throw withOwnDay(context, failure, raw, move);
    const isPlace = hasCategory(failure, 'usage') && /\blocation\b/.test(failure.facts.reason ?? '');
    throw isPlace ? failure.with({ advice: words`choose another place with ${the('locationKind')}` }) : failure;
  });
  problems.own?.setFlag('to', other);
  return other;
};

/** Moves one event: books its people at the new time, and cancels it. */
export const planMove = async (
  { view }: GenericCommand,
  { to, event, ...choices }: MoveInput,
  call: Call,
): Promise<Reply> => {
  const { context } = call;
  const moving = await moveContextOf(context);
  const movable = await readMove(context, moving, event, choices);
  await noteOpenMoves(context, moving, movable.event);
  const isDone = movable.record?.state === 'closed';
  const planFor = async (raw: string): Promise<Reply> => {
    const move = moveTo(movable, readNewStart(call, raw, context.asker ? [] : zonesOf(movable)));
    if (move.isThere) {
      const done = { log: `already at that time: ${nameAndTime(context, move.event)}` };
      return { kind: 'record', view, record: withFacts(move.event, { already: true }), done };
    }
    const moves = planOf(context, move, choices);
    const refused = async (error: unknown): Promise<Reply> => {
      const other = await askOther(call, { raw, move, moves }, error);
      call.isAsked = true;
      return planFor(other);
    };
    const times = move.isAgain ? undefined : await readTimes(context, move.type, [move.new.start]);
    const refusal = whyNotFree(context, times, move);
    if (refusal !== undefined) return refused(refusal);
    const isOverlap = times === undefined ? overlapsItself(move) : times.judge(move.new.start).length > 0;
    const isRisky = !move.isAgain && isOverlap && moves.order === 'book-first';
    if (isRisky) moves.order = 'cancel-first';
    return plan({
      requests: () => requestsOf(context, isDone ? [] : [moves]),
      ...(isRisky && {
        remarks: [words`${overlaps}: this needs ${the('cancelFirst')}`],
        danger: () => overlapDanger(context, move),
      }),
      question: () =>
        isDone ? undefined : questionAbout(context, move, choices.reason, times?.unchecked.length === 0),
      send: async () => {
        if (!move.isAgain) await requireBookings(context, move.people.length);
        return movedAnswer(context, view, move, await moveEvent(moving, moves));
      },
      refused,
    });
  };
  return planFor(to!);
};
