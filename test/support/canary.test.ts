import { describe, expect, test } from 'vitest';
import { addCanary, expectNoSecret } from './canary.ts';
import { createWorld, replying } from './run.ts';

// R12
describe('the search for secrets', () => {
  const token = 'canary+token/0123456789~?';

  test.each([
    ['plain', token],
    ['base64', Buffer.from(`Bearer ${token}`).toString('base64')],
    ['base64', Buffer.from(`x${token}`).toString('base64')],
    ['base64', Buffer.from(`xyz:${token}x`).toString('base64url')],
    ['plain, escaped', encodeURIComponent(token)],
    ['plain, escaped', [...token].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('')],
    ['plain, escaped', [...token].map((char) => `&#${char.charCodeAt(0)};`).join('')],
    ['hex', Buffer.from(token).toString('hex').toUpperCase()],
  ])('catches a deliberate leak, %s', async (form, leak) => {
    const given = { line: ['users', 'me'], env: { SCHED_TOKEN: token } };
    const told = `R12: sched users me: stdout holds a secret of ${token.length} characters, ${form}`;
    expect(() => expectNoSecret(given, { stdout: `{"name":"${leak}"}`, stderr: '' })).toThrow(told);
  });

  test('catches what the program prints in process', async () => {
    addCanary(token);
    const world = await createWorld();
    const send = replying({
      body: JSON.stringify({ resource: { uri: 'http://127.0.0.1:4010/users/A', name: token } }),
    });
    // The program does not know that it is a secret.
    await expect(world.run('users me --json', { send })).rejects.toThrow(
      `R12: sched users me --json: stdout holds a secret of ${token.length} characters, plain`,
    );
  });

  test('looks at stderr too, and lets auth token answer', () => {
    const env = { SCHED_TOKEN: token };
    const line = ['auth', 'token'];
    expectNoSecret({ line, env }, { stdout: token, stderr: '' });
    expect(() => expectNoSecret({ line, env }, { stdout: '', stderr: token })).toThrow('stderr');
    expect(() => expectNoSecret({ line: ['auth', 'status'], env }, { stdout: token, stderr: '' })).toThrow('stdout');
    expectNoSecret(
      { line: ['users', 'me'], env: { SCHED_TOKEN: 'sandbox_owner' } },
      { stdout: 'sandbox_owner', stderr: '' },
    );
  });
});
