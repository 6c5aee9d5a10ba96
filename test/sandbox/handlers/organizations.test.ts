import { beforeAll, describe, expect, it } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import { lastPage } from '../../spec/transcript.ts';
import {
  amara,
  jonas,
  membership,
  openWorld,
  organization,
  parametersOf,
  pathOf,
  tomas,
  user,
  type World,
} from '../world.ts';

const asUser = { token: 'sandbox_user' };

describe('organizations', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });

  it("shows the caller's organization to all members", async () => {
    const { body } = await world.get(pathOf(organization), {}, asUser);
    expect(body.resource).toMatchObject({ uri: organization, kind: 'team', plan: 'enterprise', stage: 'active' });
  });

  it('lets members see each other', async () => {
    expect((await world.get(pathOf(amara), {}, asUser)).body.resource).toMatchObject({ uri: amara });
  });

  describe('members', () => {
    const list = (query: Record<string, string>, asked = {}) => world.get('/organization_memberships', query, asked);
    const names = (body: { collection: Array<{ user: { name: string } }> }) =>
      body.collection.map((member) => member.user.name);

    it('are listed in the order they joined', async () => {
      const members = await world.walk('/organization_memberships', { organization, count: '4' });
      expect(members).toHaveLength(9);
      expect(members[0]).toMatchObject({ uri: membership('amara'), role: 'owner', user: { uri: amara }, organization });
      const joined = members.map(({ created_at }) => created_at);
      expect(joined).toEqual([...joined].sort());
    });

    it('can be filtered by user, role or address', async () => {
      expect(names((await list({ organization, user: tomas })).body)).toEqual(['Tomás Ferreira']);
      expect(names((await list({ organization, role: 'admin' })).body)).toEqual(['Jonas Weber', 'Priya Raman']);
      expect(names((await list({ organization, email: 'Mei.Tanaka@northlight.example' })).body)).toEqual([
        'Mei Tanaka',
      ]);
      expect((await list({ organization, role: 'user', user: jonas })).body.collection).toEqual([]);
      expect(parametersOf((await list({ organization, role: 'boss' })).body)).toEqual(['role']);
      expect(parametersOf((await list({ organization, sort: 'created_at' })).body)).toEqual(['sort']);
    });

    it("are those of the caller's organization if no user and no organization is given", async () => {
      expect((await list({})).body.collection).toEqual((await list({ organization })).body.collection);
    });

    it("require an admin or the owner, except for the caller's own", async () => {
      expect((await list({ organization }, asUser)).status).toBe(403);
      expect((await list({ user: amara, organization }, asUser)).status).toBe(403);
      expect(names((await list({ user: tomas }, asUser)).body)).toEqual(['Tomás Ferreira']);
      expect((await list({}, asUser)).status).toBe(403);
    });

    it('can be read by ID', async () => {
      const { body } = await world.get(pathOf(membership('tomas')), {}, asUser);
      expect(body.resource).toMatchObject({ uri: membership('tomas'), role: 'user', user: { uri: tomas } });
      expect((await world.get(pathOf(membership('amara')), {}, asUser)).status).toBe(403);
      expect((await world.get(pathOf(membership('tomas')))).body).toEqual(body);
    });
  });

  describe('invitations', () => {
    const list = (query: Record<string, string>, asked = {}) => world.get('/organization_invitations', query, asked);

    it('are listed in the order they were created, with every status', async () => {
      const all = await world.walk('/organization_invitations', { organization, count: '3' });
      expect(all).toHaveLength(8);
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['pending', 'accepted', 'declined']));
      const newest = await world.walk('/organization_invitations', { organization, sort: 'created_at:desc' });
      expect(newest).toEqual([...all].reverse());
      expect(all[0]).toMatchObject({ status: 'accepted', user: user('lucia'), name: 'Northlight Advisory' });
    });

    it('can be filtered by status or address', async () => {
      const pending = await list({ organization, status: 'pending' });
      expect(pending.body.collection).toHaveLength(4);
      const one = await list({ organization, email: 'RAJ.patel@northlight.example' });
      expect(one.body.collection).toMatchObject([{ email: 'raj.patel@northlight.example', status: 'pending' }]);
      expect(parametersOf((await list({ organization, status: 'lost', email: 'x' })).body).sort()).toEqual([
        'email',
        'status',
      ]);
    });
  });

  describe('removing a member', () => {
    it('ends access and groups, and keeps the events', async () => {
      const world = await openWorld();
      const own = await world.get('/scheduled_events', { user: tomas, organization });
      const path = new URL(membership('tomas')).pathname;
      expect((await world.call('DELETE', path)).status).toBe(204);
      expect((await world.get('/users/me', {}, asUser)).status).toBe(401);
      expect((await world.get(path)).status).toBe(404);
      const { body } = await world.get('/group_relationships', { organization, count: '100' });
      expect(JSON.stringify(body)).not.toContain(membership('tomas'));
      const kept = await world.get('/scheduled_events', { user: tomas, organization });
      expect(kept.body.pagination.count).toBe(own.body.pagination.count);
    });
  });

  describe('locations', () => {
    const list = (query: Record<string, string> = {}, asked = {}) => world.get('/locations', query, asked);

    it('are listed in one page, connected or not', async () => {
      const { status, body } = await list();
      expect(status).toBe(200);
      expect(body).toEqual({
        collection: [
          { kind: 'google_conference', connected: true },
          { kind: 'zoom_conference', connected: true },
          { kind: 'microsoft_teams_conference', connected: true },
          { kind: 'webex_conference', connected: true },
          { kind: 'gotomeeting_conference', connected: false },
        ],
        pagination: lastPage(5),
      });
      expect(parametersOf((await list({ count: '5' })).body)).toEqual(['count']);
    });

    it('of another user require an admin or the owner', async () => {
      const { body } = await list({ user: tomas });
      expect(body).toEqual((await list({}, asUser)).body);
      expect(body.collection).toContainEqual({ kind: 'zoom_conference', connected: false });
      expect((await list({ user: amara }, asUser)).status).toBe(403);
    });
  });
});

describe('an invitation', () => {
  it('is refused for a member, a second time, and once it was answered', async () => {
    const { call, store } = await openWorld();
    const invite = (email: string) => call('POST', '/organization_invitations', { body: { organization, email } });
    expect((await invite('jonas.weber@northlight.example')).status).toBe(409);
    const { uri } = (await invite('new@northlight.example')).body.resource;
    expect((await invite('new@northlight.example')).status).toBe(409);
    store.run("UPDATE invitations SET doc = json_set(doc, '$.status', 'declined') WHERE id = ?", idIn(uri));
    expect((await call('DELETE', pathOf(uri))).status).toBe(409);
  });
});
