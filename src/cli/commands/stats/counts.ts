import { limits } from '../../../api/limits.ts';
import { isObject, type Json } from '../../../json.ts';
import { hour } from '../../../time/wall.ts';
import { spanIn } from '../agenda/meetings.ts';
import { type Grouping, isTimeGrouping, type StatsGroup } from './group-by.ts';

/** A row of the output. Scripts rely on these names. */
export interface StatsRow {
  key: string;
  name: string;
  booked: number;
  canceled: number;
  no_shows: number | null;
  hours: number;
  share: number;
}

class Count {
  booked = 0;
  canceled = 0;
  /** In milliseconds, so that many short events add up exactly. */
  length = 0;
  noShows = 0;

  add(isCanceled: boolean, length: number): void {
    this.booked += 1;
    if (isCanceled) this.canceled += 1;
    else this.length += length;
  }

  get hours(): number {
    return rounded(this.length / hour, 2);
  }
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

const isCanceled = ({ status }: Json): boolean => status === 'canceled';

/** How many requests it takes to read the invitees of an event. */
const requestsFor = ({ invitees_counter: counter }: Json): number => {
  const total = isObject(counter) ? counter.total : undefined;
  return typeof total === 'number' ? Math.ceil(total / limits.pageSize.max) : 1;
};

/** Counts events by group. It keeps the groups only, so memory does not grow with the number of events. */
export class EventCounts {
  /** Each event counts once here, even if it has several groups. */
  readonly total = new Count();
  /** The events whose invitees can be no-shows, and the requests that read them. */
  readonly started = { events: 0, requests: 0 };
  readonly #groups = new Map<string, { group: StatsGroup; count: Count }>();
  readonly #groupsOf: (event: Json) => StatsGroup[];
  readonly now: number;
  readonly #hasNoShows: boolean;

  /** Without `hasNoShows`, the number of no-shows is unknown. */
  constructor(groupsOf: (event: Json) => StatsGroup[], now: number, hasNoShows: boolean) {
    this.#groupsOf = groupsOf;
    this.now = now;
    this.#hasNoShows = hasNoShows;
  }

  add(event: Json): void {
    const span = spanIn(event);
    const length = span === undefined ? 0 : span.end - span.start;
    this.total.add(isCanceled(event), length);
    for (const group of this.#groupsOf(event)) {
      const known = this.#groups.get(group.key) ?? { group, count: new Count() };
      known.count.add(isCanceled(event), length);
      this.#groups.set(group.key, known);
    }
    if (!this.hasStarted(event)) return;
    this.started.events += 1;
    this.started.requests += requestsFor(event);
  }

  /** Whether an event is over or takes place now, with at least one invitee. */
  hasStarted(event: Json): boolean {
    const span = spanIn(event);
    return !isCanceled(event) && span !== undefined && span.start <= this.now && requestsFor(event) > 0;
  }

  addNoShows(event: Json, noShows: number): void {
    this.total.noShows += noShows;
    for (const { key } of this.#groupsOf(event)) {
      const known = this.#groups.get(key);
      if (known !== undefined) known.count.noShows += noShows;
    }
  }

  get noShows(): number | null {
    return this.#hasNoShows ? this.total.noShows : null;
  }

  /** Times in their order, and other groups with the most events first. */
  rows(by: Grouping): StatsRow[] {
    const found = [...this.#groups.values()];
    const last = Number.POSITIVE_INFINITY;
    found.sort((a, b) =>
      isTimeGrouping(by)
        ? (a.group.order ?? last) - (b.group.order ?? last)
        : b.count.booked - a.count.booked || (a.group.key < b.group.key ? -1 : 1),
    );
    return found.map(({ group, count }) => ({
      key: group.key,
      name: group.name,
      booked: count.booked,
      canceled: count.canceled,
      no_shows: this.#hasNoShows ? count.noShows : null,
      hours: count.hours,
      share: rounded(count.booked / this.total.booked, 4),
    }));
  }

  /** The number of events in each day, week or hour from the first to the last, with zeros between. */
  series(): number[] {
    const known = [...this.#groups.values()].flatMap(({ group, count }) =>
      group.order === undefined ? [] : [{ order: group.order, booked: count.booked }],
    );
    const orders = known.map(({ order }) => order).sort((a, b) => a - b);
    if (orders.length === 0) return [];
    const values = new Array<number>(orders.at(-1)! - orders[0]! + 1).fill(0);
    for (const { order, booked } of known) values[order - orders[0]!] = booked;
    return values;
  }
}
