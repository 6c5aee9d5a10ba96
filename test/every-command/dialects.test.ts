import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readDialect } from '../../src/cli/session/dialect-file.ts';
import { allTools } from '../../src/commands/mcp/tools.ts';
import { findNoun, nouns } from '../../src/commands/registry.ts';
import { shippedDialects } from '../../src/dialects/read.ts';
import type { HttpRequest } from '../../src/http/message.ts';
import { createWorld, isWrite, lastJson, type TestWorld, terminals, type WorldOptions } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const file = await readDialect({ place: 'calendly', text: shippedDialects.calendly! });

let world: TestWorld;
let home: string;
beforeEach(async () => {
  home = temporaryDirectory('dialects');
  world = await createWorld({ dialect: { ...file, digest: '', place: '' }, env: { SCHED_DIALECT: 'calendly' }, home });
});

const asking = (answer: string): WorldOptions => ({ terminals, stdin: `${answer}\n` });
const json = async (line: string) => JSON.parse((await world.run(`${line} --json`)).stdout);
const writes = (requests: readonly HttpRequest[]): string[] =>
  requests.filter(isWrite).map(({ method, url }) => `${method} ${new URL(url).pathname}`);

const booking = 'invitees create --event-type "Intro call" --start "2026-11-16 09:00" --tz UTC --timezone UTC';

describe('at a service with a dialect', () => {
  test('lists come from other paths and shapes', async () => {
    const plain = { env: { SCHED_DIALECT: '' } };
    const { code, stderr } = await world.run('invitations list', plain);
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(
        /^error: This service has no \/organization_invitations\ncause: .*; check the base URL\ntry: sched doctor --api\n$/,
      ),
    ]);
    expect((await world.run('availability list --event-type "Intro call"', plain)).code).toBe(13);
    expect(await json('invitations list --limit 1')).toMatchObject([{ email: 'lucia.romero@northlight.example' }]);
    const [schedule] = await json('availability list --event-type "Intro call"');
    expect(schedule).toMatchObject({ name: 'Working hours', timezone: 'Europe/Berlin', availability_setting: 'host' });
    expect(schedule.rules).toContainEqual(expect.objectContaining({ wday: 'monday' }));
  });

  test('nothing is booked twice, and tracking has all keys or none', async () => {
    const first = await world.run(`${booking} --name Ana --email ana@li.example --utm-source web --json`);
    expect([first.code, writes(first.requests)]).toEqual([0, ['POST /invitees']]);
    const body = JSON.parse(first.requests.find(({ method }) => method === 'POST')!.body!);
    expect(body.tracking).toMatchObject({ utm_source: 'web', utm_term: null, salesforce_uuid: null });
    expect(JSON.parse(first.stdout).email).toBe('ana@li.example');
    const again = await world.run(`${booking} --name Ana --email ana@li.example`);
    expect([again.code, writes(again.requests)]).toEqual([0, []]);
    const taken = await world.run(`${booking} --name Bo --email bo@li.example`);
    expect([taken.code, taken.stderr.split('\n')[0]]).toEqual([7, "error: That time isn't available"]);
    const sent = taken.requests.find(({ method }) => method === 'POST');
    expect(JSON.parse(sent!.body!)).not.toHaveProperty('tracking');
  });

  test('a canceled event is read afterwards, without a note', async () => {
    const [{ uri }] = await json('events list --since now --limit 1');
    const { code, stdout, stderr } = await world.run(['events', 'cancel', uri, '--yes', '--json']);
    expect([code, JSON.parse(stdout).status]).toEqual([0, 'canceled']);
    expect(stderr).not.toContain("reply doesn't include");
  });

  test('a no-show needs the event, and is sent to its own address', async () => {
    const [event] = await json('events list --since -7d --until now --status active --limit 1');
    const [invitee] = await json(`invitees list ${event.uri}`);
    const bare = await world.run(`invitees no-show ${invitee.uri.split('/').at(-1)}`);
    expect([bare.code, writes(bare.requests)]).toEqual([2, []]);
    expect(bare.stderr).toContain('error: This service needs the event too');
    const { code, stdout, requests } = await world.run(`invitees no-show ${invitee.uri} --json`);
    expect([code, writes(requests)]).toEqual([0, ['POST /invitee_no_shows']]);
    expect(JSON.parse(stdout).no_show.uri).toContain('/invitee_no_shows/');
  });

  test('a deletion asks with its address, and the receipt names it', async () => {
    const refused = await world.run('compliance delete zed@people.example', asking('n'));
    expect(refused.screen).toContain('POST /data_compliance/deletion/invitees');
    expect(writes(refused.requests)).toEqual([]);
    const { code, requests } = await world.run('compliance delete zed@people.example --yes');
    expect([code, writes(requests)]).toEqual([0, ['POST /data_compliance/deletion/invitees']]);
    const [run] = await json('compliance runs');
    expect(run.endpoint).toMatch(/\/data_compliance\/deletion\/invitees$/);
    expect(run.tool).toMatch(/^sched .* \(dialect calendly [0-9a-f]{32}\)$/);
  });

  test('a change of hours names the event type and the host', async () => {
    const [schedule] = await json('availability list --event-type "Intro call"');
    const id = schedule.uri.split('/').at(-1);
    const line = `availability update ${id} --event-type "Intro call" --day-off 2026-12-24`;
    const { url, body, method } = await json(`${line} --dry-run`);
    expect([method, new URL(url).pathname]).toEqual(['PATCH', '/event_type_availability_schedules']);
    expect(new URL(url).searchParams.get('event_type')).toMatch(/\/event_types\//);
    expect(body).toMatchObject({ availability_setting: 'host', availability_rule: { user: schedule.user } });
    expect((await world.run(`${line} --yes`)).code).toBe(0);
    const list = schedule.uri.replace(`/${id}`, '');
    expect((await world.run(line.replace(id, list))).stderr).toContain('<schedule> must be');
  });

  test("a change of hours always has the schedule's own time zone, unless another is given", async () => {
    const line = 'availability update "Working hours" --event-type "Intro call" --day-off 2026-12-01 --yes';
    const { code, requests } = await world.run(line);
    const rule = (all: readonly HttpRequest[]) =>
      JSON.parse(all.find(({ method }) => method === 'PATCH')!.body!).availability_rule;
    expect([code, rule(requests).timezone]).toEqual([0, 'Europe/Berlin']);
    const moved = await world.run(`${line.replace('12-01', '12-02')} --timezone Europe/Paris`);
    expect([moved.code, rule(moved.requests).timezone]).toEqual([0, 'Europe/Paris']);
    const all = await world.run('availability update --event-type "Intro call" --day-off 2026-12-03 --yes');
    expect([all.code, rule(all.requests).timezone]).toEqual([0, 'Europe/Paris']);
    const off = await world.run('availability off 2026-12-04 --yes');
    expect([off.code, rule(off.requests).timezone]).toEqual([0, expect.stringContaining('/')]);
  });

  /** A service whose schedules have only some of their fields. */
  const showing = (fields: readonly string[]): WorldOptions => ({
    send: async (request) => {
      const reply = await world.service(request);
      if (!request.url.includes('/event_type_availability_schedules')) return reply;
      const { collection, ...rest } = JSON.parse(reply.body);
      const shown = collection?.map(({ availability_rule: rule, ...item }: { availability_rule: object }) => ({
        ...item,
        availability_rule: Object.fromEntries(Object.entries(rule).filter(([name]) => fields.includes(name))),
      }));
      return { ...reply, body: JSON.stringify({ ...rest, collection: shown }) };
    },
  });

  test('a schedule without a URI is named by its event type', async () => {
    const noUri = showing(['timezone', 'rules', 'user']);
    const list = await world.run('availability list --event-type "Intro call"', noUri);
    expect([list.code, list.stdout.split('\t')[2]]).toEqual([0, 'Europe/Berlin']);
    const line = 'availability update --event-type "Intro call" --day-off 2026-12-01 --yes';
    const changed = await world.run(line, noUri);
    expect([changed.code, changed.stderr]).toEqual([0, expect.stringMatching(/^changed: event type \w+$/m)]);
    expect(changed.stderr).not.toContain('undefined');
    const named = await world.run(line.replace('--event', '"Working hours" --event'), showing(['name', 'timezone']));
    expect([named.code, named.stderr.split('\n')[0]]).toEqual([
      2,
      'error: This service shows no ID of the availability schedule "Working hours"',
    ]);
    const own = await world.run('availability off 2026-12-05 --yes', noUri);
    expect([own.code, own.stderr]).toEqual([0, expect.not.stringContaining('undefined')]);
    const bare = await world.run(`${line} --json`, showing([]));
    expect([bare.code, writes(bare.requests)]).toEqual([13, []]);
    const zoneless = await world.run(line.replace('12-01', '12-06'), showing(['rules']));
    expect([zoneless.code, zoneless.stderr, writes(zoneless.requests)]).toEqual([
      2,
      expect.stringMatching(/^error: This service needs timezone too\n.*add --timezone$/m),
      [],
    ]);
  });

  test('the URI of an invitation may have its other form', async () => {
    const [{ uri }] = await json('invitations list --status pending --limit 1');
    const id = uri.split('/').at(-1);
    const other = `http://127.0.0.1:4010/organizations/GHDAK7KT3RW2W9R9/invitations/${id}`;
    expect((await json(`invitations revoke ${other} --dry-run`)).url).toMatch(
      new RegExp(`/organizations/GHDAK7KT3RW2W9R9/invitations/${id}$`),
    );
    expect((await world.run(`invitations revoke ${other.replace('invitations', 'groups')} --dry-run`)).code).toBe(2);
  });

  test('the service computes free times: one request for each 31 days', async () => {
    const line = 'event-types slots "Intro call" --since 2026-11-16 --until 2026-12-20 --json';
    const { stdout, requests } = await world.run(line);
    const asked = requests.filter(({ url }) => url.includes('/event_type_available_times'));
    expect(asked).toHaveLength(2);
    const slots = JSON.parse(stdout);
    expect(slots[0]).toMatchObject({ start_time: '2026-11-16T09:00:00Z', _sched: { source: 'service' } });
    const computed = await world.run(`${line} --step 15`);
    expect(computed.requests.some(({ url }) => url.includes('available_times'))).toBe(false);
    const starts = (text: string) => JSON.parse(text).map((slot: { start_time: string }) => slot.start_time);
    expect(starts(computed.stdout)).toEqual(starts(stdout));
  });

  test('an event type is created with a description, a lower-case color and a list of locations', async () => {
    const create = 'event-types create --name Tea --duration 30 --description hi --event-color "#FF00Aa" --dry-run';
    const { body } = await json(`${create} --location-kind inbound_call --location "+49 30 1234"`);
    const { owner: _, ...fields } = body;
    expect(fields).toEqual({
      name: 'Tea',
      duration: 30,
      description: 'hi',
      color: '#ff00aa',
      locations: [{ kind: 'inbound_call', phone_number: '+49 30 1234' }],
    });
    const place = await json('event-types update "Intro call" --location-kind physical --location Berlin --dry-run');
    expect(place.body).toEqual({ locations: [{ kind: 'physical', location: 'Berlin' }] });
  });

  test('a color that the service has in lower case counts as set if the reply is lost', async () => {
    const { code, stderr } = await world.run('event-types update "Intro call" --event-color "#FF00AA" --json', {
      send: async (request) => {
        const reply = await world.service(request);
        return request.method === 'PATCH' ? { ...reply, status: 502, body: '' } : reply;
      },
    });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('may or may not')]);
  });

  test('a one-off meeting always says whether only weekdays count, and has a phone number for a call', async () => {
    const line = 'one-offs create --name Tea --duration 30 --days 7 --dry-run';
    const { body } = await json(`${line} --location-kind inbound_call --location "+49 30 1234"`);
    expect(body).toMatchObject({
      date_setting: { type: 'days_in_future', days: 7, only_weekdays: false },
      location: { kind: 'inbound_call', phone_number: '+49 30 1234' },
    });
    expect((await json(`${line} --location-kind zoom_conference`)).body.location).toEqual({ kind: 'zoom_conference' });
  });

  test('a field that a template would lose ends the command before anything is sent', async () => {
    const stdin = JSON.stringify({ location: { kind: 'physical', location: 'Berlin', floor: 3 } });
    const { code, stderr, requests } = await world.run('event-types update "Intro call" --body -', { stdin });
    expect([code, writes(requests)]).toEqual([9, []]);
    expect(stderr).toContain('error: This service has no location.floor in event-types update');
  });

  test('tracking has the names of sched, in what is printed and in errors', async () => {
    const utm = await world.run(`${booking} --name Ana --email ana@li.example --crm-uuid 0031 --json`);
    expect(JSON.parse(utm.stdout).tracking).toMatchObject({ crm_uuid: '0031', utm_source: null });
    expect(JSON.parse(utm.stdout).tracking).not.toHaveProperty('salesforce_uuid');
    const [invitee] = await json(`invitees list ${JSON.parse(utm.stdout).event}`);
    expect(invitee.tracking.crm_uuid).toBe('0031');
    const body = JSON.stringify({
      details: [{ parameter: 'questions_and_answers[0].answer', message: 'is too long' }],
    });
    const refused = await world.run(`${booking.replace('09:00', '11:00')} --name Bo --email bo@li.example`, {
      send: async (request) =>
        request.method === 'POST' ? { status: 400, headers: {}, body } : world.service(request),
    });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('custom_questions[0].answer: is too long'),
    ]);
  });

  test('an input that the service lacks ends the command before anything is sent', async () => {
    const { code, stderr, requests } = await world.run('event-types update "Intro call" --timezone UTC');
    expect([code, writes(requests)]).toEqual([9, []]);
    expect(stderr).toContain('error: This service has no timezone in event-types update');
  });

  test('api asks about the addresses of the dialect too', async () => {
    for (const path of ['/invitee_no_shows', '/data_compliance/deletion/invitees'])
      expect((await world.run(`api POST ${path} -f a=b`)).code).toBe(12);
  });
});

describe('a dialect', () => {
  const path = () => join(home, 'acme.yaml');
  const write = (text: string) => writeFileSync(path(), `dialect: 1\nname: acme\noperations:\n${text}\n`);

  test('is read once: its checked content is cached', async () => {
    await world.run('users me');
    const folder = join(home, '.cache/sched');
    const [name] = readdirSync(folder).filter((each) => each.startsWith('dialect-'));
    const cached = JSON.parse(readFileSync(join(folder, name!), 'utf8'));
    cached.file.operations['users.me'] = { path: '/users/ME2' };
    writeFileSync(join(folder, name!), JSON.stringify(cached));
    const { requests } = await world.run('users me');
    expect(new URL(requests[0]!.url).pathname).toBe('/users/ME2');
  });

  test('from a file is confirmed when a profile gets it, with the writes that it moves', async () => {
    write('  shares.create: { path: /links }\n  users.me: { path: /me }');
    const line = `profiles add work --base-url https://api.example.com --dialect ${path()}`;
    const refused = await world.run(line);
    expect([refused.code, refused.stderr.split('\n')[0]]).toEqual([
      12,
      'error: Confirmation needed to use the dialect acme, but there is no terminal to ask on',
    ]);
    const asked = await world.run(line, asking('n'));
    expect(asked.screen).toContain('shares.create: POST /links');
    expect(asked.screen).not.toContain('/me\n');
    expect((await world.run(`${line} --yes --json`)).stdout).toContain(`"dialect": "${path()}"`);
    expect((await world.run('profiles set dialect calendly -p work')).code).toBe(0);
  });

  test('that is wrong ends every command with exit code 3, before anything is sent', async () => {
    write('  events.gett: {}\n  shares.create: { path: /invitees }');
    const { code, stderr, requests } = await world.run('events list', { env: { SCHED_DIALECT: path() } });
    expect([code, requests]).toEqual([3, []]);
    expect(stderr).toMatch(
      /^error: .*acme\.yaml has 2 problems\n.*acme\.yaml:4:3: unknown operation events\.gett; did you mean events\.get\?/,
    );
    const missing = await world.run('events list --json', { env: { SCHED_DIALECT: 'nobody' } });
    expect([missing.code, lastJson(missing.stderr).error.message]).toEqual([3, "Can't read the dialect nobody"]);
  });

  test('never sends an ID that is none, even if it comes from the service', async () => {
    write("  invitations.list: { path: '/organizations/{my.organization|id}/invitations', lacks: [organization] }");
    const send = async (request: HttpRequest) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll(/organizations\/\w+/g, 'organizations/..') };
    };
    const { code, requests } = await world.run('invitations list', { send, env: { SCHED_DIALECT: path() } });
    expect(code).toBe(13);
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(['/users/me']);
  });

  test('moves no write past the questions and the ledger of api', async () => {
    write(
      "  compliance.delete: { path: /erase }\n  invitees.create: { path: /book }\n  events.cancel: { path: '/stop/{event}' }",
    );
    const env = { SCHED_DIALECT: path() };
    const send = async () => ({ status: 201, headers: {}, body: '{"resource":{"uri":"https://api.example.com/x/1"}}' });
    const erase = await world.run('api POST /erase -F emails[]=a@people.example', { env, send });
    expect([erase.code, erase.stderr]).toEqual([12, expect.stringContaining('delete all data of 1 invitee')]);
    expect((await world.run('api POST /stop/E1', { env, send })).stderr).toContain('cancel event E1');
    const book =
      'api POST /book -f event_type=T1 -f start_time=2026-11-16T09:00:00Z -f invitee[email]=a@people.example';
    expect((await world.run(book, { env, send })).code).toBe(0);
    const again = await world.run(book, { env, send });
    // It looks for the booking, which this service doesn't show in a known form.
    expect([again.code, writes(again.requests)]).toEqual([13, []]);
  });

  test('leaves out of schema and tools what the service lacks, and says where the rest is', async () => {
    write('  activity.list: false\n  event-types.update: { lacks: [timezone] }\n  shares.create: { path: /links }');
    await world.run(`profiles add work --base-url https://api.example.com --dialect ${path()} --yes`);
    const described = async (line: string) =>
      JSON.parse((await world.run(`schema ${line}`, { env: { SCHED_DIALECT: '', SCHED_PROFILE: 'work' } })).stdout)
        .commands;
    expect(await described('activity list')).toEqual([]);
    const [update] = await described('event-types update');
    const names = update.flags.map((flag: { name: string }) => flag.name);
    expect([names.includes('name'), names.includes('timezone'), 'wire' in update]).toEqual([true, false, false]);
    expect((await described('shares create'))[0].wire).toEqual({ method: 'POST', path: '/links' });
    const dialect = {
      ...(await readDialect({ place: 'acme', text: readFileSync(path(), 'utf8') })),
      digest: '',
      place: '',
    };
    const tools = await allTools({ nouns, findNoun }, dialect);
    expect(tools.map(({ name }) => name)).not.toContain('activity_list');
    const changed = tools.find(({ name }) => name === 'event_types_update')!;
    expect(changed.parameters.map(({ name }) => name)).not.toContain('timezone');
  });

  test('of the user with the name of one that comes with sched is never passed over', async () => {
    const own = join(home, '.config/sched/dialects');
    mkdirSync(join(own, 'calendly.yaml'), { recursive: true });
    const { code, stderr } = await world.run('users me');
    expect([code, stderr.split('\n')[0]]).toEqual([3, "error: Can't read the dialect calendly"]);
  });

  test('offers operations that only some services have', async () => {
    const plain = { env: { SCHED_DIALECT: '' } };
    for (const line of [
      'invitations get X',
      'routing-forms get X',
      'routing-forms submission X',
      'users busy',
      'shares create-link --event-type X',
      'availability list --user me',
    ]) {
      const { code, stderr, requests } = await world.run(line, plain);
      expect([code, stderr]).toEqual([
        9,
        expect.stringMatching(
          /^error: This service has no ".*"\ncause: only some services have it, .*; docs\/dialects.md explains dialects\n$/,
        ),
      ]);
      expect(requests).toEqual([]);
    }
    const described = async (line: string, options?: WorldOptions) =>
      JSON.parse((await world.run(`schema ${line}`, options)).stdout).commands;
    const flags = async (options?: WorldOptions) =>
      (await described('availability list', options))[0].flags.map(({ name }: { name: string }) => name);
    expect([await described('invitations get', plain), await flags(plain)]).toEqual([
      [],
      expect.not.arrayContaining(['user']),
    ]);
    const [get] = await described('invitations get');
    expect(get.wire.path).toBe('/organizations/{my.organization|id}/invitations/{invitation}');
    expect(await flags()).toContain('user');
    // The list may lack a form that the service has.
    const { requests } = await world.run('routing-forms get FORM7');
    expect(requests.map(({ url }) => new URL(url).pathname)).toContain('/routing_forms/FORM7');
  });

  test('can say that the service lacks an operation', async () => {
    write('  activity.list: false');
    const { code, stderr, requests } = await world.run('activity list', { env: { SCHED_DIALECT: path() } });
    expect([code, stderr]).toEqual([
      9,
      `error: This service has no "activity list"\ncause: its dialect says so (${path()})\n`,
    ]);
    expect(requests.filter(({ url }) => url.includes('activity'))).toEqual([]);
    const lacking = async (more: string) => {
      write(`  shares.create: false${more}`);
      const result = await world.run('shares create --event-type X', { env: { SCHED_DIALECT: path() } });
      return [result.code, result.stderr, result.requests];
    };
    const cause = `error: This service has no "shares create"\ncause: its dialect says so (${path()})`;
    expect(await lacking('')).toEqual([9, `${cause}\n`, []]);
    expect(await lacking('\n  shares.create-link: {}')).toEqual([9, `${cause}; use sched shares create-link\n`, []]);
    const unnamed = await world.run('users busy', { env: { SCHED_DIALECT: path() } });
    expect(unnamed.stderr).toMatch(/^cause: only some services have it/m);
  });
});
