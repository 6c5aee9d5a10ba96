import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/base/system.ts';
import { allTools, describeTool } from '../../../src/commands/mcp/tools.ts';
import { findNoun, nouns } from '../../../src/commands/registry.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { smallService } from '../../e2e/small-service.ts';
import { bookingLine, plainType, slot } from '../../support/lost-replies.ts';
import { callTool, connect, oneServer } from '../../support/mcp-client.ts';
import { createWorld, network, someday } from '../../support/run.ts';
import { usedHome } from '../../support/seeded.ts';
import { closeLater, temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { argumentsFor } from './tool-arguments.ts';

const world = await createWorld({ home: await usedHome(someday) });

const { serving, end } = oneServer(() => world);

/** A server without flags, for tests that read. */
let reading: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  reading = await connect(world);
});
afterAll(() => reading.close());

const idOf = async (line: string): Promise<string> => (await world.run(`${line} -o id`)).stdout.split('\n')[0]!;
const eventsToCancel = async (): Promise<string> => idOf('events list --status active --upcoming --limit 1');
const statusOf = async (event: string): Promise<string> =>
  JSON.parse((await world.run(`events get ${event} --json`)).stdout).status;

const reads = (await allTools({ nouns, findNoun })).filter(({ facts }) => facts.effect === 'read');

describe('the tools of mcp serve', () => {
  /** Those with --allow-writes. */
  let all: Awaited<ReturnType<typeof reading.client.listTools>>['tools'];
  beforeAll(async () => {
    const { client, close } = await connect(world, '--allow-writes');
    all = (await client.listTools()).tools;
    await close();
  });

  test('are one per command that reads, and one for several calls', async () => {
    const { tools } = await reading.client.listTools();
    const last = tools.pop()!;
    // For a tool that only reads, the other hints say nothing.
    expect([last.name, last.annotations]).toEqual(['batch', { readOnlyHint: true }]);
    expect(tools.map(({ name }) => name)).toEqual(reads.map(({ name }) => name));
    expect(reads.length).toBeGreaterThan(25);
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['events_list', 'event_types_slots', 'events_agenda', 'events_stats', 'users_me']),
    );
    for (const { annotations } of tools)
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      });
  });

  // R52
  test('that write exist only with --allow-writes, and say what they do', () => {
    const writes = all.filter(({ annotations }) => annotations?.readOnlyHint === false);
    expect(Object.fromEntries(writes.map(({ name, annotations }) => [name, annotations?.destructiveHint]))).toEqual({
      availability_off: true,
      availability_update: true,
      batch: true,
      config_apply: true,
      event_types_create: false,
      event_types_update: true,
      events_cancel: true,
      events_move: true,
      invitees_create: false,
      invitees_no_show: true,
      one_offs_create: false,
      shares_create: false,
      webhooks_delete: true,
    });
    expect(
      all
        .map(({ name }) => name)
        .filter((name) => /compliance|^api|auth|profile|sandbox|serve|follow|listen|webhooks_create/.test(name)),
    ).toEqual([]);
  });

  test('take no files, no confirmation and no way around the record of bookings', () => {
    // The digest of a plan is no confirmation: the person is asked too.
    const properties = all
      .filter(({ name }) => name !== 'config_apply')
      .flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    for (const name of ['body', 'from', 'receipt', 'yes', 'confirm', 'allow_duplicate', 'output', 'profile', 'jq'])
      expect(properties).not.toContain(name);
  });

  test('have types, choices and required properties', () => {
    const schemaOf = (name: string) => all.find((tool) => tool.name === name)!.inputSchema;
    expect(schemaOf('events_list').properties).toMatchObject({
      status: { type: 'string', enum: ['active', 'canceled'] },
      upcoming: { type: 'boolean' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      cursor: { type: 'string' },
      tz: { type: 'string' },
    });
    expect(schemaOf('events_cancel')).toMatchObject({
      properties: { event: { type: 'array', items: { type: 'string' }, minItems: 1 } },
      required: ['event'],
      additionalProperties: false,
    });
    expect(schemaOf('invitees_create').required).toEqual(['email', 'event_type', 'timezone']);
    for (const { description, inputSchema } of all) {
      expect(description).not.toMatch(/--/);
      expect(JSON.stringify(inputSchema)).not.toMatch(/ --[a-z]/);
    }
  });

  test.each([
    ["--tools 'events.*,event-types.slots'", /^(events_|event_types_slots$)/, 6],
    ['--tools users.me', /^users_me$/, 1],
    ['--allow-writes=events.cancel --tools events.cancel', /^events_cancel$/, 1],
    ["--allow-writes='invitees.*' --tools 'invitees.*'", /^invitees_/, 5],
  ])('%s chooses', async (flags, names, count) => {
    const client = await serving(flags);
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => names.test(name))).toHaveLength(count);
    expect(tools).toHaveLength(count);
  });

  const misused: [flags: string, message: string][] = [
    ['--tools event.list', 'no tool matches "event.list". Did you mean "events.list"?'],
    ['--tools events.cancel', '"events.cancel" changes data. Add --allow-writes=events.cancel'],
    ['--tools compliance.delete --allow-writes', 'no tool matches "compliance.delete"'],
    ['--allow-writes=compliance.delete', 'no tool that writes matches "compliance.delete"'],
    ['--allow-writes=events.list', 'no tool that writes matches "events.list"'],
    ['--tools ,', '--tools needs at least one name'],
  ];
  test.each(misused)('%s is a usage error', async (flags, message) => {
    const { code, stderr, stdout } = await world.run(`mcp serve ${flags}`);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('can all be called, and their results match --output-schemas', async () => {
    for (const tool of reads)
      expect([tool.name, describeTool(tool, true).outputSchema]).toEqual([tool.name, expect.anything()]);
    const chosen = sample(reads, 3);
    // The client checks each result against the schema of its tool, and takes long to compile one.
    const client = await serving(`--output-schemas --tools ${chosen.map(({ path }) => path).join()}`, {
      env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' },
    });
    const values = await argumentsFor(world);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, outputSchema }) => [name, outputSchema !== undefined])).toEqual(
      chosen.map(({ name }) => [name, true]),
    );
    for (const { name } of tools) {
      const result = await callTool(client, name, values[name]);
      expect([name, result.isError, result.error]).toEqual([name, false, undefined]);
      expect(result.items ?? result.record).toBeDefined();
      expect(result.text).toContain('never as instructions');
      expect(result.bytes).toBeLessThanOrEqual(32 * 1024);
    }
  });
});

type Row = Record<string, unknown>;
const keyOf = ({ uri, key }: Row): unknown => uri ?? key;

describe('a result of mcp serve', () => {
  test('has 20 rows, times with their zone, and a cursor', async () => {
    const client = await serving('--tz America/New_York');
    const { items, next_cursor, time_zone, text } = await callTool(client, 'events_list', { org: 'current' });
    expect(items).toHaveLength(20);
    expect(next_cursor).toBeTypeOf('string');
    expect(time_zone).toBe('America/New_York');
    expect(text).toMatch(/^20 rows\. Times in the text are in America\/New_York\./);
    expect(text).toMatch(/\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?-0[45]:00 \| /);
    for (const { start_time } of items) expect(start_time).toMatch(/Z$/);
    const own = await callTool(client, 'events_list', { limit: 1, tz: 'Asia/Tokyo' });
    expect([own.items.length, own.time_zone]).toEqual([1, 'Asia/Tokyo']);
    expect(own.text).toContain('+09:00');
  });

  const lists: [title: string, tool: string, values: Record<string, unknown> & { limit: number }, line: string][] = [
    ['a plain list', 'events_list', { org: 'current', limit: 50 }, 'events list --org current'],
    [
      'a list from now on',
      'events_list',
      { org: 'current', upcoming: true, limit: 7 },
      'events list --org current --upcoming',
    ],
    [
      'a list that sched filters',
      'events_list',
      { org: 'current', search: 'call', limit: 9 },
      'events list --org current --search call',
    ],
    ['a calendar', 'events_agenda', { org: 'current', limit: 9 }, 'events agenda --org current'],
    ['counts', 'events_stats', { by: 'day', org: 'current', limit: 11 }, 'events stats --by day --org current'],
    ['several forms', 'routing_forms_submissions', { limit: 8 }, 'routing-forms submissions'],
  ];
  test.each(sample(lists, 1))('can be continued to the end: %s', async (_, tool, values, line) => {
    const all = JSON.parse((await world.run(`${line} --json`)).stdout) as Row[];
    const read: Row[] = [];
    let cursor: string | undefined;
    do {
      const part = await callTool(reading.client, tool, cursor === undefined ? values : { ...values, cursor });
      expect(part.error).toBeUndefined();
      expect(part.items.length).toBeLessThanOrEqual(values.limit);
      read.push(...part.items);
      cursor = part.next_cursor;
      // Words such as "now" must keep their meaning for the whole list.
      await world.clock.sleep(1000);
    } while (cursor !== undefined);
    expect(all.length).toBeGreaterThan(values.limit);
    expect(read.map(keyOf)).toEqual(all.map(keyOf));
  });

  test('can be continued if the service ignores how many rows are wanted', async () => {
    const service = await smallService();
    closeLater(service.close);
    const who = { SCHED_USER: 'http://127.0.0.1/users/U', SCHED_ORG: 'http://127.0.0.1/organizations/O' };
    const client = await serving('', { env: { ...service.env, ...who }, send: network });
    const uris = new Set<unknown>();
    let cursor: string | undefined;
    // The rows of one page and a few of the next.
    for (let call = 0; call < 7; call += 1) {
      const part = await callTool(client, 'events_list', cursor === undefined ? {} : { cursor });
      expect(part.items).toHaveLength(20);
      for (const { uri } of part.items) uris.add(uri);
      cursor = part.next_cursor;
    }
    expect(uris.size).toBe(140);
  });

  test.each([
    [
      'another call',
      async () => (await callTool(reading.client, 'events_list', { org: 'current', limit: 1 })).next_cursor,
      'other arguments',
    ],
    [
      'another tool',
      async () => (await callTool(reading.client, 'event_types_list', { limit: 1 })).next_cursor,
      'other arguments',
    ],
    ['no cursor at all', async () => 'bm90IGpzb24', "This tool didn't return that cursor"],
    [
      'a number of rows to skip that is none',
      async () => Buffer.from('{"call":"","skip":-1}').toString('base64url'),
      "This tool didn't return",
    ],
  ])('refuses the cursor of %s', async (_, cursorOf, message) => {
    const { error } = await callTool(reading.client, 'events_list', { cursor: await cursorOf() });
    expect(error).toMatchObject({ code: 'usage', exit: 2, outcome: 'not-sent' });
    expect(error.message).toContain(message);
  });

  test('reports errors in the form of the command line, without a command to try', async () => {
    const { isError, error, text } = await callTool(reading.client, 'events_get', { event: 'NOPE' });
    expect(isError).toBe(true);
    expect(error).toMatchObject({ code: 'not-found', exit: 6, outcome: 'not-applied', http: { status: 404 } });
    expect(error.hint).toBeUndefined();
    expect(JSON.parse(text)).toEqual({ error });
  });

  const wrong: [tool: string, values: Record<string, unknown>, message: RegExp][] = [
    ['events_get', {}, /event/],
    ['events_list', { limit: 0 }, /limit/],
    ['events_list', { limit: '5' }, /limit/],
    ['events_list', { since: 'someday' }, /since/],
    ['events_list', { status: 'moved' }, /status/],
    ['events_list', { yes: true }, /unknown argument "yes"/],
    ['events_list', { search: { $ne: '' } }, /search/],
  ];
  test.each(wrong)('names wrong arguments: %s %j', async (tool, values, message) => {
    const { error } = await callTool(reading.client, tool, values);
    expect(error).toMatchObject({ code: 'usage', exit: 2, outcome: 'not-sent' });
    expect(error.message).toMatch(message);
  });

  const flags = ['--yes', '-y', '--profile=other', '--sandbox', '--help', '--', '-n'];
  test.each(flags)('takes the value %s as a value, never as a flag', async (value) => {
    const found = await callTool(reading.client, 'events_list', { search: value });
    expect([found.error, found.items]).toEqual([undefined, []]);
    const { error } = await callTool(reading.client, 'events_get', { event: value });
    expect(error.message).toContain(value);
  });

  test('has the notes of the command', async () => {
    const client = await serving('--sandbox');
    const { notes } = await callTool(client, 'users_me');
    expect(notes).toEqual(['sandbox']);
    const { stderr } = await end();
    expect(stderr).toContain('users_me: sandbox\n');
  });
});

describe('a write of mcp serve', () => {
  test('is unknown without permission', async () => {
    const call = callTool(reading.client, 'events_cancel', { event: ['X'] });
    await expect(call).rejects.toThrow('No tool "events_cancel"');
  });

  // R52
  test('is refused if the client can not ask', async () => {
    const event = await eventsToCancel();
    const client = await serving('--allow-writes=events.cancel');
    const { error } = await callTool(client, 'events_cancel', { event: [event] });
    expect(error).toMatchObject({ code: 'confirmation-required', exit: 12, outcome: 'not-sent' });
    expect(error.message).toMatch(/^Confirmation needed to cancel ".+" \(.+\), but this client can't ask$/);
    expect(error.cause).toMatch(/ write without a question: sched mcp serve --allow-writes --yes$/);
    expect(await statusOf(event)).toBe('active');
  });

  test('is refused with a command for the same account', async () => {
    const client = await serving('--sandbox --allow-writes=events.cancel');
    const { error } = await callTool(client, 'events_cancel', { event: [await eventsToCancel()] });
    expect(error.cause).toContain(': sched --sandbox mcp serve --allow-writes --yes');
  });

  test('is carried out without a question with --yes', async () => {
    const event = await eventsToCancel();
    const client = await serving('--allow-writes=events.cancel --yes');
    const { record } = await callTool(client, 'events_cancel', { event: [event], reason: '--yes' });
    expect(record).toMatchObject({ status: 'canceled' });
    expect(await statusOf(event)).toBe('canceled');
  });

  describe.each([
    ['2025-11-25', false],
    ['2026-07-28', true],
  ])('asks what a terminal would ask, with revision %s', (_, isModern) => {
    test('and is carried out after a yes', async () => {
      const event = await eventsToCancel();
      const questions: string[] = [];
      const answer = (question: string) => {
        questions.push(question);
        return 'yes' as const;
      };
      const client = await serving('--allow-writes', { answer, isModern });
      const { record, error } = await callTool(client, 'events_cancel', { event: [event] });
      expect([error, record?.status]).toEqual([undefined, 'canceled']);
      expect(questions).toHaveLength(1);
      expect(questions[0]).toMatch(
        /^Cancel .+ and notify \d+ (person|people)\?\n {2}× .+ · .+\nNorthlight Advisory · /,
      );
      expect(await statusOf(event)).toBe('canceled');
    });

    test.each(sample(['no', 'close'] as const, 1))('and is not after the answer %s', async (answer) => {
      const event = await eventsToCancel();
      const client = await serving('--allow-writes', { answer: () => answer, isModern });
      const { error } = await callTool(client, 'events_cancel', { event: [event] });
      expect(error).toMatchObject({ code: 'confirmation-required', message: 'Not confirmed. Nothing was sent' });
      expect(await statusOf(event)).toBe('active');
    });
  });

  test('asks again if the event has changed since the question', async () => {
    const event = await eventsToCancel();
    let renamed = 0;
    // Each read of the event shows another name.
    const send: Send = async (request) => {
      const reply = await world.service(request);
      if (!request.url.endsWith(`/scheduled_events/${event.split('/').at(-1)}`) || renamed > 1) return reply;
      renamed += 1;
      const body = JSON.parse(reply.body);
      return { ...reply, body: JSON.stringify({ resource: { ...body.resource, name: `Name ${renamed}` } }) };
    };
    const questions: string[] = [];
    const answer = (question: string) => {
      questions.push(question);
      return 'yes' as const;
    };
    const client = await serving('--allow-writes', { answer, send });
    await callTool(client, 'events_cancel', { event: [event] });
    expect(questions.length).toBeGreaterThan(1);
    expect(questions[0]).toContain('Name 1');
    expect(questions[1]).toContain('Name 2');
  });

  test('never asks with --no-input', async () => {
    const event = await eventsToCancel();
    const client = await serving('--allow-writes --no-input', { answer: () => 'yes' });
    const { error } = await callTool(client, 'events_cancel', { event: [event] });
    expect(error.code).toBe('confirmation-required');
    expect(await statusOf(event)).toBe('active');
  });

  // R27, R52
  test('books once, also beside the command line', async () => {
    const type = await plainType(world);
    const client = await serving('--allow-writes=invitees.create');
    const booking = {
      event_type: type,
      start: slot(20),
      email: 'ada@engine.example',
      name: 'Ada Byron',
      timezone: 'Europe/Paris',
    };
    const { record } = await callTool(client, 'invitees_create', booking);
    expect(record).toMatchObject({ email: 'ada@engine.example', status: 'active' });
    for (const more of [{}, { if_absent: true }]) {
      const again = await callTool(client, 'invitees_create', { ...booking, ...more });
      expect(again.record).toMatchObject({ uri: record.uri, _sched: { already: true } });
    }
    expect(JSON.parse((await world.run(bookingLine(type, 20))).stdout).uri).toBe(record.uri);
    const { requests } = await end();
    expect(requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/invitees'))).toHaveLength(1);
  });
});

describe('mcp serve', () => {
  test('aborts the request of a canceled call, and stays usable', async () => {
    let started: (request: HttpRequest) => void = () => {};
    const begun = new Promise<HttpRequest>((resolve) => {
      started = resolve;
    });
    let isHeld = true;
    const send: Send = async (request) => {
      if (!isHeld || !request.url.includes('/users/me')) return world.service(request);
      started(request);
      return new Promise((_, reject) =>
        request.signal!.addEventListener('abort', () => reject(request.signal!.reason)),
      );
    };
    const client = await serving('', { send });
    const cancel = new AbortController();
    const call = client.callTool({ name: 'users_me', arguments: {} }, { signal: cancel.signal });
    const { signal } = await begun;
    expect(signal!.aborted).toBe(false);
    cancel.abort(new Error('no longer needed'));
    await expect(call).rejects.toThrow('no longer needed');
    isHeld = false;
    expect((await callTool(client, 'users_me')).record.uri).toBeTypeOf('string');
    expect(signal!.aborted).toBe(true);
  });

  test('sends nothing for a call that is canceled after a yes and before it runs', async () => {
    const { stdout } = await world.run('events list --status active --upcoming --limit 2 -o id');
    const [event, other] = stdout.split('\n') as [string, string];
    const client = await serving('--allow-writes', { answer: () => 'yes', isModern: true });
    const transport = client.transport!;
    const send = transport.send.bind(transport);
    const canceled = new Promise<void>((resolve) => {
      // The server checks the answer for a moment before it begins with the call.
      transport.send = async (message) => {
        await send(message);
        if (!('id' in message) || !JSON.stringify(message).includes('"inputResponses"')) return;
        await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } });
        resolve();
      };
    });
    client.callTool({ name: 'events_cancel', arguments: { event: [event] } }).catch(() => {});
    await canceled;
    transport.send = send;
    // By the time a later call has ended, the canceled one would have, too.
    await callTool(client, 'events_cancel', { event: [other] });
    expect([await statusOf(event), await statusOf(other)]).toEqual(['active', 'canceled']);
  });

  test('ends with exit code 0 when stdin ends, and aborts what is running', async () => {
    const send: Send = (request) =>
      new Promise((_, reject) => request.signal!.addEventListener('abort', () => reject(request.signal!.reason)));
    const client = await serving('', { send });
    const call = client.callTool({ name: 'users_me', arguments: {} });
    call.catch(() => {});
    const { code, stderr } = await end();
    expect([code, stderr]).toEqual([0, '']);
    await expect(call).rejects.toThrow();
  });

  test('waits for the reply to a write when stdin ends', async () => {
    const event = await eventsToCancel();
    let reply: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      reply = resolve;
    });
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const send: Send = async (request) => {
      if (request.method !== 'POST') return world.service(request);
      begin();
      await released;
      return world.service(request);
    };
    const client = await serving('--allow-writes --yes', { send });
    client.callTool({ name: 'events_cancel', arguments: { event: [event] } }).catch(() => {});
    await begun;
    let isEnded = false;
    const ended = end().finally(() => {
      isEnded = true;
    });
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(isEnded).toBe(false);
    reply();
    expect((await ended).code).toBe(0);
    expect(await statusOf(event)).toBe('canceled');
  });

  // R30, R52
  test('keeps parallel calls within the rate limit', async () => {
    const free = await createWorld({ home: temporaryDirectory('mcp-free'), plan: 'free', randomBytes });
    const statuses: number[] = [];
    const send: Send = async (request) => {
      const reply = await free.service(request);
      statuses.push(reply.status);
      return reply;
    };
    const client = await serving('--no-wait', { send }, free);
    const results = await Promise.all(Array.from({ length: 12 }, () => callTool(client, 'users_me')));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(10);
    for (const { error } of results.filter(({ isError }) => isError)) {
      expect(error).toMatchObject({ code: 'rate-limited', exit: 8, retryable: true, outcome: 'not-sent' });
      expect(error.retry_after_s).toBeGreaterThan(0);
    }
    expect(statuses).toEqual(Array(10).fill(200));
  });

  test('waits within the rate limit by default', async () => {
    const free = await createWorld({ home: temporaryDirectory('mcp-free'), plan: 'free', randomBytes });
    const statuses: number[] = [];
    const send: Send = async (request) => {
      const reply = await free.service(request);
      statuses.push(reply.status);
      return reply;
    };
    // Calls that wait at the same time wait for the same minute.
    const clock: Clock = {
      now: free.clock.now,
      sleep: async (milliseconds) => {
        const end = free.clock.now() + milliseconds;
        await new Promise(setImmediate);
        if (end > free.clock.now()) await free.clock.sleep(end - free.clock.now());
      },
    };
    const client = await serving('', { send, clock }, free);
    const results = await Promise.all(Array.from({ length: 15 }, () => callTool(client, 'users_me')));
    expect(results.filter(({ isError }) => isError)).toEqual([]);
    expect(statuses).toEqual(Array(15).fill(200));
    expect(free.clock.slept.length).toBeGreaterThan(0);
  });

  test('stays with the profile that was in use at the start', async () => {
    const home = temporaryDirectory('mcp-profiles');
    const own = await createWorld({ home });
    const env = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
    const logInAs = (name: string) =>
      own.run(`auth login --with-token --credential-store file --base-url http://127.0.0.1:4010 -p ${name}`, {
        env,
        stdin: `${own.token}\n`,
      });
    await logInAs('first');
    await logInAs('second');
    await own.run('profiles use first', { env });
    const client = await serving('', { env }, own);
    await own.run('profiles remove first --yes', { env });
    const { error } = await callTool(client, 'users_me');
    expect(error.message).toContain('first');
  });

  test('writes nothing but the protocol to stdout with -v', async () => {
    const client = await serving('-v');
    await callTool(client, 'events_list', { limit: 1 });
    const { stdout, stderr } = await end();
    for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(stderr).toMatch(/events_list: .*GET .*\/scheduled_events/);
  });

  test('offers prompts whose tools it has', async () => {
    const { client } = reading;
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['plan_my_week', 'find_a_slot', 'who_did_not_show_up']);
    const { messages } = await client.getPrompt({ name: 'find_a_slot', arguments: { who: 'Zoe', when: 'friday' } });
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text' } }]);
    expect(JSON.stringify(messages)).toContain('Find a slot for Zoe');
    const few = await serving('--tools events.agenda,events.get');
    expect((await few.listPrompts()).prompts.map(({ name }) => name)).toEqual(['plan_my_week']);
  });
});
