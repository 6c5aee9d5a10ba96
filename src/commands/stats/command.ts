import { events } from '../../api/events.ts';
import type { Command } from '../../cli/command.ts';
import { taking } from '../../cli/input/input.ts';
import { genericCommand } from '../../cli/operation/generic-command.ts';
import type { View } from '../../output/view.ts';
import { filterFlags } from '../events/input.ts';
import { statsInput } from './input.ts';

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

const stats = (): Command => {
  const generic = genericCommand('stats', events.list);
  const fieldFlags = filterFlags(generic, ['user', 'org', 'status', 'since', 'until']);
  return {
    ...generic,
    ...taking(statsInput(fieldFlags), async (...call) =>
      (await import('./run.ts')).stats(...call, { ...generic, fieldFlags, view: statsView }),
    ),
    summary: 'Count events, cancellations, no-shows and hours',
    examples: [
      'events stats --by week --since "last month"',
      'events stats --by host --org current --since -30d --until today',
      'events stats --by event-type --no-shows --since -30d --until today',
      'events stats --by weekday,hour --org current',
      'events stats --by hour --json=key,booked',
      'events stats --by event-type --zeros --since -90d',
      'events stats --by invitee --sort no-shows --since -90d --until today',
    ],
    fields: statsView.columns.map(({ path }) => path),
    view: statsView,
    notes: [
      'booked counts all events, and canceled those of them that were canceled. hours is the length of the events that were not canceled. share is the part of all booked events, cancellation_rate the part of the booked events that were canceled, and no_show_rate the part of the invitees of meetings that have begun who did not come, from 0 to 1.',
      'With two groups, such as host,week, a terminal shows a heat map; other formats have a row for each pair, with the second group in second_key and second_name. --sort orders the first group: the largest first, or by name. By default, times are in their order, and other groups with the most events first.',
      'A terminal also shows the days, weeks, months and hours without events. Other formats leave groups without events out.',
      'An event with several hosts counts for each of them. So the rows of --by host can add up to more than the total, which counts each event once.',
      'key is the URI of the host or event type, a date (2026-11-16), an ISO week (2026-W47), a month (2026-11), a weekday (1 is Monday), an hour (09) or a status. Days and hours are those of the start time in the time zone of --tz. Events without that field have the key "unknown".',
      '--zeros adds the event types without events, in every format. --by invitee counts the bookings of each person: sched reads the invitees of all events, so no_shows is known without --no-shows. It shows names only; two people with the same name have two rows. With --show-emails the key is the address.',
      'no_shows is null without --no-shows. With it, sched reads the invitees of all events that have started and are not canceled, four at a time within the rate limit, and says first how many requests that takes.',
    ],
  };
};

export const extra = (): Command[] => [stats()];
