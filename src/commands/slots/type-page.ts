import { availability, type SentSchedule } from '../../api/availability.ts';
import type { SentEventType } from '../../api/event-types.ts';
import { isObject } from '../../base/json.ts';
import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import { mapReply } from '../../cli/answer/plan.ts';
import type { Command, Invocation } from '../../cli/command.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import { hoursTexts, placeName } from '../../cli/operation/view-values.ts';
import { withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { hasRoom } from '../../cli/session/network.ts';
import { readIfPossible } from '../../client/change.ts';
import { gather } from '../../client/paginate.ts';
import { timeLabel } from '../../time/label.ts';
import { findFreeTimes } from './free-slots.ts';

/*
 * What people ask about an event type and its record doesn't say: where meetings are, in which hours, and when the next
 * one is free.
 */

/** How far ahead the next free time is looked for. */
const window = 14 * day;

/** The requests that this takes if all is on one page each: hosts, hours twice, events. */
const requests = 4;

/** Lines of a schedule. Several hosts have several schedules, which would fill the screen. */
const hoursOf = async (context: Context, { uri }: SentEventType): Promise<string[]> => {
  const client = await context.client();
  const schedules = await gather(client.pages(availability.list, { query: { event_type: String(uri) } }));
  const [only, ...others] = [...new Set(schedules.map((each) => JSON.stringify([each.timezone, each.rules])))];
  if (only === undefined) return [];
  if (others.length > 0) return ['differ by host'];
  const [first] = schedules as [SentSchedule];
  const week = hoursTexts(first).filter((text) => !/\d{4}/.test(text));
  return [`${week.join('; ') || 'no hours'} (${first.timezone})`];
};

const factsOf = async (context: Context, type: SentEventType) => {
  const now = await context.askNow();
  const { slots, events } = await findFreeTimes(context, { type, since: now, until: now + window });
  const places = events.flatMap(({ event_type: uri, location }) =>
    idIn(uri) === idIn(type.uri) && isObject(location) ? placeName(location) : [],
  );
  const isUsual = places.length > 0 && places.every((place) => place === places[0]);
  const { zone } = context.settings;
  for (const { start_time: start } of slots) {
    const label = timeLabel(start, zone, now);
    return { place: isUsual ? places[0] : null, next: label === undefined ? null : `${label} (${zone})` };
  }
  return { place: isUsual ? places[0] : null, next: 'none in the next two weeks' };
};

/** The event type with these facts, as far as they can be read. */
const withBookable = async (context: Context, type: SentEventType): Promise<SentEventType> => {
  if (type.active === false || !(await hasRoom(context, requests))) return type;
  const facts = await readIfPossible(() => factsOf(context, type)).catch(() => undefined);
  const hours = await readIfPossible(() => hoursOf(context, type));
  context.runtime.interrupted.throwIfAborted();
  return withFacts(type, { ...facts, hours: hours ?? null });
};

/** The page of an event type says more than its record, with requests of its own. */
export const withBookablePage = (generic: GenericCommand): Partial<Command> => {
  const run = async (invocation: Invocation) => {
    const reply = await generic.run(invocation);
    if (!reply) return reply;
    return mapReply(reply, (answer) => {
      if (answer.kind !== 'record') return answer;
      const { view, record } = answer;
      return { ...answer, forPage: async () => ({ view, record: await withBookable(invocation.context, record) }) };
    });
  };
  return { run: Object.assign(run, generic.run) };
};
