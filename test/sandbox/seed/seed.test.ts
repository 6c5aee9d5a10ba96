import { beforeAll, describe, expect, it } from 'vitest';
import { locationKinds } from '../../../src/api/locations.ts';
import { openClock } from '../../../src/sandbox/clock/sandbox-clock.ts';
import { seed } from '../../../src/sandbox/seed/seed.ts';
import { openDatabase } from '../../../src/sandbox/store/database.ts';
import { recordTables } from '../../../src/sandbox/store/migrations.ts';
import { openStore, type Store } from '../../../src/sandbox/store/store.ts';
import { sample } from '../../support/tier.ts';
import { amara, noon, openWorld, organization, pathOf, system, type World } from '../world.ts';

const everything = (store: Store) =>
  store
    .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .map(({ name }) => [name, store.all(`SELECT * FROM "${name}"`)]);

describe('seed', () => {
  let world: World;
  // biome-ignore lint/suspicious/noExplicitAny: records as they come off the wire
  let events: any[];
  // biome-ignore lint/suspicious/noExplicitAny: records as they come off the wire
  let invitees: any[];
  beforeAll(async () => {
    world = await openWorld();
    events = await world.walk('/scheduled_events', { organization, count: '100' });
    invitees = (await Promise.all(events.map(({ uri }) => world.walk(`${pathOf(uri)}/invitees`, {})))).flat();
  });

  it('creates the same data for the same time', async () => {
    const again = openStore(await openDatabase(':memory:'));
    again.transaction(() => seed(again, noon));
    openClock(again, system).set(noon);
    expect(everything(again)).toEqual(everything(world.store));
  });

  it('fills every table of records except shares, which only users create', () => {
    const isEmpty = (table: string) => world.store.all(`SELECT 1 FROM ${table} LIMIT 1`).length === 0;
    expect(recordTables.filter(isEmpty)).toEqual(['shares']);
  });

  it('has no table of records that migrations.ts does not list', () => {
    const tables = world.store.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    // Only a mirror has records in `sent`.
    const hasDoc = ({ name }: { name: string }) =>
      name !== 'sent' &&
      world.store.all<{ name: string }>(`PRAGMA table_info("${name}")`).some((column) => column.name === 'doc');
    expect(tables.filter(hasDoc).map(({ name }) => name)).toEqual(expect.arrayContaining([...recordTables]));
    expect(tables.filter(hasDoc)).toHaveLength(recordTables.length);
  });

  it('covers six weeks before and after, with a third of the events for the default user', async () => {
    expect(events.length).toBeGreaterThan(250);
    expect(events.length).toBeLessThan(380);
    const mine = await world.walk('/scheduled_events', { user: amara, count: '100' });
    expect(mine.length).toBeGreaterThan(85);
    const days = events.map(({ start_time }) => (Date.parse(start_time) - noon) / 86_400_000);
    expect(Math.min(...days)).toBeLessThan(-38);
    expect(Math.max(...days)).toBeGreaterThan(38);
  });

  it('has no overlapping meetings for a host', () => {
    const overlaps = world.store.all(
      `SELECT a.event FROM event_hosts a JOIN events x ON x.id = a.event
       JOIN event_hosts b ON b.user = a.user AND b.event <> a.event AND b.start_time >= a.start_time
       WHERE b.start_time < x.end_time`,
    );
    expect(overlaps).toEqual([]);
  });

  it('contains every status and every kind of location', () => {
    const kinds = new Set(events.map(({ location }) => location.type));
    expect([...kinds].sort()).toEqual([...locationKinds].sort());
    const some = (test: (invitee: Record<string, unknown>) => unknown) => invitees.filter(test).length;
    expect(events.filter(({ status }) => status === 'canceled').length).toBeGreaterThan(20);
    expect(events.some((event) => event.meeting_notes_plain)).toBe(true);
    expect(some(({ no_show }) => no_show)).toBeGreaterThan(5);
    expect(some(({ payment }) => payment)).toBeGreaterThan(3);
    expect(some(({ text_reminder_number }) => text_reminder_number)).toBeGreaterThan(5);
    expect(some(({ tracking }) => (tracking as { utm_source: string }).utm_source)).toBeGreaterThan(5);
  });

  it('links rescheduled invitees to each other', () => {
    const byUri = new Map(invitees.map((invitee) => [invitee.uri, invitee]));
    const moved = invitees.filter(({ rescheduled }) => rescheduled);
    expect(moved.length).toBeGreaterThan(5);
    for (const { uri, email, status, new_invitee } of moved) {
      expect(status).toBe('canceled');
      expect(byUri.get(new_invitee)).toMatchObject({ old_invitee: uri, email });
    }
  });

  it('has correct invitee counts and no timestamps in the future', () => {
    for (const { uri, status, invitees_counter, created_at, updated_at } of events) {
      const guests = invitees.filter(({ event }) => event === uri);
      const active = guests.filter((guest) => guest.status === 'active').length;
      expect(invitees_counter).toMatchObject({ total: guests.length, active });
      expect(active <= invitees_counter.limit && (status === 'active') === active > 0).toBe(true);
      expect(created_at <= updated_at && Date.parse(updated_at) <= noon).toBe(true);
    }
    expect(invitees.every(({ updated_at, created_at }) => created_at <= updated_at)).toBe(true);
    expect(invitees.every(({ updated_at }) => Date.parse(updated_at) <= noon)).toBe(true);
  });

  it.each(sample(['2026-01-01T00:00:00Z', '2026-03-29T01:30:00Z', '2027-08-14T23:59:59Z'], 1))(
    'is consistent when seeded at %s',
    async (moment) => {
      const store = openStore(await openDatabase(':memory:'));
      store.transaction(() => seed(store, Date.parse(moment)));
      const [found] = store.all(
        `SELECT (SELECT count(DISTINCT doc ->> '$.location.type') FROM events) AS kinds,
              (SELECT count(*) FROM events) BETWEEN 250 AND 380 AS enough,
              (SELECT count(*) FROM invitees WHERE doc ->> 'created_at' > doc ->> 'updated_at') AS backwards,
              (SELECT count(*) FROM activity) BETWEEN 130 AND 180 AS active,
              (SELECT count(*) FROM submissions) AS submissions,
              (SELECT count(*) FROM (SELECT doc ->> 'updated_at' AS at FROM invitees
                UNION ALL SELECT doc ->> 'updated_at' FROM submissions
                UNION ALL SELECT doc ->> 'updated_at' FROM invitations
                UNION ALL SELECT occurred_at FROM activity) WHERE at > ?) AS early`,
        new Date(moment).toISOString(),
      );
      expect(found).toEqual({
        kinds: locationKinds.length,
        enough: 1,
        backwards: 0,
        active: 1,
        submissions: 61,
        early: 0,
      });
    },
  );

  it('has names in many scripts and addresses that cannot exist', () => {
    const names = invitees.map(({ name }) => name).join(' ');
    const scripts = ['Latin', 'Greek', 'Cyrillic', 'Arabic', 'Hebrew', 'Han', 'Hangul', 'Devanagari', 'Thai'];
    for (const script of scripts) expect(names, script).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
    expect(names).toMatch(/\p{Extended_Pictographic}/u);
    expect(invitees.every(({ email }) => email.endsWith('.example'))).toBe(true);
  });
});
