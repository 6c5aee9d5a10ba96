import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, type Result, someday } from '../../support/run.ts';
import { usedHome } from '../../support/seeded.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let cache: string;
beforeEach(async () => {
  cache = temporaryDirectory();
  world = await createWorld({ env: { SCHED_CACHE_DIR: cache } });
});

const asked = ({ requests }: Result) => requests.filter(({ url }) => url.endsWith('/users/me')).length;
const list = 'events list --limit 1 --json';

describe('identity', () => {
  test('is requested once per token and cached for a day', async () => {
    expect(asked(await world.run(list))).toBe(1);
    expect(asked(await world.run(list))).toBe(0);
    await world.clock.sleep(25 * 3_600_000);
    expect(asked(await world.run(list))).toBe(1);
  });

  test('is cached in a private file without the token', async () => {
    await world.run(list);
    const files = readdirSync(cache).map((name) => join(cache, name));
    expect(files).toHaveLength(1);
    expect(statSync(files[0]!).mode & 0o777).toBe(0o600);
    expect(readFileSync(files[0]!, 'utf8') + files[0]).not.toContain(world.token);
  });

  test('of unused tokens is deleted from the cache together with their plan', async () => {
    writeFileSync(join(cache, `plan-${'0'.repeat(32)}.json`), '{"plan":"free","at":1}');
    writeFileSync(join(cache, 'filters-x.json'), '{}');
    for (const token of ['sandbox_user', 'sandbox_admin']) {
      await world.run(list, { env: { SCHED_TOKEN: token } });
      await world.clock.sleep(31 * 24 * 3_600_000);
    }
    await world.run(list);
    expect(readdirSync(cache).map((name) => name.split('-')[0])).toEqual(['filters', 'identity']);
  });

  test('is not shared between tokens', async () => {
    await world.run(list);
    const other = await world.run('users me --json', { env: { SCHED_TOKEN: 'sandbox_user' } });
    const events = await world.run(list, { env: { SCHED_TOKEN: 'sandbox_user' } });
    expect(asked(events)).toBe(1);
    expect(events.requests.at(-1)!.url).toContain(encodeURIComponent(JSON.parse(other.stdout).uri));
  });

  test('comes from the environment without a request', async () => {
    const env = { SCHED_USER: 'XYCWQX76WEER7A9Y', SCHED_ORG: 'http://127.0.0.1:4010/organizations/GHDAK7KT3RW2W9R9' };
    const result = await world.run(list, { env });
    expect(result.code).toBe(0);
    expect(result.requests.map(({ url }) => new URL(url).pathname)).toEqual(['/scheduled_events']);
  });

  test.each([
    [
      'SCHED_USER',
      'user',
      'http://127.0.0.1:4010/groups/A',
      'me, a name, an email address, an ID or a URI under /users/',
    ],
    ['SCHED_ORG', 'organization', 'North light', 'current, an ID or a URI under /organizations/'],
  ])('from %s that names no %s is rejected', async (variable, key, value, accepted) => {
    const env = { SCHED_USER: 'U', SCHED_ORG: 'O', [variable]: value };
    const { code, stderr, requests } = await world.run(list, { env });
    expect({ code, requests }).toEqual({ code: 3, requests: [] });
    expect(JSON.parse(stderr).error).toMatchObject({
      message: `The default ${key} must be ${accepted}, not "${value}"`,
      cause: expect.stringContaining(`; set ${variable}=ID, or run sched profiles set ${key} ID`),
    });
  });

  test('from the environment that nobody has is reported with the name of its variable', async () => {
    const { code, stderr } = await world.run('events list', { env: { SCHED_USER: 'ada@b.example' } });
    expect(code).toBe(6);
    expect(stderr).toContain('No member with the email address ada@b.example');
    expect(stderr).toContain("it comes from SCHED_USER or from the profile's user");
  });

  const jonas = 'http://127.0.0.1:4010/users/UZ8CY4QAYV5BWVCA';
  const organization = 'http://127.0.0.1:4010/organizations/GHDAK7KT3RW2W9R9';
  const lastQuery = ({ requests }: Result) => {
    const { count: _, ...query } = Object.fromEntries(new URL(requests.at(-1)!.url).searchParams);
    return query;
  };

  test('of somebody else in SCHED_USER is sent with the organization', async () => {
    const both: Record<string, string>[] = [
      { SCHED_USER: jonas },
      { SCHED_USER: 'UZ8CY4QAYV5BWVCA', SCHED_ORG: organization },
    ];
    for (const env of both) {
      const result = await world.run(list, { env });
      expect(result.code).toBe(0);
      expect(lastQuery(result)).toEqual({ user: jonas, organization });
    }
    const own = await world.run(list, { env: { SCHED_USER: 'XYCWQX76WEER7A9Y' } });
    expect(lastQuery(own)).toEqual({ user: 'http://127.0.0.1:4010/users/XYCWQX76WEER7A9Y' });
  });

  describe('that the token may not read', () => {
    const token = { SCHED_TOKEN: 'sandbox_events_only' };
    const user = 'http://127.0.0.1:4010/users/XYCWQX76WEER7A9Y';

    test('is replaced by SCHED_USER alone', async () => {
      const result = await world.run(list, { env: { ...token, SCHED_USER: 'XYCWQX76WEER7A9Y' } });
      expect([result.code, lastQuery(result)]).toEqual([0, { user }]);
    });

    test('is replaced by SCHED_ORG alone, with a note that the whole organization is listed', async () => {
      const result = await world.run(list, { env: { ...token, SCHED_ORG: 'GHDAK7KT3RW2W9R9' } });
      expect([result.code, lastQuery(result)]).toEqual([0, { organization }]);
      expect(result.stderr).toContain('so this lists the whole organization');
    });

    test.each([
      ['user', 'XYCWQX76WEER7A9Y', { user }],
      ['organization', 'GHDAK7KT3RW2W9R9', { organization }],
    ])("is replaced by the profile's %s alone", async (key, value, query) => {
      const env = { ...token, SCHED_CONFIG_DIR: cache, SCHED_BASE_URL: '' };
      await world.run('profiles add work --base-url http://127.0.0.1:4010', { env });
      await world.run(`profiles set ${key} ${value}`, { env });
      const result = await world.run(list, { env });
      expect([result.code, lastQuery(result)]).toEqual([0, query]);
    });
  });

  test("of the token goes before the user of a profile, which belongs to the profile's login", async () => {
    const env = { SCHED_CONFIG_DIR: cache, SCHED_BASE_URL: '' };
    await world.run('profiles add work --base-url http://127.0.0.1:4010 --user UZ8CY4QAYV5BWVCA', { env });
    expect(lastQuery(await world.run(list, { env }))).toEqual({
      user: 'http://127.0.0.1:4010/users/XYCWQX76WEER7A9Y',
    });
  });

  /** The service with a changed reply for /users/me. */
  const telling = (change: (user: Record<string, unknown>) => object): Send => {
    return async (request) => {
      const reply = await world.service(request);
      if (!request.url.endsWith('/users/me')) return reply;
      return { ...reply, body: JSON.stringify({ resource: change(JSON.parse(reply.body).resource) }) };
    };
  };

  test.each(
    sample(
      [
        'members list',
        'groups get Sales',
        'orgs get',
        'events list --org current',
        'events list --user tomas@harbourlight.example',
        'routing-forms submissions',
      ],
      3,
    ),
  )('without an organization: %s fails and sends no empty organization', async (line) => {
    const send = telling((user) => ({ ...user, current_organization: null }));
    const { code, stderr, requests } = await world.run(line, { send });
    expect([code, stderr]).toEqual([2, expect.stringContaining("The token's user has no organization")]);
    expect(requests.filter(({ url }) => url.includes('organization='))).toEqual([]);
  });

  test.each(['users/ABC', 'http:// /users/ABC'])('with the URI %s uses the base URL as the root', async (uri) => {
    const send = telling((user) => ({ ...user, uri }));
    const { code, stderr } = await world.run('events get https://other.example/scheduled_events/A', { send });
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not the service of this profile')]);
  });

  test("in the sandbox is the sandbox's own, whatever the environment says", async () => {
    const home = await usedHome(someday);
    const env = { SCHED_USER: 'A', SCHED_ORG: 'B' };
    const { code, stdout } = await world.run('events list --sandbox --limit 1 -o id', { home, env });
    expect([code, stdout]).toEqual([0, expect.stringContaining('/scheduled_events/')]);
  });

  test('that may not be read suggests --user and --org', async () => {
    const send = async () => ({ status: 403, headers: {}, body: '{"title":"Insufficient scope"}' });
    const { code, stderr } = await world.run(list, { send });
    expect(code).toBe(5);
    expect(stderr).toContain('--user ID or --org ID');
  });

  test.each(['--user XYCWQX76WEER7A9Y', '--org GHDAK7KT3RW2W9R9'])(
    'that may not be read is replaced by %s',
    async (flag) => {
      const { code, requests } = await world.run(`${list} ${flag}`, { env: { SCHED_TOKEN: 'sandbox_events_only' } });
      expect(code).toBe(0);
      expect([...new URL(requests.at(-1)!.url).searchParams.keys()]).toEqual([
        flag.startsWith('--user') ? 'user' : 'organization',
        'count',
      ]);
    },
  );

  test('that may not be read takes the root of URIs from the profile', async () => {
    const root = 'http://127.0.0.1:4010';
    const env = { SCHED_TOKEN: 'sandbox_events_only', SCHED_CONFIG_DIR: cache, SCHED_BASE_URL: '' };
    await world.run('profiles add work --base-url http://127.0.0.1:4999', { env });
    await world.run(`profiles set uri_root ${root}`, { env });
    for (const named of ['GHDAK7KT3RW2W9R9', `${root}/organizations/GHDAK7KT3RW2W9R9`]) {
      const { requests } = await world.run(`${list} --org ${named}`, { env });
      expect(new URL(requests.at(-1)!.url).searchParams.get('organization')).toBe(
        `${root}/organizations/GHDAK7KT3RW2W9R9`,
      );
    }
  });
});
