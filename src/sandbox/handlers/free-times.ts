import type { availableTimes } from '../../api/event-types.ts';
import { idIn } from '../../uri.ts';
import { invalidParameter } from '../error-replies.ts';
import type { Handler } from '../handler.ts';
import { startsBetween } from '../pages/starts.ts';
import { requireEventType } from '../rules/event-type.ts';
import { dayMilliseconds, timestamp } from '../store/names.ts';

/** The longest window of one request, as at the public service. */
const mostDays = 31;

/** The free times that the booking page of an event type shows. */
export const listFreeTimes: Handler<typeof availableTimes> = ({ query }, { store, now }) => {
  const known = requireEventType(store, idIn(query.event_type));
  const [from, to] = [Date.parse(query.start_time), Date.parse(query.end_time)];
  if (from <= now) throw invalidParameter('start_time', 'must be in the future');
  if (to <= from || to - from > mostDays * dayMilliseconds)
    throw invalidParameter('end_time', `must be after start_time, and at most ${mostDays} days later`);
  return startsBetween(store, known, { from, to, now }).map(({ at, seats = 1 }) => ({
    status: 'available',
    start_time: timestamp(at),
    invitees_remaining: seats,
    scheduling_url: known.type.scheduling_url,
  }));
};
