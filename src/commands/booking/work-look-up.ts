import { eventTypes } from '../../api/event-types.ts';
import { events, type SentEvent } from '../../api/events.ts';
import { invitees, type SentInvitee } from '../../api/invitees.ts';
import { windowQuery } from '../../api/window.ts';
import { fallBack, hasCategory } from '../../base/errors.ts';
import { isObject, type Json, textOf } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import type { Client } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';

/** The user and organization whose records the token shows. */
export interface Owner {
  user: string;
  organization: string;
}

export interface WantedBooking {
  event_type: string;
  start_time: string;
  /** The organization of the hosts, if known. */
  organization?: string | undefined;
  isMeant(email: string): boolean;
  /** Whether this invitee was there before the booking was sent. */
  isEarlier(uri: string): boolean;
}

export interface LookUp {
  /** Active invitees that match. */
  matches: SentInvitee[];
  /** Whether the events of every host were seen, so that an empty result proves something. */
  isComplete: boolean;
  /** Other active invitees of that event type at that time. */
  others: string[];
  /** Whether there is an event of that type at that time without the invitee, and not only with earlier ones. */
  isSharedSlot: boolean;
  /** The user or organization whose events were listed. */
  whose: Partial<Owner>;
}

/** A key that is the same for every spelling a service may accept: a URI, a bare ID, another case, a trailing slash. */
export const idKey = (uri: unknown): string => {
  // No regex for trailing slashes: it would take long if a service sent nothing but slashes.
  const id = String(uri).trim().split(/[?#]/)[0]!.split('/').filter(Boolean).at(-1) ?? '';
  try {
    return decodeURIComponent(id).toLowerCase();
  } catch {
    return id.toLowerCase();
  }
};

/** The event of an invitee: the record has it, or else its URI. Undefined if neither does. */
export const eventIn = ({ event, uri }: SentInvitee): string | undefined =>
  typeof event === 'string' ? event : /^(.+\/scheduled_events\/[^/]+)\/invitees\/[^/]+$/.exec(textOf(uri) ?? '')?.[1];

/** The second in which a meeting starts. No service is more exact. */
export const secondOf = (time: unknown): number => Math.floor(Date.parse(String(time)) / 1000);

const isEventHidden = (error: unknown): boolean => hasCategory(error, 'forbidden', 'not-found');

/** IDs of the hosts of an event type; empty if the token may not read them. */
const readHostUris = async (client: Client, eventType: string): Promise<string[]> => {
  const pages = client.pages(eventTypes.hosts, { query: { event_type: eventType } });
  const hosts = await gather(pages).catch(fallBack<Json[]>([], 'forbidden', 'not-found'));
  return hosts.map(({ member }) => (isObject(member) ? idIn(member.uri) : ''));
};

/** Whether this user is the only host of the event type; also `false` if the token may not read the hosts. */
const isOnlyHost = async (client: Client, eventType: string, user: string): Promise<boolean> => {
  const hosts = await readHostUris(client, eventType);
  return hosts.length > 0 && hosts.every((host) => host === idIn(user));
};

/** The events at that time that the token shows: those of the whole organization, or only the user's own. */
const eventsAt = async (
  client: Client,
  owner: Owner,
  booking: WantedBooking,
): Promise<Pick<LookUp, 'isComplete' | 'whose'> & { rows: SentEvent[] }> => {
  const start = secondOf(booking.start_time) * 1000;
  const list = (whose: Partial<Owner>) => {
    const query = {
      ...whose,
      ...windowQuery('start_time', {
        since: new Date(start).toISOString(),
        until: new Date(start + 1000).toISOString(),
      }),
    };
    return gather(client.pages(events.list, { query }, { keep: rowFilter(events.list, query) }));
  };
  if (owner.organization !== '') {
    try {
      const whose = { organization: owner.organization };
      const rows = await list(whose);
      // A machine may have logins for several organizations, and none of them sees the events of another.
      return { rows, whose, isComplete: idIn(owner.organization) === idIn(booking.organization) };
    } catch (error) {
      if (!isEventHidden(error)) throw error;
    }
  }
  const whose = { user: owner.user };
  return {
    rows: await list(whose),
    whose,
    isComplete: await isOnlyHost(client, booking.event_type, owner.user),
  };
};

/** Whether every row has these fields as text. A row without them could be the booking, so it proves nothing. */
const areReadable = (rows: readonly Json[], ...names: string[]): boolean =>
  rows.every((row) => names.every((name) => typeof row[name] === 'string'));

/** Looks for a booking among the events of its type at its start time, and their invitees. */
export const lookUp = async (client: Client, owner: Owner, booking: WantedBooking): Promise<LookUp> => {
  const { rows, whose, isComplete } = await eventsAt(client, owner, booking);
  const fitting = rows.filter(
    (event) =>
      idKey(event.event_type) === idKey(booking.event_type) &&
      secondOf(event.start_time) === secondOf(booking.start_time),
  );
  const matches: SentInvitee[] = [];
  const others: string[] = [];
  let isShared = false;
  let sawAll = isComplete && areReadable(rows, 'event_type', 'start_time');
  for (const event of fitting) {
    try {
      // No address filter: a service that spells the address differently would hide the invitee, who'd be booked again.
      const all = await gather(client.pages(invitees.list, { path: { event: idIn(event.uri) } }));
      sawAll &&= areReadable(all, 'email');
      const active = all.filter(({ status }) => status !== 'canceled');
      const sameInvitees = active.filter(({ email }) => booking.isMeant(String(email)));
      const rest = active.filter((each) => !sameInvitees.includes(each)).map(({ uri }) => String(uri));
      matches.push(...sameInvitees);
      others.push(...rest);
      isShared ||= event.status !== 'canceled' && (rest.length === 0 || !rest.every(booking.isEarlier));
    } catch (error) {
      if (!isEventHidden(error)) throw error;
      sawAll = false;
    }
  }
  return { matches, isComplete: sawAll, others, isSharedSlot: matches.length === 0 && isShared, whose };
};

/** Enough to find something new on any busy service, with few requests. */
const mostEvents = 500;

/**
 * Whether the list without the booking is up to date and shows all hosts: it has an event created after `since`, and an
 * event of each host of the event type. A list that lags behind or silently hides other users' events doesn't.
 */
export const isTrustworthy = async (
  client: Client,
  owner: Owner,
  { event_type }: WantedBooking,
  { whose }: LookUp,
  since: number,
): Promise<boolean> => {
  const me = idIn(owner.user);
  const hosts = await readHostUris(client, event_type);
  const hidden = new Set(hosts);
  let isNewer = false;
  const query = { ...whose, ...windowQuery('start_time', { since: new Date(since).toISOString() }) };
  for await (const page of client.pages(events.list, { query }, { limit: mostEvents })) {
    for (const { created_at, event_memberships } of page) {
      isNewer ||= Date.parse(String(created_at)) > since;
      const members = (Array.isArray(event_memberships) ? event_memberships : [])
        .filter(isObject)
        .map(({ user }) => idIn(user));
      // Events that this user hosts, too, are always shown. They prove nothing about the other hosts.
      for (const host of members) if (host === me || !members.includes(me)) hidden.delete(host);
    }
    if (isNewer && hosts.length > 0 && hidden.size === 0) return true;
  }
  return false;
};
