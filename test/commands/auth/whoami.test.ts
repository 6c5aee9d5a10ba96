import { describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, logIn, loginAddresses, outputs } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const world = await createWorld();

/** The service, for a token that may not read these paths. */
const without =
  (...paths: string[]): Send =>
  async (request) =>
    paths.some((path) => new URL(request.url).pathname.startsWith(path))
      ? { status: 403, headers: {}, body: '{"title":"Insufficient scope"}' }
      : world.service(request);

describe('whoami', () => {
  test("prints the service's user, and role, organization and token under _sched", async () => {
    const { code, stdout, stderr, requests } = await world.run('whoami --json');
    const me = JSON.parse((await world.run('users me --json')).stdout);
    const { _sched, ...user } = JSON.parse(stdout);
    expect([code, stderr, requests.length]).toEqual([0, '', 3]);
    expect(user).toEqual(me);
    expect(_sched).toEqual({
      role: expect.stringMatching(/^(owner|admin|user)$/),
      organization: expect.objectContaining({ uri: me.current_organization, plan: expect.any(String) }),
      profile: null,
      protected: false,
      base_url: 'http://127.0.0.1:4010',
      source: 'SCHED_TOKEN',
      expires_at: null,
      unread: [],
    });
  });

  test('answers in a sentence on a terminal, and with everything if asked for', async () => {
    const short = await world.run('whoami --color never', { terminals: outputs });
    expect(short.stdout).toBe(
      '✔ Logged in as Amara Lindqvist <amara.lindqvist@northlight.example>\n  owner of Northlight Advisory · enterprise plan · token in SCHED_TOKEN\n  http://127.0.0.1:4010\n',
    );
    const { stdout } = await world.run('whoami --color never --verbose', { terminals: outputs });
    expect(stdout).toMatch(
      /^\S.+\nEmail +\S+@\S+\nRole +\w+\nOrganization +\S.+\nPlan +\w+\nService +http:\S+\nToken +SCHED_TOKEN\n$/,
    );
  });

  test('says where a stored login is and until when its token is valid', async () => {
    const home = temporaryDirectory('whoami');
    const env = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
    expect((await logIn(world, loginAddresses, { home, env })).code).toBe(0);
    const { stdout } = await world.run('whoami --color never', { home, env, terminals: outputs });
    expect(stdout.replace(/\n +/g, ' · ')).toContain(
      ' · profile default · token in credential file · valid until Sat 11 Oct 2025 22:00 (Europe/Paris) · ',
    );
  });

  test.each([
    [['/organizations/'], ['organization']],
    [['/organization_memberships'], ['role']],
    [['/users/'], ['user', 'organization', 'role']],
  ])('shows the rest if the token may not read %j', async (paths, unread) => {
    const { code, stdout, stderr } = await world.run('whoami --json', { send: without(...paths) });
    const notes = stderr.trim().split('\n');
    expect([code, JSON.parse(stdout)._sched.unread]).toEqual([0, unread]);
    expect(notes).toHaveLength(unread.length);
    expect(stderr).toMatch(new RegExp(`may not read its ${unread[0]} \\(scope \\w+:read\\)`));
    for (const part of unread.slice(1)) expect(stderr).toContain(`The service doesn't say what your ${part} is`);
  });

  test('says that the service has no such path, and nothing about scopes', async () => {
    const send: Send = async (request) =>
      request.url.includes('/organizations/')
        ? { status: 404, headers: {}, body: '{"message":"Not Found"}' }
        : world.service(request);
    const { code, stderr } = await world.run('whoami', { send });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^No organization: The service found nothing at \/org\S+\n$/),
    ]);
  });

  test('finds the role if the service ignores the filter by user', async () => {
    const send: Send = (request) =>
      world.service({ ...request, url: request.url.replace(/(?<=\/organization_memberships\?.*)user=[^&]*&?/, '') });
    const { stdout } = await world.run('whoami --json', { send });
    expect(stdout).toBe((await world.run('whoami --json')).stdout);
  });

  test('ends with exit code 4 if the service refuses the token', async () => {
    const { code, stdout, stderr } = await world.run('whoami', { env: { SCHED_TOKEN: 'wrong' } });
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(/^try: sched auth status$/m);
  });

  test('shows no raw control character from the service', async () => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      const poison = (key: string, value: unknown) =>
        ['name', 'role', 'plan'].includes(key) ? '\x1b]0;x\x07\u202E' : value;
      return { ...reply, body: JSON.stringify(JSON.parse(reply.body, poison)) };
    };
    const { stdout } = await world.run('whoami', { terminals: outputs, send });
    expect(stdout.replace(/\x1b\[\d+m|\n/g, '')).not.toMatch(/[\p{Cc}\u202E]/u);
  });
});
