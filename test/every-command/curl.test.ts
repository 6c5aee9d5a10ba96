import { beforeAll, describe, expect, test } from 'vitest';
import { nouns } from '../../src/commands/registry.ts';
import type { HttpRequest } from '../../src/http/message.ts';
import { hostile, madeUp } from '../output/samples.ts';
import { addCanary } from '../support/canary.ts';
import { execFileSync } from '../support/processes.ts';
import { createWorld, isWrite, someday } from '../support/run.ts';
import { usedHome } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample, times } from '../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let env: Record<string, string>;
beforeAll(async () => {
  world = await createWorld({ env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' } });
  const me = JSON.parse((await world.run('users me --json')).stdout);
  env = { SCHED_USER: me.uri, SCHED_ORG: me.current_organization };
});

/** The arguments that curl would get, for each line. */
const wordsOf = (lines: string, variables: Record<string, string> = {}, shell = 'sh'): string[][] => {
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
// Operations that only some services have are refused without a dialect.
const senders = commands.filter(({ command: { operation } }) => operation !== undefined && !operation.optional);
const others = commands.filter(
  ({ command }) => command.operation === undefined && !command.freeForm && command.effect !== 'change',
);

/** The example of a move is about next week, when its host may not work: this one is free. */
const freeMove = 'events move JW6SHQTS78SH7TS8 --to "tomorrow 11:00" --tz Europe/Paris';

/** An example that needs neither a file nor a terminal: alone, `availability list` answers with the own hours on one. */
const exampleOf = (examples: readonly string[]) =>
  (
    examples.find((line) => !/\$\(| --from |^(sched )?availability list$/.test(line)) ??
    examples[0]!.replace(/\$\(.*\)/, 'JW6SHQTS78SH7TS8 A4TR9Q7LV9SKDD98 --no-check')
  ).replace(/ --yes| --dry-run/g, '');

describe('--curl', () => {
  test.each(sample(senders, 4))('with $words prints the request that --dry-run shows', async ({ words, command }) => {
    const example = words === 'events move' ? freeMove : exampleOf(command.examples);
    const { code, stdout, stderr, requests } = await world.run(`${example} --curl`);
    expect(code, stderr).toBe(0);
    expect(requests.filter(isWrite)).toEqual([]);
    expect(stdout).toMatch(/^((jq .+ \| )?curl .*\n)+$/);
    expect(stdout).not.toContain(world.token);
    // Neither names an address.
    if (words === 'compliance delete') return;
    const shown = JSON.parse((await world.run(`${example} --dry-run`)).stdout);
    expect(wordsOf(stdout).map(requestOf)).toEqual(
      [shown].flat().map(({ method, url, body }) => ({
        method,
        url: decodeURIComponent(url),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })),
    );
  });

  test.each(sample(others, 4))('with $words is rejected, because it is not a single request', async ({ words }) => {
    const { code, stderr, requests } = await world.run(`${words} --curl`);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain("--curl doesn't work with this command");
  });

  const lines = [
    'events list',
    'events list --limit 7 --status active --since 2026-11-01',
    'events list --org current --since -2d --until +2d --page-size 10',
    'events list --past',
    'events list --search call --limit 5',
    'events list --with invitees --limit 5',
    'events agenda --day',
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
  ];
  test.each(sample(lines, 1, (line) => line.split(' ')[0]))(
    'prints the request that is actually sent: %s',
    async (line) => {
      const printed = await world.run(`${line} --curl`);
      const sent = await world.run(`${line} --json`);
      const [words] = wordsOf(printed.stdout);
      expect(words).toContain(`Authorization: Bearer ${world.token}`);
      expect(sent.requests.map(plain)).toContainEqual(requestOf(words!));
    },
  );

  test('on a terminal requests as many rows as a terminal shows', async () => {
    const { stdout } = await world.run('events list --curl', { terminals: ['stdout'] });
    expect(stdout).toMatch(/[?&]count=50['&]/);
  });

  test('looks up names, and only prints the request itself', async () => {
    const { stdout, stderr, requests } = await world.run('groups events "customer team" --status active --curl');
    const { url } = requestOf(wordsOf(stdout)[0]!);
    expect(url).toContain('group=http://127.0.0.1:4010/groups/4UJ8LXFLWJYWQTRF');
    expect(stderr).toBe('');
    expect(requests.map((request) => request.url).some((each) => each.includes('/groups?'))).toBe(true);
    expect(requests.map((request) => decodeURIComponent(request.url))).not.toContain(url);
  });

  test('books the first free time, and keeps the other rules of a schedule', async () => {
    const invitee = '--email a@b.example --name A --timezone Europe/Paris';
    const book = await world.run(`invitees create --event-type "Intro call" --first-free ${invitee} --curl`);
    expect(JSON.parse(requestOf(wordsOf(book.stdout)[0]!).body!)).toHaveProperty('start_time');
    const update = await world.run('availability update --event-type "Intro call" --day-off sunday --curl');
    expect(JSON.parse(requestOf(wordsOf(update.stdout)[0]!).body!).rules.length).toBeGreaterThan(1);
  });

  test('needs a token only to read', async () => {
    const without = { env: { SCHED_TOKEN: '' } };
    const alone = await world.run('events get JW6SHQTS78SH7TS8 --curl', without);
    expect([alone.code, requestOf(wordsOf(alone.stdout)[0]!).url]).toEqual([
      0,
      'http://127.0.0.1:4010/scheduled_events/JW6SHQTS78SH7TS8',
    ]);
    const named = await world.run('event-types get "Intro call" --curl', without);
    expect([named.code, named.stderr]).toEqual([4, expect.stringContaining('No account yet')]);
    const nowhere = await world.run('events get JW6SHQTS78SH7TS8 --curl', {
      env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' },
    });
    expect([nowhere.code, nowhere.stdout]).toEqual([4, '']);
  });

  test('for a profile that is not logged in prints a request that needs no reads', async () => {
    const home = temporaryDirectory('curl');
    const none = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
    await world.run('profiles add work --base-url https://work.example', { home, env: none });
    const { code, stdout } = await world.run('events get JW6SHQTS78SH7TS8 --curl', { home, env: none });
    expect([code, stdout]).toEqual([0, expect.stringContaining('https://work.example/scheduled_events/')]);
  });

  let home: string;
  beforeAll(async () => {
    home = await usedHome(someday);
  });

  test('with --sandbox prints the address of sandbox start, and how to get its token', async () => {
    const { code, stdout, stderr } = await world.run('events list --sandbox --curl', {
      home,
      env: { SCHED_USER: 'A', SCHED_ORG: 'B' },
    });
    expect(code).toBe(0);
    const { url } = requestOf(wordsOf(stdout)[0]!);
    expect(url).toBe(
      'http://127.0.0.1:4010/scheduled_events?user=http://127.0.0.1:4010/users/XYCWQX76WEER7A9Y&count=100',
    );
    expect(stderr).toContain('[sandbox]');
    expect(stderr).toContain('while `sched sandbox start` is running, which prints SCHED_TOKEN');
  });

  test('with --with invitees prints both requests, and the note about the sandbox once', async () => {
    const line = 'events get JW6SHQTS78SH7TS8 --with invitees --sandbox';
    const { stdout, stderr } = await world.run(`${line} --curl`, { home });
    expect(wordsOf(stdout).map((words) => requestOf(words).url)).toEqual([
      'http://127.0.0.1:4010/scheduled_events/JW6SHQTS78SH7TS8',
      'http://127.0.0.1:4010/scheduled_events/JW6SHQTS78SH7TS8/invitees',
    ]);
    expect(stderr.match(/sched sandbox start/g)).toHaveLength(1);
    expect(JSON.parse((await world.run(`${line} --dry-run --json`, { home })).stdout)).toHaveLength(2);
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
      ...madeUp(times(20, 60), 61),
    ].filter((text) => text.trim() !== '' && !/[\0\p{Cs}]/u.test(text));
    /** A variable that must never be expanded. */
    const foreign = { AWS_SECRET_ACCESS_KEY: 'foreign-canary-0123456789' };
    beforeAll(() => addCanary(foreign.AWS_SECRET_ACCESS_KEY));

    const inBody = (words: string[]) => JSON.parse(requestOf(words).body!).name as string;
    const inQuery = (words: string[]) => new URL(words.find((word) => word.startsWith('http'))!).searchParams.get('q');
    const places: [where: string, line: string[], sentIn: (words: string[]) => string | null][] = [
      ['a name', ['event-types', 'create', '--name'], inBody],
      ['a field of api', ['api', 'POST', '/event_types', '-f', 'owner={user}', '-f', 'name='], inBody],
      ['a query of api', ['api', '/scheduled_events', '-f', 'user={user}', '-f', 'q='], inQuery],
      [
        'a header of api',
        ['api', '/users/me', '-H', 'x-note: '],
        (words) => words.find((word) => word.startsWith('x-note'))!.slice(8),
      ],
    ];
    test.each(sample(places, 1))('%s', async (where, line, read) => {
      const fitting = where.includes('header') ? texts.filter((text) => /^[!-~]([ -~]*[!-~])?$/.test(text)) : texts;
      const lines = await Promise.all(
        fitting.map(async (text) => {
          const words = /[= ]$/.test(line.at(-1)!) ? [...line.slice(0, -1), `${line.at(-1)}${text}`] : [...line, text];
          const { code, stdout, stderr } = await world.run([...words, '--curl'], { env });
          expect([code, stderr]).toEqual([0, expect.any(String)]);
          return stdout;
        }),
      );
      const found = wordsOf(lines.join(''), foreign, 'bash').map(read);
      expect(found).toEqual(fitting);
    });
  });
});
