import type { Dice } from '../dice.ts';
import { bookingKinds } from './bookings.ts';
import { follow } from './follow.ts';
import type { Kind } from './intent.ts';
import { loginKinds } from './login.ts';
import { recordKinds } from './records.ts';
import { scheduleKinds } from './schedules.ts';

export const kinds: Record<string, Kind> = { ...bookingKinds, ...recordKinds, ...scheduleKinds, ...loginKinds, follow };

const weighted = Object.entries(kinds).flatMap(([name, { weight }]) => Array<string>(weight).fill(name));

/** The kind of an intent by chance. */
export const kindFor = (dice: Dice): string => dice.pick(weighted);
