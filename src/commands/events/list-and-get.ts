import { ScheduledEvent } from '../../api/events.ts';
import type { Command, Run } from '../../cli/command.ts';
import { both, taking } from '../../cli/input/input.ts';
import { type GenericCommand, operationInput } from '../../cli/operation/generic-command.ts';
import { eventsListFlags, eventsListInput, getInput } from './input.ts';

const withNote =
  '--with invitees reads the invitees of each event, four events at a time within the rate limit. A table shows the names of all of them, with canceled ones marked; without this flag, a terminal shows the first name as far as the rate limit has room. In a pipe the names are the last column (_sched.invitees.*.name). JSON has the complete records in _sched.invitees.';

const rowsNote =
  '--rows invitees reads the invitees too and prints one row for each, with the columns of the event first. Then follow name, email, status, time zone, booking time, ID and answers of the invitee (_sched.invitee.*); a csv file then has a column for each question of the event types. Canceled invitees have the status canceled. --limit counts these rows.';

const fields = [...Object.keys(ScheduledEvent.record.shape), '_sched'];

export const localFilterNote =
  'The service has no filters for --event-type and --search, so sched applies them to its reply.';

/** Lists events. The code is loaded when it runs: help needs only the flags. */
export const eventsListRun = (command: GenericCommand): Run =>
  taking(eventsListInput(command.fieldFlags), async (values, { context }) =>
    (await import('./list.ts')).listEvents(command, values, context),
  ).run;

/** Adds the flags that help to find an event. */
export const withSearch = (generic: GenericCommand): GenericCommand => ({
  ...generic,
  ownFormat: 'ics',
  flags: eventsListFlags(generic.flags),
  fields,
  notes: [
    'A table on a terminal starts today, unless a flag chooses other times: --past for earlier events, --any-time for all. --all shows more rows, but keeps these times. Pipes and other formats always get all events.',
    '--today, --tomorrow and --week are days in the time zone of --tz. You can combine them with --upcoming or --past (the rest of today: --today --upcoming), but not with --since and --until.',
    `${localFilterNote} If the service ignores --invitee, sched reads the invitees of each event.`,
    '--conflicts lists active events that overlap another event of the same host, and events on a day off or outside the hours that their hosts have now for the event type. With --buffers, events that are closer together overlap too. In a pipe the last column (_sched.conflicts.*.code) has overlap, day-off or hours; JSON also has the host, and the other event or the rules. It takes a request for each event type. What it could not check it says on stderr.',
    withNote,
    rowsNote,
  ],
  run: eventsListRun(generic),
});

/** Adds `--with` to a command that reads an event. */
export const withInviteesFlag = (generic: GenericCommand): Command => ({
  ...generic,
  ownFormat: 'ics',
  flags: [...generic.flags, ...getInput.flags],
  fields,
  run: taking(both(getInput, operationInput(generic)), async (values, { context }) =>
    (await import('./list.ts')).runGet(generic, values, context),
  ).run,
});
