import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPlainRecord } from '../../src/auth/record.ts';
import { CredentialRecord } from '../../src/auth/record-schema.ts';
import { isPlainConfig } from '../../src/profile/glance.ts';
import { Config } from '../../src/profile/schema.ts';

const config = {
  version: 1,
  current: 'work',
  profiles: {
    work: {
      base_url: 'https://api.example.com',
      auth_url: 'https://auth.example.com',
      mcp_url: 'https://mcp.example.com/v1',
      client_id: 'sched-cli',
      issuer: 'https://auth.example.com',
      user: 'https://api.example.com/users/U',
      organization: 'O',
      timezone: 'Europe/Paris',
      output: 'json',
      uri_root: 'https://api.example.com',
      login: { store: 'keychain', issuer: 'https://auth.example.com', client: 'sched-cli', user: 'U' },
    },
    bare: { base_url: 'http://127.0.0.1:4010' },
  },
};

const credential = {
  version: 1,
  kind: 'oauth',
  origin: 'https://api.example.com',
  issuer: 'https://auth.example.com',
  client_id: 'sched-cli',
  access_token: 'token',
  refresh_token: 'another',
  scope: 'users:read',
  expires_at: 1_800_000_000_000,
  created_at: 1_799_999_992_800,
  owner: '',
  organization: 'O',
  name: 'Ada Byron',
};

type Json = Record<string, unknown>;

/** Every place in a value, as the names that lead there. */
const placesIn = (value: unknown): string[][] =>
  typeof value !== 'object' || value === null
    ? [[]]
    : [[], ...Object.entries(value).flatMap(([name, inner]) => placesIn(inner).map((place) => [name, ...place]))];

/** The value with another thing at that place, or without what was there, or with something more. */
const changed = (value: unknown, [name, ...rest]: string[], to: unknown, how: 'put' | 'drop' | 'add'): unknown => {
  if (name === undefined) return how === 'add' && typeof value === 'object' ? { ...value, more: to } : to;
  const copy: Json = { ...(value as Json) };
  if (rest.length === 0 && how === 'drop') delete copy[name];
  else copy[name] = changed(copy[name], rest, to, how);
  return copy;
};

const strange = [0, 1, 2, true, null, '', ' ', 'x', 'a b', 'file', 'https://', 'https://a.example/', 'ftp://a', [], {}];

describe.each([
  ['a configuration', config, isPlainConfig, Config],
  ['a credential', credential, isPlainRecord, CredentialRecord],
] as const)('what is taken at a glance: %s', (_, right, isPlain, schema) => {
  test('is what we write', () => {
    expect(isPlain(right)).toBe(true);
    expect(schema.safeParse(right)).toEqual({ success: true, data: right });
  });

  test('is what the schema takes, unchanged', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...placesIn(right)),
        fc.oneof(fc.constantFrom(...strange), fc.string(), fc.jsonValue()),
        fc.constantFrom('put', 'drop', 'add'),
        (place, to, how) => {
          const value = JSON.parse(JSON.stringify(changed(right, place, to, how) ?? null));
          if (!isPlain(value)) return;
          taken += 1;
          expect(schema.safeParse(value)).toEqual({ success: true, data: value });
        },
      ),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(100);
  });
});
