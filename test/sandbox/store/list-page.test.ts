import { beforeAll, describe, expect, it } from 'vitest';
import { sample } from '../../support/tier.ts';
import { amara, eventType, openWorld, organization, parametersOf, tomas, type World } from '../world.ts';

const lists: Array<[name: string, path: string, filters: Record<string, string>]> = [
  ["a user's events", '/scheduled_events', { user: amara }],
  ["an organization's events", '/scheduled_events', { organization }],
  ['events backwards', '/scheduled_events', { organization, sort: 'start_time:desc' }],
  ['canceled events', '/scheduled_events', { organization, status: 'canceled' }],
  [
    'events of a window, backwards',
    '/scheduled_events',
    {
      user: amara,
      sort: 'start_time:desc',
      min_start_time: '2026-02-10T09:00:00Z',
      max_start_time: '2026-04-01T00:00:00+02:00',
    },
  ],
  ['event types', '/event_types', { organization }],
  ['event types by two keys of differing directions', '/event_types', { organization, sort: 'position:desc,name' }],
  ['memberships', '/organization_memberships', { organization }],
  ['invitations', '/organization_invitations', { organization, sort: 'created_at:desc' }],
  ['relationships', '/group_relationships', { organization }],
  ['the activity log', '/activity_log_entries', { organization }],
  [
    'a window of the activity log, forwards',
    '/activity_log_entries',
    {
      organization,
      sort: 'occurred_at',
      min_occurred_at: '2026-02-10T00:00:00Z',
      max_occurred_at: '2026-03-01T00:00:00Z',
    },
  ],
  ["a user's event types", '/event_types', { user: amara, sort: 'updated_at:desc' }],
];

/** By one key, or by several: a cursor of one compares less. */
const some = sample(lists, 1, ([, path, { sort }]) => `${path} ${sort?.includes(',')}`);

const uris = (records: Array<{ uri: string }>) => records.map(({ uri }) => uri);

describe('cursor', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });

  it.each(some)('returns the same records of %s for any page size', async (_, path, filters) => {
    const whole = uris(await world.walk(path, { ...filters, count: '100' }));
    const steps = uris(await world.walk(path, { ...filters, count: '7' }));
    expect(whole.length).toBeGreaterThan(7);
    expect(new Set(whole).size).toBe(whole.length);
    expect(steps).toEqual(whole);
  });

  it.each(some)('pages backwards through %s', async (_, path, filters) => {
    const whole = uris(await world.walk(path, { ...filters, count: '100' }));
    let last: string | null = null;
    for (let token = ''; ; ) {
      const { body } = await world.get(path, { ...filters, count: '5', ...(token ? { page_token: token } : {}) });
      last = body.pagination.previous_page_token;
      token = body.pagination.next_page_token;
      if (!token) break;
    }
    const back: string[] = [];
    for (let token = last; token; ) {
      const { body } = await world.get(path, { ...filters, count: '5', page_token: token });
      // The first page has nothing before it.
      expect(body.collection).not.toEqual([]);
      back.unshift(...uris(body.collection));
      token = body.pagination.previous_page_token;
    }
    expect(back).toEqual(whole.slice(0, back.length));
    expect(whole.length - back.length).toBeLessThanOrEqual(5);
  });

  it('returns the reverse order for a descending sort', async () => {
    const up = uris(await world.walk('/scheduled_events', { organization, count: '9' }));
    const down = uris(await world.walk('/scheduled_events', { organization, count: '9', sort: 'start_time:desc' }));
    expect(down).toEqual(up.reverse());
  });

  it('neither repeats nor skips records when others are added and removed between pages', async () => {
    const { get, store } = await openWorld();
    const first = await get('/scheduled_events', { organization, count: '10' });
    store.exec('PRAGMA foreign_keys = OFF');
    store.run("DELETE FROM events WHERE doc ->> 'uri' = ?", first.body.collection[3].uri);
    const token = first.body.pagination.next_page_token;
    const second = await get('/scheduled_events', { organization, count: '10', page_token: token });
    const both = await world.get('/scheduled_events', { organization, count: '20' });
    expect(uris([...first.body.collection, ...second.body.collection])).toEqual(uris(both.body.collection));
  });

  it('returns no tokens if there is no other page', async () => {
    const { body } = await world.get('/scheduled_events', { organization, max_start_time: '2000-01-01T00:00:00Z' });
    expect(body).toEqual({
      collection: [],
      pagination: {
        count: 0,
        next_page: null,
        previous_page: null,
        next_page_token: null,
        previous_page_token: null,
      },
    });
  });

  it('returns twenty records by default and the next page under the same origin', async () => {
    const { body } = await world.get(`http://127.0.0.1:9999/scheduled_events?user=${encodeURIComponent(amara)}`);
    expect(body.pagination.count).toBe(20);
    const next = new URL(body.pagination.next_page);
    expect(next.origin).toBe('http://127.0.0.1:9999');
    expect(next.searchParams.get('page_token')).toBe(body.pagination.next_page_token);
    expect((await world.get(next.href)).body.collection).toHaveLength(20);
  });

  describe('rejects a token', () => {
    let token: string;
    const refused = async (path: string, query: Record<string, string>, asked = {}) => {
      const { status, body } = await world.get(path, query, asked);
      expect([status, parametersOf(body)]).toEqual([400, ['page_token']]);
      return body.details[0].code;
    };
    beforeAll(async () => {
      token = (await world.get('/scheduled_events', { user: amara })).body.pagination.next_page_token;
    });

    it('made for other filters', async () => {
      await refused('/scheduled_events', { user: amara, status: 'active', page_token: token });
      await refused('/scheduled_events', { user: tomas, organization, page_token: token });
      await refused('/scheduled_events', { user: amara, sort: 'start_time:desc', page_token: token });
    });

    it('made for another list', async () => {
      await refused('/event_types', { user: amara, page_token: token });
    });

    it('that is malformed', async () => {
      for (const bad of ['', 'x', token.slice(1), token.slice(0, -1), `${token}A`, eventType('intro-call'), '💥']) {
        await refused('/scheduled_events', { user: amara, page_token: bad });
      }
    });

    it('after fifteen minutes, but not before', async () => {
      world.clock.time += 14 * 60_000;
      expect((await world.get('/scheduled_events', { user: amara, page_token: token })).status).toBe(200);
      world.clock.time += 2 * 60_000;
      expect(await refused('/scheduled_events', { user: amara, page_token: token })).toBe('expired');
    });
  });

  it('lets the page size change between pages', async () => {
    const { body } = await world.get('/scheduled_events', { user: amara, count: '3' });
    const next = await world.get('/scheduled_events', {
      user: amara,
      count: '50',
      page_token: body.pagination.next_page_token,
    });
    expect(next.body.collection).toHaveLength(50);
  });
});
