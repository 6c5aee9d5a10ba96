import { AvailabilitySchedule, availability } from '../../api/availability.ts';
import { words } from '../../base/words.ts';
import type { Bounds } from '../../cli/answer/answer.ts';
import type { Command, Flag } from '../../cli/command.ts';
import { type Input, related, taking } from '../../cli/input/input.ts';
import type { How } from '../../cli/input/kind.ts';
import { excludes } from '../../cli/input/relations.ts';
import {
  type Decorations,
  type GenericCommand,
  genericCommand,
  operationInput,
} from '../../cli/operation/generic-command.ts';
import { boundsInput } from '../../cli/operation/list-input.ts';
import { type OperationInput, runOperation } from '../../cli/operation/run-operation.ts';
import { offInput, updateInput } from './input.ts';
import { askChange, offerSchedules } from './prompts.ts';

export const examples = {
  list: [
    'availability list',
    'availability list --event-type "Intro call"',
    'availability list --event-type YBL6DUNR9FS4PNP6 --json=uri,rules',
  ],
  get: ['availability get 7XMLWK4XT9XSSFB2', 'availability get 7XMLWK4XT9XSSFB2 --json=timezone,rules'],
  update: [
    "availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --rule 'monday 09:00-12:00,13:00-17:00'",
    'availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --day-off tomorrow --yes',
    'availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --day-off 2030-12-24..2030-12-31 --yes',
    "availability update --event-type YBL6DUNR9FS4PNP6 --replace --rule 'mon-fri 09:00-17:00'",
    "availability update --all --rule 'friday 09:00-12:00'",
  ],
  off: [
    'availability off --from holidays.ics --until "dec 31"',
    'availability off tomorrow',
    'availability off 2030-12-24..2030-12-31 jan 6 --yes',
    'availability off 2030-12-24 --undo',
    'availability off --list',
    'availability off --every friday',
  ],
};

/** Whoever names nobody's schedules wants to see their own hours. A single request can't read them. */
const wantsOwnHours = ({ given }: How): boolean =>
  ['event-type', 'user', 'dry-run', 'curl'].every((name) => given[name] === undefined);

/** The schedules of an event type, or of a user: then `command` is that of another operation. Undefined for own hours. */
const schedulesListInput = (
  ofType: GenericCommand,
  ofUser: GenericCommand,
): Input<(OperationInput & { command: GenericCommand }) | { command?: undefined; bounds: Bounds }> => ({
  flags: [],
  arguments: [],
  draft: async (invocation, how) => {
    if (wantsOwnHours(how)) return boundsInput.draft(invocation, how);
    const command = how.given.user === undefined ? ofType : ofUser;
    const finish = await operationInput(command).draft(invocation, how);
    return async (context) => ({ ...(await finish(context)), command });
  },
});

export const decorate = {
  list: (generic, { 'list-user': ofUser }) => {
    const [user] = ofUser!.fieldFlags;
    const flags = generic.flags.map((flag) => (flag.name === 'event-type' ? { ...flag, required: false } : flag));
    const listOfOwner = related(schedulesListInput(generic, ofUser!), excludes('eventType', ['user']));
    return {
      flags: [flags[0]!, user!, ...flags.slice(1)],
      notes: [
        'Without --event-type, a terminal or -o table shows the hours in which you can be booked: hours that several event types share stand once, with the days off from today on. A pipe or a file gets your schedules, each of them once.',
        '--user is only for services whose dialect names availability.list-user, such as calendly.',
      ],
      alternative: ofUser!.operation,
      mainFlag: 'event-type',
      run: taking(listOfOwner, async (values, { context }) => {
        if (values.command !== undefined) return runOperation(values.command, values, context);
        return (await import('./own-hours.ts')).ownHours(context, generic.view, values.bounds);
      }).run,
    };
  },
  update: (generic, { list, 'update-all': all }) => {
    const ofSchedule = list!.fieldFlags
      .filter(({ name }) => name === 'event-type')
      .map((flag) => ({ ...flag, unless: 'all' }));
    const updates = { one: { ...generic, fieldFlags: [...ofSchedule, ...generic.fieldFlags] }, all: all! };
    const updateCommand = taking(updateInput(updates), async (...call) =>
      (await import('./update.ts')).runUpdateSchedules(...call, updates),
    );
    const isOfSchedule = ({ name }: Flag) => name === 'event-type';
    return {
      ...updateCommand,
      // The event type comes first in help: nothing works without it.
      flags: [
        ...updateCommand.flags.filter(isOfSchedule),
        ...updateCommand.flags.filter((flag) => !isOfSchedule(flag)),
      ],
      arguments: generic.arguments.map((argument) => ({
        ...argument,
        description: words`${argument.description} (default: all schedules of the event type)`,
        required: false,
        offer: offerSchedules,
      })),
      askMore: askChange,
      notes: [
        'The service replaces all rules at once. So sched reads the current rules, changes only the days you name, shows the difference and asks for confirmation before it sends them all. Other sched processes that change schedules wait meanwhile, up to 30 seconds. With --replace, nothing is sent if the rules have changed since they were shown.',
        'Without a schedule, one request sets the same rules for all schedules of the event type that you may change. If they would have different rules, name one schedule or use --replace.',
        'With --all, the days you name change in your own schedule of each event type that you host. The other rules stay, also if they differ. The line that undoes it is printed afterwards.',
        "A weekday means every week: --day-off friday takes every Friday off. For a single day, use a date, today or tomorrow; today and tomorrow are dates in the schedule's time zone. A range such as 2026-12-24..2026-12-31 includes both dates.",
      ],
      alternative: all!.operation,
    };
  },
} satisfies Decorations;

export const extra = (): Command[] => {
  const generic = genericCommand('off', availability.update, examples.off);
  return [
    {
      ...generic,
      ...taking(offInput, async (...call) => (await import('./off.ts')).runOff(...call, generic)),
      summary: 'Take days off on all your schedules',
      fields: [...Object.keys(AvailabilitySchedule.record.shape), '_sched', 'date', 'schedules'],
      notes: [
        "Changes your own schedule of each event type that you host, and nobody else's. Dates are dates of each schedule's time zone. Shows what changes and the meetings on these dates, which stay, and asks for confirmation.",
        'A day off is a rule on top of the weekly hours, so --undo removes it and the weekly hours count again. Special hours of that date are replaced: --undo cannot bring them back, but sched prints the command that does. --undo also removes days off that were there before: leave out the dates that sched calls already off.',
        'With --from, the days of the all-day events in a calendar file are taken off, from today on. Events that repeat count up to --until. The file can have 1 MiB and 1,000 days. With --undo the same file takes them back.',
        'With --every, the weekly hours of that day are replaced, so there is no --undo: sched prints the line that brings the hours back.',
        'If a schedule cannot be changed, the others are, and the exit code is 11. Run the same command again: what is done stays. JSON has the changed schedules, with the special hours in _sched.replaced.',
        'Other sched processes that change schedules of the same organization wait meanwhile, up to 30 seconds. At the end the schedules are read back: if one does not show the days off, because somebody has changed it in that moment, sched says so.',
      ],
    },
  ];
};
