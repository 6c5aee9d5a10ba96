import { idIn } from '../../base/uri.ts';
import { type Detail, detail, refuseInvalid } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { requireSelf } from '../rules/access.ts';
import { logActivity } from '../rules/activity.ts';
import { datesOf, invalidDates } from '../rules/dates.ts';
import { insertEventType, newEventType, requireDuration } from '../rules/event-type.ts';
import { wrongZone } from '../rules/local-time.ts';
import { slugOf } from '../store/names.ts';
import type { EventTypeRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

interface WantedHost {
  parameter: string;
  id: string;
}

/** Hosts that aren't members of the organization or are listed twice. */
const wrongHosts = (store: Store, hosts: WantedHost[]): Detail[] =>
  hosts.flatMap(({ parameter, id }, index): Detail[] => {
    if (!store.get('users', id)) return [detail(parameter, 'is not a member of the organization', 'unknown_user')];
    const isFirst = hosts.findIndex((other) => other.id === id) === index;
    return isFirst ? [] : [detail(parameter, 'is listed twice', 'repeated')];
  });

export const oneOffs: Handlers<'one-offs'> = {
  create({ body }, context) {
    const { store, caller, now } = context;
    const { name, host, co_hosts = [], duration, date_setting, location: place } = body;
    const references = [host, ...co_hosts].map((reference, index) => ({
      parameter: index === 0 ? 'host' : `co_hosts[${index - 1}]`,
      id: idIn(reference),
    }));
    requireSelf(caller, references[0]!.id);
    requireDuration(duration);
    refuseInvalid([...wrongHosts(store, references), ...wrongZone(body.timezone)]);

    const hosts = references.map(({ id }) => ({ id, user: store.get<UserRecord>('users', id)! }));
    const owner = hosts[0]!.user;
    // Assumed (one-offs.timezone): without a time zone, the dates of a one-off meeting are in the host's zone.
    const dates = datesOf(date_setting, body.timezone ?? owner.timezone, now);
    refuseInvalid(invalidDates(dates, duration, now));

    const id = store.nextId('event-type');
    const scheduling_url = `/d/${id.toLowerCase()}/${slugOf(name) || 'meeting'}`;
    const type: EventTypeRecord = {
      ...newEventType({ id, name, slug: null, scheduling_url, duration, owner, now }),
      type: 'AdhocEventType',
      pooling_type: hosts.length > 1 ? 'collective' : null,
    };
    insertEventType(store, id, type, { organization: caller.organization, hosts, place, dates, now });
    logActivity(context, 'EventType.Create', { event_type: type.uri, name, type: type.type });
    return type;
  },
};
