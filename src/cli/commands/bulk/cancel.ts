import { createHash } from 'node:crypto';
import { events } from '../../../api/events.ts';
import type { Client, Input } from '../../../client/client.ts';
import { readId } from '../../../client/ids.ts';
import { SchedError } from '../../../errors.ts';
import { change } from '../../../jobs/read-back.ts';
import { countOutcomes, isSettled, type RunHistory } from '../../../jobs/receipt.ts';
import type { Job, SendResult } from '../../../jobs/run.ts';
import type { Json } from '../../../json.ts';
import { timestampOf } from '../../../time/wall.ts';
import { idIn } from '../../../uri.ts';
import type { Invocation } from '../../command.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import { checkOrigins, readInput } from '../../operation/input.ts';
import { readWholeNumber } from '../../operation/values.ts';
import { changeOptions } from '../../scheduling/booking-context.ts';
import { confirm } from '../../session/confirm.ts';
import type { Context } from '../../session/context.ts';
import { askRequester } from '../compliance/requester.ts';
import { choosingFields, chosenEvents } from '../events-list.ts';
import { checkCount } from './check-count.ts';
import { failedItem } from './item-refused.ts';
import { checkInvalid, fixAndRepeat, type ItemKind, noteLeftOut, readPlan, wrongLines } from './read-items.ts';
import { type Bulk, runBulk } from './run-bulk.ts';
import { resultView } from './run-result.ts';

const eventItems: ItemKind = {
  usual: ['uri', 'event', 'id', 'event_id', 'uuid'],
  isItem: (text) => /[\d/]/.test(text),
  isSurelyItem: (text) => /\/scheduled_events\/[\w-]+$/.test(text),
  fold: (text) => {
    const read = readId(text, events.cancel.path, 'event');
    return read.ok ? read.ids.at(-1) : undefined;
  },
};

/** Cancels one event. If the reply is lost, reads the event to see whether it is canceled, and keeps it in `known`. */
const sendCancel = (context: Context, client: Client, body: unknown, known: Map<string, Json>): Job['send'] => {
  const options = changeOptions(context);
  return async ([id], beforeSend): Promise<SendResult> => {
    const path = { event: id! };
    const input: Input = { path, body };
    try {
      const changed = await change(
        {
          send: () => client.write(events.cancel, input, beforeSend),
          read: async () => {
            const event = await client.call(events.get, { path });
            known.set(id!, event);
            return event;
          },
          isDone: ({ status }) => status === 'canceled',
        },
        options,
      );
      if (changed.status !== undefined) return { verdict: 'accepted', status: changed.status };
      return changed.refused === undefined
        ? { verdict: 'accepted', by: 'read back' }
        : { verdict: 'accepted', status: changed.refused, by: 'canceled already' };
    } catch (error) {
      return failedItem(error);
    }
  };
};

/** When an event is and its name, or its ID if it was not read. */
const eventWords = async (context: Context, id: string, event: Json | undefined): Promise<string[]> => {
  if (event === undefined) return [`event ${id}`];
  const { spanOf, textIn } = await import('../../scheduling/event-facts.ts');
  return [spanOf(context, event) ?? '', textIn(event.name) ?? `event ${id}`];
};

/** The events to cancel, and how to speak of them. `found` has those that were read already. */
type Cancellations = Pick<Bulk, 'thing' | 'lineOf' | 'wrong' | 'duplicates' | 'fix'> & {
  /** The number that `--confirm` expects. */
  expected: number | undefined;
  ids: readonly string[];
  /** Identifies the input. */
  digest: string;
  found?: ReadonlyMap<string, Json>;
};

/** Enough to see what a filter found, and few enough for a screen. */
const mostFound = 15;

/** Asks for confirmation of the events that are not done yet, and names the first of them. */
const confirmRest = async (
  context: Context,
  { ids, found }: Cancellations,
  reason: unknown,
  history: RunHistory | undefined,
): Promise<void> => {
  const { canAsk } = context.settings;
  const { cancelQuestion, readSome } = await import('../../scheduling/event-facts.ts');
  const left = history === undefined ? ids : ids.filter((id) => !isSettled(history, id));
  const isNamed = canAsk || left.length === 1;
  const known = found && left.map((id) => found.get(id)!);
  const question = await cancelQuestion(context, known ?? (isNamed ? await readSome(context, left) : []), {
    reason,
    total: left.length,
    ...(found && { most: mostFound }),
  });
  if (found && !context.canConfirm)
    throw new SchedError(
      'confirmation-required',
      `Confirmation needed to ${question.action}, but there is no terminal to ask on`,
      { hint: { flags: { confirm: String(ids.length) } } },
    );
  await confirm(context, question);
};

/** Cancels events one after another, and writes a receipt. */
const cancelMany = async (
  { fieldFlags }: GenericCommand,
  invocation: Invocation,
  cancellations: Cancellations,
): Promise<void> => {
  const { context } = invocation;
  const { ids, digest, found, expected, ...asked } = cancellations;
  const { body } = await readInput({ ...invocation, args: [ids[0]!] }, events.cancel, fieldFlags);
  if (context.settings.dryRun) {
    const requests = ids.map((event) => ({ path: { event }, body }));
    return printRequest(invocation, events.cancel, requests);
  }
  checkCount('events', { confirm: expected }, ids.length);
  const client = await context.client();
  const known = new Map<string, Json>(found);
  await runBulk(invocation, {
    things: 'events',
    done: 'canceled',
    operation: 'events.cancel',
    ...(await askRequester(context, events.cancel)),
    key: 'none',
    // The reason that invitees see is part of the input: another reason makes it another run.
    input: createHash('sha256')
      .update(JSON.stringify([digest, body]))
      .digest('hex'),
    items: ids,
    skipped: asked.wrong.length,
    mark: (id) => id,
    nameOf: (id) => eventWords(context, id, known.get(id)),
    batchSize: 1,
    send: sendCancel(context, client, body, known),
    confirm: async (history) => {
      if (context.settings.yes || expected !== undefined) return;
      await confirmRest(context, cancellations, (body as Json | undefined)?.reason, history);
    },
    ...asked,
  });
};

/** Cancels the events listed in a file. */
export const cancelFromFile = async (command: GenericCommand, invocation: Invocation): Promise<void> => {
  const { problems } = invocation;
  const expected = readWholeNumber('confirm', invocation, 0);
  const plan = await readPlan(invocation, eventItems);
  checkInvalid(invocation, plan, 'event ID');
  if (plan.items.length === 0) problems.add('No events in the input');
  problems.check();
  // An ID in a URI of another service could belong to a different event here.
  const origins = plan.items.filter((text) => text.includes('://')).map((text) => new URL(text).origin);
  await checkOrigins(invocation, [...new Set(origins)]);
  problems.check();
  noteLeftOut(invocation, plan);
  const ids = plan.items.map((item) => eventItems.fold(item)!);
  return cancelMany(command, invocation, {
    ids,
    expected,
    digest: plan.digest,
    duplicates: plan.duplicates.length,
    wrong: wrongLines(plan, 'event ID'),
    thing: plan.isListed ? 'item' : 'line',
    lineOf: (id) => plan.lines[ids.indexOf(id)]!,
    fix: fixAndRepeat(invocation, 'stay canceled', 'stays canceled'),
  });
};

/** Cancels the active events that the filters choose and that have not begun. */
export const cancelFiltered = async (command: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed } = invocation;
  const expected = readWholeNumber('confirm', invocation, 0);
  const ahead = typed.since === undefined ? { ...typed, upcoming: true } : typed;
  const rows = await chosenEvents({ ...invocation, typed: ahead }, choosingFields);
  const now = context.serviceTime() ?? context.runtime.clock.now();
  // --since can be in the past, a service may ignore a filter, and a row may have no time that can be read.
  const isAhead = ({ status, start_time: start }: Json) =>
    status === 'active' && (timestampOf(String(start)) ?? 0) > now;
  const found = new Map(rows.filter(isAhead).map((event) => [idIn(event.uri), event]));
  const ids = [...found.keys()];
  if (ids.length === 0) {
    context.notes.info('Nothing to cancel: no active event from now on matches');
    if (context.printer.showsPages) return;
    return context.printer.one(resultView, { run: null, ...countOutcomes([], 0, 0), receipt: null, head: null });
  }
  return cancelMany(command, invocation, {
    ids,
    found,
    expected,
    digest: JSON.stringify(ids),
    duplicates: 0,
    wrong: [],
    thing: 'item',
    lineOf: (id) => ids.indexOf(id) + 1,
    fix: () => 'Run the same command again for the others.',
  });
};
