import { beforeAll, describe, expect, test } from 'vitest';
import { type Collection, collections } from '../../src/api/collections.ts';
import { inspect } from '../../src/api/inspect.ts';
import { type Operation, pathParameters } from '../../src/api/operation.ts';
import { idIn } from '../../src/base/uri.ts';
import type { Argument, Command, Flag } from '../../src/cli/command.ts';
import { referenceKind } from '../../src/cli/input/field-kinds.ts';
import type { FieldFlag } from '../../src/cli/operation/field-flags.ts';
import type { GenericCommand } from '../../src/cli/operation/generic-command.ts';
import { collectionOf } from '../../src/client/ids.ts';
import { nouns } from '../../src/commands/registry.ts';
import { offeredCommands } from '../../src/commands/schema/command-facts.ts';
import { createWorld, logIn, loginAddresses } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

const root = 'http://127.0.0.1:4010';
const amara = { user: `${root}/users/XYCWQX76WEER7A9Y`, member: `${root}/organization_memberships/748CREZB3C9AZT4X` };
const jonas = { user: `${root}/users/UZ8CY4QAYV5BWVCA`, member: `${root}/organization_memberships/SLNCCBVHPVAVN82P` };
const organization = `${root}/organizations/GHDAK7KT3RW2W9R9`;

/** Every way to name a record of a collection, and the URI that it stands for. */
const names: Partial<Record<Collection, [way: string, word: string, uri: string][]>> = {
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

const people = Object.keys(names) as Collection[];

interface Place {
  /** A place that takes a person or an organization, such as `users get <user>` or `events list --org`. */
  title: string;
  words: string[];
  collection: Collection;
  flag?: string;
  suggestions: readonly string[] | undefined;
  operation: Operation;
  /** Where the request holds the record. */
  path: string[];
}

/** Flags and arguments without a field of a request. Tests below cover them. */
const special = [
  'compliance delete --org',
  'config export --user',
  'config export --org',
  // The filters of `events list`.
  'events cancel --user',
  'events cancel --org',
  'events move --user',
  'events move --org',
  'event-types slots --host',
  'profiles add --user',
  'profiles add --org',
  'profiles add --organization',
  // The filters of `events follow`.
  'webhooks backfill --user',
  'webhooks backfill --org',
];

type Found = Command & Partial<GenericCommand>;

const placeOfArgument = (words: string[], { operation }: Found, { name, suggestions }: Argument): Place[] => {
  const parameter = name.replaceAll('-', '_');
  if (operation === undefined || !pathParameters(operation.path).includes(parameter)) return [];
  const collection = collectionOf(operation.path, parameter);
  const title = `${words.join(' ')} <${name}>`;
  return names[collection] === undefined ? [] : [{ title, words, collection, suggestions, operation, path: [] }];
};

const placeOfFlag = (
  words: string[],
  { operation }: Found,
  flag: Flag & Partial<Pick<FieldFlag, 'field' | 'path'>>,
): Place[] => {
  const { name, field, path = [], suggestions } = flag;
  const collection = field && inspect(inspect(field).element ?? field).collection;
  const title = `${words.join(' ')} --${name}`;
  if (operation === undefined || collection === undefined || names[collection] === undefined) return [];
  if (special.includes(title)) return [];
  return [{ title, words, collection, flag: name, suggestions, operation, path }];
};

const places: Place[] = [];
/** Flags that show by their name or placeholder that they take a person or an organization. */
const telling: string[] = [];
for (const [noun, { leaf, commands }] of Object.entries(nouns)) {
  const named = (await commands()).map((each): [string, Command] => [each.name, each]);
  for (const [, command] of offeredCommands(named, undefined) as [string, Found][]) {
    const words = leaf ? [noun] : [noun, command.name];
    for (const argument of command.arguments) places.push(...placeOfArgument(words, command, argument));
    for (const flag of command.flags) {
      places.push(...placeOfFlag(words, command, flag));
      const isTelling =
        people.some((each) => referenceKind(each).value === flag.kind.value) ||
        /^(user|org|organization|owner|member|host|co-host)$/.test(flag.name);
      if (isTelling) telling.push(`${words.join(' ')} --${flag.name}`);
    }
  }
}

/** Other words that a command needs. */
const rest: Record<string, string[]> = {
  'event-types create': ['--name', 'Chat'],
  'invitations create': ['--email', 'ada@engine.example'],
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

describe('a person or an organization', () => {
  test('is tested at every argument and flag that takes one', () => {
    const found = places.map(({ title }) => title);
    expect(telling.filter((title) => !found.includes(title)).sort()).toEqual([...special].sort());
    expect(found.length).toBeGreaterThanOrEqual(18);
  });

  test('is offered as me or current by completions', () => {
    for (const { title, collection, suggestions } of places)
      expect([title, suggestions]).toEqual([title, [collections[collection].self]]);
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

  test.each(sample(names.users!, 1))('at event-types slots --host can be %s (%s)', async (_, word, uri) => {
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

    test.each(sample(cases, 1, ([collection]) => collection))('%s can be %s (%s)', async (collection, _, word, uri) => {
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
      // A login knows whose it is.
      expect(pathname).toBe(word === 'me' && kind === 'environment' ? '/users/me' : new URL(uri).pathname);
    });
  });

  test.each(['user', 'org', 'organization'])('can be set by profiles add --%s', async (flag) => {
    const home = temporaryDirectory('people');
    const env = noToken;
    const collection = flag === 'user' ? 'users' : 'organizations';
    for (const [index, [, word]] of sample(names[collection]!, 2).entries()) {
      const line = ['profiles', 'add', `p${index}`, '--base-url', root, `--${flag}`, word, '--json'];
      const { code, stdout } = await world.run(line, { home, env });
      expect([code, JSON.parse(stdout)[flag === 'user' ? 'user' : 'organization']]).toEqual([0, word]);
    }
    const wrong = ['profiles', 'add', 'other', '--base-url', root, `--${flag}`, `${root}/groups/A`];
    const { code, stderr } = await world.run(wrong, { home, env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--${flag} must be `)]);
  });

  test.each(sample(names.organizations!, 1, ([, word]) => word === 'current'))(
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
