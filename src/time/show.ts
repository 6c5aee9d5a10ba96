import { type DateParts, day, second, timestampOf, wallText, weekdayName, withOffset } from './wall.ts';

export interface ShowTime {
  /** Returns a timestamp as `Mon 2026-11-16 09:30` in the zone, and any other text unchanged. */
  show(text: string): string;
  /** Returns a timestamp with the zone's offset, and any other text unchanged. */
  showExact(text: string): string;
}

type WallClock = (at: number) => number;

const clocks = new Map<string, WallClock>();

/** Returns the wall-clock time of an instant. There is one for each zone: making a format takes a tenth of a millisecond. */
export function wallClock(zone: string): WallClock {
  let clock = clocks.get(zone);
  if (clock === undefined) {
    clock = createWallClock(zone);
    clocks.set(zone, clock);
  }
  return clock;
}

/** Uses `Intl` only, so that tables don't have to load Temporal. */
function createWallClock(zone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const exact = (at: number): number => {
    // 11/16/2026, 09:30:00
    const [month, date, year, hours, minutes, seconds] = format.format(at).match(/\d+/g)!.map(Number) as DateParts;
    return Date.UTC(year, month - 1, date, hours, minutes, seconds);
  };
  const offsets = new Map<number, number>();
  const offsetAtStart = (number: number): number => {
    let offset = offsets.get(number);
    if (offset === undefined) {
      offset = exact(number * day) - number * day;
      offsets.set(number, offset);
    }
    return offset;
  };
  // Formatting takes about 3 µs, the lookup almost nothing. No zone changes its clock twice within a day, so if a day
  // starts and ends with the same offset, the offset is the same all day.
  return (at) => {
    const whole = Math.floor(at / second) * second;
    const number = Math.floor(whole / day);
    const offset = offsetAtStart(number);
    return offset === offsetAtStart(number + 1) ? whole + offset : exact(whole);
  };
}

/** `Mon 2026-11-16` and `09:30:00` */
export function wallParts(wall: number): { date: string; time: string } {
  const text = wallText(wall);
  return { date: `${weekdayName(wall).slice(0, 3)} ${text.slice(0, -9)}`, time: text.slice(-8) };
}

/** When a wait ends, with the zone: `18:00:30 Europe/Paris`, or with the date for a wait of an hour or more. */
export function endOfWait(now: number, seconds: number, zone: string): string {
  const { date, time } = wallParts(wallClock(zone)(now + seconds * second));
  return `${seconds < 3600 ? time : `${date} ${time.slice(0, 5)}`} ${zone}`;
}

export function createShowTime(zone: string): ShowTime {
  const clock = wallClock(zone);
  return {
    show(text) {
      const at = timestampOf(text);
      if (at === undefined) return text;
      const { date, time } = wallParts(clock(at));
      return `${date} ${time.slice(0, 5)}`;
    },
    showExact(text) {
      const at = timestampOf(text);
      return at === undefined ? text : withOffset(at, clock(at), /\.\d+/.exec(text)?.[0]);
    },
  };
}
