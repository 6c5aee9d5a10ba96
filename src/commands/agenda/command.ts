import { events } from '../../api/events.ts';
import type { Command } from '../../cli/command.ts';
import { taking } from '../../cli/input/input.ts';
import { genericCommand } from '../../cli/operation/generic-command.ts';
import { filterFlags } from '../events/input.ts';
import { agendaInput } from './input.ts';

const agenda = (): Command => {
  const generic = genericCommand('agenda', events.list);
  const fieldFlags = filterFlags(generic, ['user', 'org', 'status']);
  return {
    ...generic,
    ...taking(agendaInput(fieldFlags), async (...call) =>
      (await import('./run.ts')).agenda(...call, { ...generic, fieldFlags }),
    ),
    summary: 'Show events as a calendar',
    examples: [
      'events agenda',
      'events agenda --day --org current',
      'events agenda --month --since "next month"',
      'events agenda --day --watch',
      'events agenda --week --since -7d -o csv',
    ],
    notes: [
      '--week is the calendar week, from Monday to Sunday. In `sched events list`, --week is today and the six days after it. Days are those of the time zone of --tz.',
      'A terminal with 80 columns or more shows a week as a grid of hours without empty weekends, a narrower one as a list. ▎ marks an event, in the color of its event type, · open time, × a canceled event, and ▶ the present. In a month, ▂ ▅ █ show how many events a day has. An event over midnight is on both days. A locale without UTF-8, such as LC_ALL=C, gets plain ASCII.',
      'Open time is when one of the event types could be booked: inside the hours of the availability schedules, in the future, and apart from the events. `sched event-types slots` has the starts. Without --org, the hours cost one request per event type, for at most 50 event types, and only as far as the rate limit has room; if they are not read, no time is called open. With --watch, they are read once, at the start.',
      'Your own events and those of one user are shown with who comes: one request per event, for at most 50 events, and only as far as the rate limit has room.',
      'With --org, a day has one column for each host who has events on that day, and an event with several hosts is in each of their columns. A week keeps one column for each day, with the hosts below each event.',
      'With --watch, other commands come first: it reads the events once a minute, with at most half of the rate limit. If the service fails, the last picture stays and says since when.',
      'Pipes and other formats get the rows of `sched events list` for events that start in these days, with the same columns.',
    ],
    background: ({ watch }) => watch === true,
  };
};

export const extra = (): Command[] => [agenda()];
