import { beforeAll, describe, expect, test } from 'vitest';
import { members } from '../../../src/api/organizations.ts';
import { webhooks } from '../../../src/api/webhooks.ts';
import type { Json } from '../../../src/base/json.ts';
import { gather } from '../../../src/client/paginate.ts';
import type { Reach, UserReach } from '../../../src/commands/config/work-model.ts';
import { readWorld } from '../../../src/commands/config/work-read-service.ts';
import type { Send } from '../../../src/http/message.ts';
import { createConfigs } from './configs.ts';

let configs: Awaited<ReturnType<typeof createConfigs>>;
let organization: string;
let people: Json[];

beforeAll(async () => {
  configs = await createConfigs();
  organization = String(configs.me.current_organization);
  const all = await gather(configs.client.pages(members.list, { query: { organization } }));
  people = all.map(({ user }) => user as Json);
});

const none: Reach = { users: [], organization: false, groups: [] };
const userReach = (key: string, more: Partial<UserReach> = {}): UserReach => ({
  key,
  types: true,
  hours: [],
  webhooks: false,
  ...more,
});

/** What was read, and the paths of the requests for it. */
const read = async (reach: Partial<Reach>, send: Send = configs.service) => {
  const paths: string[] = [];
  let ahead = 0;
  const source = configs.sourceOver((request) => {
    paths.push(new URL(request.url).pathname);
    return send(request);
  });
  const onAhead = (requests: number) => {
    ahead = Math.max(ahead, requests);
  };
  return { world: await readWorld({ ...source, onAhead }, { ...none, ...reach }), paths, ahead };
};

describe('what a configuration file is compared with', () => {
  test('is only what the file needs', async () => {
    const { world: all } = await read({ users: [userReach('me')] });
    const [first, second] = all.users[0]!.types;
    const hours = [String(first!.record.name), String(second!.record.uri)];
    const { world, paths, ahead } = await read({ users: [userReach('me', { hours })] });
    expect(world.users[0]!.types.filter(({ schedules }) => schedules !== undefined)).toMatchObject([
      { record: first!.record },
      { record: second!.record },
    ]);
    expect(world).toMatchObject({ organization, groups: [], organizationWebhooks: undefined });
    expect(world.users[0]!.webhooks).toBeUndefined();
    expect(ahead).toBe(2);
    expect(paths.filter((path) => path === '/event_type_availability_schedules')).toHaveLength(2);
  });

  test('has the own types of a user, and counts those of other owners', async () => {
    const { world } = await read({ users: people.map(({ email }) => userReach(String(email).toUpperCase())) });
    expect(world.users).toHaveLength(people.length);
    for (const { uri, types } of world.users)
      expect(new Set(types.map(({ record }) => (record.profile as Json).owner))).toEqual(
        new Set(types.length === 0 ? [] : [uri]),
      );
    expect(world.users.some(({ shared }) => shared.length > 0)).toBe(true);
  });

  test('has no users and groups that the service lacks', async () => {
    const { world } = await read({ users: [userReach('nobody@people.example')], groups: ['No such group'] });
    expect(world).toMatchObject({ users: [], groups: [] });
  });

  test('is the whole organization for an export', async () => {
    const { world } = await read({ users: 'all', organization: true, groups: 'all' });
    expect(world.users.length).toBeGreaterThan(1);
    for (const { types, webhooks: own, key, email } of world.users) {
      expect(key).toBe(email);
      expect(own).toBeDefined();
      expect(types.length).toBeGreaterThan(0);
      for (const { schedules = [] } of types)
        for (const { user } of schedules) expect(world.emails.get(String(user))).toContain('@');
    }
    expect(world.groups.length).toBeGreaterThan(0);
    expect(world.organizationWebhooks).toBeDefined();
  });

  test('leaves out webhooks of others if the service ignores the filter', async () => {
    const [other] = people.filter(({ uri }) => uri !== configs.me.uri);
    for (const user of [configs.me.uri, other!.uri]) {
      const url = 'https://hooks.example.com/mine';
      const body = { url, events: ['invitee.created'], organization, scope: 'user', user };
      await configs.client.write(webhooks.create, { body });
    }
    const lists = await Promise.all(
      [configs.me.uri, other!.uri].map((user) =>
        gather(configs.client.pages(webhooks.list, { query: { organization, scope: 'user', user: String(user) } })),
      ),
    );
    const { world } = await read({ users: [userReach('me', { webhooks: true })] }, async (request) => {
      if (!request.url.includes('webhook_subscriptions')) return configs.service(request);
      const body = JSON.stringify({ collection: lists.flat(), pagination: {} });
      return { ...(await configs.service(request)), body };
    });
    expect(world.users[0]!.webhooks).toEqual(lists[0]);
  });

  test("knows today by the service's clock, in any zone", async () => {
    const { world } = await read({ users: [userReach('me')] });
    expect(['Pacific/Auckland', 'Europe/Paris', 'nowhere'].map(world.today)).toEqual([
      '2026-11-16',
      '2026-11-15',
      '2026-11-15',
    ]);
  });
});
