import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type Catalogue, loadCatalogue } from '../../src/api/catalogue.ts';
import type { Noun } from '../../src/api/collections.ts';
import type { Field } from '../../src/api/field.ts';
import { inspect } from '../../src/api/inspect.ts';
import { type Operation, pathParameters } from '../../src/api/operation.ts';
import { type Scope, scopes } from '../../src/api/scopes.ts';
import { idIn } from '../../src/base/uri.ts';
import { fingerprint } from '../../src/sandbox/oauth/ready-tokens.ts';
import { plans } from '../../src/sandbox/rules/subscription.ts';
import { makeId } from '../../src/sandbox/store/names.ts';
import { sample } from '../support/tier.ts';
import { amara, at, eventType, jonas, membership, openWorld, organization, tomas, uri, type World } from './world.ts';

/** The parameters of a request. A change replaces single fields, and `undefined` removes one. */
interface Ask {
  params?: Record<string, string>;
  query?: Record<string, string | undefined>;
  body?: Record<string, unknown>;
}

type Wrong = [name: string, status: 400 | 403 | 404 | 409, change: Ask, more?: { token?: string; parameter?: string }];

interface Case {
  /** A request that succeeds for the owner. */
  happy: Ask;
  /** Errors specific to this operation; those common to all operations are derived from the row. */
  wrong?: Wrong[];
  /** The status for a user who is neither admin nor owner, if it is an error. */
  asUser?: 403;
}

const other = uri('organizations', 'SOMEBODYELSE');
const booking = {
  event_type: eventType('intro-call'),
  start_time: at('08:00'),
  invitee: { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' },
};
const closed = [{ type: 'wday', wday: 'monday', intervals: [] }];
const webhook = {
  url: 'http://127.0.0.1:9/hooks',
  events: ['invitee.created'],
  organization,
  scope: 'organization',
};
const oneOff = {
  name: 'Sync',
  host: amara,
  duration: 30,
  date_setting: { type: 'date_range', start_date: '2026-05-04', end_date: '2026-05-06' },
};

/** IDs from the seed, the same in every world. */
const found = {} as Record<
  | 'event'
  | 'canceled'
  | 'invitee'
  | 'missed'
  | 'noShow'
  | 'invitation'
  | 'invited'
  | 'accepted'
  | 'relationship'
  | 'form'
  | 'webhook',
  string
>;
const id = (name: keyof typeof found) => `<${name}>`;

const foreign: Wrong[] = [['another organization', 403, { query: { organization: other } }]];
const someoneElse: Wrong = [
  'another user without the organization',
  403,
  { query: { user: jonas, organization: undefined } },
];

/** One entry per operation; a missing one is a compile error. */
const table: { [N in Noun]: { [Verb in keyof Catalogue[N]]: Case } } = {
  events: {
    list: {
      happy: { query: { user: amara } },
      wrong: [
        someoneElse,
        ['another organization', 403, { query: { organization: other } }],
        [
          'a whole organization for a user',
          403,
          { query: { user: undefined, organization } },
          { token: 'sandbox_user' },
        ],
        ['an unknown user', 404, { query: { user: uri('users', 'NOBODY'), organization } }],
        ['an unknown group', 404, { query: { group: uri('groups', 'NONE') } }],
        [
          'a group for a user',
          403,
          { query: { user: tomas, group: uri('groups', makeId('seed/group/Leadership')) } },
          { token: 'sandbox_user' },
        ],
        ['an invalid status', 400, { query: { status: 'gone' } }, { parameter: 'status' }],
      ],
      asUser: 403,
    },
    get: { happy: { params: { event: id('event') } }, asUser: 403 },
    cancel: {
      happy: { params: { event: id('event') }, body: { reason: 'ill' } },
      wrong: [['an event canceled before', 409, { params: { event: id('canceled') } }]],
      asUser: 403,
    },
  },
  invitees: {
    list: { happy: { params: { event: id('event') } }, asUser: 403 },
    get: {
      happy: { params: { event: id('event'), invitee: id('invitee') } },
      wrong: [['an invitee of another event', 404, { params: { event: id('canceled') } }]],
      asUser: 403,
    },
    create: {
      happy: { body: booking },
      wrong: [
        ['an unknown event type', 404, { body: { event_type: uri('event_types', 'NONE') } }],
        [
          'an inactive event type',
          400,
          { body: { event_type: eventType('summer-office-hours') } },
          { parameter: 'event_type' },
        ],
        ['a time in the past', 400, { body: { start_time: '2026-03-11T12:00:00Z' } }, { parameter: 'start_time' }],
        ['a time outside working hours', 400, { body: { start_time: at('02:00') } }, { parameter: 'start_time' }],
        ['a time that is already booked', 409, { body: { start_time: '<taken>' } }],
        [
          'an invalid time zone',
          400,
          { body: { invitee: { ...booking.invitee, timezone: 'Mars' } } },
          { parameter: 'invitee.timezone' },
        ],
        [
          'an invalid email address',
          400,
          { body: { invitee: { ...booking.invitee, email: 'ada' } } },
          { parameter: 'invitee.email' },
        ],
        [
          'an invitee without a name',
          400,
          { body: { invitee: { email: 'a@b.example', timezone: 'UTC' } } },
          { parameter: 'invitee.name' },
        ],
        [
          'a missing answer',
          400,
          { body: { event_type: eventType('customer-onboarding') } },
          { parameter: 'custom_questions' },
        ],
        [
          'a location the event type does not offer',
          400,
          { body: { location: { kind: 'physical' } } },
          { parameter: 'location.kind' },
        ],
        [
          'an unknown campaign field',
          400,
          { body: { tracking: { utm_colour: 'red' } } },
          { parameter: 'tracking.utm_colour' },
        ],
      ],
    },
    'no-show': {
      happy: { params: { invitee: id('invitee') } },
      wrong: [['an invitee who is already marked', 409, { params: { invitee: id('missed') } }]],
      asUser: 403,
    },
    'undo-no-show': { happy: { params: { no_show: id('noShow') } }, asUser: 403 },
  },
  'event-types': {
    list: {
      happy: { query: { user: amara } },
      wrong: [
        someoneElse,
        ...foreign,
        ['a missing user or organization', 400, { query: { user: undefined } }, { parameter: 'user' }],
      ],
      asUser: 403,
    },
    get: { happy: { params: { event_type: idIn(eventType('intro-call')) } } },
    create: {
      happy: { body: { owner: amara, name: 'Coffee' } },
      wrong: [
        ['an unknown owner', 400, { body: { owner: uri('users', 'NOBODY') } }, { parameter: 'owner' }],
        ['an invalid color', 400, { body: { color: 'red' } }, { parameter: 'color' }],
        ['a duration that is too long', 400, { body: { duration: 721 } }, { parameter: 'duration' }],
      ],
      asUser: 403,
    },
    update: {
      happy: { params: { event_type: idIn(eventType('intro-call')) }, body: { name: 'Hello' } },
      wrong: [
        ['an invalid time zone', 400, { body: { timezone: 'Mars' } }, { parameter: 'timezone' }],
        ['a duration that is too short', 400, { body: { duration: 0 } }, { parameter: 'duration' }],
      ],
      asUser: 403,
    },
    hosts: {
      happy: { query: { event_type: eventType('support-call') } },
      wrong: [['an unknown event type', 404, { query: { event_type: uri('event_types', 'NONE') } }]],
    },
  },
  availability: {
    list: {
      happy: { query: { event_type: eventType('intro-call') } },
      wrong: [['an unknown event type', 404, { query: { event_type: uri('event_types', 'NONE') } }]],
    },
    update: {
      happy: { params: { schedule: makeId('seed/schedule/intro-call/amara') }, body: { rules: closed } },
      wrong: [
        ['an invalid time zone', 400, { body: { timezone: 'Mars' } }, { parameter: 'timezone' }],
        ['a day with two rules', 400, { body: { rules: [...closed, ...closed] } }, { parameter: 'rules[1].wday' }],
      ],
      asUser: 403,
    },
    'update-all': {
      happy: { body: { event_type: eventType('intro-call'), rules: closed } },
      wrong: [
        ['an unknown event type', 404, { body: { event_type: uri('event_types', 'NONE') } }],
        ['an invalid time zone', 400, { body: { timezone: 'Mars' } }, { parameter: 'timezone' }],
        ['a day with two rules', 400, { body: { rules: [...closed, ...closed] } }, { parameter: 'rules[1].wday' }],
      ],
      asUser: 403,
    },
  },
  shares: {
    create: {
      happy: { body: { event_type: eventType('consultation'), duration: 45 } },
      wrong: [
        ['an unknown event type', 404, { body: { event_type: uri('event_types', 'NONE') } }],
        ['a duration the event type does not offer', 400, { body: { duration: 50 } }, { parameter: 'duration' }],
        [
          'a duration that is not among the options sent',
          400,
          { body: { duration_options: [10, 20] } },
          { parameter: 'duration' },
        ],
        [
          'five duration options',
          400,
          { body: { duration: undefined, duration_options: [1, 2, 3, 4, 5] } },
          { parameter: 'duration_options' },
        ],
        [
          'a repeated duration option',
          400,
          { body: { duration: undefined, duration_options: [1, 1] } },
          { parameter: 'duration_options' },
        ],
        [
          'an inactive event type',
          400,
          { body: { event_type: eventType('summer-office-hours'), duration: undefined } },
          { parameter: 'event_type' },
        ],
      ],
      asUser: 403,
    },
  },
  'one-offs': {
    create: {
      happy: { body: oneOff },
      wrong: [
        ['an unknown host', 400, { body: { host: uri('users', 'NOBODY') } }, { parameter: 'host' }],
        ['a repeated host', 400, { body: { co_hosts: [amara] } }, { parameter: 'co_hosts[0]' }],
        [
          'eleven hosts',
          400,
          { body: { co_hosts: Array.from({ length: 10 }, (_, index) => uri('users', `U${index}`)) } },
          { parameter: 'co_hosts' },
        ],
        [
          'dates in the past',
          400,
          { body: { date_setting: { type: 'date_range', start_date: '2026-01-01', end_date: '2026-01-02' } } },
          { parameter: 'date_setting.end_date' },
        ],
        ['an invalid time zone', 400, { body: { timezone: 'Mars' } }, { parameter: 'timezone' }],
      ],
      asUser: 403,
    },
  },
  locations: {
    list: {
      happy: { query: { user: amara } },
      wrong: [['an unknown user', 404, { query: { user: uri('users', 'NOBODY') } }]],
      asUser: 403,
    },
  },
  'routing-forms': {
    list: { happy: { query: { organization } }, wrong: foreign },
    submissions: {
      happy: { query: { form: '<form>' } },
      wrong: [['an unknown form', 404, { query: { form: uri('routing_forms', 'NONE') } }]],
    },
  },
  orgs: { get: { happy: { params: { organization: idIn(organization) } } } },
  members: {
    list: {
      happy: { query: { organization } },
      wrong: [...foreign, ['an invalid role', 400, { query: { role: 'king' } }, { parameter: 'role' }]],
      asUser: 403,
    },
    get: { happy: { params: { membership: idIn(membership('amara')) } }, asUser: 403 },
    remove: {
      happy: { params: { membership: idIn(membership('jonas')) } },
      wrong: [
        ['yourself', 403, { params: { membership: idIn(membership('jonas')) } }, { token: 'sandbox_admin' }],
        ['the owner', 403, { params: { membership: idIn(membership('amara')) } }, { token: 'sandbox_admin' }],
      ],
      asUser: 403,
    },
  },
  invitations: {
    list: { happy: { query: { organization } }, wrong: foreign, asUser: 403 },
    create: {
      happy: { body: { organization, email: 'ada@engine.example' } },
      wrong: [
        ['another organization', 403, { body: { organization: other } }],
        ['an invalid email address', 400, { body: { email: 'ada' } }, { parameter: 'email' }],
        ['a member', 409, { body: { email: 'Jonas.Weber@northlight.example' } }],
        ['a person who is invited already', 409, { body: { email: '<invited>' } }],
      ],
      asUser: 403,
    },
    revoke: {
      happy: { params: { invitation: id('invitation') } },
      wrong: [['an invitation that was accepted', 409, { params: { invitation: id('accepted') } }]],
      asUser: 403,
    },
  },
  groups: {
    list: { happy: { query: { organization } }, wrong: foreign },
    get: { happy: { params: { group: makeId('seed/group/Leadership') } } },
    relationships: {
      happy: { query: { organization } },
      wrong: [
        ...foreign,
        ['no organization, owner or group', 400, { query: { organization: undefined } }, { parameter: 'organization' }],
        [
          'more than one of organization, owner and group',
          400,
          { query: { owner: membership('amara') } },
          { parameter: 'organization' },
        ],
        ['an unknown group', 404, { query: { organization: undefined, group: uri('groups', 'NONE') } }],
        [
          'an unknown owner',
          404,
          { query: { organization: undefined, owner: uri('organization_memberships', 'NONE') } },
        ],
      ],
    },
    relationship: { happy: { params: { relationship: id('relationship') } } },
  },
  users: { me: { happy: {} }, get: { happy: { params: { user: idIn(jonas) } } } },
  activity: {
    list: {
      happy: { query: { organization } },
      wrong: [
        ...foreign,
        [
          'a time without a zone',
          400,
          { query: { min_occurred_at: '2026-03-11T10:00:00' } },
          { parameter: 'min_occurred_at' },
        ],
      ],
      asUser: 403,
    },
  },
  compliance: {
    delete: {
      happy: { body: { emails: ['grace.hall@redwood.example'] } },
      wrong: [
        ['an empty list', 400, { body: { emails: [] } }, { parameter: 'emails' }],
        ['an invalid address', 400, { body: { emails: ['a@b.example', 'grace'] } }, { parameter: 'emails[1]' }],
      ],
      asUser: 403,
    },
  },
  webhooks: {
    list: {
      happy: { query: { organization, scope: 'organization' } },
      wrong: [
        ...foreign,
        ['an unknown scope', 400, { query: { scope: 'world' } }, { parameter: 'scope' }],
        ['an unknown user', 404, { query: { scope: 'user', user: uri('users', 'NOBODY') } }],
        ['another user for a user', 403, { query: { scope: 'user', user: amara } }, { token: 'sandbox_user' }],
        ['an unknown group', 404, { query: { scope: 'group', group: uri('groups', 'NONE') } }],
        ['all groups for a user', 403, { query: { scope: 'group' } }, { token: 'sandbox_user' }],
      ],
      asUser: 403,
    },
    get: { happy: { params: { webhook: id('webhook') } }, asUser: 403 },
    create: {
      happy: { body: webhook },
      wrong: [
        ['another organization', 403, { body: { organization: other } }],
        ['a URL without TLS', 400, { body: { url: 'http://example.com/' } }, { parameter: 'url' }],
        ['a URL with a password', 400, { body: { url: 'https://a:b@example.com/' } }, { parameter: 'url' }],
        ['no events', 400, { body: { events: [] } }, { parameter: 'events' }],
        ['an unknown event', 400, { body: { events: ['invitee.moved'] } }, { parameter: 'events[0]' }],
        ['an event twice', 400, { body: { events: ['invitee.created', 'invitee.created'] } }, { parameter: 'events' }],
        [
          'submissions of a user',
          400,
          { body: { scope: 'user', events: ['routing_form_submission.created'] } },
          { parameter: 'events' },
        ],
        ['a group without its ID', 400, { body: { scope: 'group' } }, { parameter: 'group' }],
        ['an empty signing key', 400, { body: { signing_key: '' } }, { parameter: 'signing_key' }],
        ['the same URL and scope again', 409, { body: { url: 'https://hooks.northlight.example/crm' } }],
      ],
      asUser: 403,
    },
    delete: { happy: { params: { webhook: id('webhook') } }, asUser: 403 },
  },
  mcp: { metadata: { happy: {} } },
};

const Detail = z.strictObject({
  parameter: z.optional(z.string()),
  message: z.string(),
  code: z.optional(z.string()),
});

const ErrorBody = z.strictObject({
  title: z.string().check(z.minLength(1)),
  message: z.string().check(z.minLength(1)),
  details: z.optional(z.array(Detail).check(z.minLength(1))),
  required_scopes: z.optional(z.array(z.string()).check(z.minLength(1))),
  window: z.optional(z.string()),
});

const Pagination = z.strictObject({
  count: z.int(),
  next_page: z.nullable(z.url()),
  previous_page: z.nullable(z.url()),
  next_page_token: z.nullable(z.string()),
  previous_page_token: z.nullable(z.string()),
});

const isPaged = ({ query }: Operation) => query !== undefined && 'page_token' in query.shape;

/** The strict schema of a successful reply's body. */
const envelopeOf = (row: Operation): z.ZodMiniType => {
  const { kind, of } = row.reply;
  if (kind === 'bare') return of.record;
  if (kind === 'one') return z.strictObject({ resource: of.record });
  const collection = z.array(of.record);
  return z.strictObject({ collection, pagination: Pagination });
};

/** Replaces `<event>` with the ID from the seed. */
const filled = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value ?? null).replace(/<(\w+)>/g, (_, name: keyof typeof found) => found[name])) ??
  undefined;

const changed = (happy: Ask, change: Ask): Ask => ({
  params: { ...happy.params, ...change.params },
  query: { ...happy.query, ...change.query },
  ...(happy.body || change.body ? { body: { ...happy.body, ...change.body } } : {}),
});

const pathFor = (row: Operation, { params = {}, query = {} }: Ask): string => {
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name) => filled(params[name])!);
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, filled(value)] as [string, string]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

interface More {
  token?: string | null;
  headers?: Record<string, string>;
  method?: string;
  text?: string;
}

/** Sends a request and checks the reply against the strict schema for its status. */
const request = async (world: World, row: Operation, ask: Ask, { method = row.method, text, ...more }: More = {}) => {
  const body = text ?? (ask.body && JSON.stringify(filled(ask.body)));
  const reply = await world.call(method, pathFor(row, ask), { ...more, ...(body === undefined ? {} : { body }) });
  const schema = reply.status < 300 ? envelopeOf(row) : ErrorBody;
  const { error } = schema.safeParse(reply.body);
  if (error) throw new Error(`${row.method} ${row.path} ${reply.status}: ${error.message}`);
  const stored = /"\w+":"\/[^"]*"/.exec(JSON.stringify(reply.body));
  if (stored) throw new Error(`${row.method} ${row.path} shows a URI without an origin: ${stored[0]}`);
  return reply;
};

/** A token with these scopes for the owner, or for another user. */
const tokenWith = (world: World, list: readonly string[], user = amara): string => {
  const token = `sandbox_${list.join('_')}_${idIn(user)}`;
  world.store.run(
    "INSERT OR IGNORE INTO access_tokens (hash, user, scopes, created_at) VALUES (?, ?, ?, '2026-01-01T00:00:00.000Z')",
    fingerprint(token),
    idIn(user),
    list.join(' '),
  );
  return token;
};

const catalogue = await loadCatalogue();
const rows = (Object.keys(table) as Noun[]).flatMap((noun) =>
  Object.entries<Case>(table[noun] as Record<string, Case>).map(([verb, facts]) => ({
    name: `${noun} ${verb}`,
    row: catalogue[noun][verb]!,
    ...facts,
  })),
);

const fieldsOf = (field: Field | undefined) => (field === undefined ? {} : (inspect(field).fields ?? {}));

const references = (field: Field | undefined): string[] =>
  Object.entries(fieldsOf(field)).flatMap(([name, inner]) => (inspect(inner).collection ? [name] : []));

const required = (field: Field | undefined): string[] =>
  Object.entries(fieldsOf(field)).flatMap(([name, inner]) => (inspect(inner).isOptional ? [] : [name]));

let shared: World;
const opened: World[] = [];
const fresh = async (options: Parameters<typeof openWorld>[0] = {}) => {
  const world = await openWorld(options);
  opened.push(world);
  return world;
};
/** A new world if the request changes it. */
const worldFor = async ({ method }: Operation) => (method === 'GET' ? shared : fresh());
beforeAll(async () => {
  shared = await fresh();
  const one = (sql: string) => String(Object.values(shared.store.all<Record<string, string>>(sql)[0]!)[0]);
  const hosted = `JOIN event_hosts h ON h.event = e.id AND h.user = '${idIn(amara)}'`;
  const solo = `e.id NOT IN (SELECT event FROM event_hosts WHERE user = '${idIn(tomas)}')`;
  found.event = one(
    `SELECT e.id FROM events e ${hosted} WHERE e.status = 'active' AND e.start_time > '2026-03-12' AND ${solo} ORDER BY e.id`,
  );
  found.canceled = one(`SELECT e.id FROM events e ${hosted} WHERE e.status = 'canceled' AND ${solo} ORDER BY e.id`);
  found.invitee = one(`SELECT id FROM invitees WHERE event = '${found.event}' AND status = 'active'`);
  found.missed = one(
    `SELECT i.id FROM invitees i JOIN events e ON e.id = i.event ${hosted} WHERE i.doc ->> '$.no_show.uri' IS NOT NULL`,
  );
  found.noShow = idIn(one(`SELECT doc ->> '$.no_show.uri' FROM invitees WHERE id = '${found.missed}'`));
  found.invitation = one("SELECT id FROM invitations WHERE status = 'pending' ORDER BY id");
  found.invited = one(`SELECT email FROM invitations WHERE id = '${found.invitation}'`);
  found.accepted = one("SELECT id FROM invitations WHERE status = 'accepted' ORDER BY id");
  found.relationship = one('SELECT id FROM group_members ORDER BY id');
  found.webhook = makeId('seed/webhook/https://hooks.northlight.example/crm');
  found.form = uri('routing_forms', one('SELECT id FROM routing_forms ORDER BY id'));
  Object.assign(found, { taken: one(`SELECT start_time FROM events WHERE id = '${found.event}'`) });
});
afterAll(() => {
  for (const { store } of opened) store.close();
});

/** Operations whose plan and rate limit are tried: each needs a new world, and the limit of a plan many requests. */
const limited = sample(rows, 1, ({ row }) => row.plan);

describe.each(rows)('conformance: $name', ({ name, row, happy, wrong = [], asUser }) => {
  const refused = async (status: number, ask: Ask, more?: More, parameter?: string) => {
    const reply = await request(shared, row, ask, more);
    expect([status, reply.body]).toEqual([reply.status, expect.anything()]);
    if (parameter !== undefined)
      expect(reply.body.details.map((each: { parameter: string }) => each.parameter)).toContain(parameter);
    return reply;
  };

  it('succeeds', async () => {
    const { status, headers } = await request(await worldFor(row), row, happy);
    expect([status, headers['content-type']]).toEqual([row.reply.status, 'application/json']);
  });

  it('answers 405 to other methods', async () => {
    const { headers } = await refused(405, happy, { method: 'PUT' });
    expect(headers.allow!.split(', ')).toContain(row.method);
  });

  it('rejects unknown parameters', async () => {
    await refused(400, changed(happy, { query: { surprise: '1' } }), {}, 'surprise');
    if (row.body) await refused(400, changed(happy, { body: { surprise: 1 } }), {}, 'surprise');
    else if (row.method !== 'GET') await refused(400, { ...happy, body: { surprise: 1 } });
  });

  if (row.method !== 'GET')
    it('accepts only JSON bodies', async () => {
      await refused(400, happy, { text: '{"a":' });
      await refused(400, happy, { text: '[1]' });
      await refused(415, happy, { text: '{"a":1}', headers: { 'content-type': 'text/plain' } });
    });

  for (const name of pathParameters(row.path))
    it(`answers 404 to an unknown ${name}`, async () => {
      const { body } = await refused(404, changed(happy, { params: { [name]: 'NOBODY' } }));
      expect(body.title).toBe('Resource Not Found');
    });

  for (const [kind, field] of [
    ['query', row.query],
    ['body', row.body],
  ] as const) {
    for (const name of required(field))
      it(`requires ${name}`, () => refused(400, changed(happy, { [kind]: { [name]: undefined } }), {}, name));
    for (const name of references(field))
      it(`rejects invalid references for ${name}`, async () => {
        for (const reference of ['XYZ', 'https://evil.example/users/XYZ', `${organization}/more`])
          await refused(400, changed(happy, { [kind]: { [name]: reference } }), {}, name);
      });
  }

  if (isPaged(row))
    it('validates list parameters', async () => {
      for (const [name, value] of [
        ['count', '0'],
        ['count', '101'],
        ['count', 'ten'],
        ['page_token', 'made-up'],
        ['sort', 'colour:up'],
      ] as const)
        await refused(400, changed(happy, { query: { [name]: value } }), {}, name);
      const { body } = await request(shared, row, changed(happy, { query: { count: '1' } }));
      expect(body.pagination.count).toBe(1);
    });

  for (const [name, status, change, { token, parameter } = {}] of wrong)
    it(`answers ${status} to ${name}`, () =>
      refused(status, changed(happy, change), token === undefined ? {} : { token }, parameter));

  if (row.scope === undefined) {
    it('works without a token', async () => {
      expect((await request(shared, row, happy, { token: null })).status).toBe(row.reply.status);
    });
    return;
  }

  const needed = row.scope;
  const including = needed.replace(':read', ':write');

  it('answers 401 to a missing, unknown or expired token', async () => {
    const over = tokenWith(shared, ['over']);
    shared.store.run(
      "UPDATE access_tokens SET expires_at = '2026-03-11T12:00:00.000Z' WHERE hash = ?",
      fingerprint(over),
    );
    for (const token of [null, 'sandbox_nobody', over]) {
      const { body } = await refused(401, happy, { token });
      expect(body.title).toBe('Unauthenticated');
    }
  });

  it('requires its scope, and no other', async () => {
    const rest = (Object.keys(scopes) as Scope[]).filter((name) => name !== needed && name !== including);
    const { body, headers } = await refused(403, happy, { token: tokenWith(shared, rest) });
    expect([body.title, body.required_scopes]).toEqual(['Insufficient scope', [needed]]);
    expect(headers['www-authenticate']).toContain('insufficient_scope');
    const world = await worldFor(row);
    expect((await request(world, row, happy, { token: tokenWith(world, [needed]) })).status).toBe(row.reply.status);
    if (including !== needed && including in scopes)
      expect((await request(world, row, happy, { token: tokenWith(world, [including]) })).status).toBe(
        row.reply.status,
      );
  });

  it(asUser === 403 ? 'answers 403 to a user' : 'works for every user', async () => {
    const { status, body } = await request(await worldFor(row), row, happy, { token: 'sandbox_user' });
    if (asUser === undefined) expect(status).toBe(row.reply.status);
    else expect([status, body.title]).toEqual([403, 'Permission Denied']);
  });

  if (!limited.some((each) => each.name === name)) return;

  it(row.plan ? 'answers 403 on every plan except Enterprise' : 'works on every plan', async () => {
    for (const plan of sample(plans, 1, (each) => each === row.plan)) {
      const world = await fresh();
      world.setPlan(plan);
      const { status, body } = await request(world, row, happy);
      if (row.plan === undefined || row.plan === plan) expect(status).toBe(row.reply.status);
      else
        expect([status, body.title, body.message]).toEqual([
          403,
          'Permission Denied',
          expect.stringContaining('Enterprise'),
        ]);
    }
  });

  it('answers 429 when the rate limit is reached, and changes nothing', async () => {
    const world = await fresh({ limits: true });
    world.setPlan(row.plan ?? 'free');
    const limit = row.plan ? 500 : 10;
    for (let turn = 0; turn < limit; turn++) await world.get('/users/me');
    const { status, body, headers } = await request(world, row, happy);
    expect([status, body.title, body.window]).toEqual([429, 'Too Many Requests', 'general/minute']);
    expect(headers).toMatchObject({
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '60',
    });
    world.clock.time += 60_000;
    expect((await request(world, row, happy)).status).toBe(row.reply.status);
  });
});
