import { idIn } from '../../base/uri.ts';
import type { Happening } from '../../cli/messages/live.ts';
import type { Context } from '../../cli/session/context.ts';
import { humanText } from '../../output/cells.ts';
import type { Paint } from '../../output/paint.ts';
import { spanLabel, timeLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { exactClock, midnightOf, timestampOf } from '../../time/wall.ts';
import { hostNames, textIn } from '../events/screen.ts';
import type { News } from './work-state.ts';

/** A news item in the shape of a webhook delivery. */
export const deliveryOf = ({ kind, at, event, invitee }: News, createdBy: string | null) => ({
  event: `invitee.${kind}`,
  created_at: at ?? null,
  created_by: createdBy,
  payload: { ...invitee, scheduled_event: event },
});

/** The time of day, with the date if that isn't today. */
const timeText = (at: unknown, zone: string, now: number): string => {
  const time = typeof at === 'string' ? timestampOf(at) : undefined;
  if (time === undefined) return 'unknown time';
  const clock = wallClock(zone);
  const [then, today] = [clock(time), clock(now)];
  return midnightOf(then) === midnightOf(today) ? exactClock(then) : timeLabel(at, zone, now)!;
};

const words = { created: 'booked', canceled: 'canceled' } as const;

/** The width of `Mon 16 Nov 09:00–09:30`. */
export const columns = { what: 8, result: 22 };

/**
 * A news item for people: `10:42:07  booked    Zoë Müller · Intro call · Mon 16 Nov 09:00–09:30`. Hosts are named if
 * the events are those of several people. On a terminal, the time of the meeting has its own column.
 */
export const happeningOf = (
  { kind, at, event, invitee }: News,
  { settings: { zone }, now: serviceNow }: Context,
  isShared: boolean,
  hasColumns: boolean,
): Happening => {
  const now = serviceNow();
  const hosts = isShared ? hostNames(event).join(', ') : '';
  const who = textIn(invitee.name, invitee.email) ?? `invitee ${idIn(invitee.uri)}`;
  const when =
    typeof event.start_time === 'string' ? spanLabel(event.start_time, event.end_time, zone, now) : undefined;
  const facts = [
    hosts === '' ? who : `${who} with ${hosts}`,
    textIn(event.name) ?? `event ${idIn(event.uri)}`,
    hasColumns ? undefined : when,
    kind === 'canceled' && invitee.rescheduled === true ? 'moved to another time' : undefined,
  ].filter((fact) => fact !== undefined);
  return {
    time: timeText(at, zone, now),
    what: words[kind],
    subject: humanText(facts.join(' · ')),
    ...(hasColumns && when !== undefined && { result: when }),
  };
};

/** Paints the words that say what happened. Color only repeats them. */
export const paintLine = (line: string, { status, faint }: Paint): string =>
  line.replace(/^(.*?)( {2})(booked|canceled)/, (_, time: string, gap: string, word: string) => {
    const painted = word === 'booked' ? status('confirmed').replace('confirmed', word) : status(word);
    return `${faint(time)}${gap}${painted}`;
  });
