import { describe, expect, test } from 'vitest';
import { users } from '../../../src/api/users.ts';
import { requireScope } from '../../../src/cli/session/scope-check.ts';
import { createWorld, network } from '../../support/run.ts';

describe('scope check', () => {
  const check = (scopes: string[] | undefined, profile?: string) => () => requireScope(users.me, { scopes, profile });

  test('rejects an operation only if the login is known to lack its scope', () => {
    expect(check(['users:read'])).not.toThrow();
    expect(check(undefined)).not.toThrow();
    // A service with other scope names decides by itself.
    expect(check(['default', 'admin'])).not.toThrow();
    expect(check(['groups:read'])).toThrow('This login is not allowed to read your user record');
  });

  test('accepts a :write scope for reading', () => {
    expect(check(['users:write', 'groups:read'])).not.toThrow();
  });

  test.each([
    ['work', { hint: { command: ['auth', 'login'], flags: { 'add-scopes': 'users:read' } } }],
    [undefined, { advice: 'use a token with users:read' }],
  ])('suggests for the profile %s: %j', (profile, next) => {
    try {
      check(['groups:read'], profile)();
      expect.fail('nothing was thrown');
    } catch (error) {
      expect(error).toMatchObject({ category: 'forbidden', facts: { ...next, outcome: 'not-sent' } });
    }
  });
});

test('a 401 names the variable that the token is from', async () => {
  const world = await createWorld();
  const send = async () => ({ status: 401, headers: {}, body: '{}' });
  const { code, stderr } = await world.run('users me', { send });
  expect([code, stderr]).toEqual([4, expect.stringMatching(/^error: The service rejected the token in SCHED_TOKEN\n/)]);
});

describe('a 403 from the service', () => {
  const refusing = (body: object) => async () => ({ status: 403, headers: {}, body: JSON.stringify(body) });

  test('adds only valid scope names to the hint', async () => {
    const world = await createWorld();
    const send = refusing({ title: 'No', required_scopes: ['users:read', 'x; rm -rf ~', '$(id):read', 'groups:read'] });
    const { code, stderr } = await world.run('users me', { send });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^cause: .*; use a token with users:read, groups:read$/m);
  });

  test.each([
    ['Please upgrade your plan.', true],
    ['Only an admin can do this.', false],
  ])('names the required plan only if the plan is the reason: %s', async (message, isNamed) => {
    const world = await createWorld();
    const send = refusing({ title: 'Denied', message });
    const { code, stderr } = await world.run('activity list --org ORG', { send });
    expect(code).toBe(5);
    expect(stderr.includes('(only available on the Enterprise plan)')).toBe(isNamed);
  });

  test.each([
    ['scope', 'events cancel X --yes', 'sandbox_read_only', /^cause: .*; use a token with scheduled_events:write$/m],
    ['plan', 'activity list', 'sandbox_owner', /enterprise plan/i],
    ['role', 'members list', 'sandbox_user', /admin or the owner/],
  ])('for want of a %s names it', async (_, line, token, words) => {
    const world = await createWorld({ plan: 'free' });
    const { code, stderr } = await world.run(line, { env: { SCHED_TOKEN: token } });
    expect([code, stderr]).toEqual([5, expect.stringMatching(words)]);
  });
});

describe('the hint', () => {
  test.each(['users me', 'events list'])(
    'for a rejected token from the environment is auth status (%s)',
    async (line) => {
      const world = await createWorld();
      const { code, stderr } = await world.run(line, { send: async () => ({ status: 401, headers: {}, body: '{}' }) });
      expect(code).toBe(4);
      expect(stderr).toMatch(/^try: sched auth status$/m);
    },
  );

  test("for a service that can't be reached is doctor --network", async () => {
    const world = await createWorld({ env: { SCHED_BASE_URL: 'http://127.0.0.1:1' } });
    const { code, stderr } = await world.run('users me', { send: network });
    expect({ code, stderr }).toEqual({
      code: 9,
      stderr: "error: Can't reach 127.0.0.1:1\ncause: connection refused\ntry: sched doctor --network\n",
    });
  });
});
