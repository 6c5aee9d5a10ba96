import type { Json } from '../json.ts';
import type { Booking } from './booking.ts';
import type { BookingContext } from './booking-attempt.ts';
import type { MoveLedger, MoveOrder } from './move-record.ts';
import type { ChangeOptions } from './read-back.ts';

export interface MovePlan {
  /** URI of the old event. */
  event: string;
  /** Its start, and the new one, as UTC text. */
  from: string;
  to: string;
  order: MoveOrder;
  /** Active invitees of the old event, in order, with the whole body of the booking at the new time. */
  bookings: { invitee: string; body: Json & Omit<Booking, 'send'> }[];
  /** Reason of the cancellation. */
  reason: string;
}

export interface MoveContext {
  booking: BookingContext;
  change: ChangeOptions;
  moves: MoveLedger;
}

export interface Moved {
  /** `already`: the move was done before, and nothing was sent now. */
  how: 'moved' | 'already';
  /** When it was done, for `already`. */
  at?: number;
  /** The new event, as the service shows it. */
  event: Json;
  /** The new invitees. */
  invitees: Json[];
}
