import type { Catalogue } from '../../api/catalogue.ts';
import type { Value } from '../../api/field.ts';
import { idIn } from '../../base/uri.ts';
import { type Detail, detail, refuseInvalid } from '../error-replies.ts';
import type { HandlerContext, Handlers } from '../handler.ts';
import { requireSelf } from '../rules/access.ts';
import { logActivity } from '../rules/activity.ts';
import { invalidRules } from '../rules/availability.ts';
import { requireEventType, type StoredEventType } from '../rules/event-type.ts';
import { wrongZone } from '../rules/local-time.ts';

type ShareBody = Value<Catalogue['shares']['create']['body']>;

/**
 * Assumed (shares.who): the hosts of the event type can create links, and the admins and the owner of the organization.
 */
const requireHost = ({ store, caller }: HandlerContext, { id }: StoredEventType) => {
  const isHost = store.first('SELECT 1 FROM event_type_hosts WHERE event_type = ? AND user = ?', id, caller.user);
  requireSelf(caller, isHost ? caller.user : '', 'Only a host of this event type or an admin can share it.');
};

const wrongShare = (body: ShareBody, { type, options }: StoredEventType): Detail[] => {
  const details: Detail[] = [];
  if (!type.active) details.push(detail('event_type', 'is not active', 'inactive'));
  const { duration, duration_options, availability_rule: hours } = body;
  // If the request has options, the row's schema already checks the duration.
  if (duration !== undefined && duration_options === undefined && !options.includes(duration))
    details.push(detail('duration', `must be one of the event type's duration options: ${options.join(', ')}`));
  details.push(...invalidRules(hours?.rules ?? [], 'availability_rule.rules'));
  details.push(...wrongZone(hours?.timezone, 'availability_rule.timezone'));
  return details;
};

/** Creates a share with its only link. */
export const createShare = (body: ShareBody, context: HandlerContext) => {
  const { store } = context;
  const eventType = requireEventType(store, idIn(body.event_type));
  requireHost(context, eventType);
  refuseInvalid(wrongShare(body, eventType));
  const id = store.nextId('share');
  const { event_type: _, ...share_override } = body;
  const link = {
    booking_url: `/d/${id.toLowerCase()}/${eventType.type.slug ?? 'meeting'}`,
    owner: eventType.type.uri,
    owner_type: 'EventType',
  };
  const share = { scheduling_links: [link], share_override };
  store.insert('shares', id, share, { event_type: eventType.id });
  logActivity(context, 'Share.Create', { event_type: eventType.type.uri, name: body.name ?? eventType.type.name });
  return { link, share };
};

export const shares: Handlers<'shares'> = {
  create: ({ body }, context) => createShare(body, context).share,
};
