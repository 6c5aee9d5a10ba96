import { beforeEach, describe, expect, it } from 'vitest';
import { amara, freeMonday, noon, openWorld, organization, parametersOf, pathOf, type World } from '../world.ts';

describe('activity', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  const list = (query: Record<string, string> = {}, asked = {}) =>
    world.get('/activity_log_entries', { organization, ...query }, asked);
  const walk = (query: Record<string, string> = {}) => world.walk('/activity_log_entries', { organization, ...query });

  it('lists the last weeks, newest first', async () => {
    const entries = await walk({ count: '30' });
    expect(entries.length).toBeGreaterThan(130);
    const times = entries.map(({ occurred_at }) => occurred_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(Date.parse(times[0])).toBeLessThanOrEqual(noon);
    expect(await walk({ count: '30', sort: 'occurred_at' })).toEqual([...entries].reverse());
    for (const { namespace, action, fully_qualified_name } of entries)
      expect(fully_qualified_name).toBe(`${namespace}.${action}`);
  });

  it('filters by action, namespace and time', async () => {
    const all = await walk({ count: '100' });
    const updates = await walk({ action: 'Update' });
    expect(updates).toEqual(all.filter(({ action }) => action === 'Update'));
    expect(updates.length).toBeGreaterThan(5);
    const types = await walk({ action: 'Update', namespace: 'EventType' });
    expect(types).toEqual(updates.filter(({ namespace }) => namespace === 'EventType'));
    const [until, from] = [all[10].occurred_at, all[60].occurred_at];
    const window = await walk({ min_occurred_at: from, max_occurred_at: until });
    expect(window).toEqual(all.filter(({ occurred_at }) => from <= occurred_at && occurred_at < until));
    expect((await list({ action: 'Fly' })).body.collection).toEqual([]);
    expect(parametersOf((await list({ min_occurred_at: 'yesterday' })).body)).toEqual(['min_occurred_at']);
  });

  it('logs every change with its actor', async () => {
    const { body } = await world.book('intro-call', `${freeMonday}T08:00:00Z`);
    const { event, uri: invitee } = body.resource;
    expect(await world.lastActivity()).toMatchObject({
      fully_qualified_name: 'ScheduledEvent.Book',
      organization,
      actor: { uri: amara, type: 'User', display_name: 'Amara Lindqvist' },
      details: { event, name: 'Intro call' },
      occurred_at: '2026-03-11T12:00:00.000Z',
    });
    world.clock.time += 1000;
    await world.call('POST', `/invitees/${invitee.split('/').at(-1)}/no_show`, { token: 'sandbox_admin' });
    expect(await world.lastActivity()).toMatchObject({
      fully_qualified_name: 'Invitee.MarkNoShow',
      actor: { display_name: 'Jonas Weber', organization: { role: 'admin' } },
      details: { invitee },
    });
    world.clock.time += 1000;
    await world.call('POST', `${pathOf(event)}/cancellation`);
    expect(await world.lastActivity()).toMatchObject({
      fully_qualified_name: 'ScheduledEvent.Cancel',
      details: { event },
    });
    expect(JSON.stringify(await walk({ count: '100' }))).not.toMatch(/engine\.example/);
  });

  it('does not log refused requests', async () => {
    const before = await walk();
    await world.book('intro-call', `${freeMonday}T02:00:00Z`);
    expect(await walk()).toEqual(before);
  });

  it.each(['trial', 'free', 'standard'] as const)('is not available on the %s plan', async (plan) => {
    world.setPlan(plan);
    const { status, body } = await list();
    expect([status, body.title]).toEqual([403, 'Permission Denied']);
    expect(body.message).toContain('upgrade to Enterprise');
    expect((await world.get('/groups', { organization })).status).toBe(200);
  });
});
