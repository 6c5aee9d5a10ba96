import { describe, expect, test } from 'vitest';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { isSeedName, type SeedName } from '../../../src/sandbox/seed/name.ts';
import { checked, rethrow } from '../../support/checked.ts';
import { seededFile } from '../../support/seeded.ts';
import { temporaryFile } from '../../support/temporary.ts';
import { noon, organization, system } from '../world.ts';

const open = async (file: string, world?: SeedName) => {
  const sandbox = await openSandbox({ file, clock: system, now: noon, world, onError: rethrow, limits: false });
  const get = async (path: string) => {
    const headers = { authorization: 'Bearer sandbox_owner' };
    const reply = await checked(sandbox.service)({ method: 'GET', url: `http://127.0.0.1:4010${path}`, headers });
    return JSON.parse(reply.body);
  };
  const count = async (path: string) => {
    let all = 0;
    for (let query = `?organization=${encodeURIComponent(organization)}&count=100`; ; ) {
      const { collection, pagination } = await get(path + query);
      all += collection.length;
      if (!pagination?.next_page) return all;
      query = new URL(pagination.next_page).search;
    }
  };
  return { sandbox, get, count };
};

describe('seed', () => {
  test('name is demo, empty or large:N', () => {
    for (const name of ['demo', 'empty', 'large:1', 'large:1000000']) expect(isSeedName(name)).toBe(true);
    for (const name of ['', 'Demo', 'large', 'large:', 'large:0', 'large:-1', 'large:1000001', 'large:1e3'])
      expect([name, isSeedName(name)]).toEqual([name, false]);
  });

  test('empty contains only users and tokens', async () => {
    const { sandbox, get, count } = await open(':memory:', 'empty');
    expect((await get('/users/me')).resource.name).toBe('Amara Lindqvist');
    expect(await count('/organization_memberships')).toBeGreaterThan(3);
    for (const path of ['/scheduled_events', '/event_types', '/groups', '/activity_log_entries', '/routing_forms'])
      expect([path, await count(path)]).toEqual([path, 0]);
    sandbox.reset();
    expect(await count('/scheduled_events')).toBe(0);
    sandbox.close();
  });

  test('large:N adds N events to demo, with one invitee each', async () => {
    const [demo, large] = [await open(await seededFile(noon)), await open(':memory:', 'large:321')];
    expect((await large.count('/scheduled_events')) - (await demo.count('/scheduled_events'))).toBe(321);
    const query = `organization=${encodeURIComponent(organization)}&count=1`;
    const [event] = (await large.get(`/scheduled_events?${query}`)).collection;
    expect((await large.get(`${new URL(event.uri).pathname}/invitees`)).collection).toHaveLength(1);
    for (const { sandbox } of [demo, large]) sandbox.close();
  });

  test('must be the same or omitted when the file is opened again', async () => {
    const file = temporaryFile('seeded.db');
    (await open(file, 'empty')).sandbox.close();
    (await open(file, 'empty')).sandbox.close();
    (await open(file)).sandbox.close();
    await expect(open(file, 'demo')).rejects.toThrow('seeded with "empty", not "demo"');
  });
});
