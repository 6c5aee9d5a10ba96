import { events } from '../../api/events.ts';
import type { Command } from '../../cli/command.ts';
import { taking } from '../../cli/input/input.ts';
import { genericCommand } from '../../cli/operation/generic-command.ts';
import { filterFlags } from '../events/input.ts';
import { followInput } from './input.ts';
import { newsView } from './news-view.ts';

const followCommand = (): Command => {
  const generic = genericCommand('follow', events.list);
  const fieldFlags = filterFlags(generic, ['user', 'org', 'group']);
  return {
    ...generic,
    ...taking(followInput(fieldFlags), async (...call) => (await import('./run.ts')).follow(...call, fieldFlags)),
    summary: 'Print new and canceled bookings as they happen',
    examples: [
      'events follow',
      'events follow --org current --event-type "Intro call" --every 1m',
      'events follow --since -7d --once',
      'events follow --once -o jsonl --jq .payload.email',
    ],
    fields: ['event', 'created_at', 'created_by', 'payload'],
    view: newsView,
    background: () => true,
    mirror: 'what it prints from a mirror would never be printed from the service',
    notes: [
      'Needs no webhook and no public address: it reads the events of its window again and again, and the invitees of those that are new or have changed. The window starts an hour before the last check and ends at --until. A booking beyond --until is printed when the window reaches it.',
      "It can't see no-shows, changes of events that start after --until, or changes of events that started over an hour ago.",
      'The first start prints nothing of the past. After that, the same command continues where it stopped, also after a kill: nothing in the window is missing, and at most the line that was being printed comes twice. Compare event, created_at and payload.uri to find it. Each profile and each set of --user, --org, --group and --event-type has its own position, and one process at a time.',
      'Other commands come first: it uses at most half of the rate limit, and nothing while another command waits. If the network or the service fails, it says so once and keeps trying. With --once, it exits with the code of the failure.',
      'With -o jsonl, each line has the shape of a webhook delivery: event is invitee.created or invitee.canceled, and payload is the invitee with the event in scheduled_event. -o json only works with --once.',
    ],
  };
};

export const extra = (): Command[] => [followCommand()];
