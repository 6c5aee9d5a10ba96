import { weekdays } from '../../api/weekdays.ts';
import { day } from '../../base/milliseconds.ts';
import { wallClock } from '../../time/show.ts';
import { type Detail, detail } from '../error-replies.ts';

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

/** The names of a day, by its number since 1970. Asked for many times of one day after the other, so the last one is kept. */
const namesOf = (() => {
  let last = { number: Number.NaN, date: '', weekday: '' };
  return (number: number) => {
    if (last.number !== number) {
      const midnight = new Date(number * day);
      const weekday = weekdays[(midnight.getUTCDay() + 6) % 7]!;
      last = { number, date: midnight.toISOString().slice(0, 10), weekday };
    }
    return last;
  };
})();

export const localTime = (zone: string, instant: number): LocalTime => {
  const wall = wallAt(zone, instant);
  const number = Math.floor(wall / day);
  const { date, weekday } = namesOf(number);
  return { date, weekday, minutes: (wall - number * day) / 60_000 };
};

/** The instant when the zone's clocks show this time. Corrected twice, as the first guess may have another offset. */
export const instantOf = (zone: string, date: string, minutes: number): number => {
  const wallTime = Date.parse(`${date}T00:00:00Z`) + minutes * 60_000;
  const correct = (guess: number) => guess + wallTime - wallAt(zone, guess);
  return correct(correct(wallTime));
};
