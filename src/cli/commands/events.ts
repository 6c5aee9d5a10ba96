import { events } from '../../api/events.ts';
import type { Input } from '../../client/client.ts';
import { type Category, SchedError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { describeInstant } from '../../time/label.ts';
import type { Argument, Command, Flag, Invocation } from '../command.ts';
import { commandLine } from '../messages/command-lines.ts';
import { type GenericCommand, genericCommand, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { noteHidden } from '../operation/listing.ts';
import { webFlag, withPage } from '../operation/open-page.ts';
import { printRecord } from '../operation/print-record.ts';
import { startsIn } from '../operation/view-values.ts';
import { isAlready, knownRecord, withFacts } from '../operation/write-result.ts';
import { flagWords } from '../parse/part.ts';
import { changeOrReadBack } from '../scheduling/booking-context.ts';
import { confirm } from '../session/confirm.ts';
import type { Context } from '../session/context.ts';
import { bulkFlags, inputNote } from './bulk/flags.ts';
import { resultFields } from './bulk/run-result.ts';
import type { Usual } from './event-choices.ts';
import { choosingFlags, searchable } from './events-list.ts';
import { moveCommand } from './events-move.ts';
import { agendaCommand, followCommand, statsCommand } from './events-overview.ts';

export const examples = {
  list: [
    'events list --week',
    'events list --upcoming --event-type "Intro call" --with invitees',
    'events list --invitee zoe.mueller@lindenbaum.example --past',
    'events list --search berlin --since -30d --until +30d',
    'events list --org current --today --json=uri,name,start_time',
  ],
  get: ['events get JW6SHQTS78SH7TS8', 'events get next --with invitees --json'],
  next: ['events next', 'events next --json=name,start_time,location.join_url'],
  cancel: [
    'events cancel JW6SHQTS78SH7TS8 --reason "The host is ill"',
    'events cancel JW6SHQTS78SH7TS8 XEFT95ZZDW9SPL93 --yes',
    'events cancel --from events.txt --reason "The office is closed" --yes',
    'events cancel --tomorrow --event-type "Intro call" --reason "The host is ill"',
    'events cancel --since 2026-12-24 --until 2026-12-31 --dry-run',
  ],
};

const confirmFlag: Flag = {
  name: 'confirm',
  value: 'COUNT',
  description: 'with a filter or --from: confirm this number of events',
  heading: 'Safety',
};

const isCanceled = ({ status }: Json): boolean => status === 'canceled';

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
  const { notes, settings, runtime } = context;
  const words = ({ name, uri, start_time: start }: Json) =>
    `${name ?? uri}${start ? `, ${describeInstant(String(start), settings.zone, runtime.clock.now())}` : ''}`;
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

const runCancel = async ({ fieldFlags, view }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  if (args.length === 0) problems.missingArgument('event');
  const read: Input[] = [];
  for (const arg of args) read.push(await readInput({ ...invocation, args: [arg] }, events.cancel, fieldFlags));
  problems.check();
  const idOf = ({ path }: Input): string => path!.event!;
  // An ID and a URI can name the same event.
  const byId = new Map(read.map((input) => [idOf(input), input]));
  const inputs = [...byId.values()];
  if (context.settings.dryRun) return printRequest(invocation, events.cancel, inputs);
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
  noteHidden(context.notes, (await context.printer.list(view, pages)).hiddenColumns);
  if (failures.length === 0) return;
  const again = failures.filter(({ isRetryable }) => isRetryable).map(({ event }) => event);
  throw new SchedError(
    'partial',
    `${failures.length} of ${inputs.length} events ${failures.length === 1 ? 'was' : 'were'} not canceled`,
    {
      ...(again.length === 0
        ? {}
        : { hint: commandLine('events', 'cancel', ...again, ...flagWords(invocation.parts)) }),
      outcome: 'applied',
    },
  );
};

/** Lets a terminal choose the event if it is missing. */
const chosenEvent = ([argument]: readonly Argument[], usual: Usual, question: string): Argument => ({
  ...argument!,
  offer: async (invocation) =>
    invocation.typed.from === undefined && typedFilters(invocation).length === 0
      ? (await import('./event-choices.ts')).offerEvents(usual, question, invocation)
      : undefined,
});

const typedFilters = ({ typed }: Invocation): string[] =>
  choosingFlags.map(({ name }) => name).filter((name) => typed[name] !== undefined);

/** Cancels the events that are named, listed in a file or chosen by filters. */
const cancelAny = async (generic: GenericCommand, invocation: Invocation): Promise<void> => {
  const { typed, args, problems } = invocation;
  const filters = typedFilters(invocation);
  const words = filters.map((name) => `--${name}`).join(', ');
  if (filters.length > 0 && args.length > 0)
    problems.add(`An event can't be used with ${words}. Name events, or choose them with filters`);
  if (filters.length > 0 && typed.from !== undefined) problems.add(`--from can't be used with ${words}`);
  if (filters.length > 0 && filters.every((name) => ['user', 'org', 'group'].includes(name)))
    problems.add(`${words} only says whose events. Also choose which: --since, --event-type, … or --upcoming for all`);
  if (filters.length === 0 && typed.from === undefined && typed.confirm !== undefined)
    problems.add('--confirm needs a filter or --from');
  if (filters.length === 0 && typed.from === undefined) return runCancel(generic, invocation);
  const { cancelFiltered, cancelFromFile } = await import('./bulk/cancel.ts');
  return filters.length === 0 ? cancelFromFile(generic, invocation) : cancelFiltered(generic, invocation);
};

const joinFlag: Flag = { ...webFlag, description: 'open its join link in the browser' };

/** Shows an event with the time until it starts, or opens its join link. */
const joinable = (generic: GenericCommand): Command => {
  const { page } = generic.view;
  const [when, ...rest] = page!.lines;
  const view = { ...generic.view, page: { ...page!, lines: [when!, { label: 'Starts', value: startsIn }, ...rest] } };
  const link = { field: 'location.join_url', name: 'join link' };
  return withPage(searchable.get({ ...generic, view }), () => link, joinFlag);
};

const nextCommand = (): Command => {
  const get = joinable(genericCommand('next', events.get, examples.next));
  return {
    ...get,
    summary: 'Show your next event and who comes',
    arguments: [],
    notes: [
      'The next event is the first active one in your calendar that starts from now on. Every command that takes an event also takes the word next: `sched invitees list next`. If there is none, the exit code is 6.',
    ],
    run: (invocation) => get.run({ ...invocation, args: ['next'] }),
  };
};

export const decorate = {
  ...searchable,
  get: (generic: GenericCommand): Command => ({
    ...joinable(generic),
    arguments: [chosenEvent(generic.arguments, 'next', 'Which event?')],
  }),
  cancel: (generic: GenericCommand): Command => ({
    ...generic,
    arguments: [
      {
        ...chosenEvent(generic.arguments, 'next active', 'Which events to cancel?'),
        required: false,
        variadic: true,
      },
    ],
    flags: [...generic.flags, ...bulkFlags('events', 'event'), ...choosingFlags, confirmFlag],
    fields: [...Object.keys(events.cancel.reply.of.record.shape), ...resultFields],
    notes: [
      'Without an event, a terminal lists your next events to choose from: type to filter them, and press space to choose several.',
      'Shows the events and asks for confirmation. With --yes it does neither. An event that is already canceled is reported as such, with exit code 0.',
      'With filters, it finds active events that have not begun, shows them and asks; without a terminal it needs --confirm COUNT. You can combine the filters, and they are those of `sched events list`.',
      'With --from or filters, sched prints one summary, and a receipt records the outcome for each event. Run the same command again to resume an interrupted run. A finished run is not repeated within 12 hours.',
      inputNote,
    ],
    run: (invocation) => cancelAny(generic, invocation),
  }),
};

export const extra = (): Command[] => [nextCommand(), moveCommand(), agendaCommand(), statsCommand(), followCommand()];
