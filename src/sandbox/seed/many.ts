import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import type { SqlValue } from '../store/database.ts';
import { makeId } from '../store/names.ts';
import { newEvent, newInvitee } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { WorldEventType } from '../world/draft.ts';
import { reachDays } from './events.ts';
import invented from './invented.json' with { type: 'json' };

const slotMilliseconds = 30 * 60_000;

/** Rows per INSERT statement: a statement costs more than a row. */
const batch = 100;

/** Collects rows for one table; `flush` writes them. */
const gather = (store: Store, table: string, columns: readonly string[]) => {
  let rows: SqlValue[][] = [];
  const flush = () => {
    const marks = `(${columns.map(() => '?').join(', ')})`;
    const all = rows.map(() => marks).join(', ');
    if (rows.length > 0) store.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${all}`, ...rows.flat());
    rows = [];
  };
  return { add: (...row: SqlValue[]) => void rows.push(row), flush };
};

/** Drops the tables' indexes during the work and recreates them at the end: sorting once is faster. */
const withoutIndexes = (store: Store, tables: readonly string[], work: () => void) => {
  const indexes = store.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL
       AND tbl_name IN (${tables.map(() => '?').join(', ')})`,
    ...tables,
  );
  for (const { name } of indexes) store.exec(`DROP INDEX ${name}`);
  work();
  for (const { sql } of indexes) store.exec(sql);
};

/**
 * Adds a large number of events with one invitee each, all before the other events: one per host and half-hour, day and
 * night, going back in time. They are meant for volume, not realism.
 */
export const insertMany = (store: Store, hosted: WorldEventType[], now: number, count: number) => {
  const solo = hosted.filter(({ seats, type }) => seats === 1 && type.pooling_type === null && type.duration <= 30);
  const places = solo.flatMap((chosen) => chosen.hosts.slice(0, 1).map((host) => ({ chosen, host })));
  // One event type per host: two would give the host overlapping meetings.
  const turns = places.filter(({ host }, index) => places.findIndex((each) => each.host.id === host.id) === index);
  const last = Math.floor((now - (reachDays + 1) * day) / slotMilliseconds) * slotMilliseconds;
  const events = gather(store, 'events', ['id', 'doc', 'organization', 'event_type']);
  const hosts = gather(store, 'event_hosts', ['user', 'start_time', 'event']);
  const invitees = gather(store, 'invitees', ['id', 'doc', 'event']);
  // IDs have no order, so every insert touches other pages. The default cache of 2 MB would write each page many times.
  store.exec('PRAGMA cache_size = -262144');
  const addOne = (index: number) => {
    const { chosen, host } = turns[index % turns.length]!;
    const start = last - Math.floor(index / turns.length) * slotMilliseconds;
    const id = makeId(`seed/many/${index}`);
    const booked = start - 3 * day;
    const place = chosen.places[0];
    const event = newEvent({ id, type: chosen.type, hosts: [host.record], start, limit: 1, place, now: booked });
    event.invitees_counter = { total: 1, active: 1, limit: 1 };
    const invitee = makeId(`seed/many/invitee/${index}`);
    const person = invented.people[index % invented.people.length]!;
    events.add(id, JSON.stringify(event), idIn(host.record.current_organization), chosen.id);
    hosts.add(host.id, event.start_time, id);
    invitees.add(invitee, JSON.stringify(newInvitee({ id: invitee, event: id, person, now: booked })), id);
  };
  withoutIndexes(store, ['events', 'event_hosts', 'invitees'], () => {
    for (let index = 0; index < count; index++) {
      addOne(index);
      if (index % batch === batch - 1 || index === count - 1)
        for (const table of [events, hosts, invitees]) table.flush();
    }
  });
  store.exec('PRAGMA cache_size = -2000');
};
