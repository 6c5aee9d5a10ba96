import type { SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { textOf } from '../../base/json.ts';
import { formatNumber } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { Below } from '../../cli/messages/notes.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { eventPlace } from '../../cli/operation/view-values.ts';
import { isAlready } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { valueAt } from '../../output/fields.ts';
import { dayText, spanLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { clockLabel, midnightOf, timestampOf } from '../../time/wall.ts';
import { readZone } from '../../time/zone.ts';
import { activeIn, hostNames, hostsIn, mostNamed, textIn } from './screen.ts';
import { addedInvitees } from './with-invitees.ts';

/*
 * The lines below what a write has done, for people: when it is for everybody, how to join, how to undo it.
 */

/** `Paris` of `Europe/Paris` */
const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');

/** The time of another person, if their clock shows another one: `09:15 in Paris`. */
const theirTime = (at: number, zone: string, theirs: unknown): string | undefined => {
  const reading = readZone(String(theirs));
  const wall = wallClock(zone)(at);
  const local = reading.ok ? wallClock(reading.zone)(at) : wall;
  if (!reading.ok || local === wall) return undefined;
  const date = midnightOf(local) === midnightOf(wall) ? '' : `${dayText(local, wall)} `;
  return `${date}${clockLabel(local)} in ${cityOf(reading.zone)}`;
};

/** Zones of people that a line names. */
const mostZones = 2;

/** When a meeting is, also on the clocks of its people: `Thu 26 Nov 14:00–14:30 UTC · 15:00 in Paris`. */
export const whenText = (
  { settings, now }: Context,
  { start_time: start, end_time: end }: SentEvent,
  zones: readonly unknown[],
): string => {
  const { zone } = settings;
  const at = timestampOf(start);
  const local = at === undefined ? [] : zones.flatMap((theirs) => theirTime(at, zone, theirs) ?? []);
  const when = spanLabel(start, end, zone, now()) ?? String(start);
  return [`${when} ${zone}`, ...[...new Set(local)].slice(0, mostZones)].join(' · ');
};

/** Who hosts an event, unless that is the user alone: `host Sam Whitaker`. */
export const hostText = async ({ identity }: Context, event: SentEvent): Promise<string | undefined> => {
  const names = hostNames(event);
  const own = await identity.user().catch(() => undefined);
  if (names.length === 0 || hostsIn(event).every(({ user }) => user === own)) return undefined;
  return `${names.length === 1 ? 'host' : 'hosts'} ${names.join(', ')}`;
};

/** How to get to a meeting: `Join  https://…`, or else its place. */
export const joinLine = (event: SentEvent): Below => {
  const url = textOf(valueAt(event, 'location.join_url'));
  const place = eventPlace(event);
  return url !== undefined ? ['Join', url] : place === '' ? undefined : ['Where', place];
};

/** How to undo what was done to an event: `Undo  sched events cancel BF75`. */
export const undoLine = (context: Context, verb: string, uri: unknown, ...flags: readonly string[]): Below =>
  typeof uri === 'string' ? ['Undo', commandHere(context, 'events', verb, context.shownId(uri), ...flags)] : undefined;

/** People with the time on their own clock if that differs: `Ada Byron (09:15 in Paris), Bob +3`. */
export const peopleText = (
  { settings }: Context,
  invitees: readonly SentInvitee[],
  start: unknown,
  total = invitees.length,
): string => {
  const at = timestampOf(start);
  const names = invitees.slice(0, mostNamed).map(({ uri, name, email, timezone }) => {
    const local = at === undefined ? undefined : theirTime(at, settings.zone, timezone);
    return `${textIn(name, email) ?? idIn(uri)}${local === undefined ? '' : ` (${local})`}`;
  });
  const more = Math.max(total, invitees.length) - names.length;
  return [...names, ...(more > 0 ? [`+${formatNumber(more)}`] : [])].join(', ');
};

/** `Ada Byron was notified.` Nothing if nobody is in the event. */
export const notifiedText = (
  context: Context,
  invitees: readonly SentInvitee[],
  start: unknown,
  total = invitees.length,
): string | undefined =>
  total === 0 ? undefined : `${peopleText(context, invitees, start, total)} ${total === 1 ? 'was' : 'were'} notified.`;

/** The line below a canceled event. `before` is the event with its people if they were read. */
export const canceledBelow = (
  context: Context,
  event: SentEvent,
  before: SentEvent | undefined,
): string | undefined => {
  if (isAlready(event)) return undefined;
  if (before === undefined) return 'Its invitees were notified.';
  const people = addedInvitees(before);
  return notifiedText(context, people, event.start_time, Math.max(activeIn(before), people.length));
};
