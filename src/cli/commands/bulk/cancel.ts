import { createHash } from 'node:crypto';
import { events } from '../../../api/events.ts';
import type { Client, Input } from '../../../client/client.ts';
import { readId } from '../../../client/ids.ts';
import { change } from '../../../jobs/read-back.ts';
import { isSettled, type RunHistory } from '../../../jobs/receipt.ts';
import type { Job, SendResult } from '../../../jobs/run.ts';
import type { Json } from '../../../json.ts';
import type { Invocation } from '../../command.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import { checkOrigins, readInput } from '../../operation/input.ts';
import { changeOptions } from '../../scheduling/booking-context.ts';
import { confirm } from '../../session/confirm.ts';
import type { Context } from '../../session/context.ts';
import { askRequester } from '../compliance/requester.ts';
import { failedItem } from './item-refused.ts';
import { checkInvalid, fixAndRepeat, type ItemKind, noteLeftOut, readPlan, wrongLines } from './read-items.ts';
import { runBulk } from './run-bulk.ts';

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

/** Asks for confirmation of the events that are not done yet, and names the first of them. */
const confirmRest = async (
  context: Context,
  ids: readonly string[],
  reason: unknown,
  history: RunHistory | undefined,
): Promise<void> => {
  const { yes, canAsk } = context.settings;
  if (yes) return;
  const { cancelQuestion, readSome } = await import('../../scheduling/event-facts.ts');
  const left = history === undefined ? ids : ids.filter((id) => !isSettled(history, id));
  const isNamed = canAsk || left.length === 1;
  await confirm(
    context,
    await cancelQuestion(context, isNamed ? await readSome(context, left) : [], { reason, total: left.length }),
  );
};

/** Cancels the events listed in a file, one after another, and writes a receipt. */
export const cancelFromFile = async ({ fieldFlags }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, problems } = invocation;
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
  const inputs = { ...invocation, args: [ids[0]!] };
  const { body } = await readInput(inputs, events.cancel, fieldFlags);
  if (context.settings.dryRun) {
    const requests = ids.map((event) => ({ path: { event }, body }));
    return printRequest(invocation, events.cancel, requests);
  }
  const client = await context.client();
  const known = new Map<string, Json>();
  await runBulk(invocation, {
    things: 'events',
    done: 'canceled',
    operation: 'events.cancel',
    ...(await askRequester(context, events.cancel)),
    key: 'none',
    // The reason that invitees see is part of the input: another reason makes it another run.
    input: createHash('sha256')
      .update(JSON.stringify([plan.digest, body]))
      .digest('hex'),
    items: ids,
    duplicates: plan.duplicates.length,
    skipped: plan.invalid.length,
    wrong: wrongLines(plan, 'event ID'),
    mark: (id) => id,
    thing: plan.isListed ? 'item' : 'line',
    lineOf: (id) => plan.lines[ids.indexOf(id)]!,
    nameOf: (id) => eventWords(context, id, known.get(id)),
    fix: fixAndRepeat(invocation, 'stay canceled', 'stays canceled'),
    batchSize: 1,
    send: sendCancel(context, client, body, known),
    confirm: async (history) => confirmRest(context, ids, (body as Json | undefined)?.reason, history),
  });
};
