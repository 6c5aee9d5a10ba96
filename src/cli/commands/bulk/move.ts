import { hash } from 'node:crypto';
import { events } from '../../../api/events.ts';
import { readId } from '../../../client/ids.ts';
import { mapConcurrent } from '../../../client/map-concurrent.ts';
import { hasCategory, SchedError } from '../../../errors.ts';
import { moveEvent } from '../../../jobs/move.ts';
import type { MoveContext } from '../../../jobs/move-steps.ts';
import type { Job } from '../../../jobs/run.ts';
import type { Json } from '../../../json.ts';
import { counted } from '../../../numbers.ts';
import { onceEach } from '../../../once.ts';
import type { View } from '../../../output/view.ts';
import { hour, timestampOf, utcText } from '../../../time/wall.ts';
import { idIn } from '../../../uri.ts';
import type { Call } from '../../input/input.ts';
import { commandHere } from '../../messages/suggested-line.ts';
import { checkOrigins } from '../../operation/input.ts';
import { eventTypeOf } from '../../scheduling/answers.ts';
import { moveContextOf } from '../../scheduling/booking-context.ts';
import { nameAndTime, spanOf, textIn } from '../../scheduling/event-facts.ts';
import { requireBookings } from '../../session/booking-limits.ts';
import { confirm } from '../../session/confirm.ts';
import type { Context } from '../../session/context.ts';
import { askRequester } from '../compliance/requester.ts';
import { chosenEvents, type EventFilters } from '../events-list.ts';
import type { ManyInput, MoveChoices } from '../move/input.ts';
import * as plan from '../move/plan.ts';
import { noticesText, printPlans } from '../move/run.ts';
import { bookingColumns } from './booking-rows.ts';
import { checkCount } from './check-count.ts';
import { noteTime } from './confirm-bookings.ts';
import { failedItem } from './item-refused.ts';
import { checkLines, failuresOf, type LineProblem } from './read-bookings.ts';
import { fixAndRepeat, readRecordFile } from './read-items.ts';
import { runBulk } from './run-bulk.ts';

/** A wanted move: an event, and its new start or the shift as it was typed. */
interface Wanted {
  line: number;
  id: string;
  root?: string | undefined;
  to: string;
}

type Move = plan.Move & { line: number };

/** Events that a move made within this time are not shifted again. */
const recentMs = 12 * hour;

/** The plan as rows, which `--from` reads again. The last two columns are for people. */
const planView: View = {
  columns: ['event', 'to', 'from', 'name'].map((path) => ({ header: path.toUpperCase(), path })),
  id: 'event',
};

/** The move of a line, or its problem. A file needs dates: the same line must mean the same time when it is run again. */
const readLine = (line: number, values: ReadonlyMap<string, unknown>): Wanted | string => {
  const [event, to] = ['event', 'to'].map((name) => String(values.get(name) ?? '').trim());
  const read = readId(event!, events.get.path, 'event');
  if (!read.ok) return `event ${read.problem}`;
  if (!/^\d{4}-/.test(to!)) return `to: "${to}" has no date. In a file, use 2026-12-01T15:00:00+01:00`;
  return { line, id: read.ids.at(-1)!, root: read.root, to: to! };
};

/** The moves of a file. Problems of its lines are added to `wrong`. */
const readFile = async (call: Call, from: string, wrong: LineProblem[]) => {
  const columnOf = (title: string) => planView.columns.find(({ path }) => path === title.trim().toLowerCase())?.path;
  const { records, thing } = await readRecordFile(call, from, { columnOf, columns: 'event and to' });
  const wanted: Wanted[] = [];
  for (const record of records) {
    const { line } = record;
    const read = 'problem' in record ? record.problem : readLine(line, record.value);
    if (typeof read === 'string') wrong.push({ line, problem: read });
    else if (wanted.some(({ id }) => id === read.id))
      wrong.push({ line, problem: 'an earlier line moves the same event' });
    else wanted.push(read);
  }
  await checkOrigins(
    call,
    wanted.map(({ root }) => root),
  );
  return { wanted, thing };
};

/** The IDs of events that a move made lately. */
const madeLately = async ({ ledger, clock }: MoveContext['booking'], found: readonly Json[]): Promise<Set<string>> => {
  const starts = found.map(({ start_time: start }) => timestampOf(String(start))!);
  const kept = await ledger.between(starts[0] ?? 0, (starts.at(-1) ?? 0) + 1);
  const recent = kept.filter(({ entry }) => entry.moves !== undefined && entry.at > clock.now() - recentMs);
  return new Set(recent.map(({ entry }) => idIn(entry.event)));
};

/** The chosen events, each to be shifted. What would be shifted again is left out and named. */
const readShift = async (
  context: Context,
  { booking }: MoveContext,
  shift: string,
  isAgain: boolean,
  filters: EventFilters,
) => {
  const found = await chosenEvents(context, filters);
  const made = isAgain ? new Set() : await madeLately(booking, found);
  const chosen = found.filter((event) => {
    const isMade = made.has(idIn(event.uri));
    const isLeft = isMade || !(timestampOf(String(event.start_time))! > context.now());
    const why = isMade ? 'was made by a move lately (--again moves it too)' : 'has begun';
    if (isLeft) context.notes.warn(`Left out: ${nameAndTime(context, event)} ${why}`);
    return !isLeft;
  });
  // Each event needs the place of the next one in that direction.
  if (shift.startsWith('+')) chosen.reverse();
  const wanted: Wanted[] = chosen.map(({ uri }, index) => ({ line: index + 1, id: idIn(uri), to: shift }));
  return { wanted, thing: 'item' as const };
};

/** Reads the event of each wanted move. Problems are added to `wrong`. */
const readMoves = async (
  context: Context,
  moving: MoveContext,
  wanted: readonly Wanted[],
  { isShift, ...choices }: MoveChoices & { isShift: boolean },
  wrong: LineProblem[],
): Promise<Move[]> => {
  const typeOf = onceEach((uri: string) => eventTypeOf(context, uri));
  const read = await mapConcurrent(wanted, async ({ line, id, to }): Promise<Move[]> => {
    try {
      const movable = await plan.readMovable(moving, id, choices, typeOf);
      plan.checkMovable(context, movable, choices);
      const since = isShift ? timestampOf(String(movable.event.start_time)) : undefined;
      const zones = since === undefined ? plan.zonesOf(movable) : [];
      return [{ line, ...plan.moveTo(movable, plan.readNewStart(context, to, zones, since)) }];
    } catch (error) {
      if (!hasCategory(error, 'usage', 'not-found', 'conflict')) throw error;
      wrong.push({
        line,
        problem: error.message.replace(/^--([a-z-]+)/, (_, flag: string) => bookingColumns.name(flag)),
      });
      return [];
    }
  });
  return read.flat();
};

const isNew = ({ isAgain, isThere }: Move): boolean => !isAgain && !isThere;

/**
 * Judges all moves together: without the old events, and with the new ones. An event that can't move keeps its place, so
 * the others are judged again. Of two that want the same time, the first gets it.
 */
const judgeAll = async (context: Context, moves: readonly Move[], wrong: LineProblem[]): Promise<Move[]> => {
  const timesOf = onceEach((type: Json) => {
    const starts = moves.filter((move) => isNew(move) && move.type === type).map((move) => move.new.start);
    return plan.readTimes(context, type, starts);
  });
  let left = [...moves];
  for (let before = 0; before !== left.length; ) {
    before = left.length;
    for (const move of left.filter(isNew).reverse()) {
      const others = left.filter((other) => isNew(other) && other !== move);
      const refusal = plan.refusalOf(context, await timesOf(move.type), move, others);
      if (refusal === undefined) continue;
      wrong.push({ line: move.line, problem: `${nameAndTime(context, move.event)}: ${refusal.message}` });
      left = left.filter((other) => other !== move);
    }
  }
  return left;
};

/** The moves in an order in which each finds its new time free. */
const ordered = (context: Context, moves: readonly Move[], isCanceledFirst: boolean): Move[] => {
  const { ordered: all, circle } = plan.inOrder(moves);
  if (circle !== undefined)
    throw new SchedError('usage', 'These events need the time of each other, so none can move first', {
      reason: circle.map(({ event }) => nameAndTime(context, event)).join(', '),
      advice: 'move one of them to a free time first',
    });
  const own = all.filter((move) => isNew(move) && plan.overlapsItself(move)).length;
  if (own === 0 || isCanceledFirst) return all;
  throw plan.cancelFirstNeeded(`The new time of ${counted(own, 'event')} overlaps the old one`);
};

const markOf = ({ line, event, new: next }: Move): string => `${line} ${idIn(event.uri)} ${utcText(next.start)}`;

const nameOf = ({ event }: Move): string => textIn(event.name) ?? `event ${idIn(event.uri)}`;

/** `Thu 19 Nov 10:30–11:30 → Thu 19 Nov 15:00–16:00  Strategy session · Ada Byron +1` */
const lineText = (context: Context, move: Move): string => {
  const [first, ...others] = move.people.map(({ invitee }) => textIn(invitee.name, invitee.email) ?? '');
  const when = [move.event, plan.eventAfter(move)].map((event) => spanOf(context, event)).join(' → ');
  return `${when}  ${nameOf(move)} · ${first}${others.length === 0 ? '' : ` +${others.length}`}`;
};

const confirmMoves = async (context: Context, left: readonly Move[], isConfirmed: boolean) => {
  const people = left.reduce((sum, move) => sum + move.people.length, 0);
  await noteTime(context, people);
  const what = counted(left.length, 'event');
  if (isConfirmed) return;
  await confirm(context, {
    question: `Move ${what} and ${noticesText(people)}?`,
    action: `move ${what}`,
    list: left.map((move) => lineText(context, move)),
    place: [['time zone', context.settings.zone]],
  });
};

/** Moves one event. One that is already there counts as moved. */
const sendMove =
  (context: Context, moving: MoveContext, choices: MoveChoices): Job<Move>['send'] =>
  async ([first], leaving) => {
    const move = first!;
    if (move.isThere) return { verdict: 'accepted', by: 'already there' };
    if (isNew(move)) await requireBookings(context, move.people.length);
    try {
      await leaving();
      const { how } = await moveEvent(moving, plan.planOf(context, move, choices));
      return { verdict: 'accepted', by: how === 'already' ? 'moved already' : undefined };
    } catch (error) {
      return failedItem(error, ({ category }) => ['usage', 'not-found', 'conflict', 'partial'].includes(category));
    }
  };

/** Moves the events of a file, or those that filters choose, one after another, and writes a receipt. */
export const moveMany = async (values: ManyInput, filters: EventFilters | undefined, call: Call): Promise<void> => {
  const { shift, from, again, skipInvalid, ...choices } = values;
  const { context, problems } = call;
  const { dryRun, format } = context.settings;
  const moving = await moveContextOf(context);
  await plan.noteOpenMoves(context, moving);
  const wrong: LineProblem[] = [];
  const isShift = shift !== undefined;
  const { wanted, thing } = await (isShift
    ? readShift(context, moving, shift, again, filters!)
    : readFile(call, from!, wrong));
  const total = wanted.length + wrong.length;
  if (total === 0) problems.add(isShift ? 'No events to move' : 'No moves in the input');
  problems.check();
  const readable = await readMoves(context, moving, wanted, { ...choices, isShift }, wrong);
  const moves = ordered(context, await judgeAll(context, readable, wrong), choices.cancelFirst);
  checkLines(call, skipInvalid, wrong, thing, total);
  if (dryRun && ['csv', 'tsv'].includes(format)) {
    const rows = moves.map(({ event: { uri, name }, old, new: next }) => {
      return { event: uri, to: utcText(next.start), from: utcText(old.start), name };
    });
    return void (await context.printer.list(planView, [rows]));
  }
  const sent = moves.filter(({ isThere }) => !isThere).map((move) => plan.planOf(context, move, choices));
  if (dryRun) return printPlans(context, sent);
  checkCount('moves', values, moves.length);
  await runBulk(context, values, {
    things: 'events',
    done: 'moved',
    operation: 'events.move',
    ...(await askRequester(context, events.cancel)),
    input: hash('sha256', moves.map(markOf).join()),
    items: moves,
    wrong: failuresOf(wrong),
    needsAll: true,
    mark: markOf,
    thing,
    nameOf: (move) => [spanOf(context, move.event) ?? '', nameOf(move)],
    fix: isShift
      ? () => `To move these to other times: ${commandHere(context, 'events', 'move', 'EVENT', '--to', 'TIME')}`
      : fixAndRepeat(from, 'are not moved twice', 'is not moved twice'),
    send: sendMove(context, moving, choices),
    confirm: (left) => confirmMoves(context, left, values.confirm !== undefined),
  });
};
