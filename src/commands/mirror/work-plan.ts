import { isObject, jsonText } from '../../base/json.ts';
import { day } from '../../base/milliseconds.ts';

/*
 * Which lists of invitees a sync reads. The service has no list of invitees across events, and some of what happens to an
 * invitee changes nothing in the event.
 */

/** What a mirror knows of an event. Times are in milliseconds since 1970. */
export interface KnownEvent {
  event: string;
  /** Of the whole event, as the list of events shows it. */
  digest: string;
  ends: number;
  /** The digest and the time at which its invitees were read; null if they never were. */
  readDigest: string | null;
  readAt: number | null;
  /** There were fewer invitees than the event said. */
  isShort: boolean;
}

/** What the activity log says: the events that it names, or `all` if it may be about any. */
export type Named = ReadonlySet<string> | 'all';

/** People are marked as no-shows in the days after an event, which changes only the invitee. */
const settledAfter = 14 * day;

/**
 * The service may delete a person because somebody else asked for it, which changes no event. So no list gets older, and
 * the mirror keeps nobody longer than this.
 */
const oldestList = 30 * day;

/** Whether the invitees of an event must be read by the sync that began then. None are read twice. */
export const isDue = (
  { event, digest, ends, readDigest, readAt, isShort }: KnownEvent,
  named: Named,
  began: number,
): boolean => {
  if (readAt === null || readDigest !== digest) return true;
  if (readAt >= began) return false;
  // Also if the last sync was long ago: the list is read once more when nothing will change it.
  const isUnsettled = ends <= began && readAt - ends < settledAfter;
  const isNamed = named === 'all' || named.has(event);
  return isShort || isUnsettled || isNamed || began - readAt >= oldestList;
};

/** The events whose invitees must be read: those without a list first, the newest of them first, then the oldest lists. */
export const dueEvents = (events: readonly KnownEvent[], named: Named, began: number): KnownEvent[] =>
  events
    .filter((event) => isDue(event, named, began))
    .toSorted((one, other) => (one.readAt ?? 0) - (other.readAt ?? 0) || other.ends - one.ends);

/** The events that entries of the activity log name. A deletion of people names none, so it may be about any. */
export const namedIn = (entries: readonly { action?: unknown; namespace?: unknown; details?: unknown }[]): Named => {
  const named = new Set<string>();
  for (const { action, namespace, details } of entries) {
    if (namespace === 'InviteeData' && action !== 'RequestDeletion') return 'all';
    if (isObject(details))
      for (const [, id] of jsonText(details).matchAll(/\/scheduled_events\/([\w-]+)/g)) named.add(id!);
  }
  return named;
};
