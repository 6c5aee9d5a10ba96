import { backfill } from './backfill.ts';
import { bookingKinds } from './bookings.ts';
import { follow } from './follow.ts';
import type { Kind } from './intent.ts';
import { loginKinds } from './login.ts';
import { mirror } from './mirror.ts';
import { recheck } from './recheck.ts';
import { recordKinds } from './records.ts';
import { scheduleKinds } from './schedules.ts';

export const kinds: Record<string, Kind> = {
  ...bookingKinds,
  ...recordKinds,
  ...scheduleKinds,
  ...loginKinds,
  mirror,
  recheck,
  follow,
  backfill,
};
