import type { HttpReply } from '../../http/message.ts';
import { calendarOf, icsPerson, icsText, icsTime } from '../../ics-text.ts';
import { idIn } from '../../uri.ts';
import { findBooking } from './booking.ts';
import type { PageRequest } from './visit.ts';

/** The booking for the invitee's calendar (RFC 5545). */
export const calendarFile = ({ store }: PageRequest, id = ''): HttpReply | undefined => {
  const booking = findBooking(store, id);
  if (booking === undefined) return undefined;
  const { event, invitee } = booking;
  const { location, join_url } = (event.location ?? {}) as { location?: string | null; join_url?: string | null };
  const [host] = event.event_memberships;
  const time = (property: string, text: string) => `${property}:${icsTime(Date.parse(text))}`;
  const where = location ?? join_url;
  const body = calendarOf([
    'BEGIN:VEVENT',
    // The same for everybody and in every file, so that a calendar updates the event.
    `UID:${idIn(event.uri)}@northlight.example`,
    time('DTSTAMP', event.updated_at),
    time('DTSTART', event.start_time),
    time('DTEND', event.end_time),
    `SUMMARY:${icsText(event.name)}`,
    `STATUS:${invitee.status === 'active' ? 'CONFIRMED' : 'CANCELLED'}`,
    ...(where ? [`LOCATION:${icsText(where)}`] : []),
    ...(join_url ? [`URL:${new URL(join_url).href}`] : []),
    icsPerson('ORGANIZER', host!.user_name, host!.user_email),
    icsPerson('ATTENDEE', invitee.name, invitee.email, ';PARTSTAT=ACCEPTED'),
    'END:VEVENT',
  ]);
  return {
    status: 200,
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'attachment; filename="meeting.ics"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
};
