import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { allOperations } from '../../../src/api/catalogue.ts';
import { inspect } from '../../../src/api/inspect.ts';
import { edgeOf } from '../../../src/api/window.ts';
import { idIn } from '../../../src/base/uri.ts';
import { timestamp } from '../../../src/sandbox/store/names.ts';
import { runs } from '../../support/tier.ts';
import {
  amara,
  eventType,
  openWorld,
  organization,
  origin,
  parametersOf,
  pathOf,
  tomas,
  uri,
  type World,
} from '../world.ts';

/** A record as it is stored, with what else its list filters and sorts by. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any record
type Row = any;

interface List {
  path: string;
  /** The records of the list: `id`, `doc`, and `more` as JSON. */
  rows: string;
  /** What the list requires, and the field by which it is sorted by default. */
  needs: Record<string, string>;
  order: string;
  /** The values for which a filter keeps a record. */
  filters?: Record<string, (row: Row) => string[]>;
  /** Exactly one of the filters is required. */
  needsOne?: true;
}

const path = (collection: string, id: string) => `'/${collection}/' || ${id}`;
/** Records with another owner, and no `doc`. */
const made = (collection: string, fields: string, from: string) =>
  `SELECT id, json_object('uri', ${path(collection, 'id')}) AS doc, json_object(${fields}) AS more FROM ${from}`;
const all = (table: string) => `SELECT id, doc, '{}' AS more FROM ${table}`;
const nameOf = `'name', (SELECT doc ->> 'name' FROM users WHERE id = user)`;
const ofOrganization = { needs: { organization }, order: 'created_at' };
const event_type = eventType('support-call');
const mostBooked = '(SELECT event FROM invitees GROUP BY event ORDER BY count(*) DESC, event LIMIT 1)';

/** Each list of the service. */
const lists: Record<string, List> = {
  'events.list': {
    path: '/scheduled_events',
    rows: `SELECT id, doc, json_object('people', (SELECT json_group_array(email) FROM invitees WHERE event = e.id),
      'groups', (SELECT json_group_array(${path('groups', 'g."group"')}) FROM event_hosts h JOIN group_members g
        ON g.user = h.user WHERE h.event = e.id)) AS more FROM events e`,
    ...ofOrganization,
    order: 'start_time',
    filters: {
      user: (row) => row.event_memberships.map((host: Row) => host.user),
      group: (row) => row.groups,
      invitee_email: (row) => row.people,
      status: (row) => [row.status],
    },
  },
  'invitees.list': {
    path: '/scheduled_events/EVENT/invitees',
    rows: `${all('invitees')} WHERE event = ${mostBooked}`,
    needs: {},
    order: 'created_at',
    filters: { status: (row) => [row.status], email: (row) => [row.email] },
  },
  'event-types.list': {
    path: '/event_types',
    rows: `SELECT id, doc, json_object('position', position, 'hosts', (SELECT json_group_array(${path('users', 'user')})
      FROM event_type_hosts WHERE event_type = t.id)) AS more FROM event_types t WHERE doc ->> 'deleted_at' IS NULL`,
    ...ofOrganization,
    order: 'name',
    filters: { user: (row) => row.hosts, active: (row) => [String(row.active)] },
  },
  'event-types.hosts': {
    path: '/event_type_memberships',
    rows: `${made('event_type_memberships', nameOf, 'event_type_hosts')} WHERE event_type = '${idIn(event_type)}'`,
    needs: { event_type },
    order: 'name',
  },
  'availability.list': {
    path: '/event_type_availability_schedules',
    rows: `${made('event_type_availability_schedules', nameOf, 'schedules')} WHERE event_type = '${idIn(event_type)}'`,
    needs: { event_type },
    order: 'name',
  },
  'members.list': {
    path: '/organization_memberships',
    rows: `SELECT m.id, json_object('uri', ${path('organization_memberships', 'm.id')}) AS doc, json_object('role', role,
      'email', u.email, 'user', ${path('users', 'user')}, 'created_at', created_at) AS more
      FROM memberships m JOIN users u ON u.id = m.user`,
    ...ofOrganization,
    filters: { user: (row) => [row.user], role: (row) => [row.role], email: (row) => [row.email] },
  },
  'invitations.list': {
    path: '/organization_invitations',
    rows: all('invitations'),
    ...ofOrganization,
    filters: { email: (row) => [row.email], status: (row) => [row.status] },
  },
  'groups.list': { path: '/groups', rows: all('groups'), ...ofOrganization, order: 'name' },
  'groups.relationships': {
    path: '/group_relationships',
    rows: made(
      'group_relationships',
      `'created_at', created_at, 'group', ${path('groups', '"group"')}, 'owner', (SELECT
        ${path('organization_memberships', 'm.id')} FROM memberships m WHERE m.user = g.user)`,
      'group_members g',
    ),
    needs: {},
    order: 'created_at',
    filters: { organization: () => [pathOf(organization)], owner: (row) => [row.owner], group: (row) => [row.group] },
    needsOne: true,
  },
  'routing-forms.list': { path: '/routing_forms', rows: all('routing_forms'), ...ofOrganization },
  'routing-forms.submissions': {
    path: '/routing_form_submissions',
    rows: all('submissions'),
    needs: {},
    order: 'created_at',
    filters: { form: (row) => [row.routing_form] },
    needsOne: true,
  },
  'activity.list': {
    path: '/activity_log_entries',
    rows: all('activity'),
    ...ofOrganization,
    order: 'occurred_at:desc',
    filters: { action: (row) => [row.action], namespace: (row) => [row.namespace] },
  },
  'webhooks.list': {
    path: '/webhook_subscriptions',
    rows: `${all('webhooks')} WHERE scope = 'group'`,
    needs: { organization, scope: 'group' },
    order: 'created_at',
    // Without the scope of a user, the user doesn't count.
    filters: { group: (row) => [row.group], user: () => [pathOf(amara)] },
  },
};

const uris = (records: Array<{ uri: string }>) => records.map(({ uri }) => uri);

/** In the order of the keys, and then of the IDs, in the direction of the first key. */
const inOrder =
  (keys: string) =>
  (one: Row, other: Row): number => {
    const fields = keys.split(',').map((key) => ({ field: key.split(':')[0]!, sign: key.endsWith(':desc') ? -1 : 1 }));
    for (const { field, sign } of [...fields, { field: 'id', sign: fields[0]!.sign }])
      if (one[field] !== other[field]) return one[field] < other[field] ? -sign : sign;
    return 0;
  };

const size = fc.option(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(20, 100)), { nil: undefined });

/** Which filters apply, and the records whose values they ask for; edges of a window; the order; and steps from page to page. */
const request = fc.record({
  filters: fc.array(fc.record({ name: fc.nat(), row: fc.nat(), value: fc.nat() }), { maxLength: 2 }),
  window: fc.array(fc.record({ isMin: fc.boolean(), row: fc.nat(), shift: fc.constantFrom(-1, 0, 0, 1) }), {
    maxLength: 2,
  }),
  sort: fc.array(fc.record({ field: fc.nat(), direction: fc.constantFrom('', ':asc', ':desc') }), { maxLength: 3 }),
  first: size,
  steps: fc.array(fc.record({ isForward: fc.boolean(), count: size }), { maxLength: 8, size: 'max' }),
});

describe('a list, page by page', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
    // So that the second key of an order decides, too.
    world.store.run('UPDATE event_types SET position = position % 3');
    const groups = world.store.all<{ id: string }>('SELECT id FROM groups');
    for (const { id } of [...groups, ...groups]) {
      const url = `https://hooks.example/${world.clock.time++}`;
      const body = { url, events: ['invitee.created'], organization, scope: 'group', group: uri('groups', id) };
      expect((await world.call('POST', '/webhook_subscriptions', { body })).status).toBe(201);
    }
  });

  it('is one that this test knows, with all its filters', async () => {
    const found = (await allOperations()).flatMap(({ name, query }) =>
      query && 'page_token' in query.shape ? [[name, query.shape] as const] : [],
    );
    expect(Object.keys(lists).sort()).toEqual(found.map(([name]) => name).sort());
    for (const [name, shape] of found) {
      const { needs, filters = {} } = lists[name]!;
      const others = Object.keys(shape).filter((key) => !/^(count|page_token|sort|min_.*|max_.*)$/.test(key));
      expect([...Object.keys(needs), ...Object.keys(filters)].sort(), name).toEqual(others.sort());
    }
  });

  it.each(Object.entries(lists))('is %s in memory, cut', async (name, list) => {
    const { shape } = (await allOperations()).find((row) => row.name === name)!.query!;
    const { store } = world;
    const rows = store
      .all<{ id: string; doc: string; more: string }>(list.rows)
      .map(({ id, doc, more }): Row => ({ id, ...JSON.parse(doc), ...JSON.parse(more) }));
    expect(rows.length).toBeGreaterThan(1);
    const event = store.first<{ id: string }>(`SELECT ${mostBooked} AS id`)!.id;
    const [edge] = Object.keys(shape).flatMap((key) => edgeOf(key)?.field ?? []);
    const sortable = shape.sort === undefined ? [] : inspect(shape.sort).sortedBy!;
    const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length]!;

    const property = fc.asyncProperty(request, async ({ filters, window, sort, first, steps }) => {
      const query: Record<string, string> = { ...list.needs };
      let expected = rows;
      const names = Object.keys(list.filters ?? {});
      const chosen = list.needsOne ? [{ ...(filters[0] ?? { name: 0, row: 0, value: 0 }) }] : filters;
      for (const { name: index, row, value: which } of names.length === 0 ? [] : chosen) {
        const filter = at(names, index);
        const valuesOf = list.filters![filter]!;
        const values = valuesOf(at(rows, row));
        if (values.length === 0 || query[filter] !== undefined) continue;
        const value = at(values, which);
        // The address of a person is the same in capitals. A URI is stored without its origin.
        query[filter] = /email/.test(filter) ? value.toUpperCase() : value.replace(/^\//, `${origin}/`);
        expected = expected.filter((each) => valuesOf(each).includes(value));
      }
      for (const { isMin, row, shift } of edge === undefined ? [] : window) {
        const time = Date.parse(at(rows, row)[edge!]) + shift;
        query[`${isMin ? 'min' : 'max'}_${edge}`] = timestamp(time);
      }
      const [min, max] = ['min', 'max'].map((side) => query[`${side}_${edge}`]);
      expected = expected.filter((row) => (!min || row[edge!] >= min) && (!max || row[edge!] < max));
      if (sortable.length > 0 && sort.length > 0)
        query.sort = sort.map(({ field, direction }) => `${at(sortable, field)}${direction}`).join(',');
      expected = [...expected].sort(inOrder(query.sort ?? list.order));

      let [from, to] = [0, 0];
      let page: Row = { pagination: {} };
      const go = async (isForward: boolean, count: number | undefined, token?: string) => {
        const asked = { ...query };
        if (count !== undefined) asked.count = String(count);
        if (token !== undefined) asked.page_token = token;
        const reply = await world.get(list.path.replace('EVENT', event), asked);
        expect([reply.status, reply.body.message]).toEqual([200, undefined]);
        page = reply.body;
        [from, to] = isForward ? [to, to + (count ?? 20)] : [Math.max(0, from - (count ?? 20)), from];
        to = Math.min(to, expected.length);
        expect(uris(page.collection).map(pathOf)).toEqual(uris(expected.slice(from, to)));
        const { next_page_token: next, previous_page_token: previous, ...rest } = page.pagination;
        expect([rest.count, next !== null, previous !== null]).toEqual([to - from, to < expected.length, from > 0]);
        const linked = [rest.next_page, rest.previous_page].map(
          (url) => url && new URL(url).searchParams.get('page_token'),
        );
        expect(linked).toEqual([next, previous]);
        if (next !== null) expect(next).not.toBe(token);
      };
      await go(true, first);
      for (const { isForward, count } of steps) {
        const token = page.pagination[isForward ? 'next_page_token' : 'previous_page_token'];
        if (token) await go(isForward, count, token);
      }
    });
    await fc.assert(property, runs(sortable.length > 1 ? 80 : 15, 1000));
  });
});

describe('cursor', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
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
});
