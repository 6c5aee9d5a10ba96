import { availability } from '../../api/availability.ts';
import { events, type SentEvent } from '../../api/events.ts';
import { limits } from '../../api/limits.ts';
import { windowIn, windowQuery } from '../../api/window.ts';
import { hasCategory } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { minute } from '../../base/milliseconds.ts';
import { capital } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { Stage } from '../../cli/answer/answer.ts';
import { present } from '../../cli/input/entry.ts';
import { withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { rowFilter } from '../../client/filter.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import type { View } from '../../output/view.ts';
import { exactSpan, scheduleHours } from '../../time/from-records.ts';
import { timeLabel } from '../../time/label.ts';
import { type Hours, overlap } from '../../time/slots.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import { hostsIn, spanOf, textIn } from './screen.ts';
import { type Conflict, conflictsIn } from './work-conflicts.ts';

/** What a list of conflicts adds to the list of events. */
export interface FoundConflicts {
  has(event: SentEvent): boolean;
  add: Stage;
  withColumn(view: View): View;
}

/** The hours of the hosts of an event type, by the host's ID. What can't be read is reported. */
const readHours = async (context: Context, type: string): Promise<Map<string, Hours[]>> => {
  const hours = new Map<string, Hours[]>();
  const miss = (reason: string) => context.notes.warn(`Not checked: hours of event type ${idIn(type)} (${reason})`);
  try {
    const pages = (await context.client()).pages(availability.list, { query: { event_type: type } });
    const schedules = (await gather(pages)).map((schedule) => ({
      user: idIn(schedule.user),
      read: scheduleHours(schedule),
    }));
    const unreadable = schedules.filter(({ read }) => typeof read === 'string');
    for (const { read } of unreadable.slice(0, 1)) miss(String(read));
    if (schedules.length === 0) miss('the service shows no schedule');
    for (const { user, read } of schedules)
      if (typeof read !== 'string' && !unreadable.some((each) => each.user === user))
        hours.set(user, [...(hours.get(user) ?? []), read]);
  } catch (error) {
    if (!hasCategory(error, 'forbidden', 'not-found', 'usage')) throw error;
    miss(error.message);
  }
  return hours;
};

/** The active events around those of a query: an event before or after them can overlap one of them. */
const readAround = async (context: Context, query: Query, bufferMs: number): Promise<SentEvent[]> => {
  // No event is longer than the longest duration option of a share: events.longest in docs/assumptions.md.
  const margin = limits.durationMinutes.max * minute + bufferMs;
  const { user, organization, group } = query;
  const { since, until } = windowIn(query);
  const moved = (edge: string | undefined, by: number) =>
    edge === undefined ? undefined : utcText(timestampOf(edge)! + by);
  const window = present({ since: moved(since, -margin), until: moved(until, margin) });
  const around: Query = {
    ...present({ user, organization, group }),
    ...windowQuery('start_time', window),
    status: 'active',
  };
  return gather(
    (await context.client()).pages(events.list, { query: around }, { keep: rowFilter(events.list, around) }),
  );
};

/** `overlaps 10:00–10:30 Support call`, or `close to …` if only the buffer is in the way. */
const conflictText = (context: Context, own: SentEvent, conflict: Conflict): string => {
  const hosts = hostsIn(own);
  const host = hosts.find(({ user }) => idIn(user) === idIn(conflict.host)) ?? {};
  const who = hosts.length > 1 ? ` (${textIn(host.user_name, host.user_email) ?? idIn(conflict.host)})` : '';
  if (conflict.code === 'day-off') return `day off${who}`;
  if (conflict.code === 'overlap') {
    const { event } = conflict;
    const date = timeLabel(own.start_time, context.settings.zone, context.now())?.slice(0, -'09:30'.length) ?? '';
    const when = spanOf(context, event) ?? '';
    const what = `${when.startsWith(date) ? when.slice(date.length) : when} ${textIn(event.name) ?? `event ${idIn(event.uri)}`}`;
    return `${overlap(exactSpan(own)!, exactSpan(event)!) ? 'overlaps' : 'close to'} ${what}${who}`;
  }
  const days = conflict.rules.map(({ day, timezone, intervals }) => {
    const spans = intervals.map(({ from, to }) => `${from}–${to}`).join(', ');
    return `${capital(day)} ${spans === '' ? 'closed' : `${spans}${timezone === context.settings.zone ? '' : ` ${timezone}`}`}`;
  });
  return `outside the hours: ${days.join('; ')}${who}`;
};

/** Finds the conflicts of the events of a query. */
export const findConflicts = async (context: Context, query: Query, bufferMinutes: number): Promise<FoundConflicts> => {
  const bufferMs = bufferMinutes * minute;
  const around = await readAround(context, query, bufferMs);
  const isChosen = rowFilter(events.list, query);
  const types = [
    ...new Set(around.filter(isChosen).flatMap(({ event_type: type }) => (typeof type === 'string' ? [type] : []))),
  ];
  const hours = new Map(
    await mapConcurrent(types, async (type) => [idIn(type), await readHours(context, type)] as const),
  );
  const conflicts = conflictsIn(
    around,
    ({ event_type: type }, host) => hours.get(idIn(type))?.get(idIn(host)),
    bufferMs,
  );
  const conflictsOf = (event: object) => conflicts.get(idIn((event as SentEvent).uri)) ?? [];
  const column = { header: 'CONFLICT', path: '_sched.conflicts.*.code', as: 'list', priority: 5.5, least: 20 } as const;
  const value = (event: object) => conflictsOf(event).map((each) => conflictText(context, event as SentEvent, each));
  return {
    has: (event) => conflictsOf(event).length > 0,
    add: async (page) =>
      page.map((event) =>
        withFacts(event, {
          ...(isObject(event._sched) ? event._sched : {}),
          // In JSON, an event is its URI.
          conflicts: conflictsOf(event).map((each) => ({ ...each, ...('event' in each && { event: each.event.uri }) })),
        }),
      ),
    withColumn: (view) => ({
      ...view,
      columns: [...view.columns, column],
      tableColumns: (records, room) => [...view.tableColumns!(records, room), { ...column, value }],
    }),
  };
};
