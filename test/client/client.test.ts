import { describe, expect, test } from 'vitest';
import { eventTypes } from '../../src/api/event-types.ts';
import { events } from '../../src/api/events.ts';
import { invitees } from '../../src/api/invitees.ts';
import { locations } from '../../src/api/locations.ts';
import type { SchedError } from '../../src/base/errors.ts';
import { createClient } from '../../src/client/client.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpReply, HttpRequest } from '../../src/http/message.ts';

/** A client whose network sends these replies in order, and repeats the last one. */
const clientOf = (...replies: (Partial<HttpReply> | Error)[]) => {
  const requests: HttpRequest[] = [];
  const send = async (request: HttpRequest): Promise<HttpReply> => {
    const reply = replies[Math.min(requests.push(request), replies.length) - 1]!;
    if (reply instanceof Error) throw reply;
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{}', ...reply };
  };
  const client = createClient({ baseUrl: 'https://api.example.com/v2/', send, sendPlain: send, timeoutMs: 1000 });
  const get = () => client.call(events.get, { path: { event: 'E1' } });
  const cancel = () => client.write(events.cancel, { path: { event: 'E1' }, body: {} });
  const list = async () => {
    const rows: unknown[] = [];
    for await (const page of client.pages(events.list, { query: { status: 'active' } }, { pageSize: 2 }))
      rows.push(...page);
    return rows;
  };
  const create = () => client.write(eventTypes.create, { body: {} });
  return { client, requests, get, cancel, create, list };
};

const failure = (promise: Promise<unknown>): Promise<SchedError> =>
  promise.then(
    () => expect.fail('it should have failed'),
    (error) => {
      expect(error.name).toBe('SchedError');
      return error;
    },
  );

const body = (value: unknown) => ({ body: JSON.stringify(value) });

describe('client', () => {
  test.each(['../users', '..', 'a?b', 'a#c', '%2f', ''])(
    'lets nothing but a plain ID into a path: %j',
    async (event) => {
      const { client, requests } = clientOf({});
      const input = { path: { event, invitee: 'I1' } };
      const { category, facts } = await failure(client.call(invitees.get, input));
      expect([category, facts.reason, requests]).toEqual([
        'integrity',
        expect.stringContaining('uri: an event has'),
        [],
      ]);
    },
  );

  test('fetches the next page even of a list that should be a single page', async () => {
    const { client, requests } = clientOf(
      body({ collection: [{ kind: 'physical' }], pagination: { next_page_token: 'A' } }),
      body({ collection: [{ kind: 'custom' }] }),
    );
    const rows: unknown[] = [];
    for await (const page of client.pages(locations.list, { query: {} })) rows.push(...page);
    expect(rows).toEqual([{ kind: 'physical' }, { kind: 'custom' }]);
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['', '?page_token=A']);
  });

  test('sends no body and no content type if none is given', async () => {
    const { client } = clientOf({});
    const request = await client.prepare(invitees['no-show'], { path: { invitee: 'I1' } });
    expect(request).not.toHaveProperty('body');
    expect(request.headers).not.toHaveProperty('content-type');
  });

  test('takes no reply for the record if the dialect says that it is none', async () => {
    const send = async () => ({ status: 201, headers: {}, body: '{"resource":{"uri":"x","reason":"ill"}}' });
    const operations = { 'events.cancel': { reply: { read_back: true as const } } };
    const dialect = { dialect: 1 as const, name: 'acme', digest: '', place: '', operations };
    const client = createClient({ baseUrl: 'https://api.example.com', send, sendPlain: send, dialect });
    const written = await client.write(events.cancel, { path: { event: 'E1' }, body: {} });
    expect(written).toMatchObject({ status: 201, isReadLater: true });
    expect(written.record).toBeUndefined();
  });

  test('reads a record in a dialect as far as it can', async () => {
    const send = async () => ({
      status: 200,
      headers: {},
      body: '{"resource":{"facts":null,"id":"x","title":"Chat"}}',
    });
    const record = { facts: { status: '{status}' }, id: '{uri}', title: '{name}' };
    const operations = { 'events.get': { reply: { record } } };
    const dialect = { dialect: 1 as const, name: 'acme', digest: '', place: '', operations };
    const client = createClient({ baseUrl: 'https://api.example.com', send, sendPlain: send, dialect });
    expect(await client.call(events.get, { path: { event: 'E1' } })).toEqual({ uri: 'x', name: 'Chat' });
  });

  test('sets the timeout of every request', async () => {
    expect((await clientOf({}).client.prepare(events.get, { path: { event: 'E1' } })).timeoutMs).toBe(1000);
  });

  test.each([200, 201, 202, 299])('treats status %i as a success', async (status) => {
    expect(await clientOf({ status, ...body({ resource: { uri: 'x' } }) }).get()).toEqual({ uri: 'x' });
  });

  test('keeps unknown fields in their order', async () => {
    const text = '{"z":1,"uri":"x","a":{"y":[null]},"status":"postponed","location":null}';
    expect(JSON.stringify(await clientOf({ body: `{"resource":${text}}` }).get())).toBe(text);
  });

  test('repeats the filters with each page token, and never follows next_page', async () => {
    const page = (uri: string, token: string | null) =>
      body({
        collection: [{ uri }],
        pagination: { next_page_token: token, next_page: token && 'https://evil.example/steal' },
      });
    const { list, requests } = clientOf(page('a', 'T/1'), page('b', null));
    expect(await list()).toEqual([{ uri: 'a' }, { uri: 'b' }]);
    expect(requests.map(({ url }) => url)).toEqual([
      'https://api.example.com/v2/scheduled_events?status=active&count=2',
      'https://api.example.com/v2/scheduled_events?status=active&count=2&page_token=T%2F1',
    ]);
  });

  test.each(['https://evil.example/steal?page_token=T%2F1&count=9', '/scheduled_events?page_token=T%2F1'])(
    'takes the token out of next_page %s if that is all there is',
    async (next_page) => {
      const first = body({ collection: [{ uri: 'a' }], pagination: { next_page_token: null, next_page } });
      const { list, requests } = clientOf(first, body({ collection: [{ uri: 'b' }] }));
      expect(await list()).toEqual([{ uri: 'a' }, { uri: 'b' }]);
      expect(requests[1]!.url).toBe(
        'https://api.example.com/v2/scheduled_events?status=active&count=2&page_token=T%2F1',
      );
    },
  );

  test('says so if the next page has expired', async () => {
    const stale = {
      status: 400,
      ...body({ title: 'Invalid Argument', details: [{ parameter: 'page_token', message: 'is stale' }] }),
    };
    const first = body({ collection: [{ uri: 'a' }], pagination: { next_page_token: 'T' } });
    expect((await failure(clientOf(first, stale).list())).category).toBe('unavailable');
    expect((await failure(clientOf(stale).list())).category).toBe('usage');
  });

  // R40
  test('reports a repeated page token as an integrity error', async () => {
    const again = body({ collection: [{ uri: 'a' }], pagination: { next_page_token: 'T' } });
    const { category, facts } = await failure(clientOf(again).list());
    expect({ category, reason: facts.reason }).toEqual({
      category: 'integrity',
      reason: 'pagination.next_page_token repeats, so the list would never end',
    });
  });
});

describe('client: without a reply', () => {
  const lost = (sent: boolean) => new NetworkFailure('api.example.com', 'the connection was reset', sent);
  test.each([
    ['a read that left', 'get', true, 'unavailable', 'not-applied'],
    ['a read that never left', 'get', false, 'unavailable', 'not-sent'],
    ['a write that left', 'cancel', true, 'outcome-unknown', 'unknown'],
    ['a write that never left', 'cancel', false, 'unavailable', 'not-sent'],
  ] as const)('reports %s', async (_, verb, sent, category, outcome) => {
    const error = await failure(clientOf(lost(sent))[verb]());
    expect({ category: error.category, outcome: error.facts.outcome }).toEqual({ category, outcome });
    expect(error.facts.reason).toBe('the connection was reset');
  });

  test('passes any other error on', async () => {
    const bug = new TypeError('a bug');
    await expect(clientOf(bug).get()).rejects.toBe(bug);
  });
});

// R39
describe('client: reading', () => {
  test.each<[string, string, string]>([
    ['an array', '[]', 'the reply is not an object'],
    ['null', 'null', 'the reply is not an object'],
    ['a string', '"hello"', 'the reply is not an object'],
    ['no resource', '{}', 'resource is not an object'],
    ['a resource of another kind', '{"resource":[]}', 'resource is not an object'],
    ['a resource without its uri', '{"resource":{"name":"x"}}', 'resource has no uri'],
    ['a uri of another kind', '{"resource":{"uri":null}}', 'resource has no uri'],
    ['a uri only inside __proto__', '{"resource":{"__proto__":{"uri":"x"}}}', 'resource has no uri'],
    [
      '100,000 brackets',
      `{"resource":{"uri":"x","extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
      'the reply is nested too deeply',
    ],
    [
      '5,000 braces',
      `{"resource":{"uri":"x","extra":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}}`,
      'the reply is nested too deeply',
    ],
  ])('rejects %s and says where', async (_, text, reason) => {
    const read = await failure(clientOf({ body: text }).get());
    expect({ category: read.category, reason: read.facts.reason }).toEqual({ category: 'integrity', reason });
  });

  test('accepts fields of any other type than documented, except uri', async () => {
    const record = { uri: 'x', name: 5, location: 'here', event_memberships: [{}, { user_name: {} }], status: [] };
    expect(await clientOf({ body: JSON.stringify({ resource: record }) }).get()).toEqual(record);
  });

  // R26: a complete 2xx to a write is success, whatever its body.
  test.each<[string, Partial<HttpReply>, string]>([
    ['another object', { status: 201, body: '{"canceled_by":"x"}' }, 'resource is not an object'],
    ['an array', { body: '[]' }, 'the reply is not an object'],
    ['null', { body: 'null' }, 'the reply is not an object'],
    ['nothing', { body: '' }, 'HTTP 200 with an empty body'],
    ['status 204', { status: 204, body: '' }, 'HTTP 204 with an empty body'],
  ])('treats a write with the reply %s as done', async (_, reply, why) => {
    const expected = { status: reply.status ?? 200, why };
    expect(await clientOf(reply).cancel()).toEqual(expected);
    // What is created may be shown in the reply only.
    const content = reply.body?.startsWith('{') ? { content: JSON.parse(reply.body) } : {};
    expect(await clientOf(reply).create()).toEqual({ ...expected, ...content });
  });

  test.each(['<html>', '{"resource":{"uri"'])(
    'treats a change with the reply %s as done, and the result of a creation as unknown',
    async (text) => {
      expect(await clientOf({ body: text }).cancel()).toEqual({ status: 200, why: 'HTTP 200 with application/json' });
      const { category, facts } = await failure(clientOf({ body: text }).create());
      expect([category, facts.outcome]).toEqual(['outcome-unknown', 'unknown']);
    },
  );

  test('treats a 2xx that the network cuts off the same for a write, and as a failure for a read', async () => {
    const cutOff = new NetworkFailure('api.example.com', 'the connection was reset', true, { status: 201 });
    expect(await clientOf(cutOff).cancel()).toEqual({ status: 201, why: 'HTTP 201 with an empty body' });
    expect((await failure(clientOf(cutOff).create())).category).toBe('outcome-unknown');
    expect((await failure(clientOf(cutOff).get())).category).toBe('unavailable');
  });

  test.each<[string, string, string]>([
    ['no collection', '{}', 'collection is not an array'],
    ['a collection of another kind', '{"collection":{}}', 'collection is not an array'],
    ['a row of another kind', '{"collection":[{"uri":"x"},7]}', 'collection[1] is not an object'],
    ['a row without its uri', '{"collection":[{}]}', 'collection[0] has no uri'],
    [
      'a token of another kind',
      '{"collection":[],"pagination":{"next_page_token":7}}',
      'pagination.next_page_token is not a string',
    ],
    ...['"https://x.example/?count=1"', '7', '"http://["'].map((url): [string, string, string] => [
      `next_page ${url} and no token`,
      `{"collection":[],"pagination":{"next_page_token":null,"next_page":${url}}}`,
      'pagination.next_page is set, but there is no token for the next page',
    ]),
    ...['1e400', '-1e400', '9'.repeat(400)].map((number): [string, string, string] => [
      `the number ${number.slice(0, 6)}`,
      `{"collection":[{"uri":"x","extra":[${number}]}]}`,
      'the reply has a number that is out of range',
    ]),
  ])('rejects a page with %s and says where', async (_, text, reason) => {
    const { category, facts } = await failure(clientOf({ body: text }).list());
    expect({ category, reason: facts.reason }).toEqual({ category: 'integrity', reason });
  });

  test.each([
    '{"collection":[]}',
    '{"collection":[],"pagination":null}',
    '{"collection":[],"pagination":{"next_page_token":""}}',
    '{"collection":[],"pagination":[]}',
  ])('treats a page as the last one: %s', async (text) => {
    expect(await clientOf({ body: text }).list()).toEqual([]);
  });

  test.each(['<!doctype html><p>hello', '', '{"resource":', "{'resource':1}", '\uFFFD\u0000'])(
    'treats %j as unreadable, so that a read may be sent again',
    async (text) => {
      const reply = { body: text, headers: { 'content-type': 'text/html' } };
      const read = await failure(clientOf(reply).get());
      expect(read.category).toBe('integrity');
      expect(read.facts.reason).toContain(text === '' ? 'HTTP 200 with an empty body' : 'HTTP 200 with text/html');
    },
  );

  test('treats __proto__ in a reply as an ordinary field', async () => {
    const text = '{"uri":"x","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const record = await clientOf({ body: `{"resource":${text}}` }).get();
    expect(JSON.stringify(record)).toBe(text);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(record).not.toHaveProperty('polluted');
  });
});
