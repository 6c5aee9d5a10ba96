import { hash } from 'node:crypto';
import type { SentEventType } from '../../api/event-types.ts';
import { events, type SentEvent } from '../../api/events.ts';
import { hasCategory, SchedError } from '../../base/errors.ts';
import { hour } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import { onceEach } from '../../base/once.ts';
import { idIn } from '../../base/uri.ts';
import { asFlags, type Spelling, spell, the, words } from '../../base/words.ts';
import type { Plan, Question } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { eventTypeOf } from '../../cli/operation/event-type.ts';
import { checkOrigins } from '../../cli/operation/input.ts';
import { requireBookings } from '../../cli/session/booking-limits.ts';
import type { Context } from '../../cli/session/context.ts';
import { readId } from '../../client/ids.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import type { View } from '../../output/view.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import { timeRemarks } from '../booking/confirm-bookings.ts';
import { checkLines, failuresOf, type LineProblem } from '../booking/read-bookings.ts';
import { secondOf } from '../booking/work-look-up.ts';
import { checkCount } from '../bulk/check-count.ts';
import { failedItem } from '../bulk/item-refused.ts';
import { fixAndRepeat, readRecordFile } from '../bulk/read-items.ts';
import { askRequester } from '../bulk/requester.ts';
import { bulkPlan } from '../bulk/run-bulk.ts';
import type { Job } from '../bulk/work-run.ts';
import type { EventFilters } from '../events/input.ts';
import { chosenEvents } from '../events/list.ts';
import { nameAndTime, spanOf, textIn } from '../events/screen.ts';
import type { ManyInput, MoveChoices } from './input.ts';
import { noticesText, requestsOf } from './move-one.ts';
import * as plan from './plan-move.ts';
import { moveContextOf } from './plan-move.ts';
import { moveEvent } from './work.ts';
import type { MoveContext } from './work-steps.ts';

/** A wanted move: an event, and its new start or the shift as it was given. */
interface WantedMove {
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
const readLine = (line: number, values: ReadonlyMap<string, unknown>): WantedMove | string => {
  const [event, to] = ['event', 'to'].map((name) => String(values.get(name) ?? '').trim());
  const reading = readId(event!, events.get.path, 'event');
  if (!reading.ok) return `event ${reading.problem}`;
  if (!/^\d{4}-/.test(to!)) return `to: "${to}" has no date. In a file, use 2026-12-01T15:00:00+01:00`;
  return { line, id: reading.ids.at(-1)!, root: reading.root, to: to! };
};

/** The moves of a file. Problems of its lines are added to `wrong`. */
const readFile = async (call: Call, from: string, wrong: LineProblem[]) => {
  const columnOf = (title: string) => planView.columns.find(({ path }) => path === title.trim().toLowerCase())?.path;
  const { records, thing } = await readRecordFile(call, from, { columnOf, columns: 'event and to' });
  const wantedMoves: WantedMove[] = [];
  for (const record of records) {
    const { line } = record;
    const wantedMove = 'problem' in record ? record.problem : readLine(line, record.value);
    if (typeof wantedMove === 'string') wrong.push({ line, problem: wantedMove });
    else if (wantedMoves.some(({ id }) => id === wantedMove.id))
      wrong.push({ line, problem: 'an earlier line moves the same event' });
    else wantedMoves.push(wantedMove);
  }
  await checkOrigins(
    call,
    wantedMoves.map(({ root }) => root),
  );
  return { wantedMoves, thing };
};

/** The IDs of events that a move made lately. */
const madeLately = async (
  { ledger, clock }: MoveContext['booking'],
  rows: readonly SentEvent[],
): Promise<Set<string>> => {
  const starts = rows.map(({ start_time: start }) => timestampOf(start)!);
  const attempts = await ledger.between(starts[0] ?? 0, (starts.at(-1) ?? 0) + 1);
  const recentMoves = attempts.filter(({ entry }) => entry.moves !== undefined && entry.at > clock.now() - recentMs);
  // After a reset of the service, another event may have the ID.
  const keyOf = (event: unknown, start: unknown) => `${idIn(event)} ${secondOf(start)}`;
  const made = new Set(recentMoves.map(({ entry }) => keyOf(entry.event, entry.start_time)));
  return new Set(rows.filter(({ uri, start_time }) => made.has(keyOf(uri, start_time))).map(({ uri }) => idIn(uri)));
};

/** The chosen events, each to be shifted. What would be shifted again is left out and named. */
const readShift = async (
  context: Context,
  { booking }: MoveContext,
  shift: string,
  isAgain: boolean,
  filters: EventFilters,
) => {
  const matches = await chosenEvents(context, filters);
  const movedLately = isAgain ? new Set() : await madeLately(booking, matches);
  const eventsToMove = matches.filter((event) => {
    const isMade = movedLately.has(idIn(event.uri));
    const isLeft = isMade || !(timestampOf(event.start_time)! > context.now());
    const why = isMade ? words`was made by a move lately (${the('again')} moves it too)` : 'has begun';
    if (isLeft) context.notes.warn(words`Left out: ${nameAndTime(context, event)} ${why}`);
    return !isLeft;
  });
  // Each event needs the place of the next one in that direction.
  if (shift.startsWith('+')) eventsToMove.reverse();
  const wantedMoves: WantedMove[] = eventsToMove.map(({ uri }, index) => ({
    line: index + 1,
    id: idIn(uri),
    to: shift,
  }));
  return { wantedMoves, thing: 'item' as const };
};

/** A line or item has its own new time. The other values are flags, for all of them. */
const ofLine: Spelling = { ...asFlags, name: (name) => (['to', 'shift'].includes(name) ? name : asFlags.name(name)) };

/** Reads the event of each wanted move. Problems are added to `wrong`. */
const readMoves = async (
  call: Call,
  moving: MoveContext,
  wantedMoves: readonly WantedMove[],
  { isShift, ...choices }: MoveChoices & { isShift: boolean },
  wrong: LineProblem[],
): Promise<Move[]> => {
  const { context } = call;
  const typeOf = onceEach((uri: string) => eventTypeOf(context, uri));
  const lists = await mapConcurrent(wantedMoves, async ({ line, id, to }): Promise<Move[]> => {
    try {
      const movable = await plan.readMovable(moving, id, choices, typeOf);
      plan.checkMovable(context, movable, choices);
      const since = isShift ? timestampOf(movable.event.start_time) : undefined;
      const zones = since === undefined ? plan.zonesOf(movable) : [];
      return [{ line, ...plan.moveTo(movable, plan.readNewStart(call, to, zones, since)) }];
    } catch (error) {
      if (!hasCategory(error, 'usage', 'not-found', 'conflict')) throw error;
      wrong.push({ line, problem: spell(error.sentence, ofLine) });
      return [];
    }
  });
  return lists.flat();
};

const isNew = ({ isAgain, isThere }: Move): boolean => !isAgain && !isThere;

/**
 * Judges all moves together: without the old events, and with the new ones. An event that can't move keeps its place, so
 * the others are judged again. Of two that want the same time, the first gets it.
 */
const judgeAll = async (context: Context, moves: readonly Move[], wrong: LineProblem[]): Promise<Move[]> => {
  const timesOf = onceEach((type: SentEventType) => {
    const starts = moves.filter((move) => isNew(move) && move.type === type).map((move) => move.new.start);
    return plan.readTimes(context, type, starts);
  });
  let remaining = [...moves];
  for (let before = 0; before !== remaining.length; ) {
    before = remaining.length;
    for (const move of remaining.filter(isNew).reverse()) {
      const others = remaining.filter((other) => isNew(other) && other !== move);
      const refusal = plan.whyNotFree(context, await timesOf(move.type), move, others);
      if (refusal === undefined) continue;
      wrong.push({ line: move.line, problem: `${nameAndTime(context, move.event)}: ${refusal.message}` });
      remaining = remaining.filter((other) => other !== move);
    }
  }
  return remaining;
};

/** The moves in an order in which each finds its new time free. */
const inMoveOrder = (context: Context, moves: readonly Move[], isCanceledFirst: boolean): Move[] => {
  const { ordered: all, circle } = plan.orderMoves(moves);
  if (circle !== undefined)
    throw new SchedError('usage', 'These events need the time of each other, so none can move first', {
      reason: circle.map(({ event }) => nameAndTime(context, event)).join(', '),
      advice: 'move one of them to a free time first',
    });
  const selfOverlaps = all.filter((move) => isNew(move) && plan.overlapsItself(move)).length;
  if (selfOverlaps === 0 || isCanceledFirst) return all;
  throw plan.cancelFirstNeeded(`The new time of ${counted(selfOverlaps, 'event')} overlaps the old one`);
};

const moveMark = ({ line, event, new: next }: Move): string => `${line} ${idIn(event.uri)} ${utcText(next.start)}`;

const eventName = ({ event }: Move): string => textIn(event.name) ?? `event ${idIn(event.uri)}`;

/** `Thu 19 Nov 10:30–11:30 → Thu 19 Nov 15:00–16:00  Strategy session · Ada Byron +1` */
const moveLineText = (context: Context, move: Move): string => {
  const [first, ...others] = move.people.map(({ invitee }) => textIn(invitee.name, invitee.email) ?? '');
  const when = [move.event, plan.eventAfter(move)].map((event) => spanOf(context, event)).join(' → ');
  return `${when}  ${eventName(move)} · ${first}${others.length === 0 ? '' : ` +${others.length}`}`;
};

const peopleIn = (moves: readonly Move[]): number => moves.reduce((sum, { people }) => sum + people.length, 0);

const questionAbout = (context: Context, remaining: readonly Move[]): Question => {
  const what = counted(remaining.length, 'event');
  return {
    question: `Move ${what} and ${noticesText(counted(peopleIn(remaining), 'person', 'people'))}?`,
    action: `move ${what}`,
    list: remaining.map((move) => moveLineText(context, move)),
    place: [['time zone', context.settings.zone]],
  };
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
export const moveMany = async (values: ManyInput, filters: EventFilters | undefined, call: Call): Promise<Plan> => {
  const { shift, from, again, skipInvalid, ...choices } = values;
  const { context, problems } = call;
  const moving = await moveContextOf(context);
  await plan.noteOpenMoves(context, moving);
  const wrong: LineProblem[] = [];
  const isShift = shift !== undefined;
  const { wantedMoves, thing } = await (isShift
    ? readShift(context, moving, shift, again, filters!)
    : readFile(call, from!, wrong));
  const total = wantedMoves.length + wrong.length;
  if (total === 0) problems.add(isShift ? 'No events to move' : 'No moves in the input');
  problems.check();
  const readable = await readMoves(call, moving, wantedMoves, { ...choices, isShift }, wrong);
  const moves = inMoveOrder(context, await judgeAll(context, readable, wrong), choices.cancelFirst);
  checkLines(call, skipInvalid, wrong, thing, total);
  const plans = moves.filter(({ isThere }) => !isThere).map((move) => plan.planOf(context, move, choices));
  const rows = moves.map(({ event: { uri, name }, old, new: next }) => {
    return { event: uri, to: utcText(next.start), from: utcText(old.start), name };
  });
  return bulkPlan<Move>(context, values, {
    requests: () => requestsOf(context, plans),
    preview: (format) =>
      ['csv', 'tsv'].includes(format) ? { kind: 'rows', view: planView, pages: [rows] } : undefined,
    remarksOn: (remaining) => timeRemarks(context, peopleIn(remaining)),
    isAgreed: values.confirm !== undefined,
    question: (remaining) => questionAbout(context, remaining),
    job: async () => {
      checkCount('moves', values, moves.length);
      return {
        things: 'events',
        done: 'moved',
        operation: 'events.move',
        ...(await askRequester(context, events.cancel)),
        input: hash('sha256', moves.map(moveMark).join()),
        items: moves,
        wrong: failuresOf(wrong),
        needsAll: true,
        mark: moveMark,
        thing,
        nameOf: (move) => [spanOf(context, move.event) ?? '', eventName(move)],
        fix: isShift
          ? () => `To move these to other times: ${commandHere(context, 'events', 'move', 'EVENT', '--to', 'TIME')}`
          : fixAndRepeat(from, 'are not moved twice', 'is not moved twice'),
        send: sendMove(context, moving, choices),
      };
    },
  });
};
