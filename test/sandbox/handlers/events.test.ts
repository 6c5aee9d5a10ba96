import { beforeEach, describe, expect, it } from 'vitest';
import type { SqlValue } from '../../../src/sandbox/store/database.ts';
import { makeId } from '../../../src/sandbox/store/names.ts';
import { amara, freeMonday, jonas, openWorld, organization, pathOf, tomas, uri, type World } from '../world.ts';

describe('events', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });

  it("lists the caller's events, earliest first", async () => {
    const events = await world.walk('/scheduled_events', { user: amara, count: '100' });
    expect(events.length).toBeGreaterThan(80);
    const hosts = (event: { event_memberships: Array<{ user: string }> }) => event.event_memberships.map((m) => m.user);
    expect(events.every((event) => hosts(event).includes(amara))).toBe(true);
    const starts = events.map(({ start_time }) => start_time);
    expect(starts).toEqual([...starts].sort());
  });

  it("lists the caller's own events without a user or an organization", async () => {
    const { status, body } = await world.get('/scheduled_events');
    expect(status).toBe(200);
    expect(body.collection).toEqual((await world.get('/scheduled_events', { user: amara })).body.collection);
  });

  it("lists another user's events only together with the organization", async () => {
    expect((await world.get('/scheduled_events', { user: tomas })).status).toBe(403);
    const { status, body } = await world.get('/scheduled_events', { user: tomas, organization });
    expect(status).toBe(200);
    expect(body.collection.length).toBeGreaterThan(5);
    const nobody = uri('users', 'NOBODY');
    expect((await world.get('/scheduled_events', { user: nobody, organization })).status).toBe(404);
  });

  it("lists the organization's events only for an admin or the owner", async () => {
    const statusFor = async (token: string, query: Record<string, string>) =>
      (await world.get('/scheduled_events', query, { token })).status;
    expect(await statusFor('sandbox_owner', { organization })).toBe(200);
    expect(await statusFor('sandbox_admin', { organization })).toBe(200);
    expect(await statusFor('sandbox_user', { organization })).toBe(403);
    expect(await statusFor('sandbox_user', { organization, user: amara })).toBe(403);
    expect(await statusFor('sandbox_user', { organization, user: tomas })).toBe(200);
    expect(await statusFor('sandbox_owner', { organization: uri('organizations', 'OTHER') })).toBe(403);
  });

  it('filters by status, time window and invitee', async () => {
    const all = await world.walk('/scheduled_events', { organization, count: '100' });
    const canceled = await world.walk('/scheduled_events', { organization, count: '100', status: 'canceled' });
    expect(canceled).toEqual(all.filter(({ status }) => status === 'canceled'));

    // Both ends of the window are the start of an event, the second in another format: inclusive and exclusive.
    const [from, until] = [all[40].start_time, all[90].start_time];
    const offset = `${new Date(Date.parse(until) + 3_600_000).toISOString().slice(0, 19)}+01:00`;
    const window = await world.walk('/scheduled_events', {
      organization,
      min_start_time: from,
      max_start_time: offset,
    });
    expect(window).toEqual(all.filter(({ start_time }) => from <= start_time && start_time < until));

    // This is the year 10000 in UTC.
    const never = '9999-12-31T23:59:59-05:00';
    expect(await world.walk('/scheduled_events', { organization, count: '100', max_start_time: never })).toEqual(all);
    expect(await world.walk('/scheduled_events', { organization, min_start_time: never })).toEqual([]);

    const invited = await world.walk('/scheduled_events', {
      organization,
      invitee_email: 'Grace.Hall@redwood.example',
    });
    expect(invited.length).toBeGreaterThan(0);
    for (const event of invited) {
      const { body } = await world.get(`${pathOf(event.uri)}/invitees`, { email: 'grace.hall@redwood.example' });
      expect(body.collection).toHaveLength(1);
    }
  });

  it('lists the events of a group', async () => {
    const group = uri('groups', makeId('seed/group/Product team'));
    const events = await world.walk('/scheduled_events', { group });
    const members = ['priya', 'mei', 'elif'].map((key) => uri('users', makeId(`seed/user/${key}`)));
    expect(events.length).toBeGreaterThan(20);
    for (const { event_memberships: hosts } of events)
      expect(hosts.some(({ user }: { user: string }) => members.includes(user))).toBe(true);
    expect((await world.get('/scheduled_events', { group: uri('groups', 'NONE') })).status).toBe(404);
    expect((await world.get('/scheduled_events', { group }, { token: 'sandbox_user' })).status).toBe(403);
  });

  const [byStart, byStatus] = ['events_by_start', 'events_by_status'].map((name) => `SEARCH e USING INDEX ${name}`);
  const byInvitee = 'SEARCH e USING INDEX sqlite_autoindex_events_1 (id=?)';
  it.each<[query: Record<string, string>, search: string]>([
    [{ organization }, `${byStart} (organization=?)`],
    [{ organization, min_start_time: freeMonday }, `${byStart} (organization=? AND start_time>?)`],
    [{ organization, sort: 'start_time:desc' }, `${byStart} (organization=?)`],
    [{ user: jonas, organization }, 'SEARCH h USING PRIMARY KEY (user=?)'],
    [{ user: jonas, organization, min_start_time: freeMonday }, 'SEARCH h USING PRIMARY KEY (user=? AND start_time>?)'],
    [{ organization, status: 'canceled' }, `${byStatus} (organization=? AND status=?)`],
    [
      { organization, status: 'active', min_start_time: freeMonday },
      `${byStatus} (organization=? AND status=? AND start_time>?)`,
    ],
    [{ organization, invitee_email: 'nobody@nowhere.example' }, byInvitee],
    [{ organization, invitee_email: 'nobody@nowhere.example', status: 'canceled' }, byInvitee],
    [{ user: jonas, organization, invitee_email: 'nobody@nowhere.example' }, byInvitee],
  ])('finds what %o asks for through an index', async (query, search) => {
    const { store } = world;
    const { first } = store;
    const plans: string[] = [];
    store.first = <Row>(sql: string, ...values: SqlValue[]) => {
      if (sql.includes('group_concat'))
        plans.push(
          ...store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => detail),
        );
      return first<Row>(sql, ...values);
    };
    const time = (value: string) => (value === freeMonday ? `${value}T00:00:00Z` : value);
    const asked = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, time(value)]));
    expect((await world.get('/scheduled_events', asked)).status).toBe(200);
    store.first = first;
    expect(plans).toContain(search);
    // The inner query is scanned once it is made.
    expect(plans.filter((detail) => /^SCAN (?!\(subquery)/.test(detail))).toEqual([]);
  });

  it('shows an event to its hosts, admins and the owner', async () => {
    const [event] = (await world.get('/scheduled_events', { user: jonas, organization })).body.collection;
    const path = pathOf(event.uri);
    expect((await world.get(path)).body.resource).toEqual(event);
    expect((await world.get(path, {}, { token: 'sandbox_admin' })).status).toBe(200);
    expect((await world.get(path, {}, { token: 'sandbox_user' })).status).toBe(403);
    expect((await world.get('/scheduled_events/NOWHERE')).body.title).toBe('Resource Not Found');
  });

  describe('cancel', () => {
    it('cancels the event and its invitees, and stores the reason', async () => {
      await world.book('open-workshop', `${freeMonday}T08:00:00Z`);
      const second = { email: 'grace@hopper.example', name: 'Grace Hopper', timezone: 'UTC' };
      const { body } = await world.book('open-workshop', `${freeMonday}T08:00:00Z`, { invitee: second });
      const path = pathOf(body.resource.event);
      world.clock.time += 60_000;
      const canceled = await world.call('POST', `${path}/cancellation`, { body: { reason: 'Rain' } });
      expect(canceled.status).toBe(200);
      expect(canceled.body.resource).toMatchObject({
        status: 'canceled',
        updated_at: '2026-03-11T12:01:00.000Z',
        invitees_counter: { total: 2, active: 0, limit: 8 },
      });
      expect((await world.get(path)).body.resource).toEqual(canceled.body.resource);
      const invitees = await world.walk(`${path}/invitees`, {});
      expect(invitees.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
      expect(world.store.all('SELECT reason FROM cancellations WHERE event = ?', path.split('/')[2]!)).toEqual([
        { reason: 'Rain' },
      ]);
    });

    it('answers 409 the second time', async () => {
      const [event] = (await world.get('/scheduled_events', { user: amara, status: 'active' })).body.collection;
      const path = `${pathOf(event.uri)}/cancellation`;
      expect((await world.call('POST', path)).status).toBe(200);
      const again = await world.call('POST', path, { body: {} });
      expect([again.status, again.body.title]).toEqual([409, 'Already Exists']);
    });

    it('frees the slot', async () => {
      const start = `${freeMonday}T08:00:00Z`;
      const { body } = await world.book('intro-call', start);
      expect((await world.book('intro-call', start)).status).toBe(409);
      await world.call('POST', `${pathOf(body.resource.event)}/cancellation`);
      expect((await world.book('intro-call', start)).status).toBe(200);
    });

    it('requires a host, an admin or the owner', async () => {
      const [event] = (await world.get('/scheduled_events', { user: jonas, organization, status: 'active' })).body
        .collection;
      const path = `${pathOf(event.uri)}/cancellation`;
      expect((await world.call('POST', path, { token: 'sandbox_user' })).status).toBe(403);
      expect((await world.call('POST', '/scheduled_events/NOWHERE/cancellation')).status).toBe(404);
      expect((await world.get(pathOf(event.uri))).body.resource.status).toBe('active');
    });
  });
});
