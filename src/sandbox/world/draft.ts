import { day } from '../../base/milliseconds.ts';
import { nearest } from '../../base/nearest.ts';
import type { CheckResult } from '../../time/reading.ts';
import type { Caller } from '../handler.ts';
import type { Schedule } from '../rules/availability.ts';
import type { SqlValue } from '../store/database.ts';
import { makeId, timestamp } from '../store/names.ts';
import type { EventTypeRecord, LocationRecord, OrganizationRecord, UserRecord } from '../store/records.ts';
import type { UserEntry } from './schema.ts';

export interface WorldUser {
  id: string;
  key: string;
  role: Caller['role'] | 'former';
  record: UserRecord;
  entry: UserEntry;
}

export interface Host extends WorldUser {
  schedule: Schedule;
}

export interface WorldEventType {
  id: string;
  type: EventTypeRecord;
  seats: number;
  places: LocationRecord[];
  /** The owner is the first. */
  hosts: Host[];
}

/** What entries can refer to. */
export interface WorldRecords {
  organization: { id: string; record: OrganizationRecord };
  users: Names<WorldUser>;
  types: Names<WorldEventType>;
}

export type Path = ReadonlyArray<string | number>;

interface WorldProblem {
  path: Path;
  message: string;
}

/** A row to store, and the entry of the world that it comes from. */
export interface Row {
  table: string;
  columns: Record<string, SqlValue>;
  doc?: Record<string, unknown>;
  entry: object;
}

/** Reads a time of a world file as milliseconds. Without `zone`, a date alone is its midnight in UTC. */
export type ReadWhen = (text: string, now: number, zone?: string) => CheckResult<number>;

/** Reads the times of built-in worlds: timestamps, and days before now. Reading others would load a time library. */
export const readPlainTime: ReadWhen = (text, now) => {
  const [, days] = /^-(\d+)d$/.exec(text) ?? [];
  return { ok: true, value: days === undefined ? Date.parse(text) : now - Number(days) * day };
};

/** Finds records by the names they have. Names of an earlier level win: a key before an email address. */
export class Names<Item> {
  readonly #kind: string;
  /** By name in lower case. */
  readonly #byName = new Map<string, Array<{ item: Item; name: string; level: number }>>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  add(item: Item, ...names: readonly string[]): void {
    for (const [level, name] of names.entries()) {
      const same = this.#byName.get(name.toLowerCase()) ?? [];
      this.#byName.set(name.toLowerCase(), [...same, { item, name, level }]);
    }
  }

  #called(name: string): Item[] {
    const matches = this.#byName.get(name.toLowerCase()) ?? [];
    const first = Math.min(...matches.map(({ level }) => level));
    return matches.filter(({ level }) => level === first).map(({ item }) => item);
  }

  has(name: string): boolean {
    return this.#byName.has(name.toLowerCase());
  }

  find(name: string): CheckResult<Item> {
    const matches = this.#called(name);
    if (matches.length === 1) return { ok: true, value: matches[0]! };
    const entries = [...this.#byName.values()].flat();
    const keys = entries.filter(({ level }) => level === 0);
    if (matches.length > 1) {
      const meant = keys.filter(({ item }) => matches.includes(item)).map((each) => each.name);
      return { ok: false, problem: `"${name}" can be several ${this.#kind}s. Write ${meant.join(' or ')}` };
    }
    const meant = nearest(
      name,
      entries.map((each) => each.name),
    );
    const choices = keys.slice(0, 8).map((each) => each.name);
    const advice = meant === undefined ? `Known: ${choices.join(', ') || 'none'}` : `Did you mean ${meant}?`;
    return { ok: false, problem: `no ${this.#kind} is called "${name}". ${advice}` };
  }
}

/** Collects the rows of a world, and its problems. */
export class Draft {
  readonly rows: Row[] = [];
  readonly problems: WorldProblem[] = [];
  /** Each removes an ID that would be derived too. */
  readonly needlessIds: Array<() => void> = [];
  readonly now: number;
  readonly #read: ReadWhen;
  readonly #ids = new Set<string>();

  constructor(now: number, read: ReadWhen) {
    this.now = now;
    this.#read = read;
  }

  refuse(path: Path, message: string): void {
    this.problems.push({ path, message });
  }

  /** The ID in the entry, else one derived from `name`. */
  id(entry: Partial<Record<'id' | 'uuid', string | undefined>>, name: string, path: Path, field: 'id' | 'uuid' = 'id') {
    let derived = makeId(`seed/${name}`);
    for (let number = 2; this.#ids.has(derived); number++) derived = makeId(`seed/${name}/${number}`);
    const id = entry[field] ?? derived;
    if (this.#ids.has(id)) this.refuse([...path, field], 'is the ID of another record');
    if (entry[field] === derived) this.needlessIds.push(() => delete entry[field]);
    this.#ids.add(id);
    return id;
  }

  /** A time of the entry, else `otherwise`. */
  time(text: string | undefined, otherwise: number, path: Path, zone?: string): number {
    if (text === undefined) return otherwise;
    return this.checked(this.#read(text, this.now, zone), path) ?? otherwise;
  }

  timeOrNull(text: string | null | undefined, path: Path): string | null {
    return text === undefined || text === null ? null : timestamp(this.time(text, this.now, path));
  }

  /** The `created_at` and `updated_at` of an entry. Without its own, it was created at `otherwise`. */
  times(entry: { created?: string | undefined; updated?: string | undefined }, otherwise: number, path: Path) {
    const created = this.time(entry.created, otherwise, [...path, 'created']);
    const updated = this.time(entry.updated, created, [...path, 'updated']);
    return { created_at: timestamp(created), updated_at: timestamp(updated) };
  }

  checked<Value>(reading: CheckResult<Value>, path: Path): Value | undefined {
    if (reading.ok) return reading.value;
    this.refuse(path, reading.problem);
    return undefined;
  }

  find<Item>(names: Names<Item>, name: string, path: Path): Item | undefined {
    return this.checked(names.find(name), path);
  }

  add(table: string, entry: object, columns: Row['columns'], doc?: object): void {
    this.rows.push({ table, columns, entry, ...(doc === undefined ? {} : { doc: doc as Record<string, unknown> }) });
  }
}

/** Fields of the entry replace those of the record that have the same name. The entry can have others too. */
export const withFields = <Doc extends object>(
  doc: Doc,
  entry: { [Name in keyof Doc]?: Doc[Name] | undefined },
): Doc => {
  const given = Object.entries(entry).filter(([name, value]) => value !== undefined && Object.hasOwn(doc, name));
  return Object.assign(doc, Object.fromEntries(given));
};
