import { describe, expect, test } from 'vitest';
import { usualServer, withoutSlash } from '../../src/auth/auth-server.ts';
import { discover } from '../../src/auth/discovery.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpReply, Send } from '../../src/http/message.ts';

const json = { 'content-type': 'application/json' };
const missing: HttpReply = { status: 404, headers: json, body: '{}' };

const metadata = (issuer: string, more: object = {}) => ({
  issuer,
  authorization_endpoint: 'https://id.example/auth?tenant=1',
  token_endpoint: 'https://id.example/token',
  ...more,
});

/** A server with these documents. Records what it is asked for. */
const serving = (documents: Record<string, object | Partial<HttpReply>>) => {
  const asked: string[] = [];
  const send: Send = async ({ url, method }) => {
    asked.push(`${method} ${url}`);
    const found = documents[url];
    if (found === undefined) return missing;
    return 'status' in found ? { ...missing, ...found } : { status: 200, headers: json, body: JSON.stringify(found) };
  };
  return { asked, send };
};

const at = (issuer: string, document: object) => ({ [`${issuer}/.well-known/oauth-authorization-server`]: document });

describe('discovery', () => {
  test('asks for OAuth metadata first, then for OpenID metadata, and puts the path of the issuer where each belongs', async () => {
    const { asked, send } = serving({});
    expect(await discover('https://id.example/realms/one', send)).toBeUndefined();
    expect(asked).toEqual([
      'GET https://id.example/.well-known/oauth-authorization-server/realms/one',
      'GET https://id.example/realms/one/.well-known/openid-configuration',
    ]);
  });

  test('reads the addresses, and keeps the query of an address', async () => {
    const more = {
      revocation_endpoint: 'https://id.example/revoke',
      device_authorization_endpoint: 'https://id.example/device',
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    };
    const { send, asked } = serving(at('https://id.example', metadata('https://id.example', more)));
    expect(await discover('https://id.example', send)).toEqual({
      document: 'https://id.example/.well-known/oauth-authorization-server',
      server: {
        issuer: 'https://id.example',
        authorize: 'https://id.example/auth?tenant=1',
        token: 'https://id.example/token',
        revoke: 'https://id.example/revoke',
        device: 'https://id.example/device',
        clientAuth: 'client_secret_post',
        sendsIssuer: true,
      },
    });
    expect(asked).toHaveLength(1);
  });

  test.each([
    [undefined, 'client_secret_post'],
    [['client_secret_basic'], 'client_secret_basic'],
    [['none', 'client_secret_basic', 'private_key_jwt'], 'client_secret_basic'],
    [['client_secret_basic', 'client_secret_post'], 'client_secret_post'],
    [['client_secret_post'], 'client_secret_post'],
    [['none'], 'client_secret_post'],
  ])('with the methods %j sends a secret by %s first', async (methods, expected) => {
    const more = { token_endpoint_auth_methods_supported: methods };
    const { send } = serving(at('https://id.example', metadata('https://id.example', more)));
    expect((await discover('https://id.example', send))?.server.clientAuth).toBe(expected);
  });

  test.each([
    ['https://id.example', 'https://id.example/'],
    ['https://id.example/', 'https://id.example'],
  ])('takes %s for %s, and keeps the name that the server gives itself', async (asked, stated) => {
    const { send } = serving(at('https://id.example', metadata(stated)));
    expect((await discover(asked, send))?.server.issuer).toBe(stated);
  });

  test('keeps the trailing slash of an issuer with a path', async () => {
    const document = 'https://id.example/realm/.well-known/openid-configuration';
    const { send } = serving({ [document]: metadata('https://id.example/realm/') });
    expect((await discover('https://id.example/realm', send))?.server.issuer).toBe('https://id.example/realm/');
  });

  test.each(['https://evil.example', 'https://id.example/other', 'http://id.example', 'https://id.example.evil', 7])(
    'rejects a document that describes the issuer %s',
    async (stated) => {
      const { send } = serving(at('https://id.example', metadata(stated as string)));
      await expect(discover('https://id.example', send)).rejects.toMatchObject({
        category: 'integrity',
        facts: { reason: expect.stringContaining('not "https://id.example"'), outcome: 'not-sent' },
      });
    },
  );

  // R7
  test.each([
    [
      'http',
      { token_endpoint: 'http://id.example/token' },
      'the token address "http://id.example/token": it must be https',
    ],
    ['no URL', { authorization_endpoint: '/auth' }, 'the authorize address "/auth": not a URL'],
    ['a script', { authorization_endpoint: 'javascript:alert(1)' }, 'it must be https'],
    ['a user', { revocation_endpoint: 'https://a:b@id.example/' }, 'it must not have a user or fragment'],
    ['a fragment', { device_authorization_endpoint: 'https://id.example/#x' }, 'it must not have a user or fragment'],
    ['a line break', { token_endpoint: 'https://id.example/\ntoken' }, 'not a URL'],
    ['nothing', { token_endpoint: undefined }, 'the token address: it is missing'],
    ['a number', { token_endpoint: 7 }, 'the token address: it is missing'],
  ])('rejects a document in which an address is %s', async (_, more, reason) => {
    const { send } = serving(at('https://id.example', metadata('https://id.example', more)));
    await expect(discover('https://id.example', send)).rejects.toMatchObject({
      category: 'integrity',
      facts: { reason: expect.stringContaining(reason) },
    });
  });

  test.each<[string, Partial<HttpReply>]>([
    ['a redirect', { status: 302, headers: { location: 'https://evil.example/' } }],
    ['a page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' }],
    ['a refusal', { status: 403 }],
  ])('treats %s as no document, and follows no redirect', async (_, reply) => {
    const { send, asked } = serving(at('https://id.example', reply));
    expect(await discover('https://id.example', send)).toBeUndefined();
    expect(asked.every((line) => line.startsWith('GET https://id.example/.well-known/'))).toBe(true);
  });

  test.each([500, 503, 429])('fails on %i instead of guessing the addresses', async (status) => {
    const { send } = serving(at('https://id.example', { status }));
    await expect(discover('https://id.example', send)).rejects.toMatchObject({ category: 'unavailable' });
  });

  test('fails on JSON that is broken, and if the server is not reached', async () => {
    const { send } = serving(at('https://id.example', { status: 200, headers: json, body: '{' }));
    await expect(discover('https://id.example', send)).rejects.toMatchObject({ category: 'integrity' });
    const away: Send = async () => {
      throw new NetworkFailure('id.example', 'connection refused', false);
    };
    await expect(discover('https://id.example', away)).rejects.toMatchObject({
      category: 'unavailable',
      facts: { reason: 'id.example: connection refused' },
    });
  });

  test('the usual addresses are fixed paths below the auth URL', () => {
    expect(usualServer('https://id.example/a')).toMatchObject({
      authorize: 'https://id.example/a/oauth/authorize',
      token: 'https://id.example/a/oauth/token',
      revoke: 'https://id.example/a/oauth/revoke',
    });
  });
});

describe('withoutSlash', () => {
  test('removes slashes at the end, at once from a long text too', () => {
    const long = `https://a.example${'/'.repeat(200_000)}`;
    expect([withoutSlash(long), withoutSlash(`${long}b`).length]).toEqual(['https://a.example', long.length + 1]);
  });
});
