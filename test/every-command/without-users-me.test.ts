import { beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/api/catalogue.ts';
import type { Json } from '../../src/base/json.ts';
import type { Send } from '../../src/http/message.ts';
import { createWorld, jsonOf, logIn, loginAddresses, type Result, type TestWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

const user = 'http://127.0.0.1:4010/users/XYCWQX76WEER7A9Y';
const organization = 'http://127.0.0.1:4010/organizations/GHDAK7KT3RW2W9R9';
const variables = { SCHED_USER: user, SCHED_ORG: organization };

let world: TestWorld;
/** A service without `GET /users/me`. */
let send: Send;
beforeAll(async () => {
  world = await createWorld({ plan: 'enterprise' });
  send = async (request) =>
    request.url.endsWith('/users/me')
      ? { status: 404, headers: {}, body: '{"title":"Resource Not Found"}' }
      : world.service(request);
});

const asked = ({ requests }: Result) => requests.filter(({ url }) => url.endsWith('/users/me')).length;

/** A login with every scope. */
const everything = [
  ...loginAddresses,
  '--add-scopes',
  'activity_log:read,data_compliance:write,webhooks:write,organizations:write',
];

const slot = '--start 2026-11-23T10:00Z --email a@b.example --name A --timezone UTC';

/** A line for each operation. Dry runs will do for writes: they find out the same before they would send. */
const lines: Record<string, string> = {
  'events.list': 'events list --limit 1',
  'events.get': 'events get next',
  'events.cancel': 'events cancel next -n',
  'invitees.list': 'invitees list next',
  'invitees.get': 'invitees get INVITEE',
  'invitees.create': `invitees create --event-type 'Intro call' ${slot} -n`,
  'invitees.no-show': 'invitees no-show INVITEE -n',
  'invitees.undo-no-show': 'invitees no-show INVITEE --undo -n',
  'event-types.list': 'event-types list',
  'event-types.get': "event-types get 'Intro call'",
  'event-types.create': 'event-types create --name A --duration 30 -n',
  'event-types.update': "event-types update 'Intro call' --name B -n",
  'event-types.hosts': "event-types hosts 'Intro call'",
  'availability.list': "availability list --event-type 'Intro call'",
  'availability.update': "availability update 'Working hours' --event-type 'Intro call' --timezone UTC -n",
  'availability.update-all': "availability update --event-type 'Intro call' --timezone UTC -n",
  'shares.create': "shares create --event-type 'Intro call' -n",
  'one-offs.create': 'one-offs create --name A --duration 30 --days 3 -n',
  'locations.list': 'locations list',
  'routing-forms.list': 'routing-forms list',
  'routing-forms.submissions': 'routing-forms submissions',
  'orgs.get': 'orgs get',
  'members.list': 'members list',
  'members.get': 'members get me',
  'members.remove': 'members remove jonas.weber@northlight.example -n',
  'invitations.list': 'invitations list',
  'invitations.create': 'invitations create --email a@b.example -n',
  'invitations.revoke': 'invitations revoke INVITATION -n',
  'groups.list': 'groups list',
  'groups.get': "groups get 'Berlin office'",
  'groups.relationship': 'groups relationship RELATIONSHIP',
  'groups.relationships': 'groups relationships',
  'users.get': 'users get me',
  'activity.list': 'activity list --limit 1',
  'compliance.delete': 'compliance delete a@b.example -n',
  'webhooks.list': 'webhooks list',
  'webhooks.get': 'webhooks get WEBHOOK',
  'webhooks.create': 'webhooks create --url https://a.example/hook --events invitee.created --scope user -n',
  'webhooks.delete': 'webhooks delete WEBHOOK -n',
};

/** The operation that the service lacks, and one of another server. */
const others = ['users.me', 'mcp.metadata'];

/** A line with the URIs of records that exist. */
const withUris = async (line: string): Promise<string> => {
  const places = {
    INVITEE: 'invitees list next',
    INVITATION: 'invitations list',
    RELATIONSHIP: 'groups relationships',
    WEBHOOK: 'webhooks list',
  };
  const [word, list] = Object.entries(places).find(([each]) => line.includes(each)) ?? [];
  if (word === undefined) return line;
  const { stdout } = await world.run(`${list} --limit 1 -o id`);
  return line.replace(word, stdout.trim());
};

describe('a service without /users/me', () => {
  test('is tried with a line for every operation', async () => {
    const rows = Object.values(await loadCatalogue()).flatMap((each) => Object.values(each));
    const names = rows.map(({ name }) => name);
    expect([...Object.keys(lines), ...others].sort()).toEqual([...new Set(names)].sort());
  });

  test('is not asked for what SCHED_USER and SCHED_ORG say', async () => {
    for (const line of sample(Object.values(lines), 12)) {
      const result = await world.run(await withUris(line), { send, env: variables, home: temporaryDirectory() });
      expect([line, result.code, asked(result)]).toEqual([line, 0, 0]);
    }
  });

  test('is logged in to with the owner and the organization of the token reply', async () => {
    const home = temporaryDirectory();
    const env = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
    const login = await logIn(world, everything, { send, home, env });
    expect(login.code).toBe(0);
    expect(login.stderr).not.toContain('warning');
    for (const line of sample(Object.values(lines), 8)) {
      const result = await world.run(await withUris(line), { send, env, home });
      expect([line, result.code, asked(result)]).toEqual([line, 0, 0]);
    }
    const status = await world.run('auth status --json', { send, env, home });
    expect(jsonOf(status)).toMatchObject({ user, organization, status: 'not checked' });
    const who = await world.run('whoami --json', { send, env, home });
    expect(jsonOf(who)).toMatchObject({ uri: user, _sched: { role: 'owner', unread: ['user'] } });
  });

  test('takes a token, and the warning names the flags and the missing path', async () => {
    const line = 'auth login --with-token --credential-store file --base-url http://127.0.0.1:4010';
    const more = { send, home: temporaryDirectory(), stdin: 'sandbox_owner', env: { SCHED_TOKEN: '' } };
    const { code, stderr } = await world.run(line, more);
    expect(code).toBe(0);
    expect(stderr).toContain("The service can't say who the token belongs to (it has no /users/me");
    expect(stderr).toContain('Use --user and --org');
  });

  test('says which flags help, and takes them', async () => {
    const without = await world.run('events list', { send });
    expect([without.code, without.stderr]).toEqual([5, expect.stringContaining('add --user ID or --org ID')]);
    const both = await world.run(`events list --limit 1 --user ${user} --org ${organization}`, { send });
    expect([both.code, asked(both)]).toEqual([0, 0]);
    for (const flag of ['--user XYCWQX76WEER7A9Y', '--org GHDAK7KT3RW2W9R9'])
      expect((await world.run(`events list --limit 1 ${flag}`, { send })).code).toBe(0);
  });

  test('gets a deletion. The receipt names the owner only if the service did, at login', async () => {
    const home = temporaryDirectory();
    const erase = (env: Record<string, string>, name: string) =>
      world.run(`compliance delete ${name}@b.example --yes --json`, { send, home, env });
    expect(jsonOf(await erase(variables, 'a'))).toMatchObject({ accepted: 1 });
    const env = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
    await logIn(world, everything, { send, home, env });
    expect(jsonOf(await erase(env, 'b'))).toMatchObject({ accepted: 1 });
    const owners = jsonOf(await world.run('compliance runs --json', { home })).map(({ owner }: Json) => owner);
    expect(owners.sort()).toEqual([user, 'unknown']);
  });
});
