import {
  type BookingContext,
  bookedBy,
  bookedFrom,
  lookUpAttempt,
  notBooked,
  unknownOutcomeOf,
} from './booking-attempt.ts';

/** One attempt whose outcome was open, and what is known of it now. */
export interface Settled {
  event_type: string;
  start_time: string;
  sent_at: string;
  verdict: 'booked' | 'not-booked' | 'unknown';
  /** From when on finding nothing may prove something. */
  decidable_at?: string;
  uri?: string;
  event?: string;
  /** Why it is unknown. */
  reason?: string;
}

/** Looks up every booking of this machine whose outcome is open, and closes those that are clear. */
export async function* reconcile(context: BookingContext): AsyncGenerator<Settled> {
  for (const kept of await context.ledger.open(context.origin)) {
    const { entry } = kept;
    const seen = await lookUpAttempt(context, entry);
    const record = bookedBy(entry, seen);
    const doubt = record === undefined ? await unknownOutcomeOf(context, kept, seen) : undefined;
    if (record !== undefined) await context.ledger.replace({ ...kept, entry: bookedFrom(entry, record) });
    else if (doubt === undefined) await context.ledger.replace({ ...kept, entry: notBooked(entry) });
    yield {
      event_type: entry.event_type,
      start_time: entry.start_time,
      sent_at: new Date(entry.at).toISOString(),
      verdict: record !== undefined ? 'booked' : doubt === undefined ? 'not-booked' : 'unknown',
      ...(doubt?.seconds === undefined
        ? {}
        : { decidable_at: new Date(context.clock.now() + doubt.seconds * 1000).toISOString() }),
      ...(record === undefined ? {} : { uri: String(record.uri), event: String(record.event) }),
      ...(doubt === undefined ? {} : { reason: doubt.reason }),
    };
  }
}
