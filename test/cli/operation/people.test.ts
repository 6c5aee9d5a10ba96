import { beforeAll, describe, expect, test } from 'vitest';
import { inspect } from '../../../src/api/inspect.ts';
import { type Operation, pathParameters } from '../../../src/api/operation.ts';
import type { Argument, Command, Flag } from '../../../src/cli/command.ts';
import { nouns } from '../../../src/cli/commands/registry.ts';
import { type FieldFlag, referenceWords } from '../../../src/cli/operation/field-flags.ts';
import type { GenericCommand } from '../../../src/cli/operation/generic-command.ts';
import { collectionOf, selfWords } from '../../../src/client/ids.ts';
import { singleQuoted } from '../../../src/shell-quote.ts';
import { idIn } from '../../../src/uri.ts';
import { execFileSync } from '../../support/processes.ts';
import { createWorld, logIn, loginAddresses } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

const root = 'http://127.0.0.1:4010';
const amara = { user: `${root}/users/XYCWQX76WEER7A9Y`, member: `${root}/organization_memberships/748CREZB3C9AZT4X` };
const jonas = { user: `${root}/users/UZ8CY4QAYV5BWVCA`, member: `${root}/organization_memberships/SLNCCBVHPVAVN82P` };
const organization = `${root}/organizations/GHDAK7KT3RW2W9R9`;

/** Every way to name a record of a collection, and the URI that it stands for. */
const names: Record<string, [way: string, word: string, uri: string][]> = {
  users: [
    ['me', 'me', amara.user],
    ['an email address', 'jonas.weber@northlight.example', jonas.user],
    ['an email address in another case', 'Jonas.Weber@Northlight.example', jonas.user],
    ['a full name', 'Jonas Weber', jonas.user],
    ['a full name in another case', 'jonas weber', jonas.user],
    ['an ID', idIn(jonas.user), jonas.user],
    ['a URI', jonas.user, jonas.user],
  ],
  organization_memberships: [
    ['me', 'me', amara.member],
    ['an email address', 'jonas.weber@northlight.example', jonas.member],
    ['a full name', 'Jonas Weber', jonas.member],
    ['an ID', idIn(jonas.member), jonas.member],
    ['a URI', jonas.member, jonas.member],
    ["the user's ID", idIn(jonas.user), jonas.member],
    ["the user's URI", jonas.user, jonas.member],
  ],
  organizations: [
    ['current', 'current', organization],
    ['an ID', idIn(organization), organization],
    ['a URI', organization, organization],
  ],
};

interface Place {
  /** A place that takes a person or an organization, such as `users get <user>` or `events list --org`. */
  title: string;
  words: string[];
  collection: string;
  flag?: string;
  suggestions: readonly string[] | undefined;
  operation: Operation;
  /** Where the request holds the record. */
  path: string[];
}

/** Flags and arguments without a field of a request. Tests below cover them. */
const special = [
  'compliance delete --org',
  'event-types slots --host',
  'profiles add --user',
  'profiles add --org',
  'profiles add --organization',
];

type Found = Command & Partial<GenericCommand>;

const placeOfArgument = (words: string[], { operation }: Found, { name, suggestions }: Argument): Place[] => {
  const parameter = name.replaceAll('-', '_');
  if (operation === undefined || !pathParameters(operation.path).includes(parameter)) return [];
  const collection = collectionOf(operation.path, parameter);
  const title = `${words.join(' ')} <${name}>`;
  return names[collection] === undefined ? [] : [{ title, words, collection, suggestions, operation, path: [] }];
};

const placeOfFlag = (words: string[], { operation }: Found, flag: Flag & Partial<FieldFlag>): Place[] => {
  const { name, field, path = [], suggestions } = flag;
  const collection = field && inspect(inspect(field).element ?? field).collection;
  if (operation === undefined || collection === undefined || names[collection] === undefined) return [];
  return [{ title: `${words.join(' ')} --${name}`, words, collection, flag: name, suggestions, operation, path }];
};

const places: Place[] = [];
/** Flags that show by their name or placeholder that they take a person or an organization. */
const telling: string[] = [];
for (const [noun, { leaf, commands }] of Object.entries(nouns)) {
  for (const command of (await commands()) as Found[]) {
    const words = leaf ? [noun] : [noun, command.name];
    for (const argument of command.arguments) places.push(...placeOfArgument(words, command, argument));
    for (const flag of command.flags) {
      places.push(...placeOfFlag(words, command, flag));
      const isTelling =
        Object.values(referenceWords).includes(flag.value ?? '') ||
        /^(user|org|organization|owner|member|host|co-host)$/.test(flag.name);
      if (isTelling) telling.push(`${words.join(' ')} --${flag.name}`);
    }
  }
}

/** Other words that a command needs. */
const rest: Record<string, string[]> = {
  'event-types create': ['--name', 'Chat'],
  'one-offs create': ['--name', 'Plan', '--duration', '45', '--days', '7'],
  'webhooks create': ['--url', 'https://example.com/', '--events', 'invitee.created'],
};

const world = await createWorld();

const lineAt = ({ words, flag }: Place, word: string): string[] => [
  ...words,
  ...(flag === undefined ? [word] : [`--${flag}`, word]),
  ...(rest[words.join(' ')] ?? []),
];

interface Request {
  url: string;
  body?: Record<string, unknown>;
}

/** The record that a request holds at a place, as a URI. */
const sentAt = ({ path, flag, collection }: Place, { url, body }: Request): unknown => {
  const { pathname, searchParams } = new URL(url);
  if (flag === undefined) return pathname === '/users/me' ? amara.user : `${root}/${collection}/${idIn(pathname)}`;
  const value =
    body === undefined ? searchParams.get(path[0]!) : path.reduce<unknown>((at, key) => (at as never)[key], body);
  return Array.isArray(value) ? value[0] : value;
};

const dryRun = async (line: string[], more = {}): Promise<Request> => {
  const { code, stdout, stderr } = await world.run([...line, '--dry-run'], more);
  expect(code, stderr).toBe(0);
  const { url, body } = JSON.parse(stdout);
  return { url, ...(body === undefined ? {} : { body }) };
};

/** The words that each script gives to curl or sched. One shell runs them all, because starting one is slow. */
const wordsIn = (scripts: { script: string; env: Record<string, string> }[]): string[][] => {
  const inSubshells = scripts.map(({ script, env }) => {
    const exports = Object.entries(env).map(([name, value]) => `export ${name}=${singleQuoted(value)}`);
    return ['(', ...exports, script, ')', "printf '\\1'"].join('\n');
  });
  return execFileSync('bash', ['-s'], {
    input: ['set -u', `curl() { printf '%s\\0' "$@"; }`, 'sched() { curl "$@"; }', ...inSubshells].join('\n'),
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', SCHED_TOKEN: world.token },
  })
    .split('\x01')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
};

/** The requests that `--curl` commands send, after the commands in their notes. */
const curled = async (lines: string[][], more = {}): Promise<Request[]> => {
  const printed = [];
  for (const line of lines) {
    const { code, stdout, stderr, requests } = await world.run([...line, '--curl'], more);
    expect([code, requests], stderr).toEqual([0, []]);
    const first = [...stderr.matchAll(/Run first: export (\w+)="\$\((.*)\)"/g)];
    printed.push({ script: stdout, env: {} as Record<string, string>, first });
  }
  for (;;) {
    const asked = printed.flatMap((each) => (each.first.length > 0 ? [{ each, note: each.first.shift()! }] : []));
    if (asked.length === 0) break;
    const commands = wordsIn(asked.map(({ each, note }) => ({ script: note[2]!, env: each.env })));
    for (const [index, { each, note }] of asked.entries()) {
      const found = await world.run(commands[index]!, more);
      expect(found.code, found.stderr).toBe(0);
      each.env[note[1]!] = found.stdout.trim();
    }
  }
  return wordsIn(printed).map((words) => {
    const data = words.findIndex((word) => word.startsWith('--data'));
    const url = words.find((word) => word.startsWith('http'))!;
    return { url, ...(data < 0 ? {} : { body: JSON.parse(words[data + 1]!) }) };
  });
};

const decoded = ({ url, ...rest }: Request) => ({ url: decodeURIComponent(url), ...rest });

describe('a person or an organization', () => {
  test('is tested at every argument and flag that takes one', () => {
    const found = places.map(({ title }) => title);
    expect(telling.filter((title) => !found.includes(title)).sort()).toEqual([...special].sort());
    expect(found.length).toBeGreaterThanOrEqual(18);
  });

  test('is offered as me or current by completions', () => {
    for (const { title, collection, suggestions } of places)
      expect([title, suggestions]).toEqual([title, [selfWords[collection]]]);
  });

  const cells = places.flatMap((place) =>
    names[place.collection]!.map(([way, word, uri]) => ({ place, way, word, uri })),
  );
  const eachWay = sample(cells, 1, ({ place, way }) => `${place.collection} ${way}`);
  const eachPlace = sample(cells, 1, ({ place }) => place);

  const chosen = [...new Set([...eachWay, ...eachPlace])];

  test.each(chosen.map(({ place, way, ...cell }) => [place.title, way, cell.word, { place, ...cell }] as const))(
    'at %s can be %s (%s)',
    async (_title, _way, word, { place, uri }) => {
      expect(sentAt(place, await dryRun(lineAt(place, word)))).toBe(uri);
    },
  );

  test('is sent by --curl as without it', async () => {
    const lines = chosen
      // A user's ID in place of a member's looks like any ID, and --curl asks nobody.
      .filter(({ place, word }) => place.collection !== 'organization_memberships' || word !== idIn(jonas.user))
      .map(({ place, word }) => lineAt(place, word));
    for (const [index, request] of (await curled(lines)).entries()) {
      const line = lines[index]!;
      expect([line, decoded(request)]).toEqual([line, decoded(await dryRun(line))]);
    }
  });

  test.each(sample(names.users!, 3))('at event-types slots --host can be %s (%s)', async (_, word, uri) => {
    const line = ['event-types', 'slots', 'Partner interview', '--first', '1', '--host', word, '--json'];
    const { code, stdout, stderr } = await world.run(line);
    expect(code, stderr).toBe(0);
    const [slot] = JSON.parse(stdout);
    expect(slot.event_memberships.map(({ user }: { user: string }) => user)).toContain(uri);
  });

  const noToken = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
  const loggedIn = temporaryDirectory('people');
  beforeAll(async () => {
    expect((await logIn(world, loginAddresses, { home: loggedIn, env: noToken })).code).toBe(0);
  });

  describe.each(['environment', 'profile'])('in the %s', (kind) => {
    const cases = (['users', 'organizations'] as const).flatMap((collection) =>
      names[collection]!.map(([way, word, uri]) => [collection, way, word, uri] as const),
    );

    test.each(sample(cases, 2, ([collection]) => collection))('%s can be %s (%s)', async (collection, _, word, uri) => {
      const isUser = collection === 'users';
      const home = kind === 'profile' ? loggedIn : temporaryDirectory('people');
      const env: Record<string, string> = kind === 'profile' ? { ...noToken } : {};
      if (kind === 'environment') env[isUser ? 'SCHED_USER' : 'SCHED_ORG'] = word;
      else {
        for (const key of ['user', 'org']) await world.run(['profiles', 'set', key, ''], { home, env });
        const { code } = await world.run(['profiles', 'set', isUser ? 'user' : 'org', word], { home, env });
        expect(code).toBe(0);
      }
      const line = isUser ? ['events', 'list'] : ['groups', 'list'];
      const { searchParams } = new URL((await dryRun(line, { home, env })).url);
      expect(searchParams.get(isUser ? 'user' : 'organization')).toBe(uri);
      if (isUser) expect(searchParams.get('organization')).toBe(uri === amara.user ? null : organization);
      const own = isUser ? ['users', 'get', 'me'] : ['orgs', 'get', 'current'];
      const { pathname } = new URL((await dryRun(own, { home, env })).url);
      expect(pathname).toBe(word === 'me' ? '/users/me' : new URL(uri).pathname);
    });
  });

  test.each(['user', 'org', 'organization'])('can be set by profiles add --%s', async (flag) => {
    const home = temporaryDirectory('people');
    const env = noToken;
    const collection = flag === 'user' ? 'users' : 'organizations';
    for (const [index, [, word]] of names[collection]!.entries()) {
      const line = ['profiles', 'add', `p${index}`, '--base-url', root, `--${flag}`, word, '--json'];
      const { code, stdout } = await world.run(line, { home, env });
      expect([code, JSON.parse(stdout)[flag === 'user' ? 'user' : 'organization']]).toEqual([0, word]);
    }
    const wrong = ['profiles', 'add', 'other', '--base-url', root, `--${flag}`, `${root}/groups/A`];
    const { code, stderr } = await world.run(wrong, { home, env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--${flag} must be `)]);
  });

  test.each(names.organizations!)(
    'of the token can be confirmed by compliance delete --org: %s (%s)',
    async (_, word) => {
      const line = ['compliance', 'delete', 'gone@x.example', '--yes', '--org', word];
      const home = temporaryDirectory('people');
      expect((await world.run(line, { home })).code).toBe(0);
      // Another default organization is what `current` means then, and the token doesn't belong to it.
      const other = await world.run([...line, '--again'], { home, env: { SCHED_ORG: 'OTHER' } });
      expect(other.code).toBe(word === 'current' ? 7 : 0);
    },
  );

  test('of a profile has one name at a time', async () => {
    const line = 'profiles add x --base-url https://a.example --org A --organization B';
    const { code, stderr } = await world.run(line, { home: temporaryDirectory('people') });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--org and --organization can't be used together")]);
  });

  test.each([
    ['--owner me --group "Customer team"', '--owner and --group'],
    ['--org current --owner me', '--org and --owner'],
  ])('is one way among others to list group relationships: %s is rejected', async (flags, named) => {
    const { code, stderr, requests } = await world.run(`groups relationships ${flags}`);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(`${named} can't be used together`);
  });
});

describe('--curl sends what the command sends', () => {
  const atOther = { env: { SCHED_BASE_URL: 'http://127.0.0.1:4999' } };

  test.each([
    ['an event type that only the organization lists', 'event-types get', 'Technical review'],
    ['an event type in another case', 'event-types get', 'technical REVIEW'],
    ['a group without its accents', 'groups get', 'customer téam'],
    ['a routing form', 'routing-forms submissions', 'Talk to us'],
    ['a routing form in another case', 'routing-forms submissions', 'talk to US'],
  ])('for the name of %s', async (_, command, name) => {
    const line = [...command.split(' '), name];
    expect(decoded((await curled([line]))[0]!)).toEqual(decoded(await dryRun(line)));
  });

  test.each([
    ['events', 'cancel', `${root}/scheduled_events/JW6SHQTS78SH7TS8`],
    ['events', 'get', `${root}/scheduled_events/JW6SHQTS78SH7TS8`],
    ['invitees', 'get', `${root}/scheduled_events/JW6SHQTS78SH7TS8/invitees/A4TR9Q7LV9SKDD98`],
    ['groups', 'relationships', '--group', `${root}/groups/4UJ8LXFLWJYWQTRF`],
    ['api', `${root}/scheduled_events/JW6SHQTS78SH7TS8`],
  ])('for a URI of the service at another origin, before any request (%s %s)', async (...line) => {
    const [before] = await curled([line], atOther);
    expect(decoded(before!)).toEqual(decoded(await dryRun(line, atOther)));
    expect(before!.url).toMatch(/^http:\/\/127\.0\.0\.1:4999\//);
  });

  test('for URIs of the service at another origin in a file', async () => {
    const stdin = `${root}/scheduled_events/JW6SHQTS78SH7TS8\n`;
    const [sent] = await curled([['events', 'cancel', '--from', '-']], { ...atOther, stdin });
    expect(sent!.url).toBe('http://127.0.0.1:4999/scheduled_events/JW6SHQTS78SH7TS8/cancellation');
  });

  test('and refuses another service, as soon as it knows its own', async () => {
    const two = ['events', 'list', '--user', `${root}/users/A`, '--org', 'https://other.example/organizations/B'];
    const { code, stderr } = await world.run([...two, '--curl'], atOther);
    expect([code, stderr]).toEqual([2, expect.stringContaining('https://other.example is not the service')]);
    const home = temporaryDirectory('people');
    await world.run('events list --limit 1', { ...atOther, home });
    const foreign = ['events', 'get', 'https://other.example/scheduled_events/A', '--curl'];
    expect((await world.run(foreign, { ...atOther, home })).code).toBe(2);
  });

  test('for a word that may be an ID, with a note if it is a filter', async () => {
    const filter = await world.run('events list --user Madonna --curl');
    expect(filter.stdout).toContain(encodeURIComponent(`${root}/users/Madonna`));
    expect(filter.stderr).toContain(`--user: --curl can't look up "Madonna", so it is used as an ID`);
    expect((await world.run('event-types get Workshop2026 --curl')).stderr).toBe('');
  });
});
