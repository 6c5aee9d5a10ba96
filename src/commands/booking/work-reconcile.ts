import { spell } from '../../base/words.ts';
import { type BookingContext, examine, lookFirst, notBooked, settle } from './work-attempt.ts';
import { eventIn } from './work-look-up.ts';

/** An open attempt and its current verdict. */
export interface SettledAttempt {
  event_type: string;
  start_time: string;
  sent_at: string;
  verdict: 'booked' | 'not-booked' | 'unknown';
  /** When an empty look-up can first prove that nothing was booked. */
  decidable_at?: string;
  uri?: string;
  event?: string;
  /** Why the verdict is unknown. */
  reason?: string;
}

/** Looks up every open attempt of this machine and closes those whose outcome is now known. */
export async function* reconcile(context: BookingContext): AsyncGenerator<SettledAttempt> {
  for (const attempt of await context.ledger.open(context.origin)) {
    const { entry } = attempt;
    const { record, doubt } = await examine(context, attempt);
    if (record !== undefined) await settle(context, attempt, record);
    else if (doubt === undefined) await context.ledger.replace({ ...attempt, entry: notBooked(entry) });
    yield {
      event_type: entry.event_type,
      start_time: entry.start_time,
      sent_at: new Date(entry.at).toISOString(),
      verdict: record !== undefined ? 'booked' : doubt === undefined ? 'not-booked' : 'unknown',
      ...(doubt?.seconds === undefined
        ? {}
        : { decidable_at: new Date(context.clock.now() + doubt.seconds * 1000).toISOString() }),
      ...(record === undefined ? {} : { uri: String(record.uri), event: eventIn(record) }),
      ...(doubt === undefined
        ? {}
        : { reason: doubt.isForPeople ? `${doubt.reason}; ${spell(lookFirst)}` : doubt.reason }),
    };
  }
}
