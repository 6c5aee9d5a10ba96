import { weekdays } from '../../api/weekdays.ts';
import { onceEach } from '../../once.ts';
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

const formatOf = onceEach(
  (zone: string) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
);

export const wrongZone = (zone: string | undefined, parameter = 'timezone'): Detail[] => {
  try {
    if (zone !== undefined) formatOf(zone);
    return [];
  } catch {
    return [detail(parameter, 'is not an IANA time zone')];
  }
};

/** The wall clock of the zone, read as if it were UTC. */
const wallClock = (zone: string, instant: number): Date => {
  // The format is `10/5/2026, 09:30:00`, always with these six numbers in this order.
  const [month, day, year, hour, minute, second] = formatOf(zone).format(instant).match(/\d+/g)!.map(Number);
  const milliseconds = new Date(instant).getUTCMilliseconds();
  return new Date(Date.UTC(year!, month! - 1, day!, hour!, minute!, second!, milliseconds));
};

export const localTime = (zone: string, instant: number): LocalTime => {
  const wall = wallClock(zone, instant);
  return {
    date: wall.toISOString().slice(0, 10),
    weekday: weekdays[(wall.getUTCDay() + 6) % 7]!,
    minutes: (wall.getTime() % dayMilliseconds) / 60_000,
  };
};

/** The instant when the zone's clocks show this time. Corrected twice, as the first guess may have another offset. */
export const instantOf = (zone: string, date: string, minutes: number): number => {
  const wanted = Date.parse(`${date}T00:00:00Z`) + minutes * 60_000;
  const correct = (guess: number) => guess + wanted - wallClock(zone, guess).getTime();
  return correct(correct(wanted));
};
