import { events } from '../../api/events.ts';
import type { Reply } from '../../cli/answer/plan.ts';
import type { Argument, Command } from '../../cli/command.ts';
import { type Call, taking } from '../../cli/input/input.ts';
import { type Decorations, type GenericCommand, genericCommand } from '../../cli/operation/generic-command.ts';
import { webEntry, withPage } from '../../cli/operation/open-page.ts';
import { startsIn } from '../../cli/operation/view-values.ts';
import { inputNote } from '../bulk/input.ts';
import { resultFields } from '../bulk/run-result.ts';
import { type CancelInput, cancelFlags, cancelInput, isFiltered } from './cancel-input.ts';
import { withInviteesFlag, withSearch } from './list-and-get.ts';
import type { Usual } from './prompt-choices.ts';

export const examples = {
  list: [
    'events list --week',
    'events list --upcoming --event-type "Intro call" --with invitees',
    'events list --invitee zoe.mueller@lindenbaum.example --past',
    'events list --search berlin --since -30d --until +30d',
    'events list --org current --today --json=uri,name,start_time',
    'events list --conflicts --buffers 10 --upcoming',
  ],
  get: ['events get JW6SHQTS78SH7TS8', 'events get next --with invitees --json'],
  next: ['events next', 'events next --json=name,start_time,location.join_url'],
  cancel: [
    'events cancel JW6SHQTS78SH7TS8 --reason "The host is ill"',
    'events cancel JW6SHQTS78SH7TS8 XEFT95ZZDW9SPL93 --yes',
    'events cancel --from events.txt --reason "The office is closed" --yes',
    'events cancel --tomorrow --event-type "Intro call" --reason "The host is ill"',
    'events cancel --since "next week" --until "next week" --dry-run',
  ],
};

/** Lets a terminal choose the event if it is missing. */
const chosenEvent = ([argument]: readonly Argument[], usual: Usual, question: string): Argument => ({
  ...argument!,
  offer: async (invocation) =>
    invocation.given.from === undefined && !isFiltered(invocation.given)
      ? (await import('./prompt-choices.ts')).offerEvents(usual, question, invocation)
      : undefined,
});

/** Cancels the events that are named, listed in a file or chosen by filters. */
const cancelAny = async (generic: GenericCommand, values: CancelInput, call: Call): Promise<Reply> => {
  if (values.event.length > 0) return (await import('./cancel.ts')).cancelNamed(generic, values.event, call);
  const { cancelFiltered, cancelFromFile } = await import('./cancel-many.ts');
  return (values.from === undefined ? cancelFiltered : cancelFromFile)(generic, values, call);
};

/** Shows an event with the time until it starts, or opens its join link. */
const joinable = (generic: GenericCommand): Command => {
  const { page } = generic.view;
  const [when, ...rest] = page!.lines;
  const view = { ...generic.view, page: { ...page!, lines: [when!, { label: 'Starts', value: startsIn }, ...rest] } };
  const link = { field: 'location.join_url', name: 'join link' };
  return withPage(withInviteesFlag({ ...generic, view }), () => link, webEntry('open its join link in the browser'));
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
    run: (invocation) => get.run({ ...invocation, given: { ...invocation.given, event: 'next' } }),
  };
};

export const decorate = {
  list: withSearch,
  get: (generic) => ({
    ...joinable(generic),
    arguments: [chosenEvent(generic.arguments, 'next', 'Which event?')],
  }),
  cancel: (generic) => ({
    arguments: [
      {
        ...chosenEvent(generic.arguments, 'next active', 'Which events to cancel?'),
        required: false,
        variadic: true,
      },
    ],
    flags: [...generic.flags, ...cancelFlags],
    fields: [...Object.keys(events.cancel.reply.of.record.shape), ...resultFields],
    notes: [
      'Without an event, a terminal lists your next events to choose from: type to filter them, and press space to choose several.',
      'Shows the events and asks for confirmation. With --yes it does neither. An event that is already canceled is reported as such, with exit code 0.',
      'With filters, it finds active events that have not begun, shows them and asks; without a terminal it needs --confirm COUNT. You can combine the filters, and they are those of `sched events list`.',
      'With --from or filters, sched prints one summary, and a receipt records the outcome for each event. Run the same command again to resume an interrupted run. A finished run is not repeated within 12 hours.',
      inputNote,
    ],
    run: taking({ ...cancelInput, arguments: generic.arguments }, (...call) => cancelAny(generic, ...call)).run,
  }),
} satisfies Decorations;

export const extra = (): Command[] => [nextCommand()];
