import { weekdays } from '../../api/weekdays.ts';
import { day } from '../../base/milliseconds.ts';
import { offsetIn } from '../../time/offset.ts';
import { type Detail, detail } from '../error-replies.ts';

/** Wall-clock time in a zone. */
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
    if (zone !== undefined) offsetIn(zone);
    return [];
  } catch {
    return [detail(parameter, 'is not an IANA time zone')];
  }
};

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
  const wall = instant + offsetIn(zone)(instant);
  const number = Math.floor(wall / day);
  const { date, weekday } = namesOf(number);
  return { date, weekday, minutes: (wall - number * day) / 60_000 };
};
