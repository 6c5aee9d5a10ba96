import type { Catalogue } from '../../api/catalogue.ts';
import type { Value } from '../../api/field.ts';
import { idIn } from '../../base/uri.ts';
import { withoutInvitees } from '../rules/cancellation.ts';
import { datesOf } from '../rules/dates.ts';
import { requireEventType, type StoredEventType } from '../rules/event-type.ts';
import type { EventRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type Booking, closedBy, findBooking } from './booking.ts';
import type { PageRequest } from './visit.ts';

/** What a visitor can book at an address. */
export interface Offer {
  organization: string;
  /** The event type, with the settings of a single-use link. */
  eventType: StoredEventType;
  owner: UserRecord;
  /** The names of those who take part. */
  hosts: string[];
  /** Lengths to choose from, in minutes. */
  lengths: number[];
  /** The ID of a single-use link. */
  share?: string;
  /** The booking that the invitee moves to another time. */
  moving?: Booking;
}

type Override = Omit<Value<Catalogue['shares']['create']['body']>, 'event_type'>;

/**
 * Assumed (shares.length): an invitee chooses one of the `duration_options` of a share. Without them, it has the
 * `duration` of the share; without both, the duration options of the event type.
 */
const lengthsOf = ({ duration, duration_options: options }: Override, eventType: StoredEventType): number[] =>
  options?.length ? options : duration === undefined ? eventType.options : [duration];

/**
 * Assumed (shares.period): `max_booking_time` limits the days from the current one on, unless `period_type` is
 * `unlimited`. The dates of a one-off meeting stay as they are.
 */
const periodOf = ({ period_type, max_booking_time: days }: Override, zone: string, now: number) =>
  days === undefined || period_type === 'unlimited'
    ? null
    : datesOf({ type: 'days_in_future', days: Math.max(days, 0) }, zone, now);

/** The event type as a share offers it, and the lengths that visitors can choose from. */
const withShare = (eventType: StoredEventType, override: Override, owner: UserRecord, now: number) => {
  const { name = eventType.type.name, availability_rule: hours, location_configurations: places } = override;
  const lengths = lengthsOf(override, eventType);
  const usual = override.duration ?? eventType.type.duration;
  const duration = lengths.includes(usual) ? usual : lengths[0]!;
  return {
    lengths,
    eventType: {
      ...eventType,
      type: { ...eventType.type, name, duration },
      places: places?.length ? places : eventType.places,
      dates: eventType.dates ?? periodOf(override, owner.timezone, now),
      ...(hours && { hours }),
    },
  };
};

const participantNames = (store: Store, { id, type }: StoredEventType, owner: UserRecord): string[] =>
  type.pooling_type === 'collective'
    ? store
        .all<{ name: string }>(
          `SELECT u.doc ->> 'name' AS name FROM event_type_hosts h JOIN users u ON u.id = h.user
           WHERE h.event_type = ? ORDER BY u.id <> ?, name`,
          id,
          idIn(owner.uri),
        )
        .map(({ name }) => name)
    : [owner.name];

const lengthOf = ({ start_time, end_time }: EventRecord): number =>
  (Date.parse(end_time) - Date.parse(start_time)) / 60_000;

/** What an address says about the event type: its ID, the ID of a one-off meeting, or its page. */
const eventTypeAt = (
  id: string | undefined,
  oneOff: string | undefined,
  path: string,
): [where: string, value: string] => {
  if (id !== undefined) return ['id = ?', id];
  return oneOff === undefined
    ? ["doc ->> 'scheduling_url' = ?", path]
    : ["id = ? AND doc ->> 'type' = 'AdhocEventType'", oneOff];
};

/** The booking that an address of the rescheduling page names. */
export const movingAt = ({ store, url }: PageRequest): Booking | undefined => {
  const id = /^\/reschedulings\/([A-Z0-9]+)$/.exec(url.pathname)?.[1];
  return id === undefined ? undefined : findBooking(store, id);
};

/** The ID in the address of a single-use link or a one-off meeting. */
const linkIdIn = ({ url }: PageRequest): string | undefined => /^\/d\/([^/]+)\//.exec(url.pathname)?.[1]?.toUpperCase();

/** Whose meeting a single-use link offers. */
export const ownerOfShare = (pageRequest: PageRequest): UserRecord | undefined => {
  const row = pageRequest.store.first<{ doc: string }>(
    `SELECT u.doc FROM shares s JOIN event_types t ON t.id = s.event_type
     JOIN users u ON t.doc ->> '$.profile.owner' = u.doc ->> 'uri' WHERE s.id = ?`,
    linkIdIn(pageRequest) ?? '',
  );
  return row && JSON.parse(row.doc);
};

/**
 * Finds what an address offers. `used`: it is a single-use link, and someone booked with it. `closed`: it is for moving a
 * booking that can't be moved.
 */
export const findOffer = (pageRequest: PageRequest): Offer | 'used' | 'closed' | undefined => {
  const { store, url, now } = pageRequest;
  const moving = movingAt(pageRequest);
  if (moving && closedBy(moving, now)) return 'closed';
  const id = linkIdIn(pageRequest);
  const share = store.first<{ id: string; doc: string; event_type: string; used_by: string | null }>(
    `SELECT id, doc, event_type, used_by FROM shares WHERE ${moving ? 'used_by' : 'id'} = ?`,
    moving?.id ?? id ?? '',
  );
  if (share && !moving && share.used_by !== null) return 'used';
  const [where, value] = eventTypeAt(share?.event_type ?? (moving && idIn(moving.type.uri)), id, url.pathname);
  const row = store.first<{ id: string; organization: string }>(
    `SELECT id, organization FROM event_types WHERE active AND doc ->> 'deleted_at' IS NULL AND ${where}`,
    value,
  );
  if (!row) return moving && 'closed';
  const plain = requireEventType(store, row.id);
  const owner = store.get<UserRecord>('users', idIn(plain.type.profile!.owner))!;
  const { eventType, lengths } = share
    ? withShare(plain, JSON.parse(share.doc).share_override, owner, now)
    : { eventType: plain, lengths: [plain.type.duration] };
  const chosen = Number(url.searchParams.get('duration') ?? (moving && lengthOf(moving.event)));
  const duration = lengths.includes(chosen) ? chosen : eventType.type.duration;
  return {
    organization: row.organization,
    eventType: {
      ...eventType,
      type: { ...eventType.type, duration },
      ...(moving && { left: withoutInvitees(moving.event, 1, now) }),
    },
    owner,
    hosts: participantNames(store, eventType, owner),
    lengths,
    ...(share && { share: share.id }),
    ...(moving && { moving }),
  };
};
