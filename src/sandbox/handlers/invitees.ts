import { idIn } from '../../base/uri.ts';
import { conflict, notFound, requireFound } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { requireEvent } from '../rules/access.ts';
import { logActivity } from '../rules/activity.ts';
import { book } from '../rules/booking-rules.ts';
import { requireEventType } from '../rules/event-type.ts';
import { timestamp, uri } from '../store/names.ts';
import type { EventRecord, InviteeRecord } from '../store/records.ts';
import { queueInviteeEvent } from '../webhooks/outbox.ts';

export const invitees: Handlers<'invitees'> = {
  list({ params, query }, { store, caller }) {
    requireEvent(store, caller, params.event);
    return {
      from: 'invitees',
      where: [
        ['event = ?', params.event],
        ['status = ?', query.status],
        ['email = ?', query.email],
      ],
    };
  },

  get({ params }, { store, caller }) {
    requireEvent(store, caller, params.event);
    const invitee = requireFound(store.text<InviteeRecord>('invitees', params.invitee), 'invitee');
    if (idIn((JSON.parse(invitee) as InviteeRecord).event) !== params.event) throw notFound('invitee');
    return invitee;
  },

  // Assumed (invitees.who): all members of the organization can book its event types, secret ones included.
  create({ body }, context) {
    const bookable = requireEventType(context.store, idIn(body.event_type));
    return book(body, bookable, { ...context, method: 'instant_book' });
  },

  // Assumed (invitees.no-show): marking an invitee as no-show doesn't change `status`, and the event may still be in the
  // future. Assumed (invitees.no-show-twice): marking an invitee as no-show again is refused with 409.
  'no-show'({ params }, context) {
    const { store, caller, now } = context;
    const invitee = requireFound(store.get<InviteeRecord>('invitees', params.invitee), 'invitee');
    const event: EventRecord = JSON.parse(requireEvent(store, caller, idIn(invitee.event)));
    if (invitee.no_show) throw conflict('The invitee is already marked as no-show.');
    const created_at = timestamp(now);
    const marked: InviteeRecord = {
      ...invitee,
      updated_at: created_at,
      no_show: { uri: uri('invitee_no_shows', store.nextId('no-show')), created_at },
    };
    store.update('invitees', params.invitee, marked);
    queueInviteeEvent(context, 'invitee_no_show.created', marked, event);
    logActivity(context, 'Invitee.MarkNoShow', { event: marked.event, invitee: marked.uri });
    return marked;
  },

  'undo-no-show'({ params }, context) {
    const { store, caller, now } = context;
    const row = store.first<{ id: string; doc: string }>(
      "SELECT id, doc FROM invitees WHERE doc ->> '$.no_show.uri' = ?",
      uri('invitee_no_shows', params.no_show),
    );
    const { id, doc } = requireFound(row, 'no-show');
    const invitee: InviteeRecord = { ...JSON.parse(doc), updated_at: timestamp(now), no_show: null };
    const event: EventRecord = JSON.parse(requireEvent(store, caller, idIn(invitee.event)));
    store.update('invitees', id, invitee);
    queueInviteeEvent(context, 'invitee_no_show.deleted', invitee, event);
    logActivity(context, 'Invitee.UndoNoShow', { event: invitee.event, invitee: invitee.uri });
    return {};
  },
};
