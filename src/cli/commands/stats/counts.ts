import type { Json } from '../../../json.ts';
import { hour } from '../../../time/wall.ts';
import { spanIn } from '../agenda/meetings.ts';
import { requestsFor } from '../event-invitees.ts';
import type { Sort, StatsGroup } from './group-by.ts';

/** A row of the output. Scripts rely on these names. */
export interface StatsRow {
  key: string;
  name: string;
  booked: number;
  canceled: number;
  no_shows: number | null;
  hours: number;
  share: number;
  cancellation_rate: number;
  no_show_rate: number | null;
  second_key: string | null;
  second_name: string | null;
}

export class Count {
  booked = 0;
  canceled = 0;
  /** In milliseconds, so that many short events add up exactly. */
  length = 0;
  noShows = 0;
  /** The invitees among whom the no-shows are. */
  invitees = 0;

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

export interface CountedGroup {
  group: StatsGroup;
  count: Count;
}

const sizeOf: Record<Exclude<Sort, 'name'>, (count: Count) => number> = {
  booked: ({ booked }) => booked,
  canceled: ({ canceled }) => canceled,
  'no-shows': ({ noShows }) => noShows,
  hours: ({ length }) => length,
};

const last = Number.POSITIVE_INFINITY;

/** By default times are in their order, and other groups with the most events first. */
const compare = (a: CountedGroup, b: CountedGroup, sort: Sort | undefined): number => {
  const bySize = (size: (count: Count) => number) => size(b.count) - size(a.count);
  const [start, other] = [a.group.start ?? last, b.group.start ?? last];
  const order =
    sort === 'name'
      ? a.group.name.localeCompare(b.group.name, 'en')
      : sort === undefined && start !== other
        ? start - other
        : bySize(sizeOf[sort ?? 'booked']);
  return order || (a.group.key < b.group.key ? -1 : 1);
};

const pairOf = (first: StatsGroup, second: StatsGroup): string => JSON.stringify([first.key, second.key]);

/** Counts events by one or two groupings. It keeps the groups only, so memory does not grow with the number of events. */
export class EventCounts {
  /** Each event counts once here, even if it has several groups. */
  readonly total = new Count();
  /** The events whose invitees can be no-shows, and the requests that read them. */
  readonly started = { events: 0, requests: 0 };
  readonly now: number;
  readonly hasNoShows: boolean;
  readonly #groupings: readonly ((event: Json) => StatsGroup[])[];
  /** The groups of each grouping. */
  readonly #groups: readonly Map<string, CountedGroup>[];
  /** What belongs to a group of each of two groupings. */
  readonly #pairs = new Map<string, Count>();

  /** Without `hasNoShows`, the number of no-shows is unknown. */
  constructor(groupings: readonly ((event: Json) => StatsGroup[])[], now: number, hasNoShows: boolean) {
    this.#groupings = groupings;
    this.#groups = groupings.map(() => new Map());
    this.now = now;
    this.hasNoShows = hasNoShows;
  }

  #countsOf(event: Json): Count[] {
    const groups = this.#groupings.map((groupsOf) => groupsOf(event));
    const counts = groups.flatMap((own, place) =>
      own.map((group) => {
        const known = this.#groups[place]!.get(group.key) ?? { group, count: new Count() };
        this.#groups[place]!.set(group.key, known);
        return known.count;
      }),
    );
    for (const first of groups[0]!)
      for (const second of groups[1] ?? []) {
        const pair = pairOf(first, second);
        const count = this.#pairs.get(pair) ?? new Count();
        this.#pairs.set(pair, count);
        counts.push(count);
      }
    return [this.total, ...counts];
  }

  add(event: Json): void {
    const span = spanIn(event);
    const length = span === undefined ? 0 : span.end - span.start;
    for (const count of this.#countsOf(event)) count.add(isCanceled(event), length);
    if (!this.hasStarted(event)) return;
    this.started.events += 1;
    this.started.requests += requestsFor(event);
  }

  /** Whether an event is over or takes place now, with at least one invitee. */
  hasStarted(event: Json): boolean {
    const span = spanIn(event);
    return !isCanceled(event) && span !== undefined && span.start <= this.now && requestsFor(event) > 0;
  }

  addNoShows(event: Json, noShows: number, invitees: number): void {
    for (const count of this.#countsOf(event)) {
      count.noShows += noShows;
      count.invitees += invitees;
    }
  }

  /** The groups of the first or second grouping. One that was not there when the events were counted is left out. */
  groups(place: number, sort?: Sort): CountedGroup[] {
    const found = [...this.#groups[place]!.values()].filter(({ count }) => count.booked > 0);
    return found.sort((a, b) => compare(a, b, sort));
  }

  /** The events that are in both groups. */
  pair(first: StatsGroup, second: StatsGroup): Count {
    return this.#pairs.get(pairOf(first, second)) ?? new Count();
  }

  rows(sort?: Sort): StatsRow[] {
    const first = this.groups(0, sort);
    if (this.#groupings.length === 1) return first.map(({ group, count }) => this.#row(count, group));
    const second = this.groups(1);
    return first.flatMap(({ group }) =>
      second
        .map((other) => ({ other: other.group, count: this.pair(group, other.group) }))
        .filter(({ count }) => count.booked > 0)
        .map(({ other, count }) => this.#row(count, group, other)),
    );
  }

  #row(count: Count, group: StatsGroup, second?: StatsGroup): StatsRow {
    const { booked, canceled, noShows, invitees, hours } = count;
    return {
      key: group.key,
      name: group.name,
      booked,
      canceled,
      no_shows: this.hasNoShows ? noShows : null,
      hours,
      share: rounded(booked / this.total.booked, 4),
      cancellation_rate: rounded(canceled / booked, 4),
      no_show_rate: this.hasNoShows && invitees > 0 ? rounded(noShows / invitees, 4) : null,
      second_key: second?.key ?? null,
      second_name: second?.name ?? null,
    };
  }
}
