import { events } from '../../../api/events.ts';
import { invitees } from '../../../api/invitees.ts';
import { hasCategory, type SchedError } from '../../../errors.ts';
import { type Moved, moveEvent } from '../../../jobs/move.ts';
import type { MoveContext, MovePlan } from '../../../jobs/move-steps.ts';
import { textOf } from '../../../json.ts';
import { counted } from '../../../numbers.ts';
import { dateText } from '../../../time/days.ts';
import { describeInstant, spanLabel, timeLabel } from '../../../time/label.ts';
import { readTime } from '../../../time/read.ts';
import { wallClock } from '../../../time/show.ts';
import type { Span } from '../../../time/slots.ts';
import { timestampOf, utcText } from '../../../time/wall.ts';
import { offsetText } from '../../../time/zoned.ts';
import { idIn } from '../../../uri.ts';
import type { Invocation } from '../../command.ts';
import { type Call, readCall } from '../../input/input.ts';
import { type GenericCommand, printRequests } from '../../operation/generic-command.ts';
import { printRecord } from '../../operation/print-record.ts';
import { withFacts } from '../../operation/write-result.ts';
import { eventTypeOf } from '../../scheduling/answers.ts';
import { moveContextOf, noteUndo } from '../../scheduling/booking-context.ts';
import { hostNames, hostsIn, mostNamed, nameAndTime, quotedName, textIn } from '../../scheduling/event-facts.ts';
import type { Asker } from '../../session/asker.ts';
import { requireBookings } from '../../session/booking-limits.ts';
import { confirm } from '../../session/confirm.ts';
import type { Context } from '../../session/context.ts';
import type { Facts } from '../../session/prompt.ts';
import { noteJoin, theirTime } from '../booking-review.ts';
import { isWatched } from '../bulk/answer.ts';
import { NotFree } from '../bulk/item-refused.ts';
import { askStart, chooseAnother } from '../choose-time.ts';
import { carriedWords } from './carry-over.ts';
import { type MoveChoices, type MoveInput, singleInput } from './input.ts';
import {
  cancelFirstNeeded,
  checkMovable,
  type Movable,
  type Move,
  moveTo,
  noteOpenMoves,
  overlapsItself,
  planOf,
  readMovable,
  readNewStart,
  readTimes,
  refusalOf,
  risk,
  zonesOf,
} from './plan.ts';

const spanText = (context: Context, { start, end }: Span): string =>
  spanLabel(utcText(start), utcText(end), context.settings.zone, context.now())!;

/** `two notices to each of 2 people`: one about the new event, and one about the old. */
export const noticesText = (people: number): string =>
  `send two notices to ${people === 1 ? '' : 'each of '}${counted(people, 'person', 'people')}`;

/** The people of a move, each with the new time on their own clock if that differs. */
const whoText = (context: Context, { people, new: next }: Move): string => {
  const named = people.slice(0, mostNamed).map(({ invitee: { uri, name, email, timezone } }) => {
    const local = theirTime(next.start, context.settings.zone, timezone);
    return `${textIn(name, email) ?? idIn(uri)}${local === undefined ? '' : ` (${local})`}`;
  });
  return [...named, ...(people.length > named.length ? [`+${people.length - named.length}`] : [])].join(', ');
};

const confirmMove = async (context: Context, move: Move, reason = '', isFree = false): Promise<void> => {
  const { event, type, people, old, new: next, isAgain } = move;
  const { keeps, changes, lost } = carriedWords(event, type, people);
  const details: Facts = [
    ['from', spanText(context, old)],
    ['to', `${spanText(context, next)} ${context.settings.zone}${isFree ? ' · free' : ''}`],
    ['who', whoText(context, move)],
    ['keeps', keeps],
    ['new', changes],
    ['lost', lost],
    ['reason', reason],
  ];
  await confirm(context, {
    question: `${isAgain ? 'Finish moving' : 'Move'} ${quotedName(event)} and ${noticesText(people.length)}?`,
    action: `move ${nameAndTime(context, event)} to ${spanText(context, next)}`,
    details: details.filter(([, value]) => value !== ''),
  });
};

const overlaps = 'The new time overlaps the old one';

/** Asks whether the old event may be canceled first. */
const confirmOverlap = async (context: Context, { event }: Move): Promise<void> => {
  if (context.settings.yes || !context.canConfirm) throw cancelFirstNeeded(overlaps);
  await confirm(context, {
    question: `${overlaps}. sched must cancel first; ${risk}. Cancel first?`,
    action: `cancel ${nameAndTime(context, event)} first`,
  });
};

/** Says what was done, and how to join and to undo it. Prints the new event where nobody reads that. */
const report = async ({ view }: GenericCommand, context: Context, move: Move, moved: Moved): Promise<void> => {
  const { notes, settings } = context;
  const { event, how, at } = moved;
  const hosts = hostsIn(event).map(({ user }) => idIn(user));
  const isChanged = hosts.length !== move.hosts.size || hosts.some((host) => !move.hosts.has(host));
  const span = spanText(context, move.new);
  const done = at === undefined ? '' : ` on ${timeLabel(new Date(at).toISOString(), settings.zone, context.now())}`;
  const people = counted(moved.invitees.length, 'person is', 'people are');
  const host = isChanged ? ` The host is now ${hostNames(event).join(', ')}.` : '';
  const when = describeInstant(utcText(move.new.start), settings.zone, context.now());
  await notes.done(
    `${how === 'already' ? 'already moved' : 'moved'}: ${event.name ?? event.uri}, ${when}`,
    how === 'already'
      ? `Already moved${done} to ${span}.${host}`
      : `Moved to ${span}. ${people} booked, the old event is canceled.${host}`,
  );
  if (moved.left.length > 0)
    notes.info(`${moved.left.join(', ')} left the old event meanwhile, so they were not booked at the new time`);
  if (moved.unnoted !== undefined)
    notes.warn(`The move is done, but this could not be recorded (${moved.unnoted}). The same command notes it later.`);
  noteJoin(context, event);
  if (how === 'moved')
    noteUndo(context, 'events', 'move', idIn(event.uri), '--to', offsetText(move.old.start, settings.zone));
  if (isWatched(context)) return;
  const facts = { moved_from: move.event.uri, invitees: moved.invitees, host_changed: isChanged };
  await printRecord(context, view, withFacts(event, how === 'already' ? { ...facts, already: true } : facts));
};

/** The requests of moves, for `--dry-run`. */
export const printPlans = async (context: Context, plans: readonly MovePlan[]): Promise<void> => {
  const client = await context.client();
  const requests = plans.flatMap(({ event, bookings, reason, order }) => {
    const created = bookings.map(({ body }) => client.prepare(invitees.create, { body }));
    const canceled = client.prepare(events.cancel, { path: { event: idIn(event) }, body: { reason } });
    return order === 'book-first' ? [...created, canceled] : [canceled, ...created];
  });
  await printRequests(context, await Promise.all(requests));
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
const readOne = async (context: Context, moving: MoveContext, id: string, choices: MoveChoices): Promise<Movable> => {
  const movable = await readMovable(moving, id, choices, (uri) => eventTypeOf(context, uri));
  checkMovable(context, movable, choices);
  return movable;
};

/** Asks for the new start: the free times of the event type. */
export const askNewStart = async (invocation: Invocation, asker: Asker): Promise<string | undefined> => {
  const { context } = invocation;
  const { event, ...choices } = await readCall(singleInput, invocation);
  const { type, people } = await readOne(context, await moveContextOf(context), event, choices);
  const { name, timezone } = people[0]?.invitee ?? {};
  const asked = { ...invocation.typed, 'event-type': idIn(type.uri), name: textIn(name), timezone: textOf(timezone) };
  return askStart({ ...invocation, typed: asked }, asker);
};

/** Moves one event: books its people at the new time, and cancels it. */
export const runMove = async (
  command: GenericCommand,
  { to, event, ...choices }: MoveInput,
  call: Call,
): Promise<void> => {
  const { context, problems, bridge } = call;
  const { yes, canAsk, dryRun } = context.settings;
  const moving = await moveContextOf(context);
  const movable = await readOne(context, moving, event, choices);
  await noteOpenMoves(context, moving, movable.event);
  let raw = to!;
  for (;;) {
    const move = moveTo(movable, readNewStart(context, raw, canAsk && !yes ? [] : zonesOf(movable)));
    if (move.isThere) {
      await context.notes.done(`already at that time: ${nameAndTime(context, move.event)}`);
      return printRecord(context, command.view, withFacts(move.event, { already: true }));
    }
    const plan = planOf(context, move, choices);
    try {
      const times = move.isAgain ? undefined : await readTimes(context, move.type, [move.new.start]);
      const refusal = refusalOf(context, times, move);
      if (refusal !== undefined) throw refusal;
      const isOverlap = times === undefined ? overlapsItself(move) : times.judge(move.new.start).length > 0;
      if (!move.isAgain && isOverlap && plan.order === 'book-first') {
        if (dryRun) context.notes.info(`${overlaps}: this needs --cancel-first`);
        else await confirmOverlap(context, move);
        plan.order = 'cancel-first';
      }
      const isDone = movable.record?.state === 'closed';
      if (dryRun) return await printPlans(context, isDone ? [] : [plan]);
      if (!isDone) await confirmMove(context, move, choices.reason, times?.unchecked.length === 0);
      if (!move.isAgain) await requireBookings(context, move.people.length);
      return await report(command, context, move, await moveEvent(moving, plan));
    } catch (error) {
      const wanted = { event_type: plan.bookings[0]?.body.event_type ?? '', start_time: plan.to };
      // Once the old event is canceled, another time is another command.
      const mayAsk = plan.order === 'book-first' || error instanceof NotFree;
      raw = await chooseAnother(bridge, wanted, error, mayAsk).catch((failure) => {
        if (error instanceof NotFree) throw withOwnDay(context, failure, raw, move);
        const isPlace = hasCategory(failure, 'usage') && /\blocation\b/.test(failure.facts.reason ?? '');
        throw isPlace ? failure.with({ advice: 'choose another place with --location-kind' }) : failure;
      });
      problems.own?.setFlag('to', raw);
      call.isAsked = true;
    }
  }
};
