import { describe, expect, test } from 'vitest';
import { catalogue } from '../../../src/api/catalogue.ts';
import { type Collection, collections } from '../../../src/api/collections.ts';
import { inspect } from '../../../src/api/inspect.ts';
import { type Operation, pathParameters } from '../../../src/api/operation.ts';
import type { Command, Flag } from '../../../src/cli/command.ts';
import type { FieldFlag } from '../../../src/cli/operation/field-flags.ts';
import type { GenericCommand } from '../../../src/cli/operation/generic-command.ts';
import { collectionOf } from '../../../src/client/ids.ts';
import { nouns } from '../../../src/commands/registry.ts';
import { offeredCommands } from '../../../src/commands/schema/command-facts.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { createWorld, isWrite } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

const root = 'http://127.0.0.1:4010';
const uri = (collection: string, id: string) => `${root}/${collection}/${id}`;

/** IDs in another format than the sandbox's, because the format must not matter. */
const records = [
  { id: 'rec-1', name: 'Workshop2026' },
  { id: 'rec-2', name: 'Évaluation' },
  { id: 'rec-3', name: 'Twin' },
  { id: 'rec-4', name: 'twin' },
  { id: 'rec-5', name: 'rec-1' },
];

/** Records as their lists show them. People are listed as members. */
const rowsOf: Record<string, (record: (typeof records)[number]) => object> = {
  event_types: ({ id, name }) => ({ uri: uri('event_types', id), name }),
  groups: ({ id, name }) => ({ uri: uri('groups', id), name }),
  routing_forms: ({ id, name }) => ({ uri: uri('routing_forms', id), name }),
  event_type_availability_schedules: ({ id, name }) => ({
    uri: uri('event_type_availability_schedules', id),
    name,
    rules: [],
  }),
  organization_memberships: ({ id, name }) => ({
    uri: uri('organization_memberships', id),
    user: { uri: uri('users', id), name, email: `${id}@x.example` },
  }),
};

const scheduledEvents = records.map(({ id }) => ({
  uri: uri('scheduled_events', `event-of-${id}`),
  event_type: uri('event_types', id),
  start_time: '2026-12-01T10:00:00Z',
}));

const answer = (status: number, body: object) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const me = { uri: uri('users', 'ada'), current_organization: uri('organizations', 'acme') };

/** A service that returns an empty list for a filter on a record that does not exist. */
const service: Send = async ({ method, url }) => {
  const { pathname, searchParams } = new URL(url);
  const [, collection = '', id] = pathname.split('/');
  if (method !== 'GET') return answer(201, { resource: { uri: `${root}${pathname}/new` } });
  if (pathname === '/users/me') return answer(200, { resource: me });
  if (collection === 'organizations') return answer(200, { resource: { uri: me.current_organization } });
  if (id !== undefined) {
    const found = records.find((record) => record.id === id);
    return found === undefined
      ? answer(404, { title: 'Resource Not Found', message: 'There is none.' })
      : answer(200, { resource: { uri: uri(collection, id), name: found.name } });
  }
  const known = new Set([...records.map((record) => record.id), 'ada', 'acme']);
  const isKnown = [...searchParams.values()]
    .filter((value) => value.startsWith(root))
    .every((value) => known.has(value.split('/').at(-1)!));
  const rows = collection === 'scheduled_events' ? scheduledEvents : records.map(rowsOf[collection] ?? rowsOf.groups!);
  return answer(200, { collection: isKnown ? rows : [], pagination: { next_page_token: null } });
};

interface Place {
  /** A place that takes a name, such as `event-types get <event-type>` or `events list --group`. */
  title: string;
  noun: string;
  verb: string;
  collection: string;
  operation: Operation;
  flag?: string;
}

/** All arguments and flags of all commands that take the name of a record. */
const findPlaces = async (): Promise<Place[]> => {
  const found: Place[] = [];
  for (const noun of Object.keys(catalogue)) {
    const named = (await nouns[noun]!.commands()).map((each): [string, Command] => [each.name, each]);
    for (const [, command] of offeredCommands(named, undefined) as [string, Command & Partial<GenericCommand>][]) {
      const { name: verb, operation, flags, arguments: args, fieldFlags = [] } = command;
      // `events follow` prints what happens from now on: nothing here.
      if (operation === undefined || verb === 'follow') continue;
      const add = (written: string, collection?: Collection, flag?: string) => {
        if (collection === undefined || !collections[collection].isNamed) return;
        const place = { title: `${noun} ${verb} ${written}`, noun, verb, collection, operation };
        found.push({ ...place, ...(flag === undefined ? {} : { flag }) });
      };
      const parameters = pathParameters(operation.path);
      for (const { name } of args) {
        const parameter = name.replaceAll('-', '_');
        const flag = fieldFlags.find((each) => each.name === name);
        add(
          `<${name}>`,
          parameters.includes(parameter)
            ? collectionOf(operation.path, parameter)
            : flag && inspect(flag.field).collection,
        );
      }
      // The filters of `events cancel` and `events move` are those of `events list`.
      for (const { name, field } of (['cancel', 'move'].includes(verb) ? [] : flags) as (Flag & Partial<FieldFlag>)[])
        add(`--${name}`, field && inspect(inspect(field).element ?? field).collection, name);
    }
  }
  return found;
};

const places = await findPlaces();

/** Other arguments that a command needs. */
const rest: Record<string, string[]> = {
  'events agenda': ['--since', '2026-12-01'],
  'event-types create': ['--name', 'Chat'],
  'event-types update': ['--duration', '20'],
  'availability update <schedule>': ['--event-type', uri('event_types', 'rec-1'), '--day-off', '2030-12-24', '--yes'],
  'availability update --event-type': [
    uri('event_type_availability_schedules', 'rec-1'),
    ...['--day-off', '2030-12-24', '--yes'],
  ],
  'groups events --event-type': [uri('groups', 'rec-1')],
  'members remove': ['--yes'],
  'invitees create': [
    ...['--start', '2030-12-02T15:00:00Z', '--timezone', 'Europe/Paris'],
    ...['--email', 'bo@x.example', '--name', 'Bo'],
  ],
  'one-offs create': ['--name', 'Plan', '--duration', '45', '--days', '7'],
  'webhooks create': ['--url', 'https://example.com/', '--events', 'invitee.created'],
};

const world = await createWorld();

const runAt = (place: Place, word: string, more: string[] = [], send = service) => {
  const { noun, verb, flag, title } = place;
  const others = rest[title] ?? rest[`${noun} ${verb}`] ?? [];
  const words = flag === undefined ? [word, ...others] : [`--${flag}`, word, ...others];
  const home = temporaryDirectory('names');
  return world.run([noun, verb, ...words, '--json', ...more], { send, home });
};

/** All requests except those that look up the word, as text. */
const sentBy = ({ operation, collection }: Place, requests: HttpRequest[]): string => {
  const itself = new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`);
  const lookUp = new RegExp(`^/(${collection}|organization_memberships)(/|$)`);
  return requests
    .map(({ method, url, body = '' }) => ({ method, url: decodeURIComponent(url), path: new URL(url).pathname, body }))
    .filter(({ method, path }) => (method === operation.method && itself.test(path)) || !lookUp.test(path))
    .map(({ url, body }) => `${url} ${body}`)
    .join('\n');
};

/** The service can't filter events by type, so sched filters the reply. */
const isChosenHere = ({ operation, collection }: Place): boolean =>
  operation.path === '/scheduled_events' && collection === 'event_types';

const uuid = '8f14e45f-ceea-467f-a0e6-1c2d3e4f5a6b';

describe('a word in place of a named record', () => {
  test('is tested for every argument and flag that takes one', () => {
    const kinds = new Set(places.map(({ collection }) => collection));
    expect([...kinds].sort()).toEqual([...Object.keys(rowsOf), 'users'].sort());
    expect(places.length).toBeGreaterThanOrEqual(25);
  });

  /** Places where the same code looks up the same kind of record. */
  const kindOf = (place: Place): string => {
    const { collection, flag, operation } = place;
    const part = flag === undefined ? 'path' : operation.method === 'GET' ? 'query' : 'body';
    return `${collection} ${part} ${isChosenHere(place)}`;
  };

  const found = places.flatMap((place) =>
    [
      ['an ID, also where another record has it as its name', 'rec-1', 'rec-1'],
      ['a name of one word', 'Workshop2026', 'rec-1'],
      ['a name in another case and without accents', 'EVALUATION', 'rec-2'],
      ['a full URI', uri(place.collection, 'rec-2'), 'rec-2'],
    ].map(([way, word, id]) => ({ place, way, word: word!, id: id! })),
  );
  const eachKind = sample(found, 1, ({ place }) => kindOf(place));
  const eachWay = sample(found, 1, ({ way }) => way);
  const eachPlace = sample(found, 1, ({ place }) => place);

  const chosen = [...new Set([...eachKind, ...eachWay, ...eachPlace])];

  test.each(chosen.map((cell) => [cell.place.title, cell.way, cell] as const))('%s: %s', async (_title, _way, cell) => {
    const { place, word, id } = cell;
    const { code, stdout, stderr, requests } = await runAt(place, word);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    if (isChosenHere(place)) {
      const rows = JSON.parse(stdout);
      expect(rows).toHaveLength(1);
      // Counts have the event type as their key.
      expect([rows[0].event_type, rows[0].key]).toContain(uri('event_types', id));
    } else expect(sentBy(place, requests)).toContain(`${place.collection}/${id}`);
    expect(stdout).not.toBe('[]\n');
  });

  test.each(sample(places, 1, kindOf))('$title: a name of two records', async (place) => {
    const { code, stdout, stderr, requests } = await runAt(place, 'TWIN');
    expect({ code, stdout, writes: requests.filter(isWrite) }).toEqual({ code: 2, stdout: '', writes: [] });
    expect(stderr).toContain(String.raw`are named \"TWIN\": Twin (rec-3), twin (rec-4)`);
  });

  const missing = places.flatMap((place) => ['YBL6DUNR9FS4PNP6', 'interview-1', uuid].map((word) => ({ place, word })));

  test.each(sample(missing, 1, ({ place }) => kindOf(place)))(
    '$place.title: $word, which is neither an ID nor a name',
    async ({ place, word }) => {
      const { code, stdout, stderr, requests } = await runAt(place, word);
      expect({ code, stdout, writes: requests.filter(isWrite) }).toEqual({ code: 6, stdout: '', writes: [] });
      expect(stderr).toMatch(new RegExp(`No [a-z ]+ with ID or name \\\\"${word}\\\\"`));
    },
  );
});

/** The service, with other replies for these paths. */
const except =
  (paths: RegExp, status: number, body: object = { title: 'Permission Denied', message: 'No.' }): Send =>
  async (request) =>
    request.method === 'GET' && paths.test(new URL(request.url).pathname) ? answer(status, body) : service(request);

const placeOf = (title: string): Place => places.find((place) => place.title === title)!;

describe('a word that the token may not look up', () => {
  const noEventTypes = except(/^\/event_types/, 403);

  test('is used as an ID, with a note if it is a filter', async () => {
    const place = placeOf('events list --event-type');
    const { code, stdout, stderr } = await runAt(place, 'rec-2', [], noEventTypes);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(1);
    expect(stderr).toContain(`--event-type: this token can't look up \\"rec-2\\", so it is used as an ID`);
  });

  test('is used as an ID in a write without a note', async () => {
    const place = placeOf('shares create --event-type');
    const { code, stderr, requests } = await runAt(place, 'rec-2', [], noEventTypes);
    expect(code).toBe(0);
    expect(sentBy(place, requests)).toContain('event_types/rec-2');
    expect(stderr).not.toContain('look up');
  });

  test('is used as an ID if only the list could tell', async () => {
    const place = placeOf('routing-forms submissions <form>');
    const { code, requests } = await runAt(place, 'rec-2', [], except(/^\/routing_forms$/, 403));
    expect(code).toBe(0);
    expect(sentBy(place, requests)).toContain('routing_forms/rec-2');
  });

  test('is still looked up as a name, because some services reply 403 to an unknown ID', async () => {
    const noSuchId = except(/^\/event_types\/Workshop2026$/, 403);
    const { code, stdout, stderr } = await runAt(placeOf('events list --event-type'), 'Workshop2026', [], noSuchId);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ event_type: uri('event_types', 'rec-1') }]);
    expect(stderr).not.toContain('look up');
    const got = await runAt(placeOf('event-types get <event-type>'), 'Workshop2026', [], noSuchId);
    expect([got.code, JSON.parse(got.stdout).name]).toEqual([0, 'Workshop2026']);
  });

  test('is not found if no such ID exists and names may not be listed', async () => {
    const { code, stderr } = await runAt(placeOf('groups get <group>'), 'Workshop2026', [], except(/^\/groups$/, 403));
    expect(code).toBe(6);
    expect(stderr).toContain("no such ID, and names can't be listed");
  });

  test('is not found if only one of two lists may be read', async () => {
    const noOrganization: Send = async (request) =>
      /\/event_types\?.*organization=/.test(request.url)
        ? answer(403, { title: 'Permission Denied' })
        : service(request);
    const place = placeOf('event-types get <event-type>');
    const { code, stderr } = await runAt(place, 'No such name', [], noOrganization);
    expect(code).toBe(6);
    expect(stderr).toContain('No event type');
  });

  test('is rejected if it could only be a name', async () => {
    const { code } = await runAt(placeOf('groups get <group>'), 'Two words', [], except(/^\/groups$/, 403));
    expect(code).toBe(5);
  });
});

describe('the requests for a word', () => {
  const pathsFor = async (title: string, word: string, more: string[] = [], send = service) =>
    (await runAt(placeOf(title), word, more, send)).requests.map(
      ({ method, url }) => `${method} ${new URL(url).pathname}`,
    );

  test('are only one if the command itself is a GET by ID', async () => {
    expect(await pathsFor('event-types get <event-type>', 'rec-2')).toEqual(['GET /event_types/rec-2']);
    expect(await pathsFor('users get <user>', 'me')).toEqual(['GET /users/me']);
  });

  test('include no lookup for a full URI', async () => {
    const list = await pathsFor('event-types hosts <event-type>', uri('event_types', 'rec-2'));
    expect(list).not.toContain('GET /event_types/rec-2');
  });

  test('continue with the name if the service rejects the word as a malformed ID', async () => {
    const malformed = except(/^\/groups\/Workshop2026$/, 400, { title: 'Invalid Argument' });
    expect(await pathsFor('groups get <group>', 'Workshop2026', [], malformed)).toEqual([
      'GET /groups/Workshop2026',
      'GET /users/me',
      'GET /groups',
      'GET /groups/rec-1',
    ]);
  });

  test('stop at the first failure that is not about the word', async () => {
    const { code, requests } = await runAt(
      placeOf('groups get <group>'),
      'Workshop2026',
      [],
      except(/^\/groups\//, 401),
    );
    expect([code, requests.length]).toEqual([4, 1]);
  });

  test('show the URI of a name under --dry-run', async () => {
    const { code, stdout } = await runAt(placeOf('event-types get <event-type>'), 'Workshop2026', ['--dry-run']);
    expect([code, JSON.parse(stdout).url]).toEqual([0, uri('event_types', 'rec-1')]);
  });
});
