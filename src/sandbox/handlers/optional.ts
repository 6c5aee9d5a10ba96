import type { OptionalRows } from '../../api/catalogue.ts';
import type { Value } from '../../api/field.ts';
import type { RoutingForm } from '../../api/routing-forms.ts';
import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import { invalidParameter, requireFound } from '../error-replies.ts';
import type { Handler } from '../handler.ts';
import { startsBetween } from '../pages/starts.ts';
import { requireAdministrator, requireEvent, requireSelf } from '../rules/access.ts';
import type { Schedule } from '../rules/availability.ts';
import { requireEventType } from '../rules/event-type.ts';
import { sentRecords } from '../store/list-page.ts';
import { timestamp, uri } from '../store/names.ts';
import type { EventRecord, InvitationRecord, InviteeRecord, SubmissionRecord } from '../store/records.ts';
import { createShare } from './shares.ts';

interface WindowQuery {
  start_time: string;
  end_time: string;
}

/** The time window of a request, which begins in the future and has only a few days. */
const futureWindow = ({ start_time, end_time }: WindowQuery, now: number, mostDays: number) => {
  const [from, to] = [Date.parse(start_time), Date.parse(end_time)];
  if (from <= now) throw invalidParameter('start_time', 'must be in the future');
  if (to <= from || to - from > mostDays * day)
    throw invalidParameter('end_time', `must be after start_time, and at most ${mostDays} days later`);
  return { from, to };
};

/** A schedule as one of its user. In the sandbox, each event type has its own copy. */
const userSchedule = (doc: string): Schedule => {
  const schedule: Schedule = JSON.parse(doc);
  return { ...schedule, uri: uri('user_availability_schedules', idIn(schedule.uri)) };
};

/** What only services with a dialect have. The limits of days are those of the public service. */
export const optional: { [Name in keyof OptionalRows]: Handler<OptionalRows[Name]> } = {
  'event-types.available-times'({ query }, { store, now }) {
    const eventType = requireEventType(store, idIn(query.event_type));
    // The free times that the booking page of the event type shows.
    return startsBetween(store, eventType, { ...futureWindow(query, now, 31), now }).map(({ at, seats = 1 }) => ({
      status: 'available',
      start_time: timestamp(at),
      invitees_remaining: seats,
      scheduling_url: eventType.type.scheduling_url,
    }));
  },

  'users.busy'({ query }, { store, caller, now }) {
    const user = idIn(query.user);
    requireSelf(caller, user);
    const { from, to } = futureWindow(query, now, 7);
    const rows = store.all<{ doc: string }>(
      `SELECT e.doc FROM event_hosts h JOIN events e ON e.id = h.event
       WHERE h.user = ? AND e.status = 'active' AND e.start_time < ? AND e.doc ->> 'end_time' > ? ORDER BY e.start_time`,
      user,
      timestamp(to),
      timestamp(from),
    );
    return rows.map(({ doc }) => {
      const event: EventRecord = JSON.parse(doc);
      return { type: 'calendly', start_time: event.start_time, end_time: event.end_time, event: { uri: event.uri } };
    });
  },

  'availability.list-user'({ query }, { store, caller }) {
    const user = idIn(query.user);
    requireSelf(caller, user);
    const sent = sentRecords(store, 'user_schedules', user);
    if (sent !== undefined) return sent;
    const rows = store.all<{ doc: string }>('SELECT doc FROM schedules WHERE user = ? ORDER BY id', user);
    const schedules = new Map<string, Schedule>();
    for (const schedule of rows.map(({ doc }) => userSchedule(doc))) {
      const key = JSON.stringify({ ...schedule, uri: undefined });
      if (!schedules.has(key)) schedules.set(key, schedule);
    }
    return [...schedules.values()];
  },

  'availability.get'({ params }, { store, caller }) {
    const sent = store.first<{ doc: string; user: string }>(
      `SELECT l.value AS doc, s.id AS user FROM sent s, json_each(s.doc) l
       WHERE s.kind = 'user_schedules' AND l.value ->> 'uri' LIKE '%/' || ?`,
      params.schedule,
    );
    if (sent !== undefined || store.first("SELECT 1 FROM sent WHERE kind = 'user_schedules'")) {
      const { doc, user } = requireFound(sent, 'availability schedule');
      requireSelf(caller, user);
      return doc;
    }
    const sql = 'SELECT doc, user FROM schedules WHERE id = ?';
    const row = requireFound(store.first<{ doc: string; user: string }>(sql, params.schedule), 'availability schedule');
    requireSelf(caller, row.user);
    return userSchedule(row.doc);
  },

  'invitations.get'({ params }, { store, caller }) {
    requireAdministrator(caller);
    return requireFound(store.text<InvitationRecord>('invitations', params.invitation), 'invitation');
  },

  'invitees.get-no-show'({ params }, { store, caller }) {
    const sql = "SELECT doc FROM invitees WHERE doc ->> '$.no_show.uri' LIKE '%' || ?";
    const { doc } = requireFound(store.first<{ doc: string }>(sql, uri('invitee_no_shows', params.no_show)), 'no-show');
    const invitee: InviteeRecord = JSON.parse(doc);
    requireEvent(store, caller, idIn(invitee.event));
    return { ...invitee.no_show!, invitee: invitee.uri };
  },

  'shares.create-link': ({ body }, context) => createShare(body, context).link,

  'routing-forms.get': ({ params }, { store }) =>
    requireFound(store.text<Value<typeof RoutingForm.record>>('routing_forms', params.routing_form), 'routing form'),

  'routing-forms.submission': ({ params }, { store }) =>
    requireFound(store.text<SubmissionRecord>('submissions', params.submission), 'submission'),
};
