import { events } from '../../api/events.ts';
import type { Command } from '../../cli/command.ts';
import { taking } from '../../cli/input/input.ts';
import { genericCommand } from '../../cli/operation/generic-command.ts';
import { resultFields } from '../bulk/run-result.ts';
import { moveFlags, moveInput } from './input.ts';

const move = (): Command => {
  const generic = genericCommand('move', events.cancel);
  return {
    ...generic,
    summary: 'Move events to another time and notify invitees',
    arguments: generic.arguments.map((argument) => ({
      ...argument,
      required: false,
      offer: async (invocation) =>
        invocation.given.from === undefined && invocation.given.shift === undefined
          ? (await import('../events/prompt-choices.ts')).offerEvents('next active', 'Which event to move?', invocation)
          : undefined,
    })),
    flags: moveFlags,
    fields: [...Object.keys(events.cancel.reply.of.record.shape), '_sched', ...resultFields],
    examples: [
      'events move JW6SHQTS78SH7TS8 --to "next monday 15:00" --tz Europe/Paris',
      'events move JW6SHQTS78SH7TS8 --to "next wednesday 15:30" --tz Europe/Paris --reason "The host is ill" --yes',
      'events move --tomorrow --shift +1h --tz Europe/Paris',
      'events move --week --shift +1w --tz Europe/Paris --skip-invalid --dry-run -o csv',
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
      const { given } = invocation;
      if (given.event === undefined || ['to', 'from', 'shift'].some((name) => given[name] !== undefined)) return [];
      const start = await (await import('./move-one.ts')).askNewStart(invocation, await ask());
      return start === undefined ? [] : [['to', start]];
    },
    run: taking({ ...moveInput, arguments: generic.arguments }, async ({ event, request, ...values }, call) => {
      if (event !== undefined) return (await import('./move-one.ts')).planMove(generic, { ...values, event }, call);
      const filters = request === undefined ? undefined : { ...values, request };
      return (await import('./move-many.ts')).moveMany(values, filters, call);
    }).run,
  };
};

export const extra = (): Command[] => [move()];
