import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limitMs } from '../../../src/cli/complete/names.ts';
import type { Leaf } from '../../../src/cli/parse/leaf.ts';
import { buildTree } from '../../../src/cli/parse/tree.ts';
import { formats } from '../../../src/output/formats.ts';
import { readZone, zoneNames } from '../../../src/time/zone.ts';
import { heldClock } from '../../support/held-clock.ts';
import { createWorld, logIn, loginAddresses, replying, someday, type WorldOptions } from '../../support/run.ts';
import { usedHome } from '../../support/seeded.ts';
import { everythingBelow, expireToken } from '../../support/stored-login.ts';
import { closeLater, temporaryDirectory } from '../../support/temporary.ts';

const world = await createWorld();

/** The clock stands still, so names are never too late. */
const inTime = { now: world.clock.now, sleep: heldClock().sleep };

/** What TAB offers at the end of a line, with the directive as the last line. */
const tab = async (line: string, more: WorldOptions = {}) => {
  const words = line.split(' ').slice(1);
  const { code, stdout, stderr, requests } = await world.run(['__complete', ...words], { clock: inTime, ...more });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.split('\n').slice(0, -1);
  return {
    words: lines.slice(0, -1).map((each) => each.split('\t')[0]!),
    descriptions: lines.slice(0, -1).map((each) => each.split('\t')[1]!),
    directive: lines.at(-1),
    requests,
  };
};

const homeless = { env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } };
const europe = (letter: string) => zoneNames().filter((zone) => zone.startsWith(`Europe/${letter}`));

const situations: [string, string[]][] = [
  ['sched ev', ['event-types', 'events']],
  ['sched EV', ['event-types', 'events']],
  ['sched invitee', ['invitees']],
  ['sched --sandbox ev', ['event-types', 'events']],
  ['sched -o json --tz UTC ev', ['event-types', 'events']],
  ['sched --output=json ev', ['event-types', 'events']],
  ['sched events ', ['agenda', 'cancel', 'follow', 'get', 'list', 'move', 'next', 'stats']],
  ['sched events get ', ['next']],
  ['sched event c', ['cancel']],
  ['sched events -q c', ['cancel']],
  ['sched events stats --by w', ['week', 'weekday']],
  ['sched help events c', ['cancel']],
  ['sched comp', ['completion', 'compliance']],
  ['sched completion ', ['bash', 'fish', 'powershell', 'zsh']],
  ['sched man ti', ['time']],
  ['sched schema event-t', ['event-types']],
  ['sched profiles set t', ['timezone', 'token_url']],
  ['sched events list --st', ['--status']],
  ['sched events cancel ID --rea', ['--reason']],
  ['sched events cancel ID --y', ['--yes']],
  ['sched --ver', ['--verbose', '--version']],
  ['sched events --ver', ['--verbose']],
  ['sched events list --ver', ['--verbose']],
  ['sched event-types list --no-a', ['--no-active']],
  ['sched completion --he', ['--header', '--help']],
  ['sched events list --status ', ['active', 'canceled']],
  ['sched events list --status=c', ['--status=canceled']],
  ['sched -o ', [...formats].sort()],
  ['sched -qo js', ['json', 'jsonl']],
  ['sched events list --output=js', ['--output=json', '--output=jsonl']],
  ['sched events list --since 2026-12-01T15:00 --st', ['--status']],
  ['sched events list --fields st', ['start_time', 'status']],
  ['sched events list --fields uri,st', ['uri,start_time', 'uri,status']],
  ['sched events list --fields status,st', ['status,start_time']],
  ['sched events list --json=st', ['--json=start_time', '--json=status']],
  ['sched events list --fields location.t', ['location.type']],
  ['sched events list --sort ', ['start_time:asc', 'start_time:desc']],
  ['sched events list --sort=start_time:d', ['--sort=start_time:desc']],
  ['sched hel', ['help']],
  ['sched help e', ['environment', 'event-types', 'events', 'exit-codes']],
  ['sched -o json help ti', ['time']],
  ['sched auth login --scopes groups:read,web', ['groups:read,webhooks:read', 'groups:read,webhooks:write']],
  ['sched auth login --add-scopes=webhooks:read,web', ['--add-scopes=webhooks:read,webhooks:write']],
  ['sched events list --user ', ['me']],
  ['sched one-offs create --host ', ['me']],
  ['sched events list --org ', ['current']],
  ['sched users get ', ['me']],
  ['sched members get m', ['me']],
  ['sched sandbox reset --seed=large:', ['--seed=large:1000']],
  ['sched --tz Europe/B', europe('B')],
  ['sched events list --tz=Europe/L', europe('L').map((zone) => `--tz=${zone}`)],
  ['sched --tz U', ['UTC']],
  ['sched invitees create --timezone asia/kol', ['Asia/Kolkata']],
  // Nothing is known about these.
  ['sched help flags ', []],
  ['sched --fields ', []],
  ['sched events cancel ID --reason ', []],
  ['sched events cancel ID --reason --ye', []],
  ['sched profiles add work-2', []],
  ['sched nonsense ', []],
  ['sched events nonsense --st', []],
  ['sched events list --nonsense=', []],
  ['sched events list -- --st', []],
  ['sched -- ev', []],
  ['sched __comp', []],
];

describe('__complete', () => {
  test.each(situations)('offers what can follow: %s', async (line, expected) => {
    const { words, requests } = await tab(line, homeless);
    expect(words.sort()).toEqual(expected);
    expect(requests).toEqual([]);
  });

  test.each([
    ['sched ev', ':words'],
    ['sched nonsense ', ':words'],
    ['sched events list --fields uri,st', ':list'],
    ['sched events list --json=', ':list'],
    ['sched invitees create --body ', ':files'],
    ['sched invitees create --body=book', ':files'],
    ['sched compliance verify book', ':files'],
    ['sched compliance verify -- book', ':files'],
  ])('says what the shell does with the words: %s', async (line, directive) =>
    expect((await tab(line, homeless)).directive).toBe(directive),
  );

  test('describes nouns, verbs, topics and flags', async () => {
    expect(await tab('sched event-t')).toMatchObject({ descriptions: ['Manage event types and list their hosts'] });
    expect(await tab('sched events li')).toMatchObject({ descriptions: ['List events'] });
    expect(await tab('sched help exit')).toMatchObject({ descriptions: [expect.stringMatching(/^\w/)] });
    expect(await tab('sched -o json --header')).toMatchObject({
      descriptions: ['start tsv with a line of column names'],
    });
  });

  test('offers the flags where an argument is unknown or not expected', async () => {
    expect((await tab('sched webhooks get ', homeless)).words).toContain('--help');
    expect((await tab('sched events list extra ', homeless)).words).toContain('--status');
  });

  test('offers every verb and flag of every command', async () => {
    for (const noun of (await buildTree()).commands) {
      const leaves = (noun.commands.length === 0 ? [noun] : noun.commands) as Leaf[];
      if (noun.commands.length > 0)
        expect((await tab(`sched ${noun.alias() ?? noun.name()} `)).words).toEqual(leaves.map((leaf) => leaf.name()));
      for (const leaf of leaves) {
        const name = leaf === noun ? leaf.name() : `${noun.name()} ${leaf.name()}`;
        const flags = leaf.options.map(({ long }) => long);
        expect([name, (await tab(`sched ${name} --`)).words.sort()]).toEqual([name, flags.sort()]);
      }
    }
  });

  test('is not a command that people see', async () => {
    for (const line of ['--help', 'help flags', 'schema'])
      expect((await world.run(line)).stdout).not.toContain('__complete');
  });

  test('offers only time zones that sched accepts', () => {
    expect(zoneNames().map(readZone)).toEqual(zoneNames().map((zone) => ({ ok: true, zone })));
    expect(zoneNames()).toEqual(expect.arrayContaining(['Europe/Kyiv', 'Asia/Ho_Chi_Minh', 'America/New_York']));
  });
});

describe('__complete of profiles', () => {
  test('reads them from the settings', async () => {
    const home = temporaryDirectory('home');
    for (const name of ['home', 'work', 'work-2.eu'])
      await world.run(`profiles add ${name} --base-url https://api.example.com`, { home });
    expect((await tab('sched -p ', { home })).words).toEqual(['home', 'work', 'work-2.eu']);
    expect((await tab('sched events list --profile=w', { home })).words).toEqual([
      '--profile=work',
      '--profile=work-2.eu',
    ]);
    expect((await tab('sched --sandbox profile use h', { home })).words).toEqual(['home']);
  });

  test('prints nothing if the settings are broken, or there are none', async () => {
    const home = temporaryDirectory('broken');
    expect((await tab('sched -p ', { home })).words).toEqual([]);
    await world.run('profiles add work --base-url https://api.example.com', { home });
    writeFileSync(join(home, '.config/sched/config.json'), '{');
    const { stdout } = await world.run(['__complete', '-p', ''], { home });
    expect(stdout).toBe('');
  });
});

const types = ['Intro call', 'Intro call', 'Strategy', 'bad\n:files\x1b[31m', '--yes', ''].map((name, index) => ({
  uri: `http://127.0.0.1:4010/event_types/T${index}`,
  name,
}));

/** A service whose user has these event types. */
const serving = (headers: Record<string, string> = {}): NonNullable<WorldOptions['send']> => {
  const user = 'http://127.0.0.1:4010/users/U';
  const reply = (body: object) =>
    replying({ body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
  return (request) =>
    request.url.endsWith('/users/me')
      ? reply({ resource: { uri: user, current_organization: 'http://127.0.0.1:4010/organizations/O' } })(request)
      : reply({ collection: types, pagination: { count: types.length } })(request);
};

const limit = (perMinute: number, remaining = perMinute - 1) => ({
  'x-ratelimit-limit': `${perMinute}`,
  'x-ratelimit-remaining': `${remaining}`,
  'x-ratelimit-reset': '60',
});

describe('__complete of names', () => {
  test.each([
    ['sched event-types get Int', ['Intro call']],
    ['sched event-types get INT', ['Intro call']],
    ['sched events list --event-type=intro', ['--event-type=Intro call']],
    ['sched invitees create --event-type Int', ['Intro call']],
    ['sched groups get Ber', ['Berlin office']],
    ['sched members get jon', ['jonas.weber@northlight.example']],
    ['sched events list --user Jonas', ['jonas.weber@northlight.example']],
    ['sched events list --user Web', []],
    ['sched availability get ', expect.not.arrayContaining(['Working hours'])],
  ])('asks the service: %s', async (line, expected) => expect((await tab(line)).words).toEqual(expected));

  test('offers a name if the address begins differently, and says whose it is', async () => {
    const found = await tab('sched users get Amara');
    expect(found.words).toHaveLength(1);
    expect(found.descriptions[0]).toMatch(/^Amara .*@/);
  });

  test('asks the sandbox with --sandbox, and nobody over the network', async () => {
    const home = await usedHome(someday);
    expect(await tab('sched --sandbox event-types get Int', { home })).toMatchObject({
      words: ['Intro call'],
      descriptions: ['15 min'],
      requests: [],
    });
  });

  test('offers the ID where the name is ambiguous, a flag, or unsafe to show', async () => {
    const { words, descriptions } = await tab('sched event-types get ', { send: serving() });
    expect(words).toEqual(['T0', 'T1', 'Strategy', 'T3', 'T4', 'T5']);
    expect(descriptions).toEqual(['Intro call', 'Intro call', '', 'bad\\n:files\\x1b[31m', '--yes', '']);
  });

  test('remembers names for two minutes, but writes none of people', async () => {
    const home = temporaryDirectory('home');
    expect((await tab('sched event-types get Int', { home })).requests).toHaveLength(2);
    expect(await tab('sched event-types get Int', { home })).toMatchObject({ words: ['Intro call'], requests: [] });
    const later = { now: () => world.clock.now() + 121_000, sleep: inTime.sleep };
    expect((await tab('sched event-types get Int', { home, clock: later })).requests).toHaveLength(1);
    for (let times = 0; times < 2; times += 1)
      expect((await tab('sched members get jon', { home })).requests).toHaveLength(1);
    expect(everythingBelow(home)).not.toContain('jonas');
    expect(everythingBelow(home)).not.toContain(world.token);
  });

  test('asks nothing of a plan with 10 requests a minute, as soon as that is known', async () => {
    const home = temporaryDirectory('home');
    const few = { home, send: serving(limit(10)) };
    const first = await tab('sched event-types get ', few);
    expect(first.requests).toHaveLength(1);
    expect(first.words).toContain('--help');
    expect((await tab('sched event-types get ', few)).requests).toEqual([]);
    expect(
      (await tab('sched event-types get S', { ...few, home: temporaryDirectory(), send: serving(limit(500)) })).words,
    ).toEqual(['Strategy']);
  });

  test('leaves half of the rate limit to commands', async () => {
    for (const [remaining, requests] of [
      [300, 2],
      [200, 0],
    ] as const) {
      const used = { home: temporaryDirectory('home'), send: serving(limit(500, remaining)) };
      await world.run('users me', used);
      expect((await tab('sched groups get ', used)).requests).toHaveLength(requests);
    }
  });

  test.each([
    ['an error', replying({ status: 500 })],
    ['a refusal', replying({ status: 401 })],
    ['a request to wait', replying({ status: 429, headers: { 'retry-after': '1' } })],
    ['nonsense', replying({ body: '<html>' })],
    ['no connection', () => Promise.reject(new Error('connection refused'))],
  ])('prints no name and no error, and tries once, after %s', async (_, send) => {
    const { words, requests } = await tab('sched users get m', { send });
    expect(words).toEqual(['me']);
    expect(requests).toHaveLength(1);
  });

  test('gives up when the time is over, and aborts the request', async () => {
    const clock = heldClock();
    let isAborted = false;
    const send: WorldOptions['send'] = ({ signal }) =>
      new Promise((_, reject) => {
        signal!.addEventListener('abort', () => {
          isAborted = true;
          reject(signal!.reason);
        });
        clock.end(limitMs);
      });
    expect((await tab('sched users get m', { clock, send })).words).toEqual(['me']);
    expect(isAborted).toBe(true);
    expect(clock.sleeping()).toEqual([]);
  });

  test('uses a login in a file, without refreshing it', async () => {
    const login = { ...homeless, home: temporaryDirectory('home') };
    await logIn(world, loginAddresses, login);
    expireToken(login.home, undefined, world.machineNow());
    const { words, requests } = await tab('sched event-types get Int', login);
    expect(words).toEqual(['Intro call']);
    expect(requests.filter(({ url }) => url.includes('/oauth/'))).toEqual([]);
  });

  test('never opens a keychain', async () => {
    const home = temporaryDirectory('home');
    await logIn(world, loginAddresses, { ...homeless, home });
    const file = join(home, '.config/sched/config.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"store": "file"', '"store": "keychain"'));
    let calls = 0;
    const bus = createServer((socket) => {
      calls += 1;
      socket.on('error', () => {}).end('REJECTED EXTERNAL\r\n');
    });
    closeLater(() => bus.close());
    const path = join(home, 'bus');
    await new Promise<void>((resolve) => bus.listen(path, resolve));
    const login = { home, env: { ...homeless.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` } };
    expect(await tab('sched users get m', login)).toMatchObject({ words: ['me'], requests: [] });
    expect(calls).toBe(0);
    // Otherwise the keychain is asked.
    expect((await world.run('users me', login)).stderr).toContain('keychain');
  });

  test('asks nobody without a token, or with settings that contradict each other', async () => {
    expect(await tab('sched users get m', homeless)).toMatchObject({ words: ['me'], requests: [] });
    expect(await tab('sched users get m', { env: { SCHED_SANDBOX: '1' } })).toMatchObject({
      words: ['me'],
      requests: [],
    });
  });
});
