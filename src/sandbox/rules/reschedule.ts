import { idIn } from '../../base/uri.ts';
import type { EventRecord, InviteeRecord } from '../store/records.ts';
import { type BookingContext, type NewBooking, reportBooking, storeBooking } from './booking-rules.ts';
import { cancelInvitees, withoutInvitees } from './cancellation.ts';
import type { StoredEventType } from './event-type.ts';
import { noticeCancellation, rescheduled } from './notices.ts';

/**
 * Books an invitee for another time and cancels the booking they had. Must run in a transaction: a refusal or a crash
 * leaves the old booking as it was, and never two.
 * Assumed (invitees.reschedule): the canceled invitee has `rescheduled: true` and `new_invitee`, the new one `old_invitee`.
 * Both are reported: `invitee.canceled` first, then `invitee.created`.
 */
export const reschedule = (
  body: NewBooking,
  eventType: StoredEventType,
  old: InviteeRecord,
  context: BookingContext,
): InviteeRecord => {
  const { store, now } = context;
  const [id, eventId] = [idIn(old.uri), idIn(old.event)];
  const event = withoutInvitees(store.get<EventRecord>('events', eventId)!, 1, now);
  // The old booking ends before the new time is checked, which may overlap it.
  store.update('events', eventId, event);
  store.update('invitees', id, { ...old, status: 'canceled' });
  const { tracking, text_reminder_number, payment } = old;
  const booked = storeBooking(body, eventType, context, {
    tracking,
    text_reminder_number,
    payment,
    old_invitee: old.uri,
  });
  cancelInvitees(context, [old], event, { rescheduled: true, new_invitee: booked.invitee.uri });
  noticeCancellation(context, event, [old], { canceled_by: old.name, reason: rescheduled });
  reportBooking(context, booked);
  store.run('UPDATE shares SET used_by = ? WHERE used_by = ?', idIn(booked.invitee.uri), id);
  return booked.invitee;
};
