import { describe, expect, test } from 'vitest';
import { authorize } from '../../src/http/authorize.ts';
import { type HttpRequest, requestIdOf, type Send } from '../../src/http/message.ts';
import { trace } from '../../src/http/trace.ts';
import { everythingIn } from '../auth/support/memory.ts';
import { virtualClock } from '../support/run.ts';

const canary = 'canary-token-0123456789';
const get = (url: string): HttpRequest => ({ method: 'GET', url, headers: { accept: 'application/json' } });

const recording = () => {
  const requests: HttpRequest[] = [];
  const send: Send = async (request) => {
    requests.push(request);
    return { status: 200, headers: { 'set-cookie': canary, 'x-request-id': 'r-1' }, body: '{}' };
  };
  return { requests, send };
};

// R49
describe('the ID of a request', () => {
  const idOf = (id: string) => requestIdOf({ status: 200, headers: { 'x-request-id': id }, body: '' });

  test.each([
    'mi3kx1-4',
    '0b2f6d1e-3c4a-4f5b-8c7d-9e0f1a2b3c4d',
    '01JCV0W2M5Y7Z8A9B0C1D2E3F4',
    '1-67891233-abcdef012345678912345678',
    '8e2f4f3a6b7c1234-FRA',
    'dGhpcyBpcyBub3QgYW4gYWRkcmVzcw==',
  ])('%s is kept', (id) => {
    expect(idOf(id)).toBe(id);
  });

  test('is dropped if it spells an email address', () => {
    for (const address of [
      'ada@engine.example',
      'ada.lovelace+x@a.b-c.example',
      'ü@engine.example',
      'a@bücher.example',
    ]) {
      const bytes = Buffer.from(address);
      const spellings = ['hex', 'base64', 'base64url'] as const;
      for (const text of [address, address.replace('@', '=40'), ...spellings.map((each) => bytes.toString(each))])
        for (const id of [text, `req-${text}`, `r:${text}.1`]) expect([id, idOf(id)]).toEqual([id, undefined]);
    }
  });
});

// R11
describe('layers: authorize', () => {
  const send = (url: string) => {
    const { requests, send } = recording();
    const credentials = { current: async () => ({ token: canary, origin: 'https://api.example.com' }) };
    return { requests, reply: authorize(credentials)(send)(get(url)) };
  };

  test('adds the token to a request to its own origin and keeps the other headers', async () => {
    const { requests, reply } = send('https://api.example.com/users/me');
    await reply;
    expect(requests[0]!.headers).toEqual({ accept: 'application/json', authorization: `Bearer ${canary}` });
  });

  test.each([
    'https://evil.example/users/me',
    'http://api.example.com/users/me',
    'https://api.example.com:8443/users/me',
    'https://api.example.com.evil.example/users/me',
    'https://api.example.com@evil.example/users/me',
    'https://sub.api.example.com/users/me',
  ])('sends nothing at all to %s', async (url) => {
    const { requests, reply } = send(url);
    await expect(reply).rejects.toMatchObject({ category: 'auth', facts: { outcome: 'not-sent' } });
    expect(everythingIn(await reply.catch((error) => error))).not.toContain(canary);
    expect(requests).toEqual([]);
  });
});

describe('layers: trace', () => {
  const traced = async (send: Send, url = 'https://api.example.com/invitees?count=1') => {
    const lines: string[] = [];
    const request = {
      ...get(url),
      method: 'POST',
      headers: { authorization: `Bearer ${canary}` },
      body: '{"name":"ü"}',
    };
    const outcome = await trace(virtualClock(), (line) => lines.push(line))(send)(request).catch((error) => error);
    return { lines, outcome };
  };

  test('reports request and reply without headers and bodies', async () => {
    const { send } = recording();
    const { lines, outcome } = await traced(send);
    expect(outcome.status).toBe(200);
    expect(lines).toEqual([
      '→ POST https://api.example.com/invitees?count=1 (13 bytes)',
      '← 200 in 0 ms, 2 bytes, request r-1',
    ]);
    expect(lines.join()).not.toContain(canary);
  });

  // R49
  test('hides email addresses in a query, also in a page token', async () => {
    const token = Buffer.from('{"invitee_email":"ada@engine.example","id":7}').toString('base64url');
    const query = `user=U&invitee_email=ada%40engine.example&email=a%40b&page_token=${token}&count=1`;
    const { lines } = await traced(recording().send, `https://api.example.com/scheduled_events?${query}`);
    const shown = 'user=U&invitee_email=[address]&email=[address]&page_token=[address]&count=1';
    expect(lines[0]).toBe(`→ POST https://api.example.com/scheduled_events?${shown} (13 bytes)`);
  });

  test('reports a failure and throws it', async () => {
    const broken = new Error('the connection was reset');
    const { lines, outcome } = await traced(async () => {
      throw broken;
    });
    expect(outcome).toBe(broken);
    expect(lines[1]).toBe('← no reply after 0 ms: the connection was reset');
  });
});
