import { beforeAll, describe, expect, it } from 'vitest';
import { group, membership, openWorld, organization, parametersOf, pathOf, uri, type World } from '../world.ts';

const asUser = { token: 'sandbox_user' };

describe('groups', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });

  it('are listed by name', async () => {
    const groups = await world.walk('/groups', { organization, count: '3' });
    expect(groups.map(({ name }) => name)).toEqual(['Berlin office', 'Customer team', 'Leadership', 'Product team']);
    expect((await world.get('/groups', { organization }, asUser)).status).toBe(200);
  });

  it('can be read by ID', async () => {
    const { body } = await world.get(pathOf(group('Leadership')));
    expect(body.resource).toMatchObject({ uri: group('Leadership'), name: 'Leadership', organization });
  });

  describe('relationships', () => {
    const list = (query: Record<string, string>, asked = {}) => world.get('/group_relationships', query, asked);

    it('can be listed by organization, member or group', async () => {
      const all = await world.walk('/group_relationships', { organization, count: '5' });
      expect(all).toHaveLength(12);
      expect(new Set(all.map((each) => each.uri)).size).toBe(12);
      const ofGroup = (await list({ group: group('Customer team') })).body.collection;
      expect(ofGroup).toHaveLength(4);
      expect(ofGroup.filter(({ role }: { role: string }) => role === 'admin')).toMatchObject([
        { owner: { type: 'OrganizationMembership', uri: membership('sam'), name: 'Sam Whitaker' } },
      ]);
      const ofMember = await world.walk('/group_relationships', { owner: membership('jonas') });
      expect(ofMember.map((each) => each.group).sort()).toEqual([group('Berlin office'), group('Leadership')].sort());
      expect((await list({ organization }, asUser)).status).toBe(200);
    });

    it('require exactly one of the three filters', async () => {
      expect(parametersOf((await list({})).body)).toEqual(['organization', 'owner', 'group']);
      const both = await list({ organization, group: group('Leadership') });
      expect([both.status, parametersOf(both.body)]).toEqual([400, ['organization', 'group']]);
      const wrong = await list({ owner: uri('users', 'X') });
      expect([wrong.status, parametersOf(wrong.body)]).toEqual([400, ['owner']]);
    });

    it('can be read by ID', async () => {
      const [first] = (await list({ organization })).body.collection;
      expect((await world.get(pathOf(first.uri))).body.resource).toEqual(first);
    });
  });
});
