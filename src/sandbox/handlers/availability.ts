import { requireSelf } from '../access.ts';
import { logActivity } from '../activity.ts';
import { invalidRules, type Schedule } from '../availability.ts';
import { requireEventType } from '../event-type.ts';
import type { Handlers } from '../handler.ts';
import { idOf } from '../names.ts';
import { type Condition, readPage } from '../page.ts';
import { type Detail, invalid, notFound } from '../refusal.ts';
import { isZone } from '../zone.ts';

export const availability: Handlers<'availability'> = {
  list({ query }, { store, caller, asked }) {
    const { id } = requireEventType(store, caller, idOf(query.event_type));
    const listing = {
      from: 'schedules s JOIN users u ON u.id = s.user',
      doc: 's.doc',
      id: 's.id',
      sortable: { name: "(u.doc ->> 'name')" },
      defaultSort: 'name:asc',
      where: [['s.event_type = ?', id]] satisfies Condition[],
    };
    return readPage<Schedule>(store, listing, query, asked);
  },

  update({ params, body }, context) {
    const { store, caller } = context;
    const [row] = store.all<{ doc: string; user: string; event_type: string }>(
      'SELECT doc, user, event_type FROM schedules WHERE id = ?',
      params.schedule,
    );
    if (!row) throw notFound('availability schedule');
    const { type } = requireEventType(store, caller, row.event_type);
    // Assumed: the owner of the event type can't change a host's schedule.
    requireSelf(caller, row.user, 'Only the host or an admin can change these hours.');
    const { rules, timezone } = body;
    const details: Detail[] = invalidRules(rules ?? [], 'rules');
    if (timezone !== undefined && !isZone(timezone))
      details.push({ parameter: 'timezone', message: 'is not an IANA time zone', code: 'invalid' });
    if (details.length > 0) throw invalid(...details);

    const schedule: Schedule = JSON.parse(row.doc);
    const changed: Schedule = {
      ...schedule,
      timezone: timezone ?? schedule.timezone,
      rules: rules ?? schedule.rules,
    };
    const fields = Object.keys(body);
    if (fields.length === 0) return schedule;
    store.update('schedules', params.schedule, changed);
    logActivity(context, 'AvailabilitySchedule.Update', {
      availability_schedule: schedule.uri,
      event_type: type.uri,
      fields,
    });
    return changed;
  },
};
