import { day, second } from '../base/milliseconds.ts';
import { once, onceEach } from '../base/once.ts';
import type { DateParts } from './wall.ts';
import table from './zone-changes.json' with { type: 'json' };

/* How far the clocks of a zone are ahead of UTC at an instant. All that reads or shows times asks here. */

/** A change of a zone's rules that older data lack, and a zone whose old data are right for it meanwhile. */
interface Change {
  /** The release of the tz database that has it. */
  release: string;
  zones: string[];
  from: number;
  until: number;
  as: string;
}

const allChanges = once(() =>
  table.changes.map(
    ({ release, zones, from, until, as }): Change => ({
      release,
      zones: zones.split(' '),
      from: Date.parse(from),
      until: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
      as,
    }),
  ),
);

/** What the platform's data say. Making a format takes a tenth of a millisecond, formatting 3 µs. */
const platformOffset = onceEach((zone: string) => {
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
  return (at: number): number => {
    const whole = Math.floor(at / second) * second;
    // 11/16/2026, 09:30:00
    const [month, date, year, hours, minutes, seconds] = format.format(whole).match(/\d+/g)!.map(Number) as DateParts;
    return Date.UTC(year, month - 1, date, hours, minutes, seconds) - whole;
  };
});

/** A look right after the change shows whether the platform knows it. Then its own data count, also about later changes. */
const isUnknown = ({ from, as }: Change, zone: string): boolean =>
  platformOffset(zone)(from) !== platformOffset(as)(from);

const unknownChanges = onceEach((zone: string): Change[] => {
  const isOf = ({ zones }: Change) => zones.some((name) => name.toLowerCase() === zone.toLowerCase());
  return allChanges().filter((change) => isOf(change) && isUnknown(change, zone));
});

/** The zone whose rules the platform has to follow at an instant to be right about another one. Mostly it is that one. */
export const zoneAt = (zone: string, at: number): string =>
  unknownChanges(zone).find(({ from, until }) => from <= at && at < until)?.as ?? zone;

/** No zone changes its clocks twice within a day. So if a day begins and ends with the same offset, it has no other one. */
const byDay = (exact: (at: number) => number): ((at: number) => number) => {
  const offsetAtStart = onceEach((number: number) => exact(number * day));
  return (at) => {
    const number = Math.floor(at / day);
    const offset = offsetAtStart(number);
    return offset === offsetAtStart(number + 1) ? offset : exact(at);
  };
};

/** How far the clocks of a zone are ahead of UTC at an instant. There is one function for each zone. Throws if it has no rules. */
export const offsetIn = onceEach((zone: string) => {
  const own = platformOffset(zone);
  return byDay(unknownChanges(zone).length === 0 ? own : (at) => platformOffset(zoneAt(zone, at))(at));
});

/** The newest release that is followed, and what the platform's own data lack: the first release, and all zones. */
export const zoneData = (): { release: string; missing: { release: string; zones: string[] } | undefined } => {
  const missing = allChanges().filter((change) => isUnknown(change, change.zones[0]!));
  const [first] = missing;
  return {
    release: table.release,
    missing: first && { release: first.release, zones: missing.flatMap(({ zones }) => zones) },
  };
};
