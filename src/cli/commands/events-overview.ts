import { events } from '../../api/events.ts';
import type { View } from '../../output/view.ts';
import type { Command } from '../command.ts';
import { taking } from '../input/input.ts';
import { type GenericCommand, genericCommand } from '../operation/generic-command.ts';
import { agendaInput } from './agenda/input.ts';
import { typeFlag } from './events-list.ts';
import { followInput } from './follow/input.ts';
import { newsView } from './follow/news-view.ts';
import { statsInput } from './stats/input.ts';

/*
 * The commands that show events as a calendar, as counts or as they happen. Only their flags and help are here: the code that runs them
 * is loaded on first use.
 */

/** The filters of `events list` that a command takes too. */
const filtersOf = ({ fieldFlags }: GenericCommand, names: readonly string[]) => [
  ...fieldFlags.filter(({ name }) => names.includes(name)),
  typeFlag,
];

export const agendaCommand = (): Command => {
  const generic = genericCommand('agenda', events.list);
  const fieldFlags = filtersOf(generic, ['user', 'org', 'status']);
  return {
    ...generic,
    ...taking(agendaInput(fieldFlags), async (...call) =>
      (await import('./agenda/agenda.ts')).runAgenda(...call, { ...generic, fieldFlags }),
    ),
    summary: 'Show events as a calendar',
    examples: [
      'events agenda',
      'events agenda --day --org current',
      'events agenda --month --since 2026-12-01',
      'events agenda --day --watch',
      'events agenda --week --since -7d -o csv',
    ],
    notes: [
      '--week is the calendar week, from Monday to Sunday. In `sched events list`, --week is today and the six days after it. Days are those of the time zone of --tz.',
      'A terminal with 80 columns or more shows a week as a grid of hours without empty weekends, a narrower one as a list. ▎ marks an event, in the color of its event type, · free time, × a canceled event, and ▶ the present. In a month, ▂ ▅ █ show how many events a day has. An event over midnight is on both days. A locale without UTF-8, such as LC_ALL=C, gets plain ASCII.',
      'Your own events and those of one user are shown with who comes: one request per event, for at most 50 events, and only as far as the rate limit has room.',
      'With --org, a day has one column for each host who has events on that day, and an event with several hosts is in each of their columns. A week keeps one column for each day, with the hosts below each event.',
      'With --watch, other commands come first: it reads the events once a minute, with at most half of the rate limit. If the service fails, the last picture stays and says since when.',
      'Pipes and other formats get the rows of `sched events list` for events that start in these days, with the same columns.',
    ],
    background: ({ watch }) => watch === true,
  };
};

/** Scripts rely on these names and their order. */
const statsView: View = {
  columns: [
    { header: 'KEY', path: 'key' },
    { header: 'NAME', path: 'name' },
    { header: 'BOOKED', path: 'booked', as: 'count' },
    { header: 'CANCELED', path: 'canceled', as: 'count' },
    { header: 'NO-SHOWS', path: 'no_shows', as: 'count' },
    { header: 'HOURS', path: 'hours', as: 'count' },
    { header: 'SHARE', path: 'share', as: 'count' },
    { header: 'CANCELLATION RATE', path: 'cancellation_rate', as: 'count' },
    { header: 'NO-SHOW RATE', path: 'no_show_rate', as: 'count' },
    { header: 'SECOND KEY', path: 'second_key' },
    { header: 'SECOND NAME', path: 'second_name' },
  ],
  id: 'key',
};

export const statsCommand = (): Command => {
  const generic = genericCommand('stats', events.list);
  const fieldFlags = filtersOf(generic, ['user', 'org', 'status', 'since', 'until']);
  return {
    ...generic,
    ...taking(statsInput(fieldFlags), async (...call) =>
      (await import('./stats/stats.ts')).runStats(...call, { ...generic, fieldFlags, view: statsView }),
    ),
    summary: 'Count events, cancellations, no-shows and hours',
    examples: [
      'events stats --by week --since 2026-01-01',
      'events stats --by host --org current --since -30d --until today',
      'events stats --by event-type --no-shows --since -30d --until today',
      'events stats --by weekday,hour --org current',
      'events stats --by hour --json=key,booked',
    ],
    fields: statsView.columns.map(({ path }) => path),
    view: statsView,
    notes: [
      'booked counts all events, and canceled those of them that were canceled. hours is the length of the events that were not canceled. share is the part of all booked events, cancellation_rate the part of the booked events that were canceled, and no_show_rate the part of the invitees who did not come, from 0 to 1.',
      'With two groups, such as host,week, a terminal shows a heat map; other formats have a row for each pair, with the second group in second_key and second_name. --sort orders the first group: the largest first, or by name. By default, times are in their order, and other groups with the most events first.',
      'A terminal also shows the days, weeks, months and hours without events. Other formats leave groups without events out.',
      'An event with several hosts counts for each of them. So the rows of --by host can add up to more than the total, which counts each event once.',
      'key is the URI of the host or event type, a date (2026-11-16), an ISO week (2026-W47), a month (2026-11), a weekday (1 is Monday), an hour (09) or a status. Days and hours are those of the start time in the time zone of --tz. Events without that field have the key "unknown".',
      'no_shows is null without --no-shows. With it, sched reads the invitees of all events that have started and are not canceled, four at a time within the rate limit, and says first how many requests that takes.',
    ],
  };
};

export const followCommand = (): Command => {
  const generic = genericCommand('follow', events.list);
  const fieldFlags = filtersOf(generic, ['user', 'org', 'group']);
  return {
    ...generic,
    ...taking(followInput(fieldFlags), async (...call) =>
      (await import('./follow/follow.ts')).runFollow(...call, fieldFlags),
    ),
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
    notes: [
      'Needs no webhook and no public address: it reads the events of its window again and again, and the invitees of those that are new or have changed. The window starts an hour before the last check and ends at --until. A booking beyond --until is printed when the window reaches it.',
      "It can't see no-shows, changes of events that start after --until, or changes of events that started over an hour ago.",
      'The first start prints nothing of the past. After that, the same command continues where it stopped, also after a kill: nothing in the window is missing, and at most the line that was being printed comes twice. Compare event, created_at and payload.uri to find it. Each profile and each set of --user, --org, --group and --event-type has its own position, and one process at a time.',
      'Other commands come first: it uses at most half of the rate limit, and nothing while another command waits. If the network or the service fails, it says so once and keeps trying. With --once, it exits with the code of the failure.',
      'With -o jsonl, each line has the shape of a webhook delivery: event is invitee.created or invitee.canceled, and payload is the invitee with the event in scheduled_event. -o json only works with --once.',
    ],
  };
};
