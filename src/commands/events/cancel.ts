import { events, type SentEvent } from '../../api/events.ts';
import { isOutcomeUnknown, isPassing, SchedError } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import type { Done, ManyAnswer } from '../../cli/answer/answer.ts';
import { type Plan, plan, type Reader } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { withGiven } from '../../cli/input/kind.ts';
import { changeOrReadBack } from '../../cli/operation/change-record.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import { readInput } from '../../cli/operation/input.ts';
import { isCanceled } from '../../cli/operation/view-values.ts';
import { isAlready, knownRecord, withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import type { Input } from '../../client/wire.ts';
import type { View } from '../../output/view.ts';
import { describeInstant } from '../../time/label.ts';

/** What is known of the events before they are canceled, by ID, and those to ask about. */
interface Found {
  known: Map<string, SentEvent>;
  active: SentEvent[];
  reader: Reader;
}

/** Reads the events, with as many people as a question names. Who is only told afterwards needs their people alone. */
const readBefore = async (context: Context, ids: readonly string[], reader: Reader): Promise<Found> => {
  const { mostNamed, readEvents, withActive } = await import('./screen.ts');
  if (reader === 'nobody') return { known: new Map(), active: [], reader };
  if (reader === 'told') {
    const { hasRoom } = await import('../../cli/session/network.ts');
    if (!(await hasRoom(context, ids.length))) return { known: new Map(), active: [], reader };
    const read = await mapConcurrent(ids, (id) => readIfPossible(() => withActive(context, { uri: id })));
    return {
      known: new Map(ids.flatMap((id, at) => (read[at] === undefined ? [] : [[id, read[at]]]))),
      active: [],
      reader,
    };
  }
  const records = await readEvents(context, ids);
  const activeEvents = records.filter((event) => !isCanceled(event));
  const mostRead = reader === 'asked' ? mostNamed : 0;
  const active = [
    ...(await mapConcurrent(activeEvents.slice(0, mostRead), (event) => withActive(context, event))),
    ...activeEvents.slice(mostRead),
  ];
  return { known: new Map([...records, ...active].map((event) => [idIn(event.uri), event])), active, reader };
};

/** Cancels one event. An event that is already canceled counts as success; `before` is the event if it was read. */
const cancelOne = async (
  context: Context,
  input: Input,
  before: SentEvent | undefined,
): Promise<{ record: SentEvent; done: Done }> => {
  const client = await context.client();
  const { settings, now } = context;
  const words = ({ name, uri, start_time: start }: SentEvent) =>
    `${name ?? uri}${start ? `, ${describeInstant(String(start), settings.zone, now())}` : ''}`;
  const cancel = () =>
    changeOrReadBack<SentEvent>(context, {
      send: () => client.write(events.cancel, input),
      read: () => client.call(events.get, { path: input.path! }),
      isDone: isCanceled,
      fallback: () => knownRecord(context, events.get, input.path!, input.body),
    });
  const event = before !== undefined && isCanceled(before) ? withFacts(before, { already: true }) : await cancel();
  const { canceledSentence } = await import('./screen.ts');
  const { canceledBelow } = await import('./answer.ts');
  const log = `${isAlready(event) ? 'already canceled' : 'canceled'}: ${words(event)}`;
  const below = [canceledBelow(context, event, before)];
  return { record: event, done: { log, sentence: canceledSentence(context, event), below, saysAll: true } };
};

/** Cancels several events, one after another. One that fails doesn't stop the others. */
const cancelEach = (context: Context, view: View, inputs: readonly Input[], { known }: Found): ManyAnswer => {
  const failures: { event: string; isRetryable: boolean }[] = [];
  async function* each() {
    for (const input of inputs) {
      context.runtime.interrupted.throwIfAborted();
      const id = input.path!.event!;
      const before = known.get(id);
      try {
        yield await cancelOne(context, input, before);
      } catch (error) {
        if (!(error instanceof SchedError) || error.category === 'interrupted') throw error;
        failures.push({ event: id, isRetryable: isPassing(error) || isOutcomeUnknown(error) });
        const { nameAndTime } = await import('./screen.ts');
        const name = before === undefined ? id : nameAndTime(context, before);
        context.notes.warn(`failed: ${name}: ${error.message}${error.facts.reason ? ` (${error.facts.reason})` : ''}`);
      }
    }
  }
  const failure = (): SchedError | undefined => {
    if (failures.length === 0) return undefined;
    const again = failures.filter(({ isRetryable }) => isRetryable).map(({ event }) => event);
    const were = failures.length === 1 ? 'was' : 'were';
    return new SchedError('partial', `${failures.length} of ${inputs.length} events ${were} not canceled`, {
      ...(again.length === 0 ? {} : { hint: { args: again } }),
      outcome: 'applied',
    });
  };
  return { kind: 'many', view, each: each(), failure };
};

/** Cancels the events that are named. */
export const cancelNamed = async (
  { fieldFlags, view }: GenericCommand,
  eventArguments: readonly string[],
  call: Call,
): Promise<Plan> => {
  const { context, problems } = call;
  const allInputs: Input[] = [];
  for (const event of eventArguments)
    allInputs.push(await readInput(call, events.cancel, fieldFlags, withGiven(call.how, { event })));
  problems.check();
  // An ID and a URI can name the same event.
  const byId = new Map(allInputs.map((input) => [input.path!.event!, input]));
  const inputs = [...byId.values()];
  const { reason } = inputs[0]!.body ?? {};
  return plan({
    requests: () => ({ operation: events.cancel, inputs }),
    read: (reader) => readBefore(context, [...byId.keys()], reader),
    question: async ({ active, reader }) => {
      const { cancelQuestion } = await import('./screen.ts');
      return active.length === 0 ? undefined : cancelQuestion(context, active, reader, { reason });
    },
    send: async (found) => {
      const [input, ...others] = inputs as [Input];
      if (others.length > 0) return cancelEach(context, view, inputs, found);
      const before = found.known.get(input.path!.event!);
      return { kind: 'record', view, before, ...(await cancelOne(context, input, before)) };
    },
  });
};
