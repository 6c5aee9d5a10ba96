import { copyFileSync, existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { once } from '../../../src/base/once.ts';
import { idIn } from '../../../src/base/uri.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { seed } from '../../../src/sandbox/seed/seed.ts';
import { openDatabase } from '../../../src/sandbox/store/database.ts';
import { migrations, recordTables } from '../../../src/sandbox/store/migrations.ts';
import { makeId, withOrigin } from '../../../src/sandbox/store/names.ts';
import {
  type EventTypeRecord,
  insertEvent,
  newEvent,
  newInvitee,
  type UserRecord,
  type WebhookRecord,
} from '../../../src/sandbox/store/records.ts';
import { openStore, type Store } from '../../../src/sandbox/store/store.ts';
import { seededFile } from '../../support/seeded.ts';
import { temporaryFile } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { amara, eventType, freeMonday, noon, openWorld, organization, pathOf } from '../world.ts';
import { seedStages } from './older-data.ts';

const dayLater = noon + 86_400_000;
const event = makeId('event/1');
const invitee = makeId('invitee/2');

/** A file of version 1: the first migration, the first seed stage, and one booking. Each test gets a copy. */
const templateOfOne = once(async (): Promise<string> => {
  const file = temporaryFile();
  const store = openStore(await openDatabase(file), migrations.slice(0, 1));
  store.transaction(() => {
    seedStages(store, 1);
    store.run('INSERT INTO tokens VALUES (?, ?, ?, NULL)', 'sandbox_owner', idIn(amara), '2025-02-04T12:00:00.000Z');
    const type = store.get<EventTypeRecord>('event_types', idIn(eventType('intro-call')))!;
    const start = Date.parse(`${freeMonday}T08:00:00Z`);
    const hosts = [store.get<UserRecord>('users', idIn(amara))!];
    const booked = newEvent({
      id: event,
      type,
      hosts,
      start,
      limit: 1,
      place: { kind: 'google_conference' },
      now: noon,
    });
    booked.invitees_counter = { total: 1, active: 1, limit: 1 };
    insertEvent(store, event, booked, {
      organization: idIn(organization),
      eventType: idIn(type.uri),
      hosts: [idIn(amara)],
    });
    const person = { email: 'ada@engine.example', name: 'Ada', first_name: 'Ada', last_name: null, timezone: 'UTC' };
    const { questions_and_answers: _, ...before } = newInvitee({ id: invitee, event, person, now: noon });
    store.insert('invitees', invitee, before, { event });
    for (const [position, answer] of [
      [1, 'Later'],
      [0, 'Engines'],
    ] as const)
      store.run('INSERT INTO answers VALUES (?, ?, ?, ?)', invitee, position, `Question ${position}`, answer);
    store.setFact('sequence', 2);
  });
  expect(store.all('PRAGMA user_version')).toEqual([{ user_version: 1 }]);
  store.close();
  return file;
});

const versionOne = async (name: string): Promise<string> => {
  const file = temporaryFile(name);
  copyFileSync(await templateOfOne(), file);
  return file;
};

/** A file of this version that was seeded at noon. Its clock is that of the computer. */
const seededStore = async () => {
  const store = openStore(await openDatabase(await seededFile(noon)));
  store.run("DELETE FROM meta WHERE key = 'clock_offset'");
  return store;
};

const everything = (store: Store, where: Record<string, string> = {}) =>
  store
    .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .map(({ name }) => [name, store.all(`SELECT * FROM "${name}" WHERE ${where[name] ?? '1'}`)]);

describe('migration', () => {
  it('upgrades a version 1 file, keeps its booking and adds the missing seed data', async () => {
    const file = await versionOne('one.db');
    const sandbox = await openSandbox({ file, clock: { now: () => dayLater } });
    expect(sandbox.seedAgeDays).toBe(1);
    sandbox.close();

    const world = await openWorld({ file });
    const kept = await world.get(`/scheduled_events/${event}/invitees/${invitee}`);
    expect(kept.body.resource).toMatchObject({
      email: 'ada@engine.example',
      questions_and_answers: [
        { question: 'Question 0', answer: 'Engines', position: 0 },
        { question: 'Question 1', answer: 'Later', position: 1 },
      ],
    });
    expect((await world.book('intro-call', `${freeMonday}T08:00:00Z`)).status).toBe(409);
    const next = await world.book('intro-call', `${freeMonday}T09:00:00Z`);
    expect(next.status).toBe(200);
    expect(pathOf(next.body.resource.event)).toBe(`/scheduled_events/${makeId('event/3')}`);
    for (const [path, query] of [
      ['/groups', { organization }],
      ['/group_relationships', { organization }],
      ['/organization_invitations', { organization }],
      ['/routing_forms', { organization }],
      ['/activity_log_entries', { organization }],
      ['/event_type_memberships', { event_type: eventType('support-call') }],
    ] as const)
      expect((await world.get(path, query)).body.collection.length, path).toBeGreaterThan(3);
    world.store.close();
  });

  it('results in the same data as a new file, apart from the booking', async () => {
    const file = await versionOne('same.db');
    (await openSandbox({ file, clock: { now: () => dayLater } })).close();
    const old = openStore(await openDatabase(file));
    const fresh = await seededStore();
    const seeded = {
      events: `id <> '${event}'`,
      event_hosts: `event <> '${event}'`,
      invitees: `id <> '${invitee}'`,
      meta: "key <> 'sequence'",
    };
    expect(everything(old, seeded)).toEqual(everything(fresh));
    old.close();
    fresh.close();
  });

  it('leaves a version 1 file, which can be upgraded, if it is killed before any statement', async () => {
    const file = await versionOne('killed.db');
    const database = await openDatabase(file);
    const left: string[] = [];
    const exec = (sql: string) => {
      const copy = temporaryFile(`killed-${left.length}.db`);
      for (const end of ['', '-wal']) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
      left.push(copy);
      database.exec(sql);
    };
    const whole = openStore({ ...database, exec });
    // Before each migration after the first one, and before the new version.
    expect(left).toHaveLength(migrations.length);
    for (const copy of sample(left, 3)) {
      const killed = await openDatabase(copy);
      expect(killed.first('PRAGMA user_version')).toEqual({ user_version: 1 });
      expect(everything(openStore(killed))).toEqual(everything(whole));
      killed.close();
    }
    whole.close();
  });

  it('upgrades a version 2 file, keeps its data and hashes its tokens', async () => {
    const file = temporaryFile('two.db');
    const store = openStore(await openDatabase(file), migrations.slice(0, 2));
    store.transaction(() => {
      seedStages(store, 2);
      store.run('INSERT INTO tokens VALUES (?, ?, ?, NULL)', 'sandbox_owner', idIn(amara), '2025-02-04T12:00:00.000Z');
      store.setFact('seed_stages', 2);
      store.setFact('note', 'kept');
    });
    store.close();
    (await openSandbox({ file, clock: { now: () => dayLater } })).close();
    const world = await openWorld({ file });
    expect(world.store.fact('note')).toBe('kept');
    expect((await world.get('/users/me')).body.resource.uri).toBe(amara);
    expect(JSON.stringify(world.store.all('SELECT * FROM access_tokens'))).not.toContain('sandbox_');
    expect(world.store.all("SELECT 1 FROM sqlite_master WHERE name = 'tokens'")).toEqual([]);
    world.store.close();
  });

  it('takes the origin out of the URIs of a version 8 file, and leaves the URLs of webhooks', async () => {
    const file = temporaryFile('eight.db');
    const old = openStore(await openDatabase(file), migrations.slice(0, 8));
    old.transaction(() => seed(old, noon));
    old.transaction(() => {
      for (const table of recordTables)
        for (const { id, doc } of old.all<{ id: string; doc: string }>(`SELECT id, doc FROM ${table}`))
          old.update(table, id, JSON.parse(withOrigin(doc, 'http://127.0.0.1:4010')));
    });
    const webhook = makeId('seed/webhook/https://hooks.northlight.example/crm');
    const callback_url = 'http://127.0.0.1:4010/hooks';
    old.update('webhooks', webhook, { ...old.get<WebhookRecord>('webhooks', webhook)!, callback_url });
    old.close();

    const store = openStore(await openDatabase(file));
    const kept = store.get<WebhookRecord>('webhooks', webhook)!;
    expect(kept.callback_url).toBe(callback_url);
    store.update('webhooks', webhook, { ...kept, callback_url: 'https://hooks.northlight.example/crm' });
    const fresh = await seededStore();
    expect(everything(store)).toEqual(everything(fresh));
    store.close();
    fresh.close();
  });

  it('runs once if two processes open the file', async () => {
    const file = await versionOne('twice.db');
    const clock = { now: () => dayLater };
    const [one, two] = await Promise.all([openSandbox({ file, clock }), openSandbox({ file, clock })]);
    one.close();
    two.close();
    const store = openStore(await openDatabase(file));
    expect(store.all('SELECT count(*) AS n FROM invitations')).toEqual([{ n: 8 }]);
    expect(store.fact('seed_stages')).toBe(4);
    store.close();
  });
});
