import { events } from '../../api/events.ts';
import { locationKinds } from '../../api/locations.ts';
import type { Command, Flag } from '../command.ts';
import { type GenericCommand, genericCommand } from '../operation/generic-command.ts';
import { recordFileFlags } from './bulk/flags.ts';
import { resultFields } from './bulk/run-result.ts';
import { choosingFlags } from './events-list.ts';

const moveFlags: Flag[] = [
  { name: 'to', value: 'TIME', description: 'new start time' },
  { name: 'cancel-first', description: 'cancel before booking: needed if the new time overlaps the old one' },
  { name: 'answer', value: 'Q=A', repeat: true, description: "answer of people who have none, as 'Question=Answer'" },
  { name: 'timezone', value: 'ZONE', description: 'time zone of people who have none' },
  { name: 'location-kind', value: 'WORD', choices: locationKinds, description: 'another kind of location' },
  { name: 'without-payment', description: 'also move a paid booking: the new one has no payment' },
  {
    name: 'allow-duplicate',
    description: 'book people who are not shown at the new time, even if an earlier attempt may have booked them',
    heading: 'Safety',
  },
];

const fileFlags = recordFileFlags('moves', 'move', 'with --from or --shift');

const shiftFlag: Flag = {
  name: 'shift',
  value: 'OFFSET',
  description: 'move all events that the filters choose, by +1h, -30m, +1d or +1w',
  heading: 'Filters',
};

export const moveCommand = (): Command => {
  const generic = genericCommand('move', events.cancel);
  const command: GenericCommand = {
    ...generic,
    summary: 'Move events to another time and notify invitees',
    arguments: generic.arguments.map((argument) => ({
      ...argument,
      required: false,
      offer: async (invocation) =>
        invocation.typed.from === undefined && invocation.typed.shift === undefined
          ? (await import('./event-choices.ts')).offerEvents('next active', 'Which event to move?', invocation)
          : undefined,
    })),
    flags: [...moveFlags, ...generic.fieldFlags, shiftFlag, ...choosingFlags, ...fileFlags],
    fields: [...Object.keys(events.cancel.reply.of.record.shape), '_sched', ...resultFields],
    examples: [
      'events move JW6SHQTS78SH7TS8 --to "2026-12-01 11:00" --tz Europe/Paris',
      'events move JW6SHQTS78SH7TS8 --to 2026-12-01T11:00:00+01:00 --reason "The host is ill" --yes',
      'events move --tomorrow --shift +1h --tz Europe/Paris',
      'events move --since 2026-12-01 --until 2026-12-01 --shift +1w --tz Europe/Paris --dry-run -o csv',
      'events move --from moves.csv --confirm 12',
    ],
    notes: [
      'The service has no operation to move an event. sched books everybody at the new time and then cancels the old event, so each invitee gets two notices. Names, time zones, answers, place and tracking are kept. ID and links are new; notes, reminder numbers and no-show marks are lost.',
      'Each step is recorded on this machine (or in SCHED_SHARED_STATE) before it is sent. If a move is interrupted, run the same command again: nobody is booked twice, and nobody is left without a booking. An event that has been moved is reported as such, with exit code 0.',
      'The new time is checked first; if it is not free, the error has free ones. If it overlaps the old time, the old event must be canceled first: for a moment nobody is booked, and the time can be lost. This needs a prompt or --cancel-first.',
      '--to without an offset is read in the time zone of --tz or SCHED_TZ. A prompt shows the local time of both sides. Without a prompt, --to is refused if it means another time in the time zone of an invitee.',
      'With --from, sched moves the events of a file with the columns event and to. With --shift, it moves all active events that the filters choose: +90m is exact, +1d and +1w keep the time of day in the time zone of --tz. All moves are checked together first, and made in an order in which each finds its new time free. The receipt has the line, event and new start of each move, and no name or address.',
      'The same shift again would shift again, so events that a move made within 12 hours are left out unless you add --again. For scripts, -n -o csv prints the plan as a file for --from.',
    ],
    askMore: async (invocation, ask) => {
      const { args, typed } = invocation;
      if (args.length === 0 || ['to', 'from', 'shift'].some((name) => typed[name] !== undefined)) return [];
      const start = await (await import('./move/run.ts')).askNewStart(invocation, await ask());
      return start === undefined ? [] : [['to', start]];
    },
    run: async (invocation) => {
      const { args, typed, problems } = invocation;
      const isTyped = (name: string): boolean => typed[name] !== undefined;
      const ways = ['to', 'from', 'shift'].filter(isTyped).map((name) => `--${name}`);
      if (ways.length > 1) problems.add(`${ways.join(' and ')} can't be used together`);
      const isMany = isTyped('from') || isTyped('shift');
      if (isMany && args.length > 0) problems.add(`An event can't be used with ${ways[0]}`);
      for (const { name } of isMany ? [] : fileFlags)
        if (isTyped(name)) problems.add(`--${name} needs --from or --shift`);
      for (const { name } of isTyped('shift') ? [] : choosingFlags)
        if (isTyped(name)) problems.add(`--${name} needs --shift`);
      return isMany
        ? (await import('./bulk/move.ts')).moveMany(invocation)
        : (await import('./move/run.ts')).runMove(command, invocation);
    },
  };
  return command;
};
