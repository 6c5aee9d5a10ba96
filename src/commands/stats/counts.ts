import type { SentEvent } from '../../api/events.ts';
import { hour } from '../../base/milliseconds.ts';
import { isCanceled } from '../../cli/operation/view-values.ts';
import { spanIn } from '../events/screen.ts';
import { requestsForInvitees } from '../events/with-invitees.ts';
import type { StatsGroup } from './group-by.ts';
import type { Sort } from './input.ts';

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

/** A part of a whole, from 0 to 1. */
const rate = (part: number, whole: number): number => (whole === 0 ? 0 : rounded(part / whole, 4));

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

type Groups = readonly [first?: StatsGroup | undefined, second?: StatsGroup | undefined];

/** Counts events by one or two groupings. It keeps the groups only, so memory does not grow with the number of events. */
export class EventCounts {
  /** The events whose invitees can be no-shows, and the requests that read them. */
  readonly started = { events: 0, requests: 0 };
  readonly now: number;
  readonly hasNoShows: boolean;
  readonly #groupings: readonly ((event: SentEvent) => StatsGroup[])[];
  readonly #counts = new Map<string, { groups: Groups; count: Count }>();
  /** Keys of groups that are shown without events too. */
  readonly #shown = new Set<string>();

  /** Without `hasNoShows`, the number of no-shows is unknown. */
  constructor(groupings: readonly ((event: SentEvent) => StatsGroup[])[], now: number, hasNoShows: boolean) {
    this.#groupings = groupings;
    this.now = now;
    this.hasNoShows = hasNoShows;
  }

  /** The events in a group of each grouping. Without a group, those of all groups: each event counts once. */
  of(...groups: Groups): Count {
    const key = JSON.stringify([groups[0], groups[1]].map((group) => group && (group.id ?? group.key)));
    const entry = this.#counts.get(key) ?? { groups, count: new Count() };
    this.#counts.set(key, entry);
    return entry.count;
  }

  get total(): Count {
    return this.of();
  }

  /** The counts that an event is part of: the total, those of its groups, and those of their pairs. */
  #countsOf(event: SentEvent): Count[] {
    const [firsts = [], seconds = []] = this.#groupings.map((groupsOf) => groupsOf(event));
    return [undefined, ...firsts].flatMap((first) => [undefined, ...seconds].map((second) => this.of(first, second)));
  }

  add(event: SentEvent): void {
    const span = spanIn(event);
    const length = span === undefined ? 0 : span.end - span.start;
    for (const count of this.#countsOf(event)) count.add(isCanceled(event), length);
    if (!this.hasStarted(event, span)) return;
    this.started.events += 1;
    this.started.requests += requestsForInvitees(event);
  }

  /** Adds a group that is shown even if it has no events. */
  show(group: StatsGroup): void {
    this.of(group);
    this.#shown.add(group.key);
  }

  /** Whether an event is over or takes place now, with at least one invitee. */
  hasStarted(event: SentEvent, span = spanIn(event)): boolean {
    return !isCanceled(event) && span !== undefined && span.start <= this.now && requestsForInvitees(event) > 0;
  }

  addNoShows(event: SentEvent, noShows: number, invitees: number): void {
    for (const count of this.#countsOf(event)) {
      count.noShows += noShows;
      count.invitees += invitees;
    }
  }

  /** The groups of the first or second grouping. One that was not there when the events were counted is left out. */
  groups(place: 0 | 1, sort?: Sort): CountedGroup[] {
    const countedGroups = [...this.#counts.values()].flatMap(({ groups, count }) => {
      const [group, other] = [groups[place], groups[1 - place]];
      return group !== undefined && other === undefined && (count.booked > 0 || this.#shown.has(group.key))
        ? [{ group, count }]
        : [];
    });
    return countedGroups.sort((a, b) => compare(a, b, sort));
  }

  rows(sort?: Sort): StatsRow[] {
    const seconds = this.#groupings.length === 1 ? [undefined] : this.groups(1).map(({ group }) => group);
    return this.groups(0, sort).flatMap(({ group }) =>
      seconds
        .filter((second) => second === undefined || this.of(group, second).booked > 0)
        .map((second) => this.#row(group, second)),
    );
  }

  #row(group: StatsGroup, second: StatsGroup | undefined): StatsRow {
    const { booked, canceled, noShows, invitees, hours } = this.of(group, second);
    return {
      key: group.key,
      name: group.name,
      booked,
      canceled,
      no_shows: this.hasNoShows ? noShows : null,
      hours,
      share: rate(booked, this.total.booked),
      cancellation_rate: rate(canceled, booked),
      no_show_rate: this.hasNoShows && invitees > 0 ? rounded(noShows / invitees, 4) : null,
      second_key: second?.key ?? null,
      second_name: second?.name ?? null,
    };
  }
}
