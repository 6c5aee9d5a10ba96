import { beforeEach, describe, expect, it } from 'vitest';
import { amara, freeMonday, jonas, openWorld, organization, pathOf, type World } from '../world.ts';

describe('invitees', () => {
  let world: World;
  let path: string;
  beforeEach(async () => {
    world = await openWorld();
    const { body } = await world.book('open-workshop', `${freeMonday}T08:00:00Z`);
    path = pathOf(body.resource.uri);
    for (const name of ['Bea', 'Cyd', 'Dot']) {
      world.clock.time += 1000;
      const invitee = { email: `${name}@crew.example`, first_name: name, timezone: 'UTC' };
      await world.book('open-workshop', `${freeMonday}T08:00:00Z`, { invitee });
    }
  });

  it('are listed in booking order, or in reverse', async () => {
    const list = path.replace(/\/[^/]+$/, '');
    const namesBy = async (query: Record<string, string>) =>
      (await world.walk(list, { count: '2', ...query })).map(({ name }) => name);
    expect(await namesBy({})).toEqual(['Ada Lovelace', 'Bea', 'Cyd', 'Dot']);
    expect(await namesBy({ sort: 'created_at:desc' })).toEqual(['Dot', 'Cyd', 'Bea', 'Ada Lovelace']);
    expect(await namesBy({ email: 'cyd@crew.example' })).toEqual(['Cyd']);
    expect(await namesBy({ status: 'canceled' })).toEqual([]);
  });

  it('can only be read under their own event', async () => {
    expect((await world.get(path)).status).toBe(200);
    const [other] = (await world.get('/scheduled_events', { user: amara })).body.collection;
    const invitee = path.split('/').at(-1);
    expect((await world.get(`${pathOf(other.uri)}/invitees/${invitee}`)).status).toBe(404);
  });

  it('are hidden from users who are neither hosts nor admins', async () => {
    expect((await world.get(path, {}, { token: 'sandbox_user' })).status).toBe(403);
    expect((await world.get(path, {}, { token: 'sandbox_admin' })).status).toBe(200);
  });

  describe('no-show', () => {
    const mark = (id: string, token = 'sandbox_owner') => world.call('POST', `/invitees/${id}/no_show`, { token });

    it('marks the invitee, and answers 409 the second time', async () => {
      const id = path.split('/').at(-1)!;
      const before = (await world.get(path)).body.resource;
      const marked = await mark(id);
      const at = new Date(world.clock.time).toISOString();
      expect(marked.status).toBe(200);
      expect(marked.body.resource).toEqual({
        ...before,
        updated_at: at,
        no_show: { uri: expect.stringMatching(/\/invitee_no_shows\/[A-Z2-9]{16}$/), created_at: at },
      });
      expect((await world.get(path)).body.resource).toEqual(marked.body.resource);
      expect((await mark(id)).status).toBe(409);
    });

    it('requires an event that the caller can see', async () => {
      const [event] = (await world.get('/scheduled_events', { user: jonas, organization })).body.collection;
      const [invitee] = (await world.get(`${pathOf(event.uri)}/invitees`)).body.collection;
      expect((await mark(invitee.uri.split('/').at(-1), 'sandbox_user')).status).toBe(403);
    });
  });
});
