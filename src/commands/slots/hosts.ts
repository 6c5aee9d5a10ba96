import { availability } from '../../api/availability.ts';
import { eventTypes } from '../../api/event-types.ts';
import { users } from '../../api/users.ts';
import { hasCategory, SchedError } from '../../base/errors.ts';
import { isObject, jsonText, textOf } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { addOrganization } from '../../cli/operation/default-scope.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { rowFilter } from '../../client/filter.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import { scheduleHours } from '../../time/from-records.ts';
import type { Hours } from '../../time/slots.ts';
import { ownSchedulesByType } from '../availability/schedule-facts.ts';

/** Something that sched could not take into account. */
export interface Unchecked {
  what: 'hosts' | 'hours' | 'events' | 'dates';
  /** The host it is about. */
  user?: string;
  reason: string;
}

export const isHostHidden = (error: unknown): error is SchedError =>
  hasCategory(error, 'forbidden', 'not-found', 'usage');

export interface HostHours {
  user: string;
  /** Empty if they are unknown. */
  hours: Hours[];
}

const noHours = (uri: string, [unreadable]: readonly string[]): SchedError => {
  const facts = { hint: { command: ['availability', 'list'], flags: { 'event-type': idIn(uri) } } };
  return unreadable === undefined
    ? new SchedError('not-found', 'The service shows no hours for this event type', facts)
    : new SchedError('integrity', "Can't read the hours of this event type", { reason: unreadable, ...facts });
};

/** The hosts of an event type and their hours. A host whose hours are unknown is reported as unchecked. */
export const readHosts = async (context: Context, uri: string, unchecked: Unchecked[]) => {
  const client = await context.client();
  const query = { event_type: uri };
  const names = new Map<string, string>();
  const members = await gather(client.pages(eventTypes.hosts, { query })).catch((error: unknown) => {
    if (!isHostHidden(error)) throw error;
    unchecked.push({ what: 'hosts', reason: error.message });
    return [];
  });
  const hosts = new Map<string, HostHours>();
  for (const { member } of members) {
    if (!isObject(member) || typeof member.uri !== 'string') {
      unchecked.push({ what: 'hosts', reason: `sched can't read a host such as ${jsonText(member ?? null)}` });
      continue;
    }
    const user = member.uri;
    names.set(idIn(user), String(member.name ?? member.email ?? idIn(user)));
    hosts.set(idIn(user), { user, hours: [] });
  }
  const unreadable = new Map<string, string>();
  let refusal: SchedError | undefined;
  const schedules = await gather(client.pages(availability.list, { query })).catch((error: unknown) => {
    if (!isHostHidden(error)) throw error;
    refusal = error;
    return [];
  });
  for (const schedule of schedules) {
    const id = idIn(schedule.user);
    const hours = scheduleHours(schedule);
    const earlierHours = hosts.get(id)?.hours ?? [];
    if (typeof hours === 'string') unreadable.set(id, hours);
    hosts.set(id, {
      user: String(schedule.user),
      hours: typeof hours === 'string' ? earlierHours : [...earlierHours, hours],
    });
  }
  for (const [id, { user, hours }] of hosts) {
    const whyMissing = hours.length === 0 ? (refusal?.message ?? 'the service shows no schedule') : undefined;
    const reason = unreadable.get(id) ?? whyMissing;
    if (reason !== undefined) unchecked.push({ what: 'hours', user, reason });
  }
  if (hosts.size === 0 && refusal !== undefined) unchecked.push({ what: 'hours', reason: refusal.message });
  return { hosts: [...hosts.values()], names, noHours: refusal ?? noHours(uri, [...unreadable.values()]) };
};

/** All hours in which a user can be booked, whatever the event type is. */
const readHours = async (context: Context, user: string): Promise<Hours[]> => {
  const query: Record<string, string> = { user };
  await addOrganization(query, context);
  const pages = (await context.client()).pages(eventTypes.list, { query }, { keep: rowFilter(eventTypes.list, query) });
  const types = (await gather(pages)).filter(({ active }) => active !== false);
  const hours = new Map<string, Hours>();
  for (const { schedules } of await ownSchedulesByType(context, types, user))
    for (const schedule of schedules) {
      const read = scheduleHours(schedule);
      if (typeof read === 'string') throw new SchedError('integrity', read);
      hours.set(JSON.stringify(read), read);
    }
  if (hours.size === 0) throw new SchedError('not-found', 'the service shows no schedule of an active event type');
  return [...hours.values()];
};

/** People who meet without an event type, and their hours. Somebody whose hours are unknown is reported as unchecked. */
export const readPeople = async (context: Context, people: readonly string[], unchecked: Unchecked[]) => {
  const client = await context.client();
  const names = new Map<string, string>();
  const hosts = await mapConcurrent(people, async (user): Promise<HostHours> => {
    const record = await readIfPossible(() => client.call(users.get, { path: { user: idIn(user) } }));
    names.set(idIn(user), textOf(record?.name, record?.email) ?? idIn(user));
    const hours = await readHours(context, user).catch((error: unknown) => {
      if (!isHostHidden(error)) throw error;
      unchecked.push({ what: 'hours', user, reason: error.message });
      return [];
    });
    return { user, hours };
  });
  return { hosts, names, noHours: new SchedError('not-found', 'The service shows no hours of these hosts') };
};
