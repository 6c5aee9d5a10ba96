import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { AccessToken } from '../../../src/api/oauth.ts';
import { width } from '../../../src/output/width.ts';
import { openDatabase } from '../../../src/sandbox/store/database.ts';
import { authorizeQuery, redirectUri, scope, verifier } from '../../sandbox/oauth/login.ts';
import { createWorld, network, outputs, someday } from '../../support/run.ts';
import { seededFile, usedHome } from '../../support/seeded.ts';
import { startServing } from '../../support/serving.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { times } from '../../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let home: string;
beforeEach(async () => {
  home = await usedHome(someday);
  world = await createWorld({ home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' }, send: network });
});

/** A service as `sandbox start --json` describes it. */
const start = async (...flags: string[]) => {
  const { text, stop } = await startServing(world.run, ['--json', ...flags]);
  const facts = JSON.parse(text);
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(facts.base_url + path, {
      ...init,
      headers: { authorization: `Bearer ${facts.token}`, ...(init.headers as Record<string, string>) },
    });
  return { facts, stop, ask };
};

const monday = '2027-02-01T10:00:00.000Z';

const bookedIn = async (file: string, time: string) => {
  const database = await openDatabase(file);
  const [row] = database.all<{ n: number }>(
    'SELECT count(*) AS n FROM invitees i JOIN events e ON e.id = i.event WHERE e.start_time = ?',
    time,
  );
  database.close();
  return row!.n;
};

describe('sandbox start', () => {
  test('prints single fields where only those are asked for', async () => {
    const { facts, stop } = await start('--data', ':memory:', '--seed', 'empty', '--fields', 'base_url,tokens.admin');
    expect(facts).toEqual({ base_url: expect.stringMatching(/^http:/), tokens: { admin: 'sandbox_admin' } });
    expect((await stop()).code).toBe(0);
  });

  test('takes the names of --allow-host, without wildcards', async () => {
    const { facts, stop } = await start('--data', ':memory:', '--seed', 'empty', '--allow-host', 'sandbox:8080');
    // fetch can't send another host name.
    const ask = (host: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${facts.token}` };
        const sent = request(`${facts.base_url}/users/me`, { headers }, (reply) => resolve(reply.resume().statusCode!));
        sent.on('error', reject).end();
      });
    expect([await ask('sandbox:8080'), await ask('other:8080')]).toEqual([200, 421]);
    await stop();
    const { code, stderr } = await world.run("sandbox start --port 0 --allow-host '*.example'");
    expect([code, stderr]).toEqual([2, expect.stringContaining('--allow-host must be a name such as sandbox')]);
  });

  test('prints lines for a shell', async () => {
    const { text } = await startServing(world.run, ['--data', await seededFile(someday)]);
    const lines = text.trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('#')).map((line) => line.split('=')[0])).toEqual(
      ['BASE_URL', 'AUTH_URL', 'MCP_URL', 'CLIENT_ID', 'TOKEN', 'SANDBOX_ADMIN'].map((name) => `export SCHED_${name}`),
    );
  });

  test('at a terminal shows how to use it, and each request and delivery without a token', async () => {
    const file = await seededFile(someday);
    const { text, stop } = await startServing(world.run, ['--data', file], {
      terminals: outputs,
      env: { NO_COLOR: '1' },
    });
    const [, url] = /^Sandbox on (http:\S+) · enterprise · \S+\n$/.exec(text)!;
    const [base, login] = [{ SCHED_BASE_URL: url! }, { SCHED_TOKEN: 'sandbox_owner' }];
    expect((await world.run('users me', { env: { ...base, ...login } })).code).toBe(0);
    expect((await world.run('events get NOPE', { env: { ...base, ...login } })).code).toBe(6);
    await world.run(
      'invitees create --event-type "Intro call" --first-free --email ada@engine.example --name Ada --timezone UTC',
      { env: { ...base, ...login } },
    );
    await fetch(`${url}/oauth/authorize?code_challenge=seen&state=seen`);
    await fetch(`${url}/users/me?name=${encodeURIComponent('\x1b[2J\nZoë')}&x=${'y'.repeat(500)}`);
    const { code, stdout, stderr } = await stop();
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n').slice(1);
    expect(lines.filter((line) => width(line) > 80)).toEqual([]);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}GET {6}\/users\/me {40}200 +\d+ ms$/);
    expect(lines).toContainEqual(expect.stringMatching(/ GET {6}\/scheduled_events\/NOPE +404 +\d+ ms$/));
    expect(lines).toContainEqual(expect.stringMatching(/ hook {5}invitee\.created, skipped: not on this computer$/));
    expect(lines).toContainEqual(expect.stringMatching(/ GET {6}\/oauth\/authorize {2}/));
    expect(lines.at(-1)).toMatch(/\/users\/me\?name=\\x1b\[2J\\nZoë&x=y+… {2}401/);
    expect(stdout + stderr).not.toMatch(/sandbox_|export SCHED/);
    expect(stderr).toContain(`Other terminal     eval "$(sched sandbox env --data ${file})"\n`);
    expect(stderr).toContain(`\rSandbox on ${url} · 0 requests · Ctrl-C to stop`.replace('\r', '\r\x1b[K'));
  });

  test('at a terminal begins with the heading, though deliveries of an earlier run are sent at once', async () => {
    const book = 'invitees create --event-type "Intro call" --first-free --email a@b.example --name A --timezone UTC';
    expect((await world.run(`--sandbox ${book}`)).code).toBe(0);
    await world.run('--sandbox events cancel next --yes');
    const { text, stop } = await startServing(world.run, [], { terminals: outputs });
    expect(text).toContain('Sandbox on ');
    await fetch(/http:\S+\d/.exec(text)![0]);
    const { stdout } = await stop();
    expect(stdout).toMatch(/^.*Sandbox on .*\n(?:.*\n)*.* hook {5}invitee\.created, skipped: not on this computer$/m);
    // Both webhooks are on other machines, which is said once for each.
    expect(stdout.match(/ hook {5}/g)).toHaveLength(2);
  });

  test('at a terminal prints the variables of data in memory, which nothing else can find', async () => {
    const { stop } = await startServing(world.run, ['--data', ':memory:', '--seed', 'empty'], {
      terminals: outputs,
    });
    expect((await stop()).stderr).toMatch(/\n {19}export SCHED_SANDBOX_ADMIN=sandbox_admin_\S+\n/);
  });

  test('takes a plan, keeps it with the data, and counts requests by it', async () => {
    const file = await seededFile(someday);
    const first = await start('--data', file, '--plan', 'free');
    const second = await start('--data', file);
    expect(second.facts.plan).toBe('free');
    const replies = [];
    for (let turn = 0; turn < 12; turn++) replies.push(await (turn % 2 ? first : second).ask('/users/me'));
    // Two services, one counter.
    expect(replies.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429, 429]);
    expect(replies[11]!.headers.get('x-ratelimit-remaining')).toBe('0');
    const third = await start('--data', file, '--no-limits');
    expect((await third.ask('/users/me')).headers.get('x-ratelimit-remaining')).toBe('1000000');
  });

  test('lets a script log in without a browser', async () => {
    const file = await seededFile(someday);
    const { facts } = await start('--data', file, '--auto-consent', '--refresh-replay-window', '10s');
    const consent = await fetch(`${facts.auth_url}/oauth/authorize?${authorizeQuery()}`, { redirect: 'manual' });
    expect(consent.status).toBe(302);
    const answer = new URL(consent.headers.get('location')!).searchParams;
    expect([answer.get('state'), answer.get('iss')]).toEqual(['state-1', facts.auth_url]);
    const token = async (form: Record<string, string>) => {
      const body = new URLSearchParams({ client_id: facts.client_id, ...form });
      return AccessToken.parse(await (await fetch(`${facts.auth_url}/oauth/token`, { method: 'POST', body })).json());
    };
    const code = { code: answer.get('code')!, code_verifier: verifier, redirect_uri: redirectUri };
    const first = await token({ grant_type: 'authorization_code', ...code });
    expect(first.scope).toBe(scope);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token! };
    expect(await token(refresh)).toEqual(await token(refresh));
  });

  test('reports everything that is wrong with its flags at once', async () => {
    const { code, stderr } = await world.run('sandbox start --port 70000 --plan gold --refresh-replay-window soon');
    expect(code).toBe(2);
    for (const flag of ['--port', '--plan', '--refresh-replay-window']) expect(stderr).toContain(flag);
  });

  test('reports that the port is busy', async () => {
    const { facts } = await start('--data', await seededFile(someday));
    const { port } = new URL(facts.base_url);
    const { code, stderr } = await world.run(`sandbox start --port ${port}`);
    expect(code).toBe(3);
    expect(stderr).toContain('the port is in use');
  });

  test('gives the slot to one of many, and the store agrees', async () => {
    const file = await seededFile(someday);
    const { ask } = await start('--data', file);
    const book = () =>
      ask('/invitees', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          event_type: 'http://127.0.0.1:4010/event_types/YBL6DUNR9FS4PNP6',
          start_time: monday,
          invitee: { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' },
        }),
      });
    const replies = await Promise.all(Array.from({ length: times(10, 200) }, book));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(replies.length - 1).fill(409)]);
    expect(await bookedIn(file, monday)).toBe(1);
  });
});

describe('sandbox env', () => {
  test('prints the variables of the running sandbox for the shell', async () => {
    const file = await seededFile(someday);
    const { facts } = await start('--data', file);
    const lines = async (more: string, env = {}) =>
      (await world.run(`sandbox env --data ${file} ${more}`, { env })).stdout.trim().split('\n');
    const posix = await lines('');
    expect(posix).toContain(`export SCHED_BASE_URL=${facts.base_url}`);
    expect(posix).toContain(`export SCHED_SANDBOX_ADMIN=${facts.admin_token}`);
    expect(posix).toHaveLength(6);
    const other = { SCHED_PROFILE: 'work', SCHED_USER: 'U', SCHED_ORG: '' };
    expect(await lines('', other)).toEqual(['unset SCHED_PROFILE', 'unset SCHED_USER', ...posix]);
    expect((await lines('--shell fish', other))[0]).toBe('set -e SCHED_PROFILE');
    expect((await lines('', { SHELL: '/usr/bin/fish' }))[0]).toBe(`set -gx SCHED_BASE_URL ${facts.base_url}`);
    expect(await lines('--shell zsh', { SHELL: '/usr/bin/fish' })).toEqual(posix);
    expect((await lines('--shell powershell'))[0]).toBe(`$env:SCHED_BASE_URL = '${facts.base_url}'`);
    expect(JSON.parse((await lines('--json'))[0]!)).toMatchObject({ SCHED_TOKEN: facts.token });
  });

  test('finds the sandbox that was started again, though the shell has the variables of the old one', async () => {
    const { facts } = await start();
    const env = { SCHED_BASE_URL: facts.base_url, SCHED_SANDBOX_ADMIN: 'of-an-earlier-run' };
    const { stdout } = await world.run('sandbox env', { env });
    expect(stdout).toContain(`export SCHED_SANDBOX_ADMIN=${facts.admin_token}\n`);
  });

  test('says that none is running', async () => {
    const missing = join(home, 'missing.db');
    for (const file of [await seededFile(someday), missing]) {
      const { code, stdout, stderr } = await world.run(`sandbox env --data ${file}`);
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toBe(`error: No sandbox is running with this data\ntry: sched sandbox start --data ${file}\n`);
    }
    expect(existsSync(missing)).toBe(false);
  });
});

describe('sandbox open', () => {
  const trade = async (address: string) => {
    const { origin, hash } = new URL(address);
    const body = JSON.stringify({ key: hash.replace('#key=', '') });
    return (await fetch(`${origin}/__sandbox/desk/session`, { method: 'POST', body })).status;
  };

  test('opens the desk of the running sandbox with a key that works once', async () => {
    const file = await seededFile(someday);
    await start('--data', file);
    const opened: string[] = [];
    const openBrowser = async (url: string) => opened.push(url) > 0;
    const { code, stdout, stderr } = await world.run(`sandbox open --data ${file}`, { openBrowser });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Opened the desk of the sandbox in your browser\n',
    });
    expect([await trade(opened[0]!), await trade(opened[0]!)]).toEqual([200, 401]);
  });

  test('prints the address if no browser can be started', async () => {
    const file = await seededFile(someday);
    const { facts } = await start('--data', file);
    const { stdout, stderr } = await world.run(`sandbox open --data ${file}`);
    expect(stderr).toContain("Can't open a browser");
    expect(stdout).toMatch(new RegExp(`^${facts.base_url}/#key=\\S+\n$`));
    expect(await trade(stdout.trim())).toBe(200);
    expect(stdout + stderr).not.toContain(facts.admin_token);
  });

  test('says that none is running', async () => {
    expect((await world.run(`sandbox open --data ${await seededFile(someday)}`)).code).toBe(3);
  });

  test('is what start does with --open, which otherwise prints the address on a terminal', async () => {
    const opened: string[] = [];
    const openBrowser = async (url: string) => opened.push(url) > 0;
    const flags = ['--data', ':memory:', '--seed', 'empty'];
    const shown = await startServing(world.run, flags, { terminals: ['stderr'], openBrowser });
    expect((await shown.stop()).stderr).toMatch(
      /^Desk \(this link works once\):\s+http:\/\/127\.0\.0\.1:\d+\/#key=\S+$/m,
    );
    const piped = await startServing(world.run, flags, { openBrowser });
    expect((await piped.stop()).stderr).not.toContain('#key=');
    expect(opened).toEqual([]);
    const open = await startServing(world.run, [...flags, '--open'], { terminals: ['stderr'], openBrowser });
    expect((await open.stop()).stderr).not.toContain('#key=');
    expect(opened).toEqual([expect.stringContaining('/#key=')]);
  });
});

describe('--sandbox', () => {
  test('names the service by its fixed address, whatever port it listens on', async () => {
    const planned = await world.run('--sandbox api POST /shares -f a=b --dry-run');
    expect(JSON.parse(planned.stdout).url).toBe('http://127.0.0.1:4010/shares');
    for (const words of [
      'api https://elsewhere.example/users/me',
      'events get https://elsewhere.example/scheduled_events/X',
    ]) {
      const { code, stderr } = await world.run(`--sandbox ${words}`);
      expect(code).toBe(2);
      expect(stderr).toContain('is not the service of this profile (http://127.0.0.1:4010)');
    }
  });
});

describe('--sandbox: webhooks', () => {
  test('are delivered by a running sandbox, which a new one says', async () => {
    const { stderr } = await world.run('--sandbox webhooks create --url http://127.0.0.1:9/ --events invitee.created');
    expect(stderr).toContain('A sandbox delivers while it runs: sched sandbox start\n');
  });
});

describe('--sandbox: URIs', () => {
  test('have the usual address, and those of any other address of this machine are taken', async () => {
    const [first] = JSON.parse((await world.run('--sandbox events list --limit 1 --json')).stdout);
    expect(first.uri).toMatch(/^http:\/\/127\.0\.0\.1:4010\/scheduled_events\//);
    const elsewhere = first.uri.replace('127.0.0.1:4010', 'localhost:8123');
    for (const words of [`events get ${elsewhere}`, `api ${elsewhere} --jq .resource`]) {
      const { code, stdout } = await world.run(`--sandbox ${words} --json`);
      expect([code, JSON.parse(stdout).uri]).toEqual([0, first.uri]);
    }
  });
});

describe('sandbox tokens', () => {
  test('are listed with user, role and scopes', async () => {
    const { code, stdout } = await world.run('sandbox tokens --json');
    expect(code).toBe(0);
    const tokens = JSON.parse(stdout);
    expect(tokens.every(({ token }: { token: string }) => token.startsWith('sandbox_'))).toBe(true);
    expect(tokens[1]).toMatchObject({ token: 'sandbox_admin', user: 'Jonas Weber', role: 'admin', scopes: null });
  });
});

describe('sandbox openapi', () => {
  test('prints the description', async () => {
    const { code, stdout } = await world.run('sandbox openapi');
    expect([code, JSON.parse(stdout).openapi]).toEqual([0, '3.1.0']);
  });
});

describe('sandbox data', () => {
  const list = () => world.run('--sandbox users me --json=name');
  const reset = (...more: string[]) => world.run(['sandbox', 'reset', '--yes', ...more]);

  test.each([
    ['damaged', (file: string) => writeFileSync(file, 'Dear diary, '.repeat(1000)), 'not a SQLite database'],
    [
      'of a newer version',
      async (file: string) => {
        const database = await openDatabase(file);
        database.exec('PRAGMA user_version = 999');
        database.close();
      },
      'newer version',
    ],
    [
      "somebody else's",
      async (file: string) => {
        rmSync(file);
        const database = await openDatabase(':memory:');
        database.exec('CREATE TABLE recipes (name)');
        database.exec(`VACUUM INTO '${file}'`);
        database.close();
      },
      'not a sandbox database',
    ],
  ])('that is %s is refused with the reason, and corrected by reset', async (_, damage, words) => {
    await damage(join(home, '.local/state/sched/sandbox.db'));
    const refused = await list();
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(words);
    expect(refused.stderr).toContain('sched sandbox reset');
    expect((await reset('--seed', 'empty')).code).toBe(0);
    expect((await list()).code).toBe(0);
  });

  test('of a team becomes that of one person with a reset, here and in a running sandbox', async () => {
    const data = ['--data', await seededFile(someday)];
    const refused = await world.run(['sandbox', 'start', '--port', '0', '--kind', 'individual', ...data]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--kind individual')]);
    expect((await reset('--kind', 'individual', '--seed', 'empty', ...data)).code).toBe(0);
    const { facts } = await start('--seed', 'empty', ...data);
    const env = { SCHED_BASE_URL: facts.base_url, SCHED_TOKEN: facts.token, SCHED_SANDBOX_ADMIN: facts.admin_token };
    const kind = async () => JSON.parse((await world.run('orgs get current --json', { env })).stdout).kind;
    expect(await kind()).toBe('individual');
    expect((await world.run('sandbox reset --kind team --yes', { env })).code).toBe(0);
    expect(await kind()).toBe('team');
    expect((await world.run('sandbox reset --kind club --yes', { env })).code).toBe(2);
  });

  test('in a file that is not a sandbox is left alone by reset, which is not suggested', async () => {
    const diary = join(temporaryDirectory(), 'diary.txt');
    writeFileSync(diary, 'Dear diary');
    const { code, stderr } = await world.run(['sandbox', 'clock', '--data', diary]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('use another file with --data')]);
    expect([(await reset('--data', diary)).code, readFileSync(diary, 'utf8')]).toEqual([3, 'Dear diary']);
  });

  test('in a place where no file can be is an environment error', async () => {
    const env = { SCHED_STATE_DIR: '/dev/null/state' };
    for (const line of ['--sandbox users me', 'sandbox clock', 'sandbox reset --yes']) {
      const { code, stderr } = await world.run(line, { env });
      expect([line, code, stderr]).toEqual([line, 3, expect.stringContaining('set SCHED_STATE_DIR to another')]);
    }
    const { code, stderr } = await reset('--data', '/dev/null/file');
    expect([code, stderr]).toEqual([3, expect.stringContaining('use another file with --data')]);
    expect((await reset('--data', home)).code).toBe(3);
    // Nothing can be created in /proc.
    const nowhere = await world.run('sandbox start --data /proc/x/y.db');
    expect([nowhere.code, nowhere.stderr]).toEqual([3, expect.stringContaining('use another file with --data')]);
  });
});
