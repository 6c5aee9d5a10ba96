import { events } from '../../api/events.ts';
import { isOutcomeUnknown, isPassing, SchedError } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import type { Call } from '../../cli/input/input.ts';
import { withGiven } from '../../cli/input/kind.ts';
import { changeOrReadBack } from '../../cli/operation/change-record.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import { readInput } from '../../cli/operation/input.ts';
import { printRecord } from '../../cli/operation/print-record.ts';
import { printRequest } from '../../cli/operation/run-operation.ts';
import { isCanceled } from '../../cli/operation/view-values.ts';
import { isAlready, knownRecord, withFacts } from '../../cli/operation/write-result.ts';
import { confirm } from '../../cli/session/confirm.ts';
import { type Context, isWatched } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import type { Input } from '../../client/wire.ts';
import { describeInstant } from '../../time/label.ts';

/**
 * Reads the events and asks for confirmation. With `--yes` only their people are read, for the answer on a terminal.
 * Returns what was read, by ID.
 */
const confirmCancel = async (context: Context, ids: readonly string[], reason: unknown): Promise<Map<string, Json>> => {
  const { cancelQuestion, mostNamed, readEvents, withActive } = await import('./screen.ts');
  if (context.settings.yes) {
    const { hasRoom } = await import('../../cli/session/network.ts');
    if (!isWatched(context) || !(await hasRoom(context, ids.length))) return new Map();
    const read = await mapConcurrent(ids, (id) => readIfPossible(() => withActive(context, { uri: id })));
    return new Map(ids.flatMap((id, index) => (read[index] === undefined ? [] : [[id, read[index]]])));
  }
  const records = await readEvents(context, ids);
  const activeEvents = records.filter((event) => !isCanceled(event));
  const mostRead = context.canConfirm ? mostNamed : 0;
  const active = [
    ...(await mapConcurrent(activeEvents.slice(0, mostRead), (event) => withActive(context, event))),
    ...activeEvents.slice(mostRead),
  ];
  if (active.length > 0) await confirm(context, await cancelQuestion(context, active, { reason }));
  return new Map([...records, ...active].map((event) => [idIn(event.uri), event]));
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
      fallback: () => knownRecord(context, events.get, input.path!, input.body),
    });
  const event = before !== undefined && isCanceled(before) ? withFacts(before, { already: true }) : await cancel();
  const { canceledSentence } = await import('./screen.ts');
  const { canceledBelow } = await import('./answer.ts');
  const done = `${isAlready(event) ? 'already canceled' : 'canceled'}: ${words(event)}`;
  await notes.done(done, canceledSentence(context, event), [canceledBelow(context, event, before)]);
  return event;
};

/** Cancels the events that are named. */
export const runCancel = async (
  { fieldFlags, view }: GenericCommand,
  eventArguments: readonly string[],
  call: Call,
): Promise<void> => {
  const { context, problems } = call;
  const allInputs: Input[] = [];
  for (const event of eventArguments)
    allInputs.push(await readInput(call, events.cancel, fieldFlags, withGiven(call.how, { event })));
  problems.check();
  const idOf = ({ path }: Input): string => path!.event!;
  // An ID and a URI can name the same event.
  const byId = new Map(allInputs.map((input) => [idOf(input), input]));
  const inputs = [...byId.values()];
  if (context.settings.dryRun) return printRequest(context, events.cancel, inputs);
  const before = await confirmCancel(context, [...byId.keys()], (inputs[0]!.body as Json | undefined)?.reason);
  const { interrupted } = context.runtime;
  if (inputs.length === 1) {
    const [input] = inputs as [Input];
    const event = before.get(idOf(input));
    const canceled = await cancelOne(context, input, event);
    return isWatched(context) ? undefined : printRecord(context, view, canceled, event);
  }

  const failures: { event: string; isRetryable: boolean }[] = [];
  async function* cancelEach() {
    for (const input of inputs) {
      interrupted.throwIfAborted();
      try {
        yield [await cancelOne(context, input, before.get(idOf(input)))];
      } catch (error) {
        if (!(error instanceof SchedError) || error.category === 'interrupted') throw error;
        failures.push({ event: idOf(input), isRetryable: isPassing(error) || isOutcomeUnknown(error) });
        const { nameAndTime } = await import('./screen.ts');
        const event = before.get(idOf(input));
        const name = event === undefined ? idOf(input) : nameAndTime(context, event);
        context.notes.warn(`failed: ${name}: ${error.message}${error.facts.reason ? ` (${error.facts.reason})` : ''}`);
      }
    }
  }
  /** All events as one page: the first page of a table sets its column widths. */
  async function* together() {
    const allEvents: Json[] = [];
    try {
      for await (const page of cancelEach()) allEvents.push(...page);
    } finally {
      if (allEvents.length > 0) yield allEvents;
    }
  }
  const pages = context.settings.format === 'table' ? together() : cancelEach();
  // A person has read what became of each event.
  if (isWatched(context)) for await (const _ of cancelEach());
  else await context.printer.list(view, pages);
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
