import { events } from '../../api/events.ts';
import type { Input } from '../../client/wire.ts';
import { type Category, SchedError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { describeInstant } from '../../time/label.ts';
import type { Call } from '../input/input.ts';
import { type GenericCommand, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { printRecord } from '../operation/print-record.ts';
import { isCanceled } from '../operation/view-values.ts';
import { isAlready, knownRecord, withFacts } from '../operation/write-result.ts';
import { changeOrReadBack } from '../scheduling/booking-context.ts';
import { confirm } from '../session/confirm.ts';
import type { Context } from '../session/context.ts';

/**
 * Reads the events and asks for confirmation, unless `--yes` is set: then nothing is shown, and reading would only cost
 * requests. Returns the events that were read, by ID.
 */
const confirmCancel = async (context: Context, ids: readonly string[], reason: unknown): Promise<Map<string, Json>> => {
  if (context.settings.yes) return new Map();
  const { cancelQuestion, readEvents } = await import('../scheduling/event-facts.ts');
  const found = await readEvents(context, ids);
  const left = found.filter((event) => !isCanceled(event));
  if (left.length > 0) await confirm(context, await cancelQuestion(context, left, { reason }));
  return new Map(ids.map((id, index) => [id, found[index]!]));
};

/** Cancels one event. An event that is already canceled counts as success; `before` is the event if it was read. */
const cancelOne = async (context: Context, input: Input, before: Json | undefined): Promise<Json> => {
  const client = await context.client();
  const { notes, settings, now } = context;
  const words = ({ name, uri, start_time: start }: Json) =>
    `${name ?? uri}${start ? `, ${describeInstant(String(start), settings.zone, now())}` : ''}`;
  const cancel = () =>
    changeOrReadBack(context, {
      send: () => client.write(events.cancel, input),
      read: () => client.call(events.get, { path: input.path! }),
      isDone: isCanceled,
      known: () => knownRecord(context, events.get, input.path!, input.body),
    });
  const event = before !== undefined && isCanceled(before) ? withFacts(before, { already: true }) : await cancel();
  const { canceledSentence } = await import('../scheduling/event-facts.ts');
  const done = `${isAlready(event) ? 'already canceled' : 'canceled'}: ${words(event)}`;
  await notes.done(done, canceledSentence(context, event, before));
  return event;
};

/** Failures that may not happen again on the next attempt. */
const transient = new Set<Category>(['unavailable', 'rate-limited', 'outcome-unknown']);

/** Cancels the events that are named. */
export const runCancel = async (
  { fieldFlags, view }: GenericCommand,
  { context, problems, bridge }: Call,
): Promise<void> => {
  const read: Input[] = [];
  for (const arg of bridge.args) read.push(await readInput({ ...bridge, args: [arg] }, events.cancel, fieldFlags));
  problems.check();
  const idOf = ({ path }: Input): string => path!.event!;
  // An ID and a URI can name the same event.
  const byId = new Map(read.map((input) => [idOf(input), input]));
  const inputs = [...byId.values()];
  if (context.settings.dryRun) return printRequest(context, events.cancel, inputs);
  const before = await confirmCancel(context, [...byId.keys()], (inputs[0]!.body as Json | undefined)?.reason);
  const { interrupted } = context.runtime;
  if (inputs.length === 1) {
    const [input] = inputs as [Input];
    const event = before.get(idOf(input));
    return printRecord(context, view, await cancelOne(context, input, event), event);
  }

  const failures: { event: string; isRetryable: boolean }[] = [];
  async function* canceled() {
    for (const input of inputs) {
      interrupted.throwIfAborted();
      try {
        yield [await cancelOne(context, input, before.get(idOf(input)))];
      } catch (error) {
        if (!(error instanceof SchedError) || error.category === 'interrupted') throw error;
        failures.push({ event: idOf(input), isRetryable: transient.has(error.category) });
        const { nameAndTime } = await import('../scheduling/event-facts.ts');
        const event = before.get(idOf(input));
        const name = event === undefined ? idOf(input) : nameAndTime(context, event);
        context.notes.warn(`failed: ${name}: ${error.message}${error.facts.reason ? ` (${error.facts.reason})` : ''}`);
      }
    }
  }
  /** All events as one page: the first page of a table sets its column widths. */
  async function* together() {
    const done: Json[] = [];
    try {
      for await (const page of canceled()) done.push(...page);
    } finally {
      if (done.length > 0) yield done;
    }
  }
  const pages = context.settings.format === 'table' ? together() : canceled();
  await context.printer.list(view, pages);
  if (failures.length === 0) return;
  const again = failures.filter(({ isRetryable }) => isRetryable).map(({ event }) => event);
  throw new SchedError(
    'partial',
    `${failures.length} of ${inputs.length} events ${failures.length === 1 ? 'was' : 'were'} not canceled`,
    {
      ...(again.length === 0 ? {} : { hint: { args: again } }),
      outcome: 'applied',
    },
  );
};
