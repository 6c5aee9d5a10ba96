import { beforeAll, describe, expect, it } from 'vitest';
import { amara, eventType, openWorld, organization, parametersOf, pathOf, tomas, type World } from './world.ts';

const names = (types: Array<{ name: string }>) => types.map(({ name }) => name);

describe('event-types', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });

  it('need a user or an organization', async () => {
    const { status, body } = await world.get('/event_types', { active: 'true' });
    expect([status, parametersOf(body)]).toEqual([400, ['user', 'organization']]);
  });

  it('are listed by name, those shared with the user included', async () => {
    const types = await world.walk('/event_types', { user: tomas }, 'next_page_token').catch((error) => error.message);
    expect(types).toContain('Permission Denied');
    const own = await world.get('/event_types', { user: tomas }, { token: 'sandbox_user' });
    expect(names(own.body.collection)).toEqual(['Account check-in', 'Support call']);
  });

  it('can be narrowed to those that can be booked, or cannot', async () => {
    const inactive = await world.get('/event_types', { organization, active: 'false' });
    expect(names(inactive.body.collection)).toEqual(['Summer office hours']);
    const active = await world.walk('/event_types', { user: amara, active: 'true' });
    expect(active.every((type) => type.active)).toBe(true);
  });

  it('sort by position and time of creation', async () => {
    const byPosition = names(await world.walk('/event_types', { organization, sort: 'position' }));
    const newestFirst = names(await world.walk('/event_types', { organization, sort: 'created_at:desc' }));
    expect(byPosition[0]).toBe('Intro call');
    expect(newestFirst).toEqual(byPosition.reverse());
  });

  it('are got one by one', async () => {
    const { body } = await world.get(pathOf(eventType('open-workshop')), {}, { token: 'sandbox_user' });
    expect(body.resource).toMatchObject({ name: 'Open workshop', kind: 'group', duration: 60 });
    expect((await world.get('/event_types/NONE')).status).toBe(404);
  });
});
