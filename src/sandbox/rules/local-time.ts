import { weekdays } from '../../api/weekdays.ts';
import { wallClock } from '../../time/show.ts';
import { type Detail, detail } from '../error-replies.ts';
import { dayMilliseconds } from '../store/names.ts';

/** Wall-clock time in a zone, from the platform's zone data. */
interface LocalTime {
  /** `2026-12-24` */
  date: string;
  /** Such as `monday`. */
  weekday: string;
  /** Minutes since midnight, with fractions. */
  minutes: number;
}

export const wrongZone = (zone: string | undefined, parameter = 'timezone'): Detail[] => {
  try {
    if (zone !== undefined) wallClock(zone);
    return [];
  } catch {
    return [detail(parameter, 'is not an IANA time zone')];
  }
};

/** The wall clock of the zone, read as if it were UTC. */
const wallAt = (zone: string, instant: number): number =>
  wallClock(zone)(instant) + new Date(instant).getUTCMilliseconds();

export const localTime = (zone: string, instant: number): LocalTime => {
  const wall = new Date(wallAt(zone, instant));
  return {
    date: wall.toISOString().slice(0, 10),
    weekday: weekdays[(wall.getUTCDay() + 6) % 7]!,
    minutes: (wall.getTime() % dayMilliseconds) / 60_000,
  };
};

/** The instant when the zone's clocks show this time. Corrected twice, as the first guess may have another offset. */
export const instantOf = (zone: string, date: string, minutes: number): number => {
  const wanted = Date.parse(`${date}T00:00:00Z`) + minutes * 60_000;
  const correct = (guess: number) => guess + wanted - wallAt(zone, guess);
  return correct(correct(wanted));
};
