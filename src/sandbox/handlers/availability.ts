import { idIn } from '../../base/uri.ts';
import { denied, refuseInvalid, requireFound } from '../error-replies.ts';
import type { HandlerContext, Handlers } from '../handler.ts';
import { isSelf, requireSelf } from '../rules/access.ts';
import { logActivity } from '../rules/activity.ts';
import { invalidRules, type Schedule } from '../rules/availability.ts';
import { requireEventType } from '../rules/event-type.ts';
import { wrongZone } from '../rules/local-time.ts';

interface ScheduleRow {
  id: string;
  doc: string;
  user: string;
}

type ScheduleChange = Partial<Pick<Schedule, 'rules' | 'timezone'>>;

const onlyHost = 'Only the host or an admin can change these hours.';

const checkChange = ({ rules = [], timezone }: ScheduleChange): void =>
  refuseInvalid([...invalidRules(rules, 'rules'), ...wrongZone(timezone)]);

const change = (
  { id, doc }: ScheduleRow,
  body: ScheduleChange,
  eventType: string,
  context: HandlerContext,
): Schedule => {
  const schedule: Schedule = JSON.parse(doc);
  const fields = Object.keys(body);
  if (fields.length === 0) return schedule;
  const changed: Schedule = {
    ...schedule,
    timezone: body.timezone ?? schedule.timezone,
    rules: body.rules ?? schedule.rules,
  };
  context.store.update('schedules', id, changed);
  logActivity(context, 'AvailabilitySchedule.Update', {
    availability_schedule: schedule.uri,
    event_type: eventType,
    fields,
  });
  return changed;
};

export const availability: Handlers<'availability'> = {
  list({ query }, { store }) {
    const { id } = requireEventType(store, idIn(query.event_type));
    return {
      from: 'schedules s LEFT JOIN users u ON u.id = s.user',
      doc: 's.doc',
      id: 's.id',
      columns: { name: "(u.doc ->> 'name')" },
      defaultSort: 'name',
      where: [['s.event_type = ?', id]],
    };
  },

  update({ params, body }, context) {
    const { store, caller } = context;
    const sql = 'SELECT id, doc, user, event_type FROM schedules WHERE id = ?';
    const row = requireFound(
      store.first<ScheduleRow & { event_type: string }>(sql, params.schedule),
      'availability schedule',
    );
    const { type } = requireEventType(store, row.event_type);
    // Assumed (availability.only-host): only the host can change an availability schedule, not the owner of the event
    // type.
    requireSelf(caller, row.user, onlyHost);
    checkChange(body);
    return change(row, body, type.uri, context);
  },

  'update-all'({ body: { event_type, ...body } }, context) {
    const { store, caller } = context;
    const { id, type } = requireEventType(store, idIn(event_type));
    const rows = store
      .all<ScheduleRow>(
        "SELECT s.id, s.doc, s.user FROM schedules s JOIN users u ON u.id = s.user WHERE s.event_type = ? ORDER BY u.doc ->> 'name', s.id",
        id,
      )
      .filter(({ user }) => isSelf(caller, user));
    if (rows.length === 0) throw denied(onlyHost);
    checkChange(body);
    return rows.map((row) => change(row, body, type.uri, context));
  },
};
