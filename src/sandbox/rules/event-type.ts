import { limits } from '../../api/limits.ts';
import { invalidParameter, requireFound } from '../error-replies.ts';
import { timestamp, uri } from '../store/names.ts';
import type { EventRecord, EventTypeRecord, LocationRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { newSchedule, type Rule } from './availability.ts';
import type { Dates } from './dates.ts';

/** An event type with facts that the API doesn't show. */
export interface StoredEventType {
  id: string;
  type: EventTypeRecord;
  limit: number;
  places: LocationRecord[];
  /** Durations that a share can choose from. */
  options: number[];
  dates: Dates | null;
  /** Hours of a share, which replace those of the hosts. */
  hours?: { rules: Rule[]; timezone?: string | undefined };
  /** The event that an invitee leaves with the booking, as it is without them. */
  left?: EventRecord;
}

interface EventTypeRow {
  doc: string;
  invitee_limit: number;
  locations: string;
  duration_options: string;
  dates: string | null;
}

export const requireDuration = (duration: number | undefined): void => {
  const { min, max } = limits.durationMinutes;
  if (duration !== undefined && (duration < min || duration > max))
    throw invalidParameter('duration', `must be a whole number from ${min} to ${max}`);
};

/**
 * Assumed (event-types.visible): all members of the organization can read its event types; a deleted one counts as not
 * found.
 */
export const requireEventType = (store: Store, id: string): StoredEventType => {
  const row = requireFound(
    store.first<EventTypeRow>(
      `SELECT doc, invitee_limit, locations, duration_options, dates FROM event_types
     WHERE id = ? AND doc ->> 'deleted_at' IS NULL`,
      id,
    ),
    'event type',
  );
  const type: EventTypeRecord = JSON.parse(row.doc);
  // Assumed (shares.inherited-options): the duration of an event type is always one of the duration options that a
  // share inherits; only some event types have more.
  const options = [...new Set<number>([type.duration, ...JSON.parse(row.duration_options)])];
  const dates: Dates | null = row.dates === null ? null : JSON.parse(row.dates);
  return { id, type, limit: row.invitee_limit, places: JSON.parse(row.locations), options, dates };
};

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export const descriptionOf = (plain: string | undefined) => ({
  description_plain: plain ?? null,
  description_html: plain ? `<p>${plain.replaceAll(/[&<>]/g, (sign) => escapes[sign]!)}</p>` : null,
});

export const newEventType = (given: {
  id: string;
  name: string;
  slug: string | null;
  scheduling_url: string;
  duration: number;
  owner: UserRecord;
  now: number;
}): EventTypeRecord => ({
  uri: uri('event_types', given.id),
  name: given.name,
  active: true,
  slug: given.slug,
  scheduling_url: given.scheduling_url,
  duration: given.duration,
  kind: 'solo',
  pooling_type: null,
  type: 'StandardEventType',
  color: '#2f6fde',
  created_at: timestamp(given.now),
  updated_at: timestamp(given.now),
  internal_note: null,
  description_plain: null,
  description_html: null,
  profile: { type: 'User', name: given.owner.name, owner: given.owner.uri },
  secret: false,
  booking_method: 'instant',
  custom_questions: [],
  deleted_at: null,
  admin_managed: false,
  locale: given.owner.locale,
});

interface EventTypeFacts {
  organization: string;
  hosts: Array<{ id: string; user: UserRecord }>;
  place: LocationRecord | undefined;
  dates?: Dates;
  now: number;
}

/** Adds an event type in the last position, with its hosts and their default hours. */
export const insertEventType = (store: Store, id: string, type: EventTypeRecord, facts: EventTypeFacts) => {
  const [last] = store.all<{ position: number | null }>('SELECT max(position) AS position FROM event_types');
  store.insert('event_types', id, type, {
    organization: facts.organization,
    position: (last?.position ?? -1) + 1,
    invitee_limit: 1,
    locations: JSON.stringify(facts.place ? [facts.place] : []),
    dates: facts.dates ? JSON.stringify(facts.dates) : null,
  });
  for (const host of facts.hosts) {
    const added = { id: store.nextId('host'), created_at: timestamp(facts.now) };
    store.add('event_type_hosts', { event_type: id, user: host.id, ...added });
    const schedule = store.nextId('schedule');
    const hours = newSchedule(schedule, host.user, Number(store.fact('seeded_at') ?? facts.now));
    store.insert('schedules', schedule, hours, { event_type: id, user: host.id });
  }
};
