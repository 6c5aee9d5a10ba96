import { beforeEach, describe, expect, it } from 'vitest';
import { amara, group, openWorld, organization, pathOf, tomas, type World } from '../world.ts';

const asUser = { token: 'sandbox_user' };
const body = { url: 'http://127.0.0.1:9/hooks', events: ['invitee.created'], organization, scope: 'user' };

let world: World;
beforeEach(async () => {
  world = await openWorld();
});

const create = (change: object, asked = {}) =>
  world.call('POST', '/webhook_subscriptions', { ...asked, body: { ...body, ...change } });

describe('webhooks', () => {
  it('belong to the caller unless a user is named', async () => {
    const { status, body: reply } = await create({}, asUser);
    expect([status, reply.resource.user, reply.resource.group]).toEqual([201, tomas, null]);
    expect((await create({ user: amara }, asUser)).status).toBe(403);
    expect((await create({ user: tomas, url: 'http://127.0.0.1:9/other' })).body.resource.user).toBe(tomas);
  });

  it('of the organization need an admin or the owner', async () => {
    expect((await create({ scope: 'organization' }, asUser)).status).toBe(403);
    expect((await create({ scope: 'organization' }, { token: 'sandbox_admin' })).status).toBe(201);
  });

  it("of a group need the group's admin, or an admin or the owner", async () => {
    const team = { scope: 'group', group: group('Customer team') };
    expect((await create(team, asUser)).status).toBe(403);
    const isAdmin = `UPDATE group_members SET role = 'admin' WHERE user = '${pathOf(tomas).split('/')[2]}'`;
    world.store.exec(isAdmin);
    const { status, body: reply } = await create(team, asUser);
    expect([status, reply.resource.group]).toEqual([201, team.group]);
    const query = { organization, scope: 'group', group: team.group };
    expect((await world.get('/webhook_subscriptions', query, asUser)).body.collection).toHaveLength(2);
    expect((await create({ ...team, group: group('Leadership') }, asUser)).status).toBe(403);
  });

  it('are unique by URL and scope', async () => {
    expect((await create({})).status).toBe(201);
    expect((await create({ events: ['invitee.canceled'] })).status).toBe(409);
    expect((await create({ scope: 'organization' })).status).toBe(201);
    expect((await create({ user: tomas })).status).toBe(201);
  });

  it('never show the signing key', async () => {
    const { body: reply } = await create({ signing_key: 'a-key-nobody-sees' });
    const read = await world.get(pathOf(reply.resource.uri));
    const listed = await world.get('/webhook_subscriptions', { organization, scope: 'user' });
    for (const each of [reply, read.body, listed.body, await world.lastActivity()])
      expect(JSON.stringify(each)).not.toContain('a-key-nobody-sees');
    expect(world.store.all('SELECT signing_key FROM webhooks WHERE signing_key IS NOT NULL')).toHaveLength(1);
  });

  it('are gone after a deletion, whose reply is empty', async () => {
    const { body: reply } = await create({});
    const raw = await world.send({
      method: 'DELETE',
      url: reply.resource.uri,
      headers: { authorization: 'Bearer sandbox_owner' },
    });
    expect([raw.status, raw.body]).toEqual([204, '']);
    expect((await world.get(pathOf(reply.resource.uri))).status).toBe(404);
    expect(await world.lastActivity()).toMatchObject({ fully_qualified_name: 'WebhookSubscription.Delete' });
  });

  it('can be read and deleted only by those who may create them', async () => {
    const { body: reply } = await create({});
    const path = pathOf(reply.resource.uri);
    expect((await world.get(path, {}, asUser)).status).toBe(403);
    expect((await world.call('DELETE', path, asUser)).status).toBe(403);
    expect((await world.get(path)).status).toBe(200);
  });
});
