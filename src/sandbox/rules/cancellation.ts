import { idIn } from '../../base/uri.ts';
import type { ChangeContext } from '../handler.ts';
import { timestamp } from '../store/names.ts';
import type { EventRecord, InviteeRecord } from '../store/records.ts';
import { queueInviteeEvent } from '../webhooks/outbox.ts';
import { logActivity } from './activity.ts';
import { noticeCancellation } from './notices.ts';

/** The event without some of its active invitees. Without any left, it is canceled too. */
export const withoutInvitees = (event: EventRecord, count: number, now: number): EventRecord => {
  const active = event.invitees_counter.active - count;
  return {
    ...event,
    status: active > 0 ? event.status : 'canceled',
    invitees_counter: { ...event.invitees_counter, active },
    updated_at: timestamp(now),
  };
};

/** Cancels invitees of an event whose record was changed already. */
export const cancelInvitees = (
  context: ChangeContext,
  invitees: InviteeRecord[],
  event: EventRecord,
  change: Partial<InviteeRecord> = {},
) => {
  for (const invitee of invitees) {
    const canceled: InviteeRecord = { ...invitee, ...change, status: 'canceled', updated_at: event.updated_at };
    context.store.update('invitees', idIn(invitee.uri), canceled);
    queueInviteeEvent(context, 'invitee.canceled', canceled, event);
  }
  const { uri, event_type, name, status } = event;
  const isWhole = status === 'canceled';
  logActivity(context, isWhole ? 'ScheduledEvent.Cancel' : 'Invitee.Cancel', { event: uri, event_type, name });
};

/** An invitee cancels for themselves. The others of a group event stay booked. */
export const cancelBooking = (context: ChangeContext, invitee: InviteeRecord, reason: string | null) => {
  const { store, now } = context;
  const id = idIn(invitee.event);
  const event = withoutInvitees(store.get<EventRecord>('events', id)!, 1, now);
  store.update('events', id, event);
  cancelInvitees(context, [invitee], event);
  noticeCancellation(context, event, [invitee], { canceled_by: invitee.name, reason });
  store.add('invitee_cancellations', { invitee: idIn(invitee.uri), reason, created_at: timestamp(now) });
};
