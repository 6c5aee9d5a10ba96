import { bookingKinds } from './bookings.ts';
import { follow } from './follow.ts';
import type { Kind } from './intent.ts';
import { loginKinds } from './login.ts';
import { mirror } from './mirror.ts';
import { recordKinds } from './records.ts';
import { scheduleKinds } from './schedules.ts';

export const kinds: Record<string, Kind> = {
  ...bookingKinds,
  ...recordKinds,
  ...scheduleKinds,
  ...loginKinds,
  mirror,
  follow,
};
