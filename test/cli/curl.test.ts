import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { nouns } from '../../src/cli/commands/registry.ts';
import type { HttpRequest } from '../../src/http/message.ts';
import { safe, safeForRunner } from '../../src/output/sanitize.ts';
import { hostile, madeUp } from '../output/samples.ts';
import { addCanary } from '../support/canary.ts';
import { execFileSync } from '../support/processes.ts';
import { createWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let env: Record<string, string>;
beforeAll(async () => {
  world = await createWorld({ env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' } });
  const me = JSON.parse((await world.run('users me --json')).stdout);
  env = { SCHED_USER: me.uri, SCHED_ORG: me.current_organization };
});

/** The arguments that curl would get, for each line. */
const wordsOf = (lines: string, variables: Record<string, string>, shell = 'sh'): string[][] => {
  const script = `set -u\ncurl() { printf '%s\\0' "$@"; printf 'END\\0'; }\n${lines}`;
  const output = execFileSync(shell, ['-s'], {
    input: script,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', SCHED_TOKEN: world.token, ...variables },
  });
  return output
    .split('END\0')
    .slice(0, -1)
    .map((line) => line.split('\0').slice(0, -1));
};

const requestOf = (words: string[]): Pick<HttpRequest, 'method' | 'url'> & { body?: string } => {
  const data = words.findIndex((word) => word.startsWith('--data'));
  return {
    method: words[0] === '-X' ? words[1]! : 'GET',
    url: decodeURIComponent(words.find((word) => word.startsWith('http'))!),
    ...(data < 0 ? {} : { body: words[data + 1]! }),
  };
};

const plain = ({ method, url, body }: HttpRequest) => ({
  method,
  url: decodeURIComponent(url),
  ...(body === undefined ? {} : { body }),
});

const commands = (
  await Promise.all(
    Object.entries(nouns).map(async ([noun, { leaf, commands }]) =>
      (await commands()).map((command) => ({ words: leaf ? noun : `${noun} ${command.name}`, command })),
    ),
  )
).flat();
const senders = commands.filter(({ command }) => command.operation !== undefined);
const others = commands.filter(({ command }) => command.operation === undefined && !command.freeForm);

/** An example that needs no look-up and no file. */
const offlineExample = (examples: readonly string[]) =>
  examples.find((line) => !/\$\(| --from /.test(line)) ??
  examples[0]!.replace(/\$\(.*\)/, 'JW6SHQTS78SH7TS8 A4TR9Q7LV9SKDD98');

describe('--curl', () => {
  test.each(senders)('with $words prints a command and sends nothing', async ({ command }) => {
    const example = offlineExample(command.examples).replace(/ --yes| --dry-run/g, '');
    const { code, stdout, stderr, requests } = await world.run(`${example} --curl`);
    expect(code, stderr).toBe(0);
    expect(requests).toEqual([]);
    expect(stdout).toMatch(/^(curl .*\n)+$/);
    expect(stdout).not.toContain(world.token);
    expect(stdout).not.toContain('__sched');
    const named = [...stdout.matchAll(/\$\{?([A-Z_]+)/g)].map(([, name]) => name!);
    for (const name of new Set(named))
      if (name !== 'SCHED_TOKEN') expect(stderr).toContain(`Run first: export ${name}=`);
  });

  test.each(others)('with $words is rejected, because it is not a single request', async ({ words }) => {
    const { code, stderr, requests } = await world.run(`${words} --curl`);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain("--curl doesn't work with this command");
  });

  test.each([
    'events list',
    'events list --limit 7 --status active --since 2026-11-01',
    'events list --org current --page-size 10',
    'events list --past',
    'event-types list --active',
    'orgs get',
    'members list --role admin',
    'groups list',
    'activity list --limit 20',
    'locations list',
    'users me',
    'event-types get YBL6DUNR9FS4PNP6',
    "api /scheduled_events -f 'user={user}'",
    'api /users/{user}',
    'shares create --event-type YBL6DUNR9FS4PNP6 --name "It\'s me"',
    'event-types create --name "Chat & more"',
    'one-offs create --name Planning --duration 45 --days 7',
  ])('prints the request that is actually sent: %s', async (line) => {
    const printed = await world.run(`${line} --curl`);
    const sent = await world.run(`${line} --json`);
    const [words] = wordsOf(printed.stdout, env);
    expect(words).toContain(`Authorization: Bearer ${world.token}`);
    expect(sent.requests.map(plain)).toContainEqual(requestOf(words!));
  });

  test('on a terminal requests as many rows as a terminal shows', async () => {
    const { stdout } = await world.run('events list --curl', { terminals: ['stdout'] });
    expect(stdout).toMatch(/[?&]count=50["&]/);
  });

  test('uses values from the environment and the cache', async () => {
    const told = await world.run('events list --curl', { env });
    expect(told.stdout).toContain(`user=${encodeURIComponent(env.SCHED_USER!)}`);
    expect(told.stderr).toBe('');
    const home = temporaryDirectory('curl');
    await world.run('events list --limit 1', { home });
    const remembered = await world.run('groups list --curl', { home });
    expect(remembered.stdout).toContain(`organization=${encodeURIComponent(env.SCHED_ORG!)}`);
    expect(remembered.requests).toEqual([]);
  });

  test('uses a separate shell variable for each name or address', async () => {
    const { stdout, stderr, requests } = await world.run([
      ...['one-offs', 'create', '--name', 'x', '--duration', '30', '--days', '3', '--curl'],
      ...['--host', 'jonas.weber@northlight.example', '--co-host', 'mei.tanaka@northlight.example'],
    ]);
    expect(requests).toEqual([]);
    const [words] = wordsOf(stdout, { USER_URI: 'https://a.example/users/J', USER_URI_2: 'https://a.example/users/M' });
    expect(JSON.parse(requestOf(words!).body!)).toMatchObject({
      host: 'https://a.example/users/J',
      co_hosts: ['https://a.example/users/M'],
    });
    expect(stderr).toContain(
      "Run first: export USER_URI_2=\"$(sched members get --jq .user.uri 'mei.tanaka@northlight.example'",
    );
    const named = await world.run('event-types get "Intro call" --curl');
    const [get] = wordsOf(named.stdout, { EVENT_TYPE_URI: 'https://a.example/event_types/T' });
    expect(requestOf(get!).url).toBe('http://127.0.0.1:4010/event_types/T');
  });

  test('prints how to set a variable once, before the variable that needs it', async () => {
    const { screen } = await world.run(
      'availability update "Working hours" --event-type "Intro call" --day-off fri --curl',
    );
    const lines = screen.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/[ =]/, 4).join(' '))).toEqual([
      'The service replaces all',
      'Run first: export EVENT_TYPE_URI',
      expect.stringContaining('curl "http'),
      'Run first: export AVAILABILITY_SCHEDULE_URI',
      expect.stringMatching(/^curl -X PATCH /),
    ]);
    expect(lines[3]).toContain('"$(sched availability list --event-type "$EVENT_TYPE_URI" --jq ');
    const replaced = await world.run(
      'availability update "Working hours" --event-type "Intro call" --day-off fri --replace --curl',
    );
    expect(replaced.stderr).toMatch(
      /^Run first: export EVENT_TYPE_URI=.*\nRun first: export AVAILABILITY_SCHEDULE_URI=.*\n$/,
    );
  });

  test('needs no token, only a base URL', async () => {
    const { code, stdout } = await world.run('events list --curl', { env: { SCHED_TOKEN: '' } });
    expect([code, stdout.startsWith('curl "http://127.0.0.1:4010/')]).toEqual([0, true]);
    const nowhere = await world.run('events list --curl', { env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
    expect([nowhere.code, nowhere.stdout]).toEqual([4, '']);
  });

  test('with --sandbox prints the fixed address and starts nothing', async () => {
    const home = temporaryDirectory('curl');
    const { code, stdout, stderr } = await world.run('events list --sandbox --curl', { home });
    expect(code).toBe(0);
    expect(stdout).toContain('curl "http://127.0.0.1:4010/scheduled_events?user=$SCHED_USER&count=100"');
    expect(stderr).toContain('[sandbox]');
    expect(stderr).toContain('Run first: export SCHED_USER="$(sched users me --sandbox -o id)"');
    expect(existsSync(join(home, '.local')) ? readdirSync(join(home, '.local')) : []).toEqual([]);
  });

  test('uses the same profile or sandbox in the commands that set variables', async () => {
    const home = temporaryDirectory('curl');
    const none = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
    await world.run('profiles add first --base-url https://first.example', { home, env: none });
    await world.run('profiles add work --base-url https://work.example', { home, env: none });
    const line = 'groups events "Customer team" --curl';
    for (const [flag, env] of [
      ['--profile work', none],
      ['--sandbox', {}],
    ] as const) {
      const group = await world.run(`${line} ${flag}`, { home, env });
      expect(group.stderr).toContain(`sched groups get -o id ${flag} 'Customer team'`);
      const user = await world.run(`events list --user ada@engine.example --curl ${flag}`, { home, env });
      expect(user.stderr).toContain(`sched members get --jq .user.uri ${flag} 'ada@engine.example'`);
      expect(user.stderr).toContain(`sched users me ${flag} --jq`);
    }
  });

  test('prints a note if the request depends on another reply', async () => {
    const { stdout, stderr, requests } = await world.run(
      'availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --day-off friday --curl',
    );
    expect(requests).toEqual([]);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toContain('The service replaces all rules');
  });

  describe('passes text to curl as typed, and never expands another variable', () => {
    const texts = [
      '$(touch x) `id` $HOME "q" \\',
      '__sched_variable_AWS_SECRET_ACCESS_KEY__',
      `\${AWS_SECRET_ACCESS_KEY}`,
      '"$AWS_SECRET_ACCESS_KEY"',
      "'$AWS_SECRET_ACCESS_KEY'",
      `v${'0'.repeat(32)}AWS_SECRET_ACCESS_KEY`,
      '{user} and {organization}',
      "it's",
      '!!',
      'a\tb\nc\rd',
      ...hostile,
      ...madeUp(60, 61),
    ].filter((text) => text.trim() !== '' && !/[\0\p{Cs}]/u.test(text));
    const variables = {
      ...Object.fromEntries(['SCHED_USER', 'SCHED_ORG'].map((name) => [name, 'https://a.example/users/U'])),
    };
    /** A variable that must never be expanded. */
    const foreign = { AWS_SECRET_ACCESS_KEY: 'foreign-canary-0123456789' };
    beforeAll(() => addCanary(foreign.AWS_SECRET_ACCESS_KEY));

    const inBody = (words: string[]) => JSON.parse(requestOf(words).body!).name as string;
    const inQuery = (words: string[]) => new URL(words.find((word) => word.startsWith('http'))!).searchParams.get('q');
    const places: [where: string, line: string[], sentIn: (words: string[]) => string | null][] = [
      ['a name', ['event-types', 'create', '--name'], inBody],
      [
        'a name beside a variable',
        ['one-offs', 'create', '--days', '3', '--duration', '30', '--host', 'me', '--name'],
        inBody,
      ],
      ['a field of api', ['api', 'POST', '/event_types', '-f', 'owner={user}', '-f', 'name='], inBody],
      ['a query of api', ['api', '/scheduled_events', '-f', 'user={user}', '-f', 'q='], inQuery],
      [
        'a header of api',
        ['api', '/users/me', '-H', 'x-note: '],
        (words) => words.find((word) => word.startsWith('x-note'))!.slice(8),
      ],
    ];
    test.each(sample(places, 2))('%s', async (where, line, read) => {
      const fitting = where.includes('header') ? texts.filter((text) => /^[!-~]([ -~]*[!-~])?$/.test(text)) : texts;
      const lines = await Promise.all(
        fitting.map(async (text) => {
          const words = /[= ]$/.test(line.at(-1)!) ? [...line.slice(0, -1), `${line.at(-1)}${text}`] : [...line, text];
          const { code, stdout, stderr } = await world.run([...words, '--curl'], {
            env: { SCHED_USER: '', SCHED_ORG: '' },
          });
          expect([code, stderr]).toEqual([0, expect.any(String)]);
          return stdout;
        }),
      );
      const found = wordsOf(lines.join(''), { ...variables, ...foreign }, 'bash').map(read);
      expect(found).toEqual(fitting);
    });

    test('a name to look up', async () => {
      // Leaves out names that a note would print escaped, and IDs, which aren't looked up.
      const names = texts.filter((text) => safeForRunner(safe(text)) === text && !/^-|^[\w-]+$|:\/\//.test(text));
      const scripts = await Promise.all(
        names.map(async (name) => (await world.run(['event-types', 'get', name, '--curl'])).stderr),
      );
      const script = `set -u\nexec 3>&1\nsched() { printf '%s\\0' "$@" >&3; }\n${scripts.join('').replaceAll('Run first: ', '')}`;
      const output = execFileSync('bash', ['-s'], {
        input: script,
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '', ...foreign },
      });
      const words = ['event-types', 'get', '-o', 'id'];
      expect(output.split('\0')).toEqual([...names.flatMap((name) => [...words, name]), '']);
    });
  });
});
