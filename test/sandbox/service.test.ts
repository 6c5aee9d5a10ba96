import { beforeAll, describe, expect, it } from 'vitest';
import { loadCatalogue } from '../../src/api/catalogue.ts';
import { type Collection, collections } from '../../src/api/collections.ts';
import { idIn } from '../../src/base/uri.ts';
import { readyTokens } from '../../src/sandbox/oauth/ready-tokens.ts';
import { amara, openWorld, organization, origin, parametersOf, pathOf, type World } from './world.ts';

describe('service', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });

  it('answers 404 to an unknown path', async () => {
    for (const path of ['/', '/nowhere', '/users/me/more', '/scheduled_events/a%2Fb', '//users/me']) {
      const { status, body } = await world.get(path);
      expect([path, status, body.title]).toEqual([path, 404, 'Resource Not Found']);
    }
  });

  it('answers 405 with the allowed methods if only the method is wrong', async () => {
    const { status, headers } = await world.call('DELETE', '/users/me');
    expect([status, headers.allow]).toEqual([405, 'GET']);
  });

  it('answers 401 to a missing token, an unknown token and another scheme', async () => {
    const asked = [
      { token: null },
      { token: 'sandbox_nobody' },
      { token: null, headers: { authorization: 'Basic c2FuZGJveF9vd25lcg==' } },
    ];
    for (const each of asked) {
      const { status, body, headers } = await world.get('/users/me', {}, each);
      expect([status, body.title, headers['www-authenticate']]).toEqual([401, 'Unauthenticated', 'Bearer']);
    }
  });

  it('rejects an expired token', async () => {
    const { store, get } = await openWorld();
    store.run("UPDATE access_tokens SET expires_at = '2026-03-11T12:00:00.000Z'");
    expect((await get('/users/me')).status).toBe(401);
  });

  it('has fixed tokens with the documented scopes', async () => {
    for (const { token, scopes: allowed } of readyTokens) {
      const statuses = [
        await world.get('/users/me', {}, { token }),
        await world.get('/scheduled_events', { user: amara, organization }, { token }),
        await world.call('POST', '/shares', { body: {}, token }),
      ].map(({ status }) => status);
      const mayRead = allowed === null || allowed.includes('users:read');
      const isUser = token === 'sandbox_user';
      expect([token, ...statuses]).toEqual([
        token,
        mayRead ? 200 : 403,
        isUser ? 403 : 200,
        allowed === null ? 400 : 403,
      ]);
    }
  });

  it('shows the user a token belongs to', async () => {
    const { body } = await world.get('/users/me');
    expect(body.resource).toMatchObject({ uri: amara, name: 'Amara Lindqvist', current_organization: organization });
  });

  it('sends JSON with a unique request ID, also for errors', async () => {
    const replies = [await world.get('/users/me'), await world.get('/users/me'), await world.get('/nowhere')];
    expect(new Set(replies.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
    expect(replies.every(({ headers }) => headers['content-type'] === 'application/json')).toBe(true);
  });

  it('names every invalid query parameter', async () => {
    const { status, body } = await world.get('/scheduled_events', {
      user: amara,
      count: '0',
      status: 'gone',
      sort: 'name',
    });
    expect(status).toBe(400);
    expect(body.title).toBe('Invalid Argument');
    expect(parametersOf(body).sort()).toEqual(['count', 'sort', 'status']);
  });

  it.each([
    ['an unknown parameter', `user=${amara}&colour=red`, 'colour'],
    ['a parameter given twice', `user=${amara}&status=active&status=active`, 'status'],
    ['a count that is not a number', `user=${amara}&count=ten`, 'count'],
    ['a count with a fraction', `user=${amara}&count=1.5`, 'count'],
    ['a time without a zone', `user=${amara}&min_start_time=2026-03-11T10:00:00`, 'min_start_time'],
    ['a day that does not exist', `user=${amara}&min_start_time=2026-02-30T10:00:00Z`, 'min_start_time'],
    ['a bare ID for a reference', 'user=XYZ', 'user'],
    ['a reference to another machine', 'user=http://api.example.com/users/XYZ', 'user'],
    ['a reference with a query', `user=${encodeURIComponent(`${amara}?x`)}`, 'user'],
    ['a reference to another collection', `user=${organization}`, 'user'],
  ])('rejects %s', async (_, query, parameter) => {
    const { status, body } = await world.get(`/scheduled_events?${query}`);
    expect([status, parametersOf(body)]).toEqual([400, [parameter]]);
  });

  it('writes links with the origin that the request came to', async () => {
    for (const here of ['http://localhost:8123', 'http://[::1]:9', 'http://127.0.0.1:4010']) {
      const { body } = await world.get(`${here}/scheduled_events`, {
        user: `${here}/users/${idIn(amara)}`,
        count: '2',
      });
      expect(body.pagination.next_page).toMatch(`${here}/scheduled_events?user=`);
      for (const each of [body.collection[0].uri, body.collection[0].event_type, body.pagination.next_page])
        expect([each, (await world.get(each)).status]).toEqual([expect.stringContaining(`${here}/`), 200]);
      const me = await world.get(`${here}/users/me`);
      expect(me.body.resource).toMatchObject({
        uri: `${here}${pathOf(amara)}`,
        current_organization: `${here}${pathOf(organization)}`,
      });
    }
  });

  it('accepts references with any origin of this machine', async () => {
    for (const here of ['http://localhost:8123', 'http://[::1]:9', 'http://127.0.0.1', 'http://127.1.2.3:65535']) {
      const { status, body } = await world.get('/scheduled_events', { user: `${here}${pathOf(amara)}`, count: '1' });
      expect([here, status, body.collection.length]).toEqual([here, 200, 1]);
    }
  });

  it('leaves text of users that looks like a link as it is', async () => {
    const { call } = await openWorld();
    const name = '/users/X","uri":"/users/Y';
    const description_plain = '{"uri":"/users/Z"}';
    const { body } = await call('POST', '/event_types', { body: { owner: amara, name, description_plain } });
    expect(body.resource).toMatchObject({ name, description_plain });
    const shown = (await call('GET', body.resource.uri)).body.resource;
    expect(shown).toEqual(body.resource);
  });

  it('caches queries separately for each operation', async () => {
    const statuses = { organization, status: 'active' };
    for (const round of [1, 2]) {
      expect([round, (await world.get('/scheduled_events', statuses)).status]).toEqual([round, 200]);
      const { status, body } = await world.get('/event_types', statuses);
      expect([round, status, parametersOf(body)]).toEqual([round, 400, ['status']]);
    }
  });

  it('parses queries correctly when there are more than the cache holds', async () => {
    const headers = { authorization: 'Bearer sandbox_owner' };
    for (let number = 0; number < 210; number++) {
      const count = 1 + (number % 3);
      const query = `user=${encodeURIComponent(amara)}&count=${count}${'&'.repeat(number)}`;
      const reply = await world.send({ method: 'GET', url: `${origin}/scheduled_events?${query}`, headers });
      expect([number, JSON.parse(reply.body).collection.length]).toEqual([number, count]);
    }
  });

  it('rejects a query if the operation has no parameters', async () => {
    const { status, body } = await world.get('/users/me', { verbose: 'true' });
    expect([status, parametersOf(body)]).toEqual([400, ['verbose']]);
  });

  it('names invalid and missing fields of a body by their path', async () => {
    const { status, body } = await world.call('POST', '/invitees', {
      body: { invitee: { email: 'no', extra: 1, timezone: 'UTC' }, custom_questions: [{ answer: 'x', position: 0 }] },
    });
    expect(status).toBe(400);
    expect(parametersOf(body).sort()).toEqual([
      'custom_questions[0].question',
      'event_type',
      'invitee.email',
      'invitee.extra',
      'invitee.name',
      'start_time',
    ]);
    expect(body.details).toContainEqual({ parameter: 'start_time', message: 'is required', code: 'required' });
  });

  it('answers 400 to a body that is not a JSON object', async () => {
    expect((await world.call('POST', '/invitees', { body: '{"a":' })).status).toBe(400);
    expect((await world.call('POST', '/invitees', { body: '[]' })).status).toBe(400);
  });

  it('answers 400 to an unpaired surrogate, which would make the data unreadable', async () => {
    for (const name of ['\ud83d', 'x\udc00y']) {
      const { status, body } = await world.call('POST', '/event_types', { body: { owner: amara, name } });
      expect([status, body.message]).toEqual([400, 'The body contains text that is not valid Unicode.']);
    }
    expect((await world.call('POST', '/event_types', { body: { owner: amara, name: '😀 \\ud83d' } })).status).toBe(201);
    expect((await world.get('/event_types', { user: amara })).status).toBe(200);
  });

  it('answers 415 to a body with another content type', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await world.call('POST', '/invitees', { body: {}, headers })).status).toBe(415);
  });

  it('rejects a body if the operation takes none', async () => {
    const path = '/invitees/XYZ/no_show';
    expect((await world.call('POST', path, { body: { why: 'x' } })).status).toBe(400);
    expect((await world.call('POST', path, { body: {} })).status).toBe(404);
  });

  it('answers 500 without a stack trace to an internal error', async () => {
    const { store, get } = await openWorld({ onError: () => {} });
    store.exec('ALTER TABLE users RENAME TO gone');
    const { status, body } = await get('/users/me');
    expect([status, Object.keys(body)]).toEqual([500, ['title', 'message']]);
  });

  it('throws in tests on a reply that does not match its row', async () => {
    const { store, get } = await openWorld();
    store.run("UPDATE users SET doc = json_set(doc, '$.surprise', 1)");
    await expect(get('/users/me')).rejects.toThrow(/users\.me returned a wrong shape/);
  });

  it('finds every row of the catalogue under its noun', async () => {
    for (const [noun, rows] of Object.entries(await loadCatalogue()))
      for (const [verb, row] of Object.entries(rows))
        expect(collections[row.path.split('/')[1] as Collection].nouns, `${noun} ${verb}`).toContain(noun);
  });
});
