import { idIn } from '../../base/uri.ts';
import { invalidParameter, refuseInvalid } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { chooseOwner, requireSelf } from '../rules/access.ts';
import { logActivity } from '../rules/activity.ts';
import type { Schedule } from '../rules/availability.ts';
import {
  descriptionOf,
  insertEventType,
  newEventType,
  requireDuration,
  requireEventType,
} from '../rules/event-type.ts';
import { wrongZone } from '../rules/local-time.ts';
import { joinSent } from '../store/list-page.ts';
import { slugOf, timestamp, uri } from '../store/names.ts';
import type { EventTypeRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** Assumed (event-types.default-duration): an event type that is created without a duration takes 30 minutes. */
const defaultMinutes = 30;

/** Assumed (event-types.slug): the slug of an event type is derived from its name, and is unique per owner. */
const freeSlug = (store: Store, owner: UserRecord, name: string): string => {
  const taken = new Set(
    store
      .all<{ slug: string | null }>(
        "SELECT doc ->> 'slug' AS slug FROM event_types WHERE doc ->> '$.profile.owner' = ?",
        owner.uri,
      )
      .map(({ slug }) => slug),
  );
  const plainSlug = slugOf(name) || 'meeting';
  let slug = plainSlug;
  for (let number = 2; taken.has(slug); number++) slug = `${plainSlug}-${number}`;
  return slug;
};

/**
 * Assumed (event-types.timezone): the time zone of an event type is the one of its owner's hours; other hosts keep
 * theirs.
 */
const moveHours = (store: Store, eventType: string, owner: string, timezone: string) => {
  const schedules = store.all<{ id: string; doc: string }>(
    'SELECT id, doc FROM schedules WHERE event_type = ? AND user = ?',
    eventType,
    owner,
  );
  for (const { id, doc } of schedules) store.update('schedules', id, { ...(JSON.parse(doc) as Schedule), timezone });
};

export const eventTypes: Handlers<'event-types'> = {
  list({ query }, { store, caller }) {
    const user = chooseOwner(store, caller, query);
    return {
      from: 'event_types',
      defaultSort: 'name',
      where: [
        ['organization = ?', caller.organization],
        ["doc ->> 'deleted_at' IS NULL"],
        ['EXISTS (SELECT 1 FROM event_type_hosts h WHERE h.event_type = event_types.id AND h.user = ?)', user],
        ['active = ?', query.active === undefined ? undefined : Number(query.active)],
      ],
    };
  },

  get({ params: { event_type: id } }, { store }) {
    requireEventType(store, id);
    // As it is stored: a mirror has numbers beyond 2^53.
    return store.text<EventTypeRecord>('event_types', id)!;
  },

  create({ body }, context) {
    const { store, caller, now } = context;
    const ownerId = idIn(body.owner);
    requireSelf(caller, ownerId);
    requireDuration(body.duration);
    const owner = store.get<UserRecord>('users', ownerId);
    if (!owner) throw invalidParameter('owner', 'is not a member of the organization', 'unknown_user');
    const id = store.nextId('event-type');
    const slug = freeSlug(store, owner, body.name);
    const { name, duration = defaultMinutes, active, color } = body;
    const plain = newEventType({
      id,
      name,
      slug,
      scheduling_url: `${owner.scheduling_url}/${slug}`,
      duration,
      owner,
      now,
    });
    const type: EventTypeRecord = {
      ...plain,
      ...descriptionOf(body.description_plain),
      active: active ?? plain.active,
      color: color ?? plain.color,
    };
    const hosts = [{ id: ownerId, user: owner }];
    insertEventType(store, id, type, { organization: caller.organization, hosts, place: body.location, now });
    logActivity(context, 'EventType.Create', { event_type: type.uri, name, type: type.type });
    return type;
  },

  // Assumed (event-types.no-changes): an update with an empty body changes nothing, not even `updated_at`.
  update({ params, body }, context) {
    const { store, caller, now } = context;
    const { type } = requireEventType(store, params.event_type);
    const owner = idIn(type.profile?.owner ?? '');
    requireSelf(
      caller,
      owner,
      'Only the owner of the event type, or an admin or the owner of the organization, can change it.',
    );
    const { timezone, location, description_plain, ...plainFields } = body;
    requireDuration(body.duration);
    refuseInvalid(wrongZone(timezone));
    const fields = Object.keys(body);
    if (fields.length === 0) return type;
    const changed = {
      ...type,
      ...plainFields,
      ...(description_plain === undefined ? {} : descriptionOf(description_plain)),
      updated_at: timestamp(now),
    } as EventTypeRecord;
    store.update('event_types', params.event_type, changed);
    if (timezone !== undefined) moveHours(store, params.event_type, owner, timezone);
    if (location !== undefined)
      store.run('UPDATE event_types SET locations = ? WHERE id = ?', JSON.stringify([location]), params.event_type);
    logActivity(context, 'EventType.Update', { event_type: type.uri, name: changed.name, fields });
    return changed;
  },

  hosts({ query }, { store }) {
    const { id } = requireEventType(store, idIn(query.event_type));
    return {
      from: `event_type_hosts h LEFT JOIN users u ON u.id = h.user ${joinSent('event_type_hosts', 'h.id')}`,
      doc: `coalesce(s.doc, json_object('uri', '${uri('event_type_memberships', '')}' || h.id, 'event_type', '${uri('event_types', '')}' || h.event_type, 'member', json(u.doc),
        'created_at', h.created_at, 'updated_at', h.created_at))`,
      id: 'h.id',
      columns: { name: "(u.doc ->> 'name')" },
      defaultSort: 'name',
      where: [['h.event_type = ?', id]],
    };
  },
};
