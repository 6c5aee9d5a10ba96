import { beforeEach, describe, expect, test } from 'vitest';
import { readDialect } from '../../src/cli/session/dialect-file.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { shippedDialects } from '../../src/dialects/read.ts';
import { createLog } from '../../src/sandbox/admin/log-admin.ts';
import { deliveryIn } from '../../src/sandbox/dialect.ts';
import { createFaultScript, readFault } from '../../src/sandbox/faults/faults.ts';
import { withFaults } from '../../src/sandbox/faults/with-faults.ts';
import { ownerToken } from '../../src/sandbox/oauth/ready-tokens.ts';
import { createWorld, type TestWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/*
 * The messages of a public service, typed by hand from its description. A command must send them, and a sandbox that
 * speaks the dialect must reply to them as the service does. Nothing here comes from src/dialects/calendly.yaml.
 */

const root = 'http://127.0.0.1:4010';
const organization = 'GHDAK7KT3RW2W9R9';
const introCall = `${root}/event_types/YBL6DUNR9FS4PNP6`;

const text = expect.any(String);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const uriOf = (path: string) => expect.stringMatching(new RegExp(`^${root}/${path}$`));

/** One exchange on the wire: the request, and the reply to it. */
interface Exchange {
  /** Method and path with the query, decoded. IDs that differ are `ID`. */
  request: string;
  body?: unknown;
  status: number;
  reply: unknown;
}

const dialect: Dialect = {
  ...(await readDialect({ place: 'calendly', text: shippedDialects.calendly! })),
  digest: '',
  place: '',
};

let world: TestWorld;
beforeEach(async () => {
  const home = temporaryDirectory('calendly');
  world = await createWorld({ dialect, env: { SCHED_DIALECT: 'calendly' }, home });
});

const shownPath = (url: string): string => {
  const { pathname, searchParams } = new URL(url);
  const query = [...searchParams].filter(([name]) => name !== 'count').map(([name, value]) => `${name}=${value}`);
  return `${pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`;
};

/** Runs a command, and returns what went over the wire. */
const exchanges = async (line: string) => {
  const seen: Exchange[] = [];
  const { code, stderr } = await world.run(`${line} --json`, {
    send: async (request) => {
      const reply = await world.service(request);
      const { method, url, body } = request;
      seen.push({
        request: `${method} ${shownPath(url)}`,
        ...(body === undefined ? {} : { body: JSON.parse(body) }),
        status: reply.status,
        reply: reply.body === '' ? undefined : JSON.parse(reply.body),
      });
      return reply;
    },
  });
  expect([line, code, stderr]).toEqual([line, 0, stderr]);
  return seen;
};

/** The exchange that a command is about, with the method and path of the request. */
const exchangeOf = async (line: string, request: string): Promise<Exchange> => {
  const seen = await exchanges(line);
  const found = seen.find((each) => each.request === request);
  if (found === undefined) throw new Error(`${line} sent ${seen.map((each) => each.request).join(', ')}`);
  return found;
};

const first = async (line: string): Promise<Record<string, string>> =>
  JSON.parse((await world.run(`${line} --limit 1 --json`)).stdout)[0];

const idOf = (uri: string | undefined): string => uri!.split('/').at(-1)!;

/** Sends a request as another client would. */
const ask = async (request: string, body?: unknown) => {
  const [method, path] = request.split(' ');
  const { status, body: reply } = await world.service({
    method: method!,
    url: `${root}${path}`,
    headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status, reply: reply === '' ? undefined : JSON.parse(reply) };
};

const tracking = {
  utm_campaign: null,
  utm_source: 'letter',
  utm_medium: null,
  utm_content: null,
  utm_term: null,
  salesforce_uuid: '0031',
};

const booking = {
  event_type: introCall,
  start_time: '2026-11-16T09:00:00Z',
  invitee: { email: 'ana@li.example', name: 'Ana', timezone: 'UTC' },
};

describe('the public service, request by request', () => {
  test('cancel an event', async () => {
    const { uri } = await first('events list --since now --status active');
    const path = `POST /scheduled_events/${idOf(uri)}/cancellation`;
    expect(await exchangeOf(`events cancel ${uri} --reason Ill --yes`, path)).toEqual({
      request: path,
      body: { reason: 'Ill' },
      status: 201,
      reply: { resource: { canceled_by: text, reason: 'Ill', canceler_type: 'host', created_at: time } },
    });
    expect(await ask(path, {})).toMatchObject({ status: 403 });
  });

  test('mark a no-show and undo it', async () => {
    const event = await first('events list --since -7d --until now --status active');
    const { uri } = await first(`invitees list ${event.uri}`);
    const marked = await exchangeOf(`invitees no-show ${uri}`, 'POST /invitee_no_shows');
    expect(marked).toEqual({
      request: 'POST /invitee_no_shows',
      body: { invitee: uri },
      status: 201,
      reply: { resource: { uri: uriOf('invitee_no_shows/\\w+'), invitee: uri, created_at: time } },
    });
    const { resource } = marked.reply as { resource: { uri: string } };
    const path = `/invitee_no_shows/${idOf(resource.uri)}`;
    expect(await exchangeOf(`invitees get-no-show ${resource.uri}`, `GET ${path}`)).toEqual({
      request: `GET ${path}`,
      status: 200,
      reply: { resource },
    });
    expect(await exchangeOf(`invitees no-show ${uri} --undo --yes`, `DELETE ${path}`)).toEqual({
      request: `DELETE ${path}`,
      status: 204,
      reply: undefined,
    });
  });

  test('book', async () => {
    const type = JSON.parse((await world.run('event-types get Consultation --json')).stdout).uri;
    const line = `invitees create --event-type ${type} --start 2026-11-16T09:00:00Z --timezone UTC --name Ana --email ana@li.example`;
    const { body, status, reply } = await exchangeOf(
      `${line} --utm-source letter --crm-uuid 0031 --answer "What would you like to talk about?=Tea"`,
      'POST /invitees',
    );
    const answer = { question: 'What would you like to talk about?', answer: 'Tea', position: 0 };
    const sent = { ...booking, event_type: type, tracking, questions_and_answers: [answer] };
    expect([body, status]).toEqual([sent, 201]);
    expect(reply).toMatchObject({ resource: { tracking, questions_and_answers: [answer] } });
    const { event } = (reply as { resource: { event: string } }).resource;
    expect((await ask(`GET ${new URL(event).pathname}/invitees`)).reply.collection[0].tracking).toEqual(tracking);
  });

  test('refuse a booking by the names of the service', async () => {
    await ask('POST /invitees', booking);
    expect(await ask('POST /invitees', booking)).toMatchObject({
      status: 400,
      reply: { details: [{ parameter: 'start_time' }] },
    });
    const wrong = { ...booking, questions_and_answers: [{ question: 'Nobody asks this', answer: '', position: 0 }] };
    const { status, reply } = await ask('POST /invitees', wrong);
    expect([status, reply.details[0].parameter]).toEqual([400, expect.stringMatching(/^questions_and_answers\[0\]/)]);
    const half = { ...booking, tracking: { utm_source: 'letter', salesforce_uuid: '0031' } };
    expect((await ask('POST /invitees', half)).reply.details).toContainEqual({
      parameter: 'tracking.utm_term',
      message: 'is required',
      code: 'required',
    });
    expect((await ask('POST /invitees', { ...booking, custom_questions: [] })).status).toBe(400);
  });

  test('invitations', async () => {
    const list = `/organizations/${organization}/invitations`;
    const { status, reply } = await exchangeOf('invitations list', `GET ${list}`);
    expect([status, reply]).toEqual([200, expect.objectContaining({ collection: expect.any(Array) })]);
    const invited = await exchangeOf('invitations create --email new@li.example --yes', `POST ${list}`);
    expect(invited).toMatchObject({ body: { email: 'new@li.example' }, status: 201 });
    const { resource } = invited.reply as { resource: { uri: string } };
    const one = `${list}/${idOf(resource.uri)}`;
    expect(await exchangeOf(`invitations get ${idOf(resource.uri)}`, `GET ${one}`)).toMatchObject({
      status: 200,
      reply: { resource: { email: 'new@li.example', status: 'pending' } },
    });
    expect((await exchangeOf(`invitations revoke ${idOf(resource.uri)} --yes`, `DELETE ${one}`)).status).toBe(204);
    expect((await ask('GET /organization_invitations')).status).toBe(404);
  });

  test('remove a member', async () => {
    const { uri } = await first('members list --role user');
    const path = `DELETE /organization_memberships/${idOf(uri)}`;
    expect(await exchangeOf(`members remove ${uri} --yes`, path)).toMatchObject({ status: 204, reply: undefined });
  });

  test('delete the data of invitees', async () => {
    const path = '/data_compliance/deletion/invitees';
    expect(await exchangeOf('compliance delete zed@people.example --yes', `POST ${path}`)).toEqual({
      request: `POST ${path}`,
      body: { emails: ['zed@people.example'] },
      status: 202,
      reply: {},
    });
    expect((await ask('POST /data_compliance/invitee_deletion', { emails: ['a@b.example'] })).status).toBe(404);
  });

  test('schedules of an event type, and a change of them', async () => {
    const path = `/event_type_availability_schedules?event_type=${introCall}`;
    const { reply } = await exchangeOf(`availability list --event-type ${introCall}`, `GET ${path}`);
    const [item] = (reply as { collection: { availability_rule: { rules: unknown[]; user: string } }[] }).collection;
    expect(item).toEqual({
      event_type: introCall,
      availability_setting: 'host',
      availability_rule: {
        uri: text,
        name: 'Working hours',
        user: uriOf('users/\\w+'),
        timezone: 'Europe/Berlin',
        rules: expect.any(Array),
      },
    });
    const { rules, user } = item!.availability_rule;
    const line = `availability update "Working hours" --event-type ${introCall} --day-off 2026-12-01 --yes`;
    expect(await exchangeOf(line, `PATCH ${path}`)).toMatchObject({
      body: {
        availability_setting: 'host',
        availability_rule: {
          timezone: 'Europe/Berlin',
          rules: expect.arrayContaining([...rules, { type: 'date', date: '2026-12-01', intervals: [] }]),
          user,
        },
      },
      status: 200,
    });
    const zoneless = { availability_rule: { rules: [] } };
    expect(await ask(`PATCH ${path}`, zoneless)).toMatchObject({
      status: 400,
      reply: { details: [{ parameter: 'availability_rule.timezone', message: 'is required', code: 'required' }] },
    });
    const nobody = { availability_rule: { timezone: 'UTC', rules: [], user: `${root}/users/NOBODY` } };
    expect((await ask(`PATCH ${path}`, nobody)).status).toBe(400);
    const wrongHours = {
      availability_rule: { timezone: 'UTC', rules: [{ type: 'wday', wday: 'someday', intervals: [] }] },
    };
    expect((await ask(`PATCH ${path}`, wrongHours)).reply.details[0].parameter).toBe('availability_rule.rules[0].wday');
  });

  test('only the schedule of the named host changes', async () => {
    const { reply } = await ask(
      `GET /event_types?organization=${encodeURIComponent(`${root}/organizations/${organization}`)}`,
    );
    const shared = reply.collection.find((type: { pooling_type: string | null }) => type.pooling_type !== null);
    const path = `/event_type_availability_schedules?event_type=${encodeURIComponent(shared.uri)}`;
    const read = async () =>
      (await ask(`GET ${path}`)).reply.collection.map(
        ({ availability_rule: rule }: { availability_rule: { user: string; timezone: string } }) => rule,
      );
    const [one, ...others] = await read();
    const change = { timezone: 'Asia/Tokyo', rules: [], user: one.user };
    expect((await ask(`PATCH ${path}`, { availability_rule: change })).status).toBe(200);
    const [changed, ...rest] = await read();
    expect([others.length > 0, changed.timezone, rest]).toEqual([true, 'Asia/Tokyo', others]);
  });

  test('schedules of a person', async () => {
    const me = JSON.parse((await world.run('users me --json')).stdout).uri;
    const list = `GET /user_availability_schedules?user=${me}`;
    const { reply } = await exchangeOf('availability list --user me', list);
    const [schedule] = (reply as { collection: { uri: string }[] }).collection;
    expect(schedule).toEqual({
      uri: uriOf('user_availability_schedules/\\w+'),
      default: true,
      name: 'Working hours',
      user: me,
      timezone: 'Europe/Berlin',
      rules: expect.any(Array),
    });
    const one = new URL(schedule!.uri).pathname;
    expect((await exchangeOf(`availability get ${schedule!.uri}`, `GET ${one}`)).reply).toEqual({ resource: schedule });
  });

  test('free times and busy times', async () => {
    const free = `GET /event_type_available_times?event_type=${introCall}&start_time=2026-11-16T09:00:00Z&end_time=2026-11-16T12:00:00Z`;
    const slots = await exchangeOf(
      `event-types slots ${introCall} --since 2026-11-16T09:00:00Z --until 2026-11-16T12:00:00Z`,
      free,
    );
    expect((slots.reply as { collection: unknown[] }).collection[0]).toEqual({
      status: 'available',
      start_time: '2026-11-16T09:00:00.000Z',
      invitees_remaining: 1,
      scheduling_url: text,
    });
    const me = JSON.parse((await world.run('users me --json')).stdout).uri;
    const seen = await exchanges('users busy me --since 2026-11-16T00:00:00Z --until 2026-11-26T00:00:00Z');
    const asked = seen.filter(({ request }) => request.includes('busy'));
    expect(asked.map(({ request }) => request)).toEqual([
      `GET /user_busy_times?user=${me}&start_time=2026-11-16T00:00:00Z&end_time=2026-11-23T00:00:00Z`,
      `GET /user_busy_times?user=${me}&start_time=2026-11-23T00:00:00Z&end_time=2026-11-26T00:00:00Z`,
    ]);
    expect((asked[0]!.reply as { collection: unknown[] }).collection[0]).toEqual({
      type: 'calendly',
      start_time: time,
      end_time: time,
      event: { uri: uriOf('scheduled_events/\\w+') },
    });
    const long = `/user_busy_times?user=${encodeURIComponent(me)}&start_time=2026-11-16T00:00:00Z&end_time=2026-11-24T00:00:00Z`;
    expect((await ask(`GET ${long}`)).status).toBe(400);
  });

  test('create and change an event type', async () => {
    const me = JSON.parse((await world.run('users me --json')).stdout).uri;
    const flags = '--description hi --event-color "#FF00AA" --location-kind inbound_call --location "+49 30 1234"';
    const fields = {
      description: 'hi',
      color: '#ff00aa',
      locations: [{ kind: 'inbound_call', phone_number: '+49 30 1234' }],
    };
    const made = await exchangeOf(`event-types create --name Tea --duration 30 ${flags}`, 'POST /event_types');
    expect(made).toMatchObject({
      body: { owner: me, name: 'Tea', duration: 30, ...fields },
      status: 201,
      reply: { resource: { color: '#ff00aa', description_plain: 'hi' } },
    });
    const { uri } = (made.reply as { resource: { uri: string } }).resource;
    const path = `PATCH /event_types/${idOf(uri)}`;
    expect(await exchangeOf(`event-types update ${uri} ${flags}`, path)).toMatchObject({ body: fields, status: 200 });
    const refused = async (body: object) => (await ask(path, body)).reply.details[0].parameter;
    expect(await refused({ color: '#FF00AA' })).toBe('color');
    expect(await refused({ description_plain: 'hi' })).toBe('description_plain');
    expect(await refused({ locations: [{ kind: 'inbound_call', location: '+49 30 1234' }] })).toBe(
      'locations[0].location',
    );
    expect(await refused({ locations: [{ kind: 'elsewhere' }] })).toBe('locations[0].kind');
    expect(await refused({ timezone: 'UTC' })).toBe('timezone');
    expect((await ask(path, { locations: [] })).status).toBe(200);
  });

  test('create a one-off type', async () => {
    const line =
      'one-offs create --name Tea --duration 30 --days 7 --location-kind inbound_call --location "+49 30 1234"';
    expect(await exchangeOf(line, 'POST /one_off_event_types')).toMatchObject({
      body: {
        date_setting: { type: 'days_in_future', days: 7, only_weekdays: false },
        location: { kind: 'inbound_call', phone_number: '+49 30 1234' },
      },
      status: 201,
    });
  });

  test('create a single-use link', async () => {
    expect(await exchangeOf(`shares create --event-type ${introCall}`, 'POST /shares')).toMatchObject({
      body: { event_type: introCall },
      status: 201,
      reply: { resource: { scheduling_links: [{ booking_url: text, owner: introCall, owner_type: 'EventType' }] } },
    });
    const older = 'POST /scheduling_links';
    const sent = { max_event_count: 1, owner: introCall, owner_type: 'EventType' };
    expect(await exchangeOf(`shares create-link --event-type ${introCall}`, older)).toEqual({
      request: older,
      body: sent,
      status: 201,
      reply: { resource: { booking_url: text, owner: introCall, owner_type: 'EventType' } },
    });
    const { status, reply } = await ask(older, { ...sent, max_event_count: 2 });
    expect([status, reply.details[0].parameter]).toEqual([400, 'max_event_count']);
    // Its reply is lost: a second link may do harm.
    const lost = async () => ({ status: 500, headers: {}, body: '' });
    const { code, stderr } = await world.run(`shares create-link --event-type ${introCall}`, { send: lost });
    expect([code, stderr]).toEqual([10, expect.stringContaining('only if a second link does no harm')]);
  });

  test('read the activity log', async () => {
    const { request, reply } = (await exchanges('activity list --all'))
      .filter((each) => each.request.includes('activity'))
      .at(0)!;
    expect(request).toBe(`GET /activity_log_entries?organization=${root}/organizations/${organization}`);
    expect(reply).toMatchObject({ collection: expect.any(Array), pagination: expect.any(Object) });
  });

  test('forms: a list, one form, submissions and one submission', async () => {
    const { uri } = await first('routing-forms list');
    const form = `GET /routing_forms/${idOf(uri)}`;
    expect(await exchangeOf(`routing-forms get ${uri}`, form)).toMatchObject({
      status: 200,
      reply: { resource: { uri, questions: expect.any(Array) } },
    });
    const submission = await first(`routing-forms submissions ${uri}`);
    const path = `GET /routing_form_submissions/${idOf(submission.uri)}`;
    expect(await exchangeOf(`routing-forms submission ${submission.uri}`, path)).toMatchObject({
      status: 200,
      reply: { resource: { uri: submission.uri, routing_form: uri } },
    });
  });

  test('deliveries of webhooks have the names of the service', () => {
    const crm = { ...tracking, salesforce_uuid: undefined, crm_uuid: '0031' };
    const delivery = (event: string, payload: object) => JSON.stringify({ event, payload });
    const sent = JSON.parse(deliveryIn(dialect, delivery('invitee.created', { name: 'Ana', tracking: crm })));
    expect(sent).toEqual({ event: 'invitee.created', payload: { name: 'Ana', tracking } });
    const other = delivery('routing_form_submission.created', { tracking: crm });
    expect(deliveryIn(dialect, other)).toBe(other);
  });

  test('faults strike at the addresses of the service, with its names', async () => {
    const script = createFaultScript(['invitees.no-show 503', 'events.list stale-cursor'].map(readFault));
    const paged = {
      ...dialect,
      operations: { ...dialect.operations, 'events.list': { query: { cursor: '{page_token}' } } },
    };
    const clock = { now: () => 0, sleep: async () => {} };
    const faulty = withFaults(world.service, { script, log: createLog(), clock, dialect: paged });
    const send = (method: string, path: string) => faulty({ method, url: `${root}${path}`, headers: {} });
    expect((await send('POST', '/invitee_no_shows')).status).toBe(503);
    expect((await send('POST', '/invitees/ID/no_show')).status).not.toBe(503);
    const { body } = await send('GET', '/scheduled_events?page_token=OLD');
    expect(JSON.parse(body).details[0].parameter).toBe('cursor');
  });
});
