import { expect, test } from 'vitest';
import { createOwnTokens } from '../../../src/sandbox/oauth/own-tokens.ts';
import { readyTokens } from '../../../src/sandbox/oauth/ready-tokens.ts';

let byte = 0;
const own = createOwnTokens((count) => new Uint8Array(count).fill(++byte));
const form = { 'content-type': 'application/x-www-form-urlencoded' };
/** The same type for a server: its case means nothing, and a parameter may follow. */
const loudForm = { 'content-type': 'Application/X-WWW-Form-URLEncoded ; charset=utf-8' };
const request = (headers: Record<string, string>, body?: string) => ({
  method: 'POST',
  url: 'http://sandbox:4010/oauth/token',
  headers,
  ...(body === undefined ? {} : { body }),
});

test('each ready-made token has a random one in its place, which alone works', () => {
  const shown = readyTokens.map(own.shown);
  expect(new Set(shown.flatMap(({ token, refreshToken }) => [token, refreshToken])).size).toBe(8);
  for (const [index, { token, refreshToken }] of readyTokens.entries()) {
    const random = shown[index]!;
    const headers = (given: string) => own.translate(request({ authorization: `Bearer ${given}` })).headers;
    expect(random.token).toMatch(new RegExp(`^${token}_[\\w-]{32}$`));
    expect(headers(random.token)).toEqual({ authorization: `Bearer ${token}` });
    expect(headers(token).authorization).not.toBe(`Bearer ${token}`);
    if (refreshToken === undefined) continue;
    for (const type of [form, loudForm]) {
      const body = (given: string) =>
        own.translate(request(type, `grant_type=refresh_token&refresh_token=${given}`)).body;
      expect(body(random.refreshToken!)).toBe(`grant_type=refresh_token&refresh_token=${refreshToken}`);
      expect(body(refreshToken)).toMatch(/refresh_token=sandbox_legacy_refresh_is_off$/);
    }
  }
});

test('everything else stays as it is, fields that come twice too', () => {
  for (const each of [
    request({}),
    request({ authorization: 'Basic c2NoZWQ6' }),
    request({ authorization: 'Bearer sandbox_access_x' }),
    request({ 'content-type': 'application/json' }, '{"token":"sandbox_owner"}'),
    request(form, 'a=1&token=x&token=y&b=2'),
    // As curl sends it without a type.
    { ...request(form, '{"event":"invitee.created"}'), url: 'http://sandbox:4010/__sandbox/trigger' },
  ])
    expect(own.translate(each)).toEqual(each);
});
