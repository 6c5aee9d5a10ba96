import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { makeId } from '../../../src/sandbox/store/names.ts';
import { createWorld, jsonOf, outputs, type Result, terminals } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let directory: string;
beforeEach(async () => {
  world = await createWorld();
  directory = temporaryDirectory('webhooks');
});

const create = 'webhooks create --url https://example.com/hooks --events invitee.created,invitee.canceled';
const isPost = ({ method }: HttpRequest) => method === 'POST';
const isDelete = ({ method }: HttpRequest) => method === 'DELETE';
const bodyOf = ({ requests }: Result) => JSON.parse(requests.find(isPost)!.body!);
const lost = () => new NetworkFailure('127.0.0.1:4010', 'the connection was reset', true);
const asUser = { env: { SCHED_TOKEN: 'sandbox_user' } };

describe('webhooks list', () => {
  const queryOf = async (line: string) => {
    const { requests, code, stderr } = await world.run(`${line} --json`);
    expect(code, stderr).toBe(0);
    const { searchParams } = new URL(requests.at(-1)!.url);
    expect(searchParams.get('organization')).toMatch(/\/organizations\//);
    return ['scope', 'user', 'group'].map(
      (name) => searchParams.get(name)?.split('/').at(-2) ?? searchParams.get(name),
    );
  };

  test('shows your own by default, and others by their flag', async () => {
    expect(await queryOf('webhooks list')).toEqual(['user', 'users', null]);
    expect(await queryOf('webhooks list --user jonas.weber@northlight.example')).toEqual(['user', 'users', null]);
    expect(await queryOf('webhooks list --org current')).toEqual(['organization', null, null]);
    expect(await queryOf('webhooks list --scope organization')).toEqual(['organization', null, null]);
    expect(await queryOf('webhooks list --scope group')).toEqual(['group', null, null]);
    expect(await queryOf('webhooks list --group "Customer team"')).toEqual(['group', null, 'groups']);
  });

  test('says on a terminal whose webhooks it shows', async () => {
    const { stderr } = await world.run('webhooks list', { terminals: outputs });
    expect(stderr).toContain("Showing your webhooks. For the organization's: --org current");
    const whole = await world.run('webhooks list --org current', { terminals: outputs });
    expect(whole.stderr).not.toContain('Showing');
  });

  test('refuses flags of another scope', async () => {
    const { code, stderr } = await world.run('webhooks list --scope organization --group X');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--group can only be used with --scope group')]);
  });

  test('of the organization needs an admin', async () => {
    expect((await world.run('webhooks list --org current', asUser)).code).toBe(5);
    expect((await world.run('webhooks list', asUser)).code).toBe(0);
  });
});

describe('webhooks create', () => {
  test.each([
    [{}, '', { scope: 'user', user: expect.stringContaining('/users/') }],
    [{ group: 'http://127.0.0.1:4010/groups/4UJ8LXFLWJYWQTRF' }, '', { scope: 'group' }],
    [{}, '--org current', { scope: 'organization' }],
    [{ scope: 'organization' }, '', { scope: 'organization' }],
  ])('fills in the scope that --body lacks: %j %s', async (more, flags, filled) => {
    const body = { url: 'https://example.com/hooks', events: ['invitee.created'], ...more };
    const { stdout } = await world.run(`webhooks create --body - --dry-run ${flags}`, { stdin: JSON.stringify(body) });
    expect(JSON.parse(stdout).body).toEqual({ organization: expect.any(String), ...body, ...filled });
  });

  test('says how to undo it on stderr, and in the record only for programs that read JSON', async () => {
    const undo = /^(?:\{"note":")?Undo: sched webhooks delete \w{16}(?:"\})?$/m;
    const seen: unknown[] = [];
    for (const flags of [
      '-o csv',
      '-o tsv',
      '-o id',
      '-o yaml',
      '-o jsonl',
      '-o json -q',
      '--fields uri,_sched.undo',
    ]) {
      const { stdout, stderr } = await world.run(`${create.replace('/hooks', `/${seen.length}`)} ${flags}`);
      seen.push([flags, undo.test(stderr), stdout.includes('sched webhooks delete')]);
    }
    expect(seen).toEqual([
      ['-o csv', true, false],
      ['-o tsv', true, false],
      ['-o id', true, false],
      ['-o yaml', true, false],
      ['-o jsonl', true, true],
      ['-o json -q', false, true],
      ['--fields uri,_sched.undo', true, true],
    ]);
  });

  test('subscribes your own events by default, and prints the webhook', async () => {
    const result = await world.run(`${create} --json`);
    const { _sched, ...webhook } = jsonOf(result);
    expect(_sched.undo).toBe(`sched webhooks delete ${webhook.uri.split('/').at(-1)}`);
    expect(webhook).toMatchObject({
      callback_url: 'https://example.com/hooks',
      state: 'active',
      scope: 'user',
      events: ['invitee.created', 'invitee.canceled'],
    });
    expect(result.stderr).toContain('Deliveries are not signed');
    expect(Object.keys(bodyOf(result))).toEqual(['url', 'events', 'organization', 'scope', 'user']);
    expect(jsonOf(await world.run(`webhooks get ${webhook.uri} --json`))).toEqual(webhook);
  });

  test('takes events as a list or one by one, and corrects a typing error', async () => {
    const line = 'webhooks create --url https://example.com/a --events invitee.created --events invitee.canceled';
    expect(bodyOf(await world.run(line)).events).toEqual(['invitee.created', 'invitee.canceled']);
    const { code, stderr } = await world.run('webhooks create --url https://a.example/ --events invitee.create');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean invitee.created?')]);
  });

  test.each([
    ['http://example.com/', 'must be an https URL, or http on a loopback address'],
    ['ftp://127.0.0.1/', 'must be an https URL'],
    ['https://me:secret@example.com/', 'without a user'],
    ['example.com', 'must be an https URL'],
  ])('refuses the URL %s and sends nothing', async (url, problem) => {
    const { code, stderr, requests } = await world.run(`webhooks create --url ${url} --events invitee.created`);
    expect([code, stderr, requests]).toEqual([2, expect.stringContaining(problem), []]);
  });

  test.each(['http://127.0.0.1:8080/hooks?a=b', 'http://localhost/', 'http://[::1]:9/'])('accepts %s', async (url) => {
    expect((await world.run(`webhooks create --url ${url} --events invitee.created`)).code).toBe(0);
  });

  test('needs the group for that scope', async () => {
    const { code, stderr, requests } = await world.run(`${create} --scope group`);
    expect([code, stderr, requests]).toEqual([2, expect.stringContaining('--group'), []]);
    const team = jsonOf(await world.run(`${create} --group "Customer team" --json`));
    expect(team).toMatchObject({ scope: 'group', group: expect.stringContaining('/groups/'), user: null });
  });

  test('takes a whole body, whose scope counts', async () => {
    const { current_organization: organization } = jsonOf(await world.run('users me --json'));
    const file = join(directory, 'body.json');
    const body = { url: 'https://example.com/b', events: ['invitee.created'], organization, scope: 'organization' };
    writeFileSync(file, JSON.stringify({ ...body, signing_key: 'canary-access-signing-key' }));
    const result = await world.run(['webhooks', 'create', '--body', file, '--json', '-v']);
    expect(jsonOf(result)).toMatchObject({ scope: 'organization' });
    const dry = await world.run(['webhooks', 'create', '--body', file, '--dry-run']);
    expect(dry.stdout).toContain('[signing key]');
  });

  test('reports the same URL and scope as a conflict', async () => {
    await world.run(create);
    expect((await world.run(create)).code).toBe(7);
    expect((await world.run(`${create} --org current`)).code).toBe(0);
  });

  // R26
  describe('with a lost reply', () => {
    const losing =
      (isCommitted: boolean): Send =>
      async (request) => {
        if (!isPost(request)) return world.service(request);
        if (isCommitted) await world.service(request);
        throw lost();
      };

    test('is found by URL and scope, and not sent again', async () => {
      const result = await world.run(`${create} --json`, { send: losing(true) });
      expect(jsonOf(result)).toMatchObject({ callback_url: 'https://example.com/hooks', _sched: { reconciled: true } });
      expect(result.requests.filter(isPost)).toHaveLength(1);
    });

    test('is unknown if nothing is found, and suggests the same command', async () => {
      const { code, stderr, requests } = await world.run(create, { send: losing(false) });
      expect([code, requests.filter(isPost).length]).toEqual([10, 1]);
      expect(stderr).toContain(`try: sched ${create}`);
    });

    test('is unknown if the webhook is older or has other events', async () => {
      await world.run('webhooks create --url https://example.com/hooks --events invitee.created');
      expect((await world.run(create, { send: losing(false) })).code).toBe(10);
      const same = 'webhooks create --url https://example.com/hooks --events invitee.created';
      await world.clock.sleep(3_600_000);
      expect((await world.run(same, { send: losing(false) })).code).toBe(10);
    });
  });
});

describe('webhooks create --signing-key-file', () => {
  const keyFile = () => join(directory, 'hooks.key');
  const line = (...more: string[]) => [...create.split(' '), '--signing-key-file', keyFile(), ...more];

  test('sends the key of an existing file without its line break', async () => {
    writeFileSync(keyFile(), 'canary-access-0123456789\n');
    const result = await world.run(line());
    expect([result.code, bodyOf(result).signing_key]).toEqual([0, 'canary-access-0123456789']);
    expect(result.stderr).not.toContain('not signed');
  });

  // R12, R16
  test('creates a missing file with mode 0600 and a new key, which it never prints', async () => {
    const result = await world.run(line('--json', '-v'));
    const key = readFileSync(keyFile(), 'utf8');
    expect(key).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(bodyOf(result).signing_key).toBe(key.trim());
    expect(result.stdout + result.stderr).not.toContain(key.trim());
    expect(result.stderr).toContain(`Created a signing key in ${keyFile()}`);
  });

  test.each(['--dry-run', '--curl'])('creates nothing with %s, and shows no key', async (flag) => {
    const without = await world.run(line(flag));
    expect([without.code, existsSync(keyFile())]).toEqual([0, false]);
    expect(without.stdout).toContain('[signing key]');
    writeFileSync(keyFile(), 'canary-access-0123456789');
    const { stdout, stderr } = await world.run(line(flag, '-v'));
    expect(stdout).toContain('[signing key]');
    expect(stdout + stderr).not.toContain('canary-access');
  });

  test('removes the key from an error that quotes it', async () => {
    writeFileSync(keyFile(), 'canary-access-0123456789');
    const send: Send = async (request) =>
      isPost(request)
        ? { status: 400, headers: {}, body: JSON.stringify({ title: 'No', message: `bad body ${request.body}` }) }
        : world.service(request);
    const { code, stderr } = await world.run(line(), { send });
    expect(code).toBe(2);
    expect(stderr).toContain('[signing key]');
    expect(stderr).not.toContain('canary-access');
  });

  test.each([
    ['', 'the file is empty'],
    ['\n', 'the file is empty'],
    ['short', 'at least 8 characters'],
    ['two\nlines\n', 'one line of printable ASCII'],
    ['wörter-ohne-ende', 'one line of printable ASCII'],
  ])('refuses the content %j and sends nothing', async (content, problem) => {
    writeFileSync(keyFile(), content);
    const { code, stderr, requests } = await world.run(line());
    expect([code, stderr, requests.filter(isPost)]).toEqual([3, expect.stringContaining(problem), []]);
  });

  test('follows a link to an existing file, and creates none through a broken link', async () => {
    writeFileSync(join(directory, 'mounted'), 'canary-access-mounted\n');
    symlinkSync('mounted', keyFile());
    expect(bodyOf(await world.run(line())).signing_key).toBe('canary-access-mounted');
    symlinkSync('nowhere', join(directory, 'broken'));
    const { code, requests } = await world.run([...create.split(' '), '--signing-key-file', join(directory, 'broken')]);
    expect([code, requests.filter(isPost), existsSync(join(directory, 'nowhere'))]).toEqual([3, [], false]);
  });

  test.each(['--dry-run', '--curl', '-v'])('is hidden by api with %s too', async (flag) => {
    const file = join(directory, 'body.json');
    writeFileSync(file, '{"url":"https://example.com/","signing_key":"canary-access-of-a-body"}');
    const { stdout, stderr } = await world.run(['api', 'POST', '/webhook_subscriptions', '--input', file, flag]);
    expect(stdout + stderr).not.toContain('canary-access-of-a-body');
    if (flag !== '-v') expect(stdout).toContain('[signing key]');
  });

  // R13
  test('has no flag for the key itself', async () => {
    const { code, requests } = await world.run(`${create} --signing-key canary-access-typed`);
    expect([code, requests]).toEqual([2, []]);
  });
});

describe('webhooks delete', () => {
  const id = makeId('seed/webhook/https://hooks.northlight.example/customer-chat');

  test('shows the URL, events and scope, and asks', async () => {
    const asked = await world.run(`webhooks delete ${id}`, { terminals, stdin: 'n\n' });
    expect(asked.code).toBe(12);
    for (const part of [
      'https://hooks.northlight.example/customer-chat',
      'invitee_no_show.created',
      'group 4UJ8LXFLWJ',
    ])
      expect(asked.screen).toContain(part);
    expect(asked.requests.filter(isDelete)).toEqual([]);
    const silent = await world.run(`webhooks delete ${id}`);
    expect([silent.code, silent.stderr]).toEqual([
      12,
      expect.stringContaining('Confirmation needed to delete the webhook to https://hooks.northlight.example/customer'),
    ]);
  });

  test('deletes and prints the webhook', async () => {
    const result = await world.run(`webhooks delete ${id} --yes --json`);
    expect(jsonOf(result)).toMatchObject({ uri: expect.stringContaining(id), scope: 'group' });
    expect(result.stderr).toContain('deleted: https://hooks.northlight.example/customer-chat');
    expect((await world.run(`webhooks get ${id}`)).code).toBe(6);
    expect((await world.run(`webhooks delete ${id} --yes`)).code).toBe(6);
  });

  // R26
  test('is repeated after a lost reply, and a second attempt that finds nothing is a success', async () => {
    let sent = 0;
    const send: Send = async (request) => {
      const reply = await world.service(request);
      if (isDelete(request) && ++sent === 1) throw lost();
      return reply;
    };
    expect((await world.run(`webhooks delete ${id} --yes`, { send })).code).toBe(0);
    expect(sent).toBe(2);
  });

  test('prints the request with --dry-run', async () => {
    const { stdout, requests } = await world.run(`webhooks delete ${id} --dry-run`);
    expect(JSON.parse(stdout)).toEqual({
      method: 'DELETE',
      url: `http://127.0.0.1:4010/webhook_subscriptions/${id}`,
    });
    expect(requests.filter(isDelete)).toEqual([]);
  });
});
