import { describe, expect, test } from 'vitest';
import type { Command, Flag } from '../../src/cli/command.ts';
import { allFlags } from '../../src/cli/parse/all-flags.ts';
import { Leaf } from '../../src/cli/parse/leaf.ts';
import { nouns } from '../../src/commands/registry.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpReply, Send } from '../../src/http/message.ts';
import { createWorld, outputs, type Result, replying } from '../support/run.ts';
import { sample } from '../support/tier.ts';

const world = await createWorld();

/** Terminal sequences, a forged line, bidi and zero-width characters. */
const nasty = '\u001b]0;owned\u0007\u001b[31mred\r\nerror: forged\u202egnp\u200b\u009b1m\u007f\ttab';

const read = 'users me';
const write = 'events cancel EVENT_1 --yes';

/** Runs a command against a service that sends this reply to every request. */
const hearing = (line: string, reply: Partial<HttpReply>, more: Parameters<typeof world.run>[1] = {}) =>
  world.run(line, { send: replying(reply), ...more });

/** R39: a documented exit code, at most three readable lines, no stack trace. */
const expectCalm = ({ stdout, stderr }: Result) => {
  expect(stderr).not.toMatch(/\n\s+at |node:internal|\.ts:\d|TypeError|RangeError|SyntaxError|undefined|\[object/);
  expect(stderr).toMatch(/^error: /m);
  // A line that is wrapped for a narrow terminal continues with an indent.
  expect(stderr.trimEnd().split(/\n(?! )/).length).toBeLessThanOrEqual(3);
  expect(stdout + stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
};

describe('hostile: a reply', () => {
  const deep = `{"resource":{"uri":"x","extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
  test.each(
    sample<[string, Partial<HttpReply>, number, number]>(
      [
        ['of HTML', { body: '<!doctype html><h1>It works!</h1>', headers: { 'content-type': 'text/html' } }, 13, 0],
        ['of nothing', { body: '' }, 13, 0],
        ['of garbage', { body: '\u0000\u001b[2J\uFFFD' }, 13, 0],
        ['that is cut short', { body: '{"resource":{"uri":"' }, 13, 0],
        ['of another shape', { body: '{"resource":[1]}' }, 13, 0],
        ['that is a number', { body: '7' }, 13, 0],
        ['whose uri is of another kind', { body: '{"resource":{"uri":{},"name":"x"}}' }, 13, 0],
        ['nested very deeply', { body: deep }, 13, 0],
        ['that redirects', { status: 302, headers: { location: 'https://evil.example/' }, body: '' }, 13, 13],
        ['with status 400', { status: 400, body: '{}' }, 2, 2],
        ['with status 401', { status: 401, body: '{}' }, 4, 4],
        ['with status 403', { status: 403, body: '{}' }, 5, 5],
        ['with status 404', { status: 404, body: '{}' }, 6, 6],
        ['with status 413', { status: 413, body: '' }, 2, 2],
        ['with status 424', { status: 424, body: '{}' }, 9, 9],
        ['with status 429 for a day', { status: 429, headers: { 'x-ratelimit-reset': '86400' }, body: '{}' }, 8, 8],
        ['with status 500', { status: 500, body: '{"title":"Internal Server Error"}' }, 9, 10],
        ['with status 503 in HTML', { status: 503, body: '<html>busy</html>' }, 9, 10],
        ['with status 504 and nothing', { status: 504, body: '' }, 9, 10],
      ],
      1,
      ([, { status = 200 }, ...codes]) => [status >= 400, ...codes].join(' '),
    ),
  )('%s gives the documented exit code, for a read and for a write', async (_, reply, onRead, onWrite) => {
    for (const [line, code] of [
      [read, onRead],
      [write, onWrite],
    ] as const) {
      const result = await hearing(line, reply);
      // A 2xx to a write is a success. The request is printed if the record can't be read.
      const stdout = code === 0 ? 'uri\thttp://127.0.0.1:4010/scheduled_events/EVENT_1\n_sched.source\trequest\n' : '';
      expect([line, result.code, result.stdout]).toEqual([line, code, stdout]);
      if (code === 0) expect(result.stderr).toMatch(/^The service accepted this .*\ncanceled: .*\n$/);
      else expectCalm(result);
      expect(result.requests.filter(({ method }) => method === 'POST').length).toBe(line === write ? 1 : 0);
    }
  });

  test.each([
    [true, 9, 10],
    [false, 9, 9],
  ])('that never comes gives the documented exit code (request sent: %s)', async (sent, onRead, onWrite) => {
    const send: Send = async () => {
      throw new NetworkFailure('127.0.0.1:4010', 'the connection was reset', sent);
    };
    const results = [await world.run(read, { send }), await world.run(write, { send })];
    expect(results.map(({ code }) => code)).toEqual([onRead, onWrite]);
    for (const result of results) expectCalm(result);
  });

  test('with a huge title is cut', async () => {
    const result = await hearing(read, { status: 400, body: JSON.stringify({ title: 'x'.repeat(1_000_000) }) });
    expect(result.code).toBe(2);
    expect(result.stderr.length).toBeLessThan(1000);
    expectCalm(result);
  });

  test.each<[string, Partial<HttpReply>]>([
    [
      'in an error',
      {
        status: 400,
        body: JSON.stringify({ title: nasty, message: nasty, details: [{ parameter: nasty, message: nasty }] }),
      },
    ],
    ['in the scopes', { status: 403, body: JSON.stringify({ required_scopes: [nasty] }) }],
    ['in the content type', { body: 'x', headers: { 'content-type': nasty } }],
  ])('with control characters %s shows them escaped', async (_, reply) => {
    for (const terminals of [[], ['stdout', 'stderr']] as ('stdout' | 'stderr')[][]) {
      const result = await hearing(read, reply, { terminals });
      expectCalm(result);
      expect(result.stderr).toContain('\\x1b');
      expect(result.stderr).toContain('<U+202E>');
      expect(result.stderr).not.toMatch(/^error: forged/m);
    }
  });

  test('with control characters in a record shows them escaped on a terminal and keeps them in JSON', async () => {
    const reply = { body: JSON.stringify({ resource: { uri: 'http://127.0.0.1:4010/users/U', name: nasty } }) };
    const shown = await hearing(read, reply, { terminals: outputs, env: { NO_COLOR: '1' } });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('\\x1b');
    expect(shown.stdout).not.toMatch(/[\u001b\u0007\u202e\u009b]/);
    const kept = await hearing(`${read} --json`, reply);
    expect(JSON.parse(kept.stdout).name).toBe(nasty);
    expect(kept.stdout).not.toMatch(/[\u001b\u0007\u202e\u009b\u007f]/);
  });

  // R44
  test.each(['##[error]forged', '##vso[task.complete]', '::set-output name=x::y'])(
    'cannot send commands to a CI runner: %s',
    async (title) => {
      const { stderr } = await hearing(read, { status: 400, body: JSON.stringify({ title, message: `\n${title}` }) });
      expect(stderr).not.toMatch(/##\[|##vso\[|^\s*::/m);
    },
  );

  test('with __proto__ in it is printed unchanged', async () => {
    const text = '{"uri":"http://127.0.0.1:4010/users/U","__proto__":{"polluted":1}}';
    const { code, stdout } = await hearing(`${read} --json`, { body: `{"resource":${text}}` });
    expect(code).toBe(0);
    expect(JSON.stringify(JSON.parse(stdout))).toBe(text);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each(
    sample(
      [
        'events cancel EVENT_1 --yes',
        'invitees no-show EVENT_1 INVITEE_1',
        'one-offs create --name x --duration 30 --days 5 --host http://127.0.0.1:4010/users/U',
        'availability update S1 --event-type http://127.0.0.1:4010/event_types/T --rule "mon 09:00-10:00" --timezone UTC --yes',
        'availability update S1 --event-type http://127.0.0.1:4010/event_types/T --day-off mon --no-input',
      ],
      2,
    ),
  )('without a name or a time is named by its other fields: %s', async (line) => {
    const record = { uri: 'http://127.0.0.1:4010/event_type_availability_schedules/S1', name: null, rules: [] };
    const body = JSON.stringify({ resource: record, collection: [record] });
    const { stderr } = await hearing(line, { body });
    expect(stderr).toContain('S1');
    expect(stderr.replaceAll(/\/dev\/null\S*/g, '')).not.toMatch(/undefined|null/);
  });

  test.each(
    sample(['--json', '-o jsonl', '-o yaml', '-o csv', '-o tsv', '-o table', '--jq ..', '--accessible -o table'], 1),
  )('with a number beyond 2^53 is printed unchanged: %s', async (format) => {
    // The page of a user shows the name and the email address, but no unknown field.
    const field = format.endsWith('table') ? 'email' : 'extra';
    const numbers = '[-12345678901234567890,{"id":9007199254740993}]';
    for (const [line, name] of [
      [`${read} ${format}`, field],
      [`api /users/me ${format}`, 'extra'],
    ]) {
      const text = `{"uri":"http://127.0.0.1:4010/users/U","${name}":${numbers}}`;
      const { code, stdout } = await hearing(line!, { body: `{"resource":${text}}` });
      expect(code).toBe(0);
      expect(stdout).toContain('-12345678901234567890');
      expect(stdout).toContain('9007199254740993');
    }
  });

  test('that repeats its page token exits with 13 and says how much was written', async () => {
    const page = { collection: [{ uri: 'http://127.0.0.1:4010/event_types/T' }], pagination: { next_page_token: 'A' } };
    const env = { SCHED_USER: 'http://127.0.0.1:4010/users/U', SCHED_ORG: 'http://127.0.0.1:4010/organizations/O' };
    const me = { resource: { uri: env.SCHED_USER, current_organization: env.SCHED_ORG } };
    const send: Send = async ({ url }) => ({
      status: 200,
      headers: {},
      body: JSON.stringify(url.includes('/users/me') ? me : page),
    });
    const { code, stdout, stderr } = await world.run('event-types list -o id', { send, env });
    expect(code).toBe(13);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(stderr).toContain('incomplete: 2 rows written');
  });
});

describe('hostile: SCHED_ERROR_FORMAT=json', () => {
  const env = { SCHED_ERROR_FORMAT: 'json' };
  const lastLine = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1)!);

  test('makes the error the last line, with all known facts', async () => {
    const reply = {
      status: 429,
      headers: { 'x-ratelimit-reset': '3600' },
      body: '{}',
    };
    const { code, stderr } = await hearing(read, reply, { env });
    expect(code).toBe(8);
    expect(lastLine(stderr)).toEqual({
      error: {
        code: 'rate-limited',
        exit: 8,
        message: expect.any(String),
        cause: expect.any(String),
        hint: expect.any(String),
        retryable: true,
        retry_after_s: 3600,
        outcome: 'not-applied',
        http: { status: 429, method: 'GET', path: '/users/me' },
      },
    });
  });

  test.each<[string, Partial<HttpReply>]>([
    ['with status 403', { status: 403, body: '{}' }],
    ['that asks to wait too long', { status: 429, headers: { 'retry-after': '3600' } }],
    ['that is not JSON', { body: 'oops' }],
    ['of the wrong shape', { body: '{"resource":[]}' }],
  ])('includes the request ID after a reply %s', async (_, reply) => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r-7', ...reply.headers };
    const { stderr } = await hearing(read, { ...reply, headers }, { env });
    expect(lastLine(stderr).error).toMatchObject({
      cause: expect.stringContaining('[request r-7]'),
      http: { request_id: 'r-7', status: reply.status ?? 200 },
    });
  });

  test.each([
    ['nonsense', 'usage', 'not-sent', false],
    ['events get ../users', 'usage', 'not-sent', false],
    [read, 'unavailable', 'not-applied', true],
    [write, 'outcome-unknown', 'unknown', false],
  ])('reports %j as %s, %s', async (line, code, outcome, retryable) => {
    const { stderr } = await hearing(line, { status: 503, body: '' }, { env });
    expect(lastLine(stderr).error).toMatchObject({ code, outcome, retryable });
  });

  test.each([
    ['events get nope -o json', true],
    ['events get nope -ojsonl', true],
    ['events get nope -qo json', true],
    ['events get nope -vqojson', true],
    ['events get nope -qo yaml', false],
    ['events get nope -po -q json', false],
  ])('is not needed with a JSON format in a pipe: %s', async (line, isJson) =>
    expect((await world.run(line)).stderr.trimEnd().split('\n').at(-1)!.startsWith('{"error":')).toBe(isJson),
  );

  test('makes every note a JSON line too', async () => {
    let asked = 0;
    const send: Send = async (request) => {
      asked += 1;
      return asked === 1 ? { status: 429, headers: { 'retry-after': '5' }, body: '{}' } : world.service(request);
    };
    const { code, stderr } = await world.run('users me -v', { send, env });
    expect(code).toBe(0);
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.every((line) => typeof line.note === 'string')).toBe(true);
    expect(lines.some(({ note }) => note.includes('waiting 5 s'))).toBe(true);
    expect(stderr).not.toContain(world.token);
  });

  test('writes control characters in a note as escapes', async () => {
    const event = { uri: 'http://127.0.0.1:4010/scheduled_events/E', name: nasty, start_time: '2026-12-01T10:00:00Z' };
    const { code, stderr } = await hearing(write, { body: JSON.stringify({ resource: event }) }, { env });
    expect(code).toBe(0);
    expect(JSON.parse(stderr.split('\n')[0]!).note).toContain(nasty);
    expect(stderr).not.toMatch(/[\u001b\u0007\u202e\u009b\u007f]/);
  });
});

describe('hostile: a command line', () => {
  test.each([
    'events list -yx',
    'events list -nfoo',
    'events list -o=xml',
    'events list -ocsv=1',
    'events list --yes=no',
    'events list --no-yes',
    'events cancel EVENT_1 --yes --fields __proto__',
    'events cancel EVENT_1 --yes --fields constructor',
    'events list --__proto__ x',
    'events list --limit 1e3',
    'events list --limit 99999999999999999999',
    'events list --timeout -1s',
    'events list --tz ../../etc/passwd',
    'constructor list',
    'events toString',
    '__proto__ __proto__',
    'events get',
    'events get a b',
    '- -',
  ])('exits with 2 and nothing is sent: sched %s', async (line) => {
    const result = await world.run(line);
    expect({ code: result.code, requests: result.requests }).toEqual({ code: 2, requests: [] });
    expectCalm(result);
  });
});

describe('hostile: an environment', () => {
  const canary = 'canary-0123456789';
  // R13
  test.each<[string, string]>([
    ['a line break', `${canary}\nx-evil: 1`],
    ['a carriage return', `${canary}\rx`],
    ['a NUL', `${canary}\0x`],
    ['a space', `${canary} x`],
    ['a letter beyond ASCII', `${canary}é`],
    ['a zero-width space', `${canary}\u200b`],
  ])('with %s in SCHED_TOKEN is rejected without printing the token', async (_, token) => {
    for (const format of ['text', 'json']) {
      const { code, stdout, stderr, requests } = await world.run(`${read} -v`, {
        env: { SCHED_TOKEN: token, SCHED_ERROR_FORMAT: format },
      });
      expect({ code, requests }).toEqual({ code: 4, requests: [] });
      expect(stdout + stderr).not.toContain('canary');
    }
  });

  test('with a token and no base URL exits with 3', async () => {
    const { code, requests } = await world.run(read, { env: { SCHED_TOKEN: canary, SCHED_BASE_URL: '' } });
    expect({ code, requests }).toEqual({ code: 3, requests: [] });
  });

  test('with neither exits with 4 and shows how to log in', async () => {
    const { code, stderr, requests } = await world.run(read, { env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
    expect({ code, requests }).toEqual({ code: 4, requests: [] });
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'error: No account yet',
      '  look around without one   sched --sandbox events list',
    ]);
  });

  test.each([
    'http://api.example.com',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://127.0.0.1@evil.example',
    'https://user:secret@api.example.com',
    'https://api.example.com?x=1',
    'https://api.example.com#x',
    'https://api.example.com?',
    'https://api.example.com/#',
    'https://api.example.com ',
    'ftp://api.example.com',
    'file:///etc/passwd',
    'api.example.com',
    'nonsense',
  ])('with the base URL %s exits with 3, and nothing is sent', async (url) => {
    const { code, stderr, requests } = await world.run(read, { env: { SCHED_BASE_URL: url } });
    expect({ code, requests }).toEqual({ code: 3, requests: [] });
    expect(stderr).not.toContain('secret');
  });

  test.each<Record<string, string>>([
    { SCHED_TOKEN: canary, SCHED_BASE_URL: '' },
    { SCHED_TOKEN: '', SCHED_BASE_URL: 'https://api.example.com' },
    { SCHED_TOKEN: '', SCHED_TOKEN_FILE: '/run/secrets/token', SCHED_BASE_URL: '' },
  ])('that asks for both the sandbox and another service exits with 2: %o', async (env) => {
    const { code, stderr, requests } = await world.run(read, { env: { ...env, SCHED_SANDBOX: '1' } });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).not.toContain('canary');
  });
});

describe('hostile: a value that looks like a flag', () => {
  const values = [
    '-y',
    '-n',
    '--yes',
    '-yes please',
    '-next week',
    '--dry-run',
    '-yn',
    '--no-input',
    '--',
    '--sandbox',
  ];

  const leafOf = (command: Command) => new Leaf(command.name).describe(command).action(() => {});

  /** The flag with a value, in all its spellings. */
  const spellings = ({ name, short }: Flag, value: string) => [
    [`--${name}`, value],
    [`--${name}=${value}`],
    ...(short === undefined ? [] : [[`-${short}`, value]]),
  ];

  test('has no effect as the value of any flag', async () => {
    const lists = await Promise.all(Object.values(nouns).map(({ commands }) => commands()));
    const taking = lists.flat().flatMap((command) => {
      const flags = allFlags(command).filter((flag) => flag.kind.value !== undefined && !flag.optional);
      return flags.map((flag) => ({ command, flag }));
    });
    // Most flags are the same for many commands.
    const tried = sample(taking, 1, ({ flag }) => flag.name);
    expect(tried.length).toBeGreaterThan(100);
    const wrong = tried.flatMap(({ command, flag }) => {
      const leaf = leafOf(command);
      return sample(values, 4)
        .flatMap((value) => spellings(flag, value).map((words) => ({ value, words, line: ['ID', ...words, 'ID2'] })))
        .map(({ value, words, line }) => {
          leaf.parse(line, { from: 'user' });
          const read = { opts: leaf.opts(), args: leaf.args, parts: leaf.parts };
          const meant = {
            opts: { [flag.name]: flag.repeat ? [value] : value },
            args: ['ID', 'ID2'],
            parts: [
              { words: ['ID'], value: 'ID' },
              { words, flag: flag.name, value },
              { words: ['ID2'], value: 'ID2' },
            ],
          };
          return { line: [command.name, ...line].join(' '), read: JSON.stringify(read), meant: JSON.stringify(meant) };
        })
        .filter(({ read, meant }) => read !== meant);
    });
    expect(wrong).toEqual([]);
  });

  test('has an effect as a flag, so that the test above can fail', async () => {
    const [command] = await nouns.events!.commands();
    const leaf = leafOf(command!);
    leaf.parse(['-y', '-n'], { from: 'user' });
    expect(leaf.opts()).toEqual({ yes: true, 'dry-run': true });
  });
});
