import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { carryOutDeletions, isDeletionDue } from '../../../src/sandbox/rules/deletion.ts';
import type { SqlValue } from '../../../src/sandbox/store/database.ts';
import type { Store } from '../../../src/sandbox/store/store.ts';
import { anyAddress, noAddress } from '../../support/addresses.ts';
import { runs } from '../../support/tier.ts';
import { at, openWorld, organization, parametersOf, pathOf, type World } from '../world.ts';

const week = 7 * 86_400_000;

describe('compliance', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  const remove = (emails: unknown, token = 'sandbox_owner') =>
    world.call('POST', '/data_compliance/invitee_deletion', { body: { emails }, token });
  /** Whether any row of any table contains the text. */
  const isKept = (words: RegExp) =>
    world.store
      .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .some(({ name }) => words.test(JSON.stringify(world.store.all(`SELECT * FROM "${name}"`))));

  it('accepts a request at once and deletes the data 7 days later', async () => {
    const { body } = await world.book('consultation', at('08:00'), {
      location: { kind: 'outbound_call', location: '+1 555 0100' },
      tracking: { utm_source: 'letter', crm_uuid: 'crm-7' },
      custom_questions: [{ question: 'What would you like to talk about?', answer: 'My secret', position: 0 }],
    });
    const path = pathOf(body.resource.uri);
    const accepted = await remove(['ADA@engine.example']);
    expect([accepted.status, accepted.body]).toEqual([202, {}]);

    world.clock.time += week - 1000;
    expect((await world.get(path)).body.resource.email).toBe('ada@engine.example');
    world.clock.time += 1000;
    const { resource } = (await world.get(path)).body;
    expect(resource).toMatchObject({
      uri: body.resource.uri,
      email: `deleted-${path.split('/').at(-1)!.toLowerCase()}@deleted.invalid`,
      name: 'Deleted invitee',
      first_name: 'Deleted',
      last_name: 'invitee',
      timezone: null,
      status: 'active',
      tracking: { utm_source: null, crm_uuid: null },
      updated_at: '2026-03-18T12:00:00.000Z',
    });
    expect((await world.get(pathOf(resource.event))).body.resource.location).toMatchObject({
      type: 'outbound_call',
      location: null,
    });
    const found = await world.get('/scheduled_events', { organization, invitee_email: 'ada@engine.example' });
    expect(found.body.collection).toEqual([]);
  });

  it("deletes a person's bookings, payments and routing form submissions, and no one else's", async () => {
    const gone = ['grace.hall@redwood.example', 'zoe.mueller@lindenbaum.example', 'noa.levi@gefen.example'];
    expect(isKept(/grace\.hall@redwood/)).toBe(true);
    const count = () => world.store.all('SELECT count(*) AS n FROM invitees')[0];
    const before = count();
    const theirs = world.store.all<{ event: string }>(
      "SELECT DISTINCT event FROM invitees WHERE doc ->> 'email' IN (?, ?, ?)",
      ...gone,
    );
    expect(theirs.length).toBeGreaterThan(5);
    await remove([...gone, gone[0], 'nobody@nowhere.example']);
    world.clock.time += week + 3_600_000;
    await world.get('/users/me');
    expect(isKept(new RegExp(gone.join('|'), 'i'))).toBe(false);
    expect(isKept(/bjork@geysir\.example/)).toBe(true);
    expect(count()).toEqual(before);
    // The test world also checks that every reply still matches its row.
    const forms = await world.walk('/routing_forms', { organization });
    const submissions = [];
    for (const { uri } of forms) submissions.push(...(await world.walk('/routing_form_submissions', { form: uri })));
    expect(submissions.some((each) => each.questions_and_answers[1].answer === 'Deleted')).toBe(true);
    await world.walk('/scheduled_events', { organization, count: '100' });
    for (const { event } of theirs) await world.walk(`/scheduled_events/${event}/invitees`, {});
  });

  it('ignores the case of addresses in bookings and answers', async () => {
    await world.book('consultation', at('08:00'), {
      invitee: { email: 'Ada@Engine.Example', name: 'Ada', timezone: 'UTC' },
    });
    const [answer] = world.store.all<{ id: string; place: string; text: string }>(
      `SELECT s.id, a.fullkey AS place, a.value ->> 'answer' AS text
       FROM submissions s, json_each(s.doc, '$.questions_and_answers') a WHERE a.value ->> 'answer' LIKE '%@%' LIMIT 1`,
    );
    const { id, place, text } = answer!;
    world.store.run(
      `UPDATE submissions SET doc = json_set(doc, ? || '.answer', ?) WHERE id = ?`,
      place,
      text.toUpperCase(),
      id,
    );
    await remove(['ADA@engine.example', text]);
    world.clock.time += week;
    await world.get('/users/me');
    expect(isKept(/ada@engine\.example/i)).toBe(false);
    expect(isKept(new RegExp(text.toUpperCase()))).toBe(false);
  });

  it('ignores the case of non-ASCII addresses', async () => {
    const invitee = { email: 'ÜNAL@BÜCHER.example', name: 'Ü', timezone: 'UTC' };
    const booked = await world.book('consultation', at('08:00'), { invitee });
    expect(booked.body.resource.email).toBe(invitee.email);
    const other = { ...invitee, email: 'Özil@bücher.example' };
    await world.book('consultation', at('10:00'), { invitee: other });
    const [{ id }] = world.store.all<{ id: string }>('SELECT id FROM submissions LIMIT 1') as [{ id: string }];
    world.store.run(
      `UPDATE submissions SET doc = json_set(doc, '$.questions_and_answers[1].answer', 'Ünal@Bücher.example') WHERE id = ?`,
      id,
    );
    await remove(['ünal@bücher.example']);
    world.clock.time += week;
    await world.get('/users/me');
    expect(isKept(/ünal@bücher\.example/i)).toBe(false);
    expect(isKept(/Özil@bücher\.example/)).toBe(true);
  });

  it('validates addresses like the client', async () => {
    const lists = fc.array(anyAddress, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(lists, async (emails) => {
        expect((await remove(emails)).status).toBe(202);
      }),
      runs(6, 30),
    );
    await fc.assert(
      fc.asyncProperty(noAddress, async (text) => {
        expect((await remove([text])).status).toBe(400);
      }),
      runs(20, 100),
    );
  });

  it('logs the request and the deletion, without addresses', async () => {
    await remove(['grace.hall@redwood.example', 'nobody@nowhere.example']);
    expect(await world.lastActivity()).toMatchObject({
      fully_qualified_name: 'InviteeData.RequestDeletion',
      details: { addresses: 2 },
    });
    world.clock.time += week;
    const done = await world.lastActivity();
    expect(done).toMatchObject({ fully_qualified_name: 'InviteeData.Delete', actor: { type: 'System' } });
    expect(done.details.invitees).toBeGreaterThan(0);
    const entries = await world.walk('/activity_log_entries', { organization, namespace: 'InviteeData' });
    expect(entries).toHaveLength(2);
    expect(JSON.stringify(entries)).not.toMatch(/redwood|nowhere/);
  });

  it('names invalid addresses', async () => {
    expect(parametersOf((await remove(['grace.hall@redwood.example', 'grace'])).body)).toEqual(['emails[1]']);
    expect(parametersOf((await remove([])).body)).toEqual(['emails']);
    expect(parametersOf((await remove(undefined)).body)).toEqual(['emails']);
  });

  it('requires an admin or the owner, and the Enterprise plan', async () => {
    const emails = ['grace.hall@redwood.example'];
    expect((await remove(emails, 'sandbox_user')).status).toBe(403);
    expect((await remove(emails, 'sandbox_admin')).status).toBe(202);
    world.setPlan('standard');
    const { status, body } = await remove(emails);
    expect([status, body.title]).toEqual([403, 'Permission Denied']);
    expect(body.message).toContain('upgrade to Enterprise');
  });

  it('runs once if two processes share a file', async () => {
    const other = await openWorld({ file: world.file });
    await remove(['grace.hall@redwood.example']);
    world.clock.time += week;
    other.clock.time += week;
    await Promise.all([world.get('/users/me'), other.get('/users/me')]);
    const entries = await world.walk('/activity_log_entries', { organization, action: 'Delete' });
    expect(entries).toHaveLength(1);
    expect(world.store.all('SELECT * FROM deletions')).toEqual([]);
    other.store.close();
  });

  it('finds due deletions through an index', () => {
    const asked: { sql: string; values: SqlValue[] }[] = [];
    const noting =
      <Answer>(ask: (sql: string, ...values: SqlValue[]) => Answer) =>
      (sql: string, ...values: SqlValue[]): Answer => {
        asked.push({ sql, values });
        return ask(sql, ...values);
      };
    const { store, clock } = world;
    const watched = { ...store, first: noting(store.first), all: noting(store.all) } as Store;
    expect(isDeletionDue({ ...watched, recall: (_, read) => read() }, clock.time)).toBe(false);
    carryOutDeletions(watched, clock.time);
    expect(asked).toHaveLength(2);
    for (const { sql, values } of asked) {
      const plan = store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => detail);
      expect(plan.join('\n')).toMatch(/SEARCH deletions USING (COVERING )?INDEX deletions_by_time/);
      expect(plan.join('\n')).not.toMatch(/TEMP B-TREE/);
    }
  });
});
