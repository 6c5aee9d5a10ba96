import { events } from '../../api/events.ts';
import type { Input } from '../../client/client.ts';
import type { Json } from '../../client/reading.ts';
import { SchedError } from '../../errors.ts';
import { describeInstant } from '../../time/echo.ts';
import type { Command, Invocation } from '../command.ts';
import { requireConsent } from '../consent.ts';
import type { Context } from '../context.ts';
import { readInput } from '../input.ts';
import { marked, type OperationCommand, printRequest } from '../operation-command.ts';

export const examples = {
  list: [
    'events list',
    'events list --status active --since today --until +7d',
    'events list --json=uri,name,start_time',
  ],
  get: ['events get EVENT_ID', 'events get EVENT_ID --json'],
  cancel: ['events cancel EVENT_ID --reason "The host is ill"', 'events cancel EVENT_ID EVENT_ID --yes'],
};

/** Cancels one event. One that is canceled already is what was wished for, and no failure. */
const cancelOne = async (context: Context, input: Input): Promise<Json> => {
  const client = await context.client();
  const { notes, settings } = context;
  const words = (event: Json) => `${event.name}, ${describeInstant(String(event.start_time), settings.zone)}`;
  try {
    const event = await client.call(events.cancel, input);
    notes.say(`canceled: ${words(event)}`);
    return event;
  } catch (error) {
    if (!(error instanceof SchedError && error.category === 'conflict')) throw error;
    const event = await client.call(events.get, { path: input.path! });
    if (event.status !== 'canceled') throw error;
    notes.say(`already canceled: ${words(event)}`);
    return marked(event, { already: true });
  }
};

const runCancel = async ({ fieldFlags, view }: OperationCommand, invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  if (args.length === 0) problems.add('<event> is missing');
  const inputs: Input[] = [];
  for (const arg of new Set(args))
    inputs.push(await readInput({ ...invocation, args: [arg] }, events.cancel, fieldFlags));
  problems.check();
  if (context.settings.dryRun) return printRequest(invocation, events.cancel, inputs);
  await requireConsent(
    context,
    inputs.length === 1
      ? `Cancel event ${inputs[0]!.path!.event} and notify its invitees?`
      : `Cancel ${inputs.length} events and notify their invitees?`,
  );
  if (inputs.length === 1) return context.printer.one(view, await cancelOne(context, inputs[0]!));

  const failures: string[] = [];
  async function* canceled() {
    for (const input of inputs) {
      try {
        yield [await cancelOne(context, input)];
      } catch (error) {
        if (!(error instanceof SchedError) || error.category === 'interrupted') throw error;
        failures.push(String(input.path!.event));
        context.notes.insist(
          `failed: ${input.path!.event}: ${error.message}${error.facts.reason ? ` (${error.facts.reason})` : ''}`,
        );
      }
    }
  }
  await context.printer.list(view, canceled());
  if (failures.length === 0) return;
  throw new SchedError('partial', `${failures.length} of ${inputs.length} events were not canceled`, {
    hint: `sched events cancel ${failures.join(' ')} --yes`,
    outcome: 'applied',
  });
};

export const decorate = {
  cancel: (generic: OperationCommand): Command => ({
    ...generic,
    arguments: [{ ...generic.arguments[0]!, variadic: true }],
    notes: ['Asks first. An event that is canceled already is reported as such, with exit code 0.'],
    run: (invocation) => runCancel(generic, invocation),
  }),
};
