import { hash } from 'node:crypto';
import { events, type SentEvent } from '../../api/events.ts';
import { windowIn } from '../../api/window.ts';
import { idIn } from '../../base/uri.ts';
import type { Plan, Question, Reader, Reply } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { withGiven } from '../../cli/input/kind.ts';
import { changeOptions } from '../../cli/operation/change-record.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import { checkOrigins, readInput } from '../../cli/operation/input.ts';
import type { Context } from '../../cli/session/context.ts';
import { change } from '../../client/change.ts';
import type { Client } from '../../client/client.ts';
import { readId } from '../../client/ids.ts';
import type { Input } from '../../client/wire.ts';
import { timestampOf } from '../../time/wall.ts';
import { checkCount } from '../bulk/check-count.ts';
import { failedItem } from '../bulk/item-refused.ts';
import {
  checkInvalid,
  fixAndRepeat,
  type ItemKind,
  noteLeftOut,
  readBatchPlan,
  wrongLines,
} from '../bulk/read-items.ts';
import { askRequester } from '../bulk/requester.ts';
import type { Bulk } from '../bulk/run-answer.ts';
import { bulkPlan } from '../bulk/run-bulk.ts';
import { resultView } from '../bulk/run-result.ts';
import { countOutcomes } from '../bulk/work-receipt.ts';
import type { Job, SendResult } from '../bulk/work-run.ts';
import type { CancelInput } from './cancel-input.ts';
import { chosenEvents } from './list.ts';

const readEvent = (text: string) => readId(text, events.cancel.path, 'event');

const eventItems: ItemKind = {
  usual: ['uri', 'event', 'id', 'event_id', 'uuid'],
  isItem: (text) => /[\d/]/.test(text),
  isSurelyItem: (text) => /\/scheduled_events\/[\w-]+$/.test(text),
  fold: (text) => {
    const reading = readEvent(text);
    return reading.ok ? reading.ids.at(-1) : undefined;
  },
};

/** An event to cancel: its place in the input, and its record if it was read. */
interface EventItem {
  id: string;
  line: number;
  event?: SentEvent;
}

/** Cancels one event. If the reply is lost, reads the event to see whether it is canceled. */
const sendCancel = (context: Context, client: Client, body: Input['body']): Job<EventItem>['send'] => {
  const options = changeOptions(context);
  return async ([first], beforeSend): Promise<SendResult> => {
    const item = first!;
    const path = { event: item.id };
    try {
      const result = await change(
        {
          send: () => client.write(events.cancel, { path, body }, beforeSend),
          read: async () => {
            item.event = await client.call(events.get, { path });
            return item.event;
          },
          isDone: ({ status }) => status === 'canceled',
        },
        options,
      );
      if (result.status !== undefined) return { verdict: 'accepted', status: result.status };
      return result.refused === undefined
        ? { verdict: 'accepted', by: 'read back' }
        : { verdict: 'accepted', status: result.refused, by: 'canceled already' };
    } catch (error) {
      return failedItem(error);
    }
  };
};

/** When an event is and its name, or its ID if it was not read. */
const eventWords = async (context: Context, { id, event }: EventItem): Promise<string[]> => {
  if (event === undefined) return [`event ${id}`];
  const { spanOf, textIn } = await import('./screen.ts');
  return [spanOf(context, event) ?? '', textIn(event.name) ?? `event ${id}`];
};

/** The events to cancel, and how to speak of them. */
type Cancellations = Pick<Bulk<EventItem>, 'items' | 'thing' | 'wrong' | 'duplicates' | 'fix'> & {
  /** Identifies the input. */
  digest: string;
  /** Whether filters found the events. All of them were read, then. */
  isFound: boolean;
};

/** Enough to see what a filter found, and few enough for a screen. */
const mostFound = 15;

/** The question about the events that are not done yet, which names the first of them. */
const questionOf = async (
  context: Context,
  { items, isFound }: Cancellations,
  reason: unknown,
  remaining: readonly EventItem[],
  reader: Reader,
): Promise<Question> => {
  const { cancelQuestion, readSome } = await import('./screen.ts');
  const isNamed = reader === 'asked' || remaining.length === 1;
  const ids = isNamed ? remaining.map(({ id }) => id) : [];
  const shownEvents = isFound ? remaining.map(({ event }) => event!) : await readSome(context, ids);
  const question = await cancelQuestion(context, shownEvents, reader, {
    reason,
    total: remaining.length,
    ...(isFound && { most: mostFound }),
  });
  return { ...question, ...(isFound && { flags: { confirm: String(items.length) } }) };
};

/** Cancels events one after another, and writes a receipt. */
const cancelMany = async (
  { fieldFlags }: GenericCommand,
  values: CancelInput,
  call: Call,
  cancellations: Cancellations,
): Promise<Plan> => {
  const { context } = call;
  const { items, digest, ...task } = cancellations;
  const { body } = await readInput(call, events.cancel, fieldFlags, withGiven(call.how, { event: items[0]!.id }));
  return bulkPlan<EventItem>(context, values, {
    requests: () => ({ operation: events.cancel, inputs: items.map(({ id }) => ({ path: { event: id }, body })) }),
    isAgreed: values.confirm !== undefined,
    question: (remaining, reader) => questionOf(context, cancellations, body?.reason, remaining, reader),
    job: async () => {
      checkCount('events', values, items.length);
      return {
        things: 'events',
        done: 'canceled',
        operation: 'events.cancel',
        ...(await askRequester(context, events.cancel)),
        // The reason that invitees see is part of the input: another reason makes it another run.
        input: hash('sha256', JSON.stringify([digest, body])),
        items,
        mark: ({ id }) => id,
        nameOf: (item) => eventWords(context, item),
        send: sendCancel(context, await context.client(), body),
        ...task,
      };
    },
  });
};

/** Cancels the events listed in a file. */
export const cancelFromFile = async (command: GenericCommand, values: CancelInput, call: Call): Promise<Plan> => {
  const { context, problems } = call;
  const plan = await readBatchPlan(call, values, [], eventItems);
  checkInvalid(call, values, plan, 'event ID');
  if (plan.items.length === 0) problems.add('No events in the input');
  problems.check();
  // An ID in a URI of another service could belong to a different event here.
  const readings = plan.items.map(({ text }) => readEvent(text));
  await checkOrigins(call, [...new Set(readings.map((reading) => (reading.ok ? reading.root : undefined)))]);
  problems.check();
  noteLeftOut(context, plan);
  return cancelMany(command, values, call, {
    items: plan.items.map(({ text, line }) => ({ id: eventItems.fold(text)!, line })),
    isFound: false,
    digest: plan.digest,
    duplicates: plan.duplicates.length,
    wrong: wrongLines(plan, 'event ID'),
    thing: plan.isListed ? 'item' : 'line',
    fix: fixAndRepeat(values.from, 'stay canceled', 'stays canceled'),
  });
};

/** Cancels the active events that the filters choose and that have not begun. */
export const cancelFiltered = async (command: GenericCommand, values: CancelInput, call: Call): Promise<Reply> => {
  const { context } = call;
  const isAnyStart = windowIn(values.request.query!).since === undefined;
  const rows = await chosenEvents(context, { ...values, upcoming: isAnyStart });
  const now = context.now();
  // --since can be in the past, a service may ignore a filter, and a row may have no time that can be read.
  const isAhead = ({ status, start_time: start }: SentEvent) => status === 'active' && (timestampOf(start) ?? 0) > now;
  const eventsById = new Map(rows.filter(isAhead).map((event) => [idIn(event.uri), event]));
  if (eventsById.size === 0) {
    context.notes.info('Nothing to cancel: no active event from now on matches');
    const record = { run: null, ...countOutcomes([], 0, 0), receipt: null, head: null };
    return { kind: 'picture', others: { kind: 'record', view: resultView, record }, picture: async () => undefined };
  }
  return cancelMany(command, values, call, {
    items: [...eventsById].map(([id, event], index) => ({ id, line: index + 1, event })),
    isFound: true,
    digest: JSON.stringify([...eventsById.keys()]),
    wrong: [],
    thing: 'item',
    fix: () => 'Run the same command again for the others.',
  });
};
