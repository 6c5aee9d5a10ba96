import { describe, expect, test } from 'vitest';
import { authorize } from '../../src/http/authorize.ts';
import type { HttpRequest } from '../../src/http/message.ts';
import { everythingIn } from '../auth/support/memory.ts';

const canary = 'canary-token-0123456789';

// R11
describe('authorize', () => {
  const send = (url: string) => {
    const requests: HttpRequest[] = [];
    const service = async (request: HttpRequest) => {
      requests.push(request);
      return { status: 200, headers: {}, body: '{}' };
    };
    const credentials = { current: async () => ({ token: canary, origin: 'https://api.example.com' }) };
    return {
      requests,
      reply: authorize(credentials)(service)({ method: 'GET', url, headers: { accept: 'application/json' } }),
    };
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
