import { eventTypes } from '../api/event-types.ts';
import { events } from '../api/events.ts';
import { invitees } from '../api/invitees.ts';
import type { Client } from '../client/client.ts';
import { keepFor } from '../client/filter.ts';
import { isObject, type Json } from '../client/reading.ts';
import { SchedError } from '../errors.ts';

/** Whose records the token shows. */
export interface Owner {
  user: string;
  organization: string;
}

export interface Wanted {
  event_type: string;
  start_time: string;
  /** Whose hosts they are, where that is known. */
  organization?: string | undefined;
  isMeant(email: string): boolean;
}

export interface LookUp {
  /** Active invitees that are what was wanted. */
  found: Json[];
  /** Whether every host of the event type was looked at, so that finding nothing proves something. */
  isComplete: boolean;
}

export const idIn = (uri: unknown): string => String(uri).split('/').at(-1)!;

const isHidden = (error: unknown): boolean =>
  error instanceof SchedError && ['forbidden', 'not-found'].includes(error.category);

const gather = async (pages: AsyncIterable<Json[]>): Promise<Json[]> => {
  const rows: Json[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
};

/** Whether nobody but this user hosts the event type; `false` too where that cannot be learnt. */
const isOnlyHost = async (client: Client, eventType: string, user: string): Promise<boolean> => {
  try {
    const hosts = await gather(client.pages(eventTypes.hosts, { query: { event_type: eventType } }));
    return hosts.length > 0 && hosts.every(({ member }) => isObject(member) && idIn(member.uri) === idIn(user));
  } catch (error) {
    if (isHidden(error)) return false;
    throw error;
  }
};

/** Events of every host the token shows: the whole organization's, or only the user's own. */
const eventsAt = async (
  client: Client,
  owner: Owner,
  wanted: Wanted,
): Promise<{ rows: Json[]; isComplete: boolean }> => {
  const start = Date.parse(wanted.start_time);
  const list = (whose: Partial<Owner>) => {
    const query = {
      ...whose,
      min_start_time: new Date(start).toISOString(),
      max_start_time: new Date(start + 1000).toISOString(),
    };
    return gather(client.pages(events.list, { query }, { keep: keepFor(events.list, query) }));
  };
  if (owner.organization !== '') {
    try {
      const rows = await list({ organization: owner.organization });
      // One machine may have accounts of several organizations, and none sees the events of another.
      return { rows, isComplete: idIn(owner.organization) === idIn(wanted.organization) };
    } catch (error) {
      if (!isHidden(error)) throw error;
    }
  }
  return {
    rows: await list({ user: owner.user }),
    isComplete: await isOnlyHost(client, wanted.event_type, owner.user),
  };
};

/** Looks for a booking: events of its type at its start, and their invitees. */
export const lookUp = async (client: Client, owner: Owner, wanted: Wanted): Promise<LookUp> => {
  const { rows, isComplete } = await eventsAt(client, owner, wanted);
  const start = Date.parse(wanted.start_time);
  const fitting = rows.filter(
    (event) => idIn(event.event_type) === idIn(wanted.event_type) && Date.parse(String(event.start_time)) === start,
  );
  const found: Json[] = [];
  let sawAll = isComplete;
  for (const event of fitting) {
    try {
      // Not narrowed by address: a service that spells it otherwise would hide it, and then it would be booked again.
      const all = await gather(client.pages(invitees.list, { path: { event: idIn(event.uri) } }));
      found.push(...all.filter(({ email, status }) => status !== 'canceled' && wanted.isMeant(String(email))));
    } catch (error) {
      if (!isHidden(error)) throw error;
      sawAll = false;
    }
  }
  return { found, isComplete: sawAll };
};
