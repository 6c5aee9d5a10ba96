import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { authorizationUrl, usualServer } from '../../src/auth/auth-server.ts';
import { type CallbackResult, checkCallback, checkPasted, type Expectation } from '../../src/auth/callback.ts';
import { makeSecrets } from '../../src/auth/pkce.ts';
import { everythingIn, random } from './support/memory.ts';
import { canary } from './support/oauth-server.ts';

const client = { server: usualServer('https://auth.example.com'), id: 'client-1' };
const redirectUri = 'http://127.0.0.1:4711/callback';
const secrets = {
  verifier: `${canary}-verifier-0123456789012345678901234567890`,
  challenge: 'c',
  state: `${canary}-state`,
};
const expected: Expectation = { client, secrets, redirectUri };
const mine = `state=${secrets.state}`;

const get = (target: string, more: { method?: string; host?: string | undefined } = {}): CallbackResult =>
  checkCallback({ method: 'GET', host: '127.0.0.1:4711', target, ...more }, expected);

const summary = (verdict: CallbackResult) => (verdict.kind === 'ignored' ? verdict.status : verdict.kind);

// R1
describe('pkce', () => {
  test('makes a new verifier and state of 32 bytes each for every login', async () => {
    const asked: number[] = [];
    const made = await makeSecrets((count) => {
      asked.push(count);
      return new Uint8Array(count).fill(asked.length);
    });
    expect(asked).toEqual([32, 32]);
    expect(made.verifier).toBe(Buffer.alloc(32, 1).toString('base64url'));
    expect(made.state).toBe(Buffer.alloc(32, 2).toString('base64url'));
    expect(made.challenge).toBe(createHash('sha256').update(made.verifier).digest('base64url'));
  });

  test('puts the challenge in the URL, but never the verifier', async () => {
    const made = await makeSecrets(random);
    const url = new URL(authorizationUrl(client, made, redirectUri, ['users:read', 'shares:write']));
    expect(url.origin + url.pathname).toBe('https://auth.example.com/oauth/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'client-1',
      response_type: 'code',
      redirect_uri: redirectUri,
      code_challenge: made.challenge,
      code_challenge_method: 'S256',
      scope: 'users:read shares:write',
      state: made.state,
    });
    expect(url.href).not.toContain(made.verifier);
  });
});

// R3, R4, R7
describe('callback', () => {
  test('accepts a code with the right state, with the right issuer or none', () => {
    expect(summary(get(`/callback?code=x&${mine}`))).toBe('granted');
    expect(summary(get(`/callback?code=x&${mine}&iss=https%3A%2F%2Fauth.example.com`))).toBe('granted');
    expect(summary(get(`/callback?code=x&${mine}&extra=1`))).toBe('granted');
  });

  test.each([
    ['no state', '/callback?code=x', 400],
    ['a wrong state', '/callback?code=x&state=y', 400],
    ['an empty state', '/callback?code=x&state=', 400],
    ['an error without a state', '/callback?error=access_denied', 400],
    ['an error with a wrong state', '/callback?error=access_denied&state=y', 400],
    ['the state twice', `/callback?code=x&${mine}&${mine}`, 400],
    ['the right state after a wrong one', `/callback?code=x&state=y&${mine}`, 400],
    ['the code twice', `/callback?code=x&code=y&${mine}`, 400],
    ['an unknown parameter twice', `/callback?code=x&a=1&a=2&${mine}`, 400],
    ['an error twice', `/callback?error=a&error=b&${mine}`, 400],
    ['neither code nor error', `/callback?${mine}`, 400],
    ['an empty code', `/callback?code=&${mine}`, 400],
    ['a JARM response', `/callback?response=x&code=x&${mine}`, 400],
    ['an implicit token', `/callback?token=x&code=x&${mine}`, 400],
    ['another path', `/callback/?code=x&${mine}`, 404],
    ['an encoded path', `/%63allback?code=x&${mine}`, 404],
    ['an absolute target', `http://127.0.0.1:4711/callback?code=x&${mine}`, 404],
    ['a favicon', '/favicon.ico', 404],
  ])('keeps waiting after %s', (_, target, status) => {
    expect(summary(get(target))).toBe(status);
  });

  test.each(['localhost:4711', '127.0.0.1', '127.0.0.1:4712', 'evil.example', 'evil.example:4711', undefined])(
    'rejects the host %s',
    (host) => {
      expect(summary(get(`/callback?code=x&${mine}`, { host }))).toBe(421);
    },
  );

  test.each(['POST', 'HEAD', 'OPTIONS', 'get'])('rejects the method %s', (method) => {
    expect(summary(get(`/callback?code=x&${mine}`, { method }))).toBe(405);
  });

  test('ends the login on a denial with the right state, without quoting secrets', () => {
    const verdict = get(`/callback?error=access_denied&error_description=Not+today&${mine}`);
    expect(verdict).toMatchObject({
      kind: 'refused',
      page: 'denied',
      error: { category: 'auth', message: 'The login was denied', facts: { reason: 'access_denied: Not today' } },
    });
    expect(everythingIn(verdict)).not.toContain(canary);
  });

  test('does not print an explanation or an issuer that repeats part of the code', () => {
    const denied = get(
      `/callback?error=server_error&error_description=code+SplxlOBe...+failed&code=SplxlOBeZQQYbYS&${mine}`,
    );
    expect(denied).toMatchObject({
      kind: 'refused',
      error: { facts: { reason: 'server_error (the explanation repeats a secret, so it is not shown)' } },
    });
    const foreign = get(`/callback?code=SplxlOBeZQQYbYS&${mine}&iss=https%3A%2F%2Fevil.example%2FSplxlOBe`);
    expect(foreign).toMatchObject({
      kind: 'refused',
      error: { facts: { reason: expect.stringContaining('another one') } },
    });
  });

  test('does not print an invalid error code', () => {
    const verdict = get(`/callback?error=%3Cscript%3E&${mine}`);
    expect(verdict).toMatchObject({
      kind: 'refused',
      page: 'failed',
      error: { facts: { reason: 'an unknown error' } },
    });
  });

  test.each(['https://evil.example', 'https://auth.example.com/', 'https://auth.example.com.evil.example', ''])(
    'fails when the issuer is %s',
    (iss) => {
      const verdict = get(`/callback?code=x&${mine}&iss=${encodeURIComponent(iss)}`);
      expect(verdict).toMatchObject({ kind: 'refused', page: 'failed', error: { category: 'auth' } });
    },
  );

  test('checks a pasted address the same way', () => {
    const paste = (text: string) => summary(checkPasted(text, expected));
    expect(paste(` ${redirectUri}?code=x&${mine}\n`)).toBe('granted');
    expect(paste(`${redirectUri}?code=x&state=y`)).toBe(400);
    expect(paste(`${redirectUri}?code=x&code=y&${mine}`)).toBe(400);
    expect(paste(`http://127.0.0.1:9/callback?code=x&${mine}`)).toBe(404);
    expect(paste(`https://evil.example/callback?code=x&${mine}`)).toBe(404);
    expect(paste('x')).toBe(400);
    expect(paste('')).toBe(400);
    expect(paste(`${redirectUri}?error=access_denied&${mine}`)).toBe('refused');
  });
});
