import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, jsonOf, outputs, replying, terminals, writes } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { runs, sample } from '../../support/tier.ts';

const base = 'http://127.0.0.1:4010';
const folder = temporaryDirectory('api');
const fileOf = (name: string, text: string | Uint8Array): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const world = await createWorld();

const run = (words: string[], more = {}) => world.run(['api', ...words], more);
const planned = async (words: string[], more = {}) => jsonOf(await run([...words, '--dry-run'], more));
const firstEvent = async () =>
  (await world.run('events list --status active --since tomorrow --limit 1 -o id')).stdout.trim();

describe('api: path', () => {
  test.each([
    '/users/me',
    'users/me',
    `${base}/users/me`,
    'HTTP://127.0.0.1:4010/users/me',
    `GET /users/me`,
    'get users/me',
    '-X GET /users/me',
  ])('accepts %s', async (line) => {
    const result = await run(line.split(' '));
    expect(jsonOf(result).resource.name).toBe('Amara Lindqvist');
    expect(result.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${base}/users/me`]);
  });

  test("rewrites a URI of the service's own root to the base URL", async () => {
    const uri = await firstEvent();
    const elsewhere: Send = (request) =>
      world.service({ ...request, url: request.url.replace('https://api.example.com/v2', base) });
    const { code, requests } = await run([`${uri}?x=1`], {
      env: { SCHED_BASE_URL: 'https://api.example.com/v2' },
      send: elsewhere,
    });
    expect(code).toBe(2); // The service refuses x; the request went to the base URL.
    expect(requests.map(({ url }) => url)).toEqual([
      'https://api.example.com/v2/users/me',
      `${uri.replace(base, 'https://api.example.com/v2')}?x=1`,
    ]);
  });

  const refused: [string, string][] = [
    ['https://user:pw@127.0.0.1:4010/users/me', 'user or password'],
    [`http://token@127.0.0.1:4010/users/me`, 'user or password'],
    ['//evil.example/users/me', 'another host'],
    ['ftp://127.0.0.1:4010/users/me', 'not an http or https URL'],
    ['http://127.0.0.1:4010.evil.example/users/me', 'not an http or https URL'],
    ['http:/users/me', 'not an http or https URL'],
    ['javascript:alert(1)', 'not an http or https URL'],
    ['/scheduled_events/../users/me', '"." or ".."'],
    ['..', '"." or ".."'],
    ['/./users/me', '"." or ".."'],
    ['/..;/users/me', '"." or ".."'],
    [`${base}/scheduled_events/../users/me`, '"." or ".."'],
    ['/scheduled_events/%2e%2e/users/me', 'encoded'],
    ['/scheduled_events/.%2E/users/me', 'encoded'],
    ['/scheduled_events/a%2fb', 'encoded'],
    ['/scheduled_events/a%5Cb', 'encoded'],
    ['/scheduled_events/a%252fb', 'encoded'],
    ['/scheduled_events/a%00', 'encoded'],
    ['/scheduled_events/a%0ab', 'encoded'],
    ['/scheduled_events/%c0%ae%c0%ae', 'encoded'],
    ['/scheduled_events/%ef%bc%8f', 'encoded'],
    ['/scheduled_events/a%zz', 'character'],
    ['/scheduled_events\\..\\users', 'backslash'],
    ['/scheduled_events/a b', 'character'],
    ['/scheduled_events\n/x', 'control character'],
    ['/users/me?a=\u0000', 'control character'],
    ['/users/me\t', 'control character'],
    ['/users/me#top', 'fragment'],
    ['/users//me', 'empty segment'],
    ['/users/me/', 'empty segment'],
    ['/scheduled_events/{uuid}', 'placeholders are'],
    ['/users/x{user}', 'placeholders are'],
    ['', 'is empty'],
  ];
  test.each(refused)('rejects %j and sends nothing', async (path, problem) => {
    const result = await run([path]);
    expect(result).toMatchObject({ code: 2, stdout: '', requests: [] });
    expect(result.stderr).toContain(problem);
  });

  test.each([
    'https://evil.example/users/me',
    'http://127.0.0.1:4011/users/me',
    'https://127.0.0.1:4010/users/me',
    'http://127.0.0.1.evil.example:4010/users/me',
    'http://localhost:4010/users/me',
  ])('sends neither request nor token to another origin: %s', async (url) => {
    const result = await run([url]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('is not the service of this profile');
    expect(result.requests.map((request) => request.url)).toEqual([`${base}/users/me`]);
  });

  test('accepts full URLs only below the path of the base URL', async () => {
    const env = { SCHED_BASE_URL: 'https://api.example.com/v2' };
    const send = replying({ body: '{"resource":{"uri":"https://api.example.com/v2/users/ME"}}' });
    const inside = await run(['https://api.example.com/v2/things?a=b'], { env, send });
    expect(inside.requests.at(-1)!.url).toBe('https://api.example.com/v2/things?a=b');
    const outside = await run(['https://api.example.com/v20/things'], { env, send });
    expect(outside.code).toBe(2);
    expect(outside.requests.map(({ url }) => url)).toEqual(['https://api.example.com/v2/users/me']);
  });

  test('replaces {user} and {organization} in path, query and values, but not inside longer text', async () => {
    const { user, organization } = await world
      .run('users me --json')
      .then(({ stdout }) => JSON.parse(stdout))
      .then((me) => ({ user: me.uri, organization: me.current_organization }));
    expect((await planned(['/users/{user}'])).url).toBe(user);
    expect((await planned(['/organizations/{org}'])).url).toBe(organization);
    expect((await planned(['/scheduled_events?user={user}&x=1'])).url).toBe(
      `${base}/scheduled_events?user=${encodeURIComponent(user)}&x=1`,
    );
    const file = fileOf('placeholder.txt', '{user}');
    const fields = ['-f', 'owner={user}', '-F', 'in={organization}', '-f', 'text=for {user}', '-F', `file=@${file}`];
    expect((await planned(['POST', '/things', ...fields])).body).toEqual({
      owner: user,
      in: organization,
      text: 'for {user}',
      file: '{user}',
    });
  });
});

describe('api: METHOD', () => {
  test.each<[string[], string]>([
    [['/shares', '-f', 'name=a b'], "sched api POST /shares -f 'name=a b'"],
    [
      ['/scheduled_events/X/cancellation', '-f', 'reason=ill'],
      'sched api POST /scheduled_events/X/cancellation -f reason=ill',
    ],
    [['/event_types', '-f', 'name=x'], 'sched api POST /event_types -f name=x'],
    [['/event_types/X', '-F', 'active=false'], 'sched api PATCH /event_types/X -F active=false'],
    [['/things', '-f', "a=it's"], "sched api POST /things -f 'a=it'\\''s'"],
    [
      ['/invitees', '--input', fileOf('empty.json', '{}')],
      `sched api POST /invitees --input ${join(folder, 'empty.json')}`,
    ],
    [['/users/me', 'GET'], 'sched api GET /users/me'],
  ])('is required in %j, and the error shows the full command', async (words, command) => {
    const result = await run(words);
    expect(result).toMatchObject({ code: 2, requests: [] });
    expect(result.stderr).toContain('METHOD');
    expect(result.stderr).toContain(`try: ${command}\n`);
  });

  test('is optional if the fields can only be a query', async () => {
    const { requests } = await run(['/event_types', '-f', 'user={user}', '-F', 'active=true', '-F', 'count=3']);
    expect(requests.at(-1)).toMatchObject({ method: 'GET' });
    expect(requests.at(-1)!.url).toMatch(/\?user=http%3A%2F%2F127.*&active=true&count=3$/);
  });

  test.each<string[]>([
    ['HEAD', '/users/me'],
    ['CONNECT', '/users/me'],
    ['-X', 'TRACE', '/users/me'],
    ['GET', '-X', 'GET', '/users/me'],
    ['GET'],
    [],
    ['GET', '/a', '/b'],
  ])('and <path> are validated: %j %j %j', async (...words) => {
    expect(await run(words.filter((word) => word !== undefined))).toMatchObject({ code: 2, requests: [] });
  });

  test.each(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])('%s is supported', async (method) => {
    const { requests, code } = await run([method.toLowerCase(), '/things', '--yes'], { send: replying({}) });
    expect(code).toBe(0);
    expect(requests).toMatchObject([{ method, url: `${base}/things` }]);
    expect(requests[0]!.body).toBeUndefined();
  });
});

describe('api: fields', () => {
  const table: [string[], unknown][] = [
    [['-f', 'a=1', '-F', 'b=1'], { a: '1', b: 1 }],
    [['-F', 'a=true', '-F', 'b=false', '-F', 'c=null', '-f', 'd=true'], { a: true, b: false, c: null, d: 'true' }],
    [
      ['-F', 'a=-5', '-F', 'b=007', '-F', 'c=1.5', '-F', 'd=', '-F', 'e=True'],
      { a: -5, b: '007', c: '1.5', d: '', e: 'True' },
    ],
    [['-f', 'a=b=c'], { a: 'b=c' }],
    [['-f', 'a[b]=c', '-f', 'a[d][e]=f'], { a: { b: 'c', d: { e: 'f' } } }],
    [['-F', 'a[]=1', '-f', 'a[]=2'], { a: [1, '2'] }],
    [['-f', 'a[b][]=1', '-f', 'a[b][]=2', '-f', 'a[c]=3'], { a: { b: ['1', '2'], c: '3' } }],
    [
      ['-f', 'a[][b]=1', '-F', 'a[][c]=2', '-f', 'a[][b]=3', '-F', 'a[][c]=4'],
      {
        a: [
          { b: '1', c: 2 },
          { b: '3', c: 4 },
        ],
      },
    ],
    [['-F', 'a[][b]=1', '-F', 'a[][b]=2'], { a: [{ b: 1 }, { b: 2 }] }],
    [
      ['-f', 'a[][t][]=1', '-f', 'a[][t][]=2', '-f', 'a[][n]=x', '-f', 'a[][n]=y'],
      { a: [{ t: ['1', '2'], n: 'x' }, { n: 'y' }] },
    ],
    [['-f', 'a[]'], { a: [] }],
    [['-fa=1', '-Fb=2', '--raw-field=c=3', '--field', 'd=4'], { a: '1', b: 2, c: '3', d: 4 }],
    [['-f', 'a=--yes', '-f', 'b=-n'], { a: '--yes', b: '-n' }],
    [['-F', `a=@${fileOf('value.txt', 'true\n')}`], { a: 'true\n' }],
  ];
  test.each(table)('%j build the expected body', async (words, expected) => {
    const result = await run(['POST', '/things', ...words], { send: replying({}) });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.requests[0]!.body!)).toEqual(expected);
    expect(result.requests[0]!.headers['content-type']).toBe('application/json');
  });

  test('treat __proto__ as an ordinary key', async () => {
    const { requests } = await run(['POST', '/x', '-f', '__proto__[a]=1', '-f', 'b=2'], { send: replying({}) });
    expect(requests[0]!.body).toBe('{"__proto__":{"a":"1"},"b":"2"}');
  });

  test('read a value from stdin, but only one', async () => {
    const { requests } = await run(['PATCH', '/x', '-F', 'a=@-'], { stdin: 'für', send: replying({}) });
    expect(requests[0]!.body).toBe('{"a":"für"}');
    expect(await run(['PATCH', '/x', '-F', 'a=@-', '-F', 'b=@-'])).toMatchObject({ code: 2, requests: [] });
    expect(await run(['PATCH', '/x', '-F', 'a=@-', '--input', '-'])).toMatchObject({ code: 2, requests: [] });
  });

  test('become the query of a GET, with their names as typed', async () => {
    const { requests } = await run(['GET', '/x?z=0', '-F', 'a[]=1', '-f', 'b[c]=ü&', '-F', 'd=null'], {
      send: replying({}),
    });
    expect(requests[0]!.url).toBe(`${base}/x?z=0&a%5B%5D=1&b%5Bc%5D=%C3%BC%26&d=`);
    expect(requests[0]!.body).toBeUndefined();
  });

  test('go in the query if --input is given', async () => {
    const { requests } = await run(['POST', '/x', '-f', 'a=1', '--input', '-'], {
      stdin: ' {"n": 1e400} ',
      send: replying({}),
    });
    expect(requests).toMatchObject([{ url: `${base}/x?a=1`, body: ' {"n": 1e400} ' }]);
  });

  test.each<[string[], string]>([
    [['-f', 'a'], 'is not key=value'],
    [['-f', '=a'], 'is not key=value'],
    [['-f', 'a[b=c'], 'is not key=value'],
    [['-f', 'a]b[=c'], 'is not key=value'],
    [['-f', 'a[][]=c'], 'nests a list in a list'],
    [['-f', 'a=1', '-f', 'a=2'], 'is given twice'],
    [['-f', 'a=1', '-f', 'a[b]=2'], 'is given twice'],
    [['-f', 'a[]=1', '-f', 'a[b]=2'], 'is given twice'],
    [['-F', 'a=99999999999999999999'], 'too large'],
    [['-F', `a=@${folder}/none`], 'no such file'],
    [['-F', `a=@${fileOf('latin1', new Uint8Array([0xfc]))}`], 'not UTF-8'],
  ])('are rejected: %j', async (words, problem) => {
    const result = await run(['POST', '/x', ...words]);
    expect(result).toMatchObject({ code: 2, requests: [] });
    expect(result.stderr).toContain(problem);
  });
});

describe('api: --input', () => {
  test('reports line and column of invalid JSON', async () => {
    const result = await run(['POST', '/x', '--input', fileOf('broken.json', '{\n  "a": 1,\n  b: 2\n}')]);
    expect(result).toMatchObject({ code: 2, requests: [] });
    expect(result.stderr).toContain('expected a quoted name at line 3, column 3');
  });

  test('accepts other content only with its content type', async () => {
    const words = ['POST', '/x', '--input', fileOf('rows.csv', 'a,b\n')];
    expect(await run(words)).toMatchObject({ code: 2, requests: [] });
    const { requests } = await run([...words, '-H', 'Content-Type: text/csv'], { send: replying({}) });
    expect(requests[0]).toMatchObject({ body: 'a,b\n', headers: { 'content-type': 'text/csv' } });
    const typed = await run([...words, '-H', 'content-type: application/merge-patch+json']);
    expect(typed).toMatchObject({ code: 2, requests: [] });
  });

  test('is rejected with GET', async () => {
    expect(await run(['GET', '/x', '--input', '-'], { stdin: '{}' })).toMatchObject({ code: 2, requests: [] });
  });
});

describe('api: -H and -i', () => {
  test("are sent with sched's own headers, and joined if repeated", async () => {
    const { requests } = await run(['/x', '-H', 'X-Trace: a:b', '-H', 'x-trace:c', '--header', 'Accept: text/csv'], {
      send: replying({}),
    });
    expect(requests[0]!.headers).toMatchObject({
      'x-trace': 'a:b, c',
      accept: 'text/csv',
      authorization: `Bearer ${world.token}`,
    });
    expect(requests[0]!.headers['user-agent']).toMatch(/^sched\//);
  });

  test.each([
    'Authorization: Bearer canary',
    'authorization : Bearer canary',
    'Proxy-Authorization: canary',
    'Cookie: canary',
    'X-Api-Key: canary',
    'X-Auth-Token: canary',
    'Host: evil.example',
    'Content-Length: 0',
    'Transfer-Encoding: chunked',
    'Connection: upgrade',
    'Upgrade: h2c',
    'TE: trailers',
    'Expect: 100-continue',
    'User-Agent: canary',
    'X-HTTP-Method-Override: DELETE',
    'X-Original-URL: /canary',
    'X-A: b\r\nAuthorization: canary',
    'X-A: b\ncanary',
    'X-A: canary\u0000',
    'X-A: canäry',
    'X-A:',
    'X A: canary',
    ': canary',
    'canary',
    'X-A\n: canary',
  ])('rejects %j without printing its value', async (header) => {
    const result = await run(['/users/me', '-H', header]);
    expect(result).toMatchObject({ code: 2, requests: [] });
    expect(result.stderr).toContain('-H number 1');
    expect(result.stderr).not.toContain('canary');
  });

  test('--include prints the headers of the reply before the body', async () => {
    const send = replying({
      status: 201,
      headers: { 'content-type': 'application/json', 'x-a': 'b\x1b[2J', 'set-cookie': 'canary=1' },
      body: '{"a":1}',
    });
    const { stdout } = await run(['POST', '/x', '-i'], { send });
    expect(stdout).toBe(
      'HTTP/1.1 201 Created\ncontent-type: application/json\nx-a: b\\x1b[2J\nset-cookie: [not shown]\n\n{\n  "a": 1\n}\n',
    );
  });
});

describe('api: output', () => {
  const hostile = '{"b":12345678901234567890,"a":"\u202e\u009b","a":[],"__proto__":{"x":1.0},"s":"\\"{\\\\"}';

  test.each([[[]], [['stdout', 'stderr']]])(
    'is the whole reply with control characters escaped (terminals %j)',
    async (terminals) => {
      const { stdout } = await run(['/x'], { terminals, send: replying({ body: hostile }) });
      expect(stdout).toBe(
        [
          '{',
          '  "b": 12345678901234567890,',
          '  "a": "\\u202e\\u009b",',
          '  "a": [],',
          '  "__proto__": {',
          '    "x": 1.0',
          '  },',
          '  "s": "\\"{\\\\"',
          '}\n',
        ].join('\n'),
      );
    },
  );

  test('is JSON even if SCHED_OUTPUT is set, and one line with -o jsonl', async () => {
    const env = { SCHED_OUTPUT: 'table' };
    const { stdout } = await run(['/users/me'], { env, terminals: ['stdout'] });
    expect(JSON.parse(stdout).resource.name).toBe('Amara Lindqvist');
    const line = await run(['/users/me', '-o', 'jsonl']);
    expect(line.stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(line.stdout)).toEqual(JSON.parse(stdout));
  });

  test('is the envelope, or the chosen fields of its records', async () => {
    expect(Object.keys(jsonOf(await run(['/event_types?user={user}', '--json'])))).toEqual([
      'collection',
      'pagination',
    ]);
    const rows = jsonOf(await run(['/event_types?user={user}', '--json=name,duration']));
    expect(rows.length).toBeGreaterThan(1);
    expect(Object.keys(rows[0])).toEqual(['name', 'duration']);
    expect(jsonOf(await run(['/users/me', '--fields', 'email']))).toEqual({
      email: 'amara.lindqvist@northlight.example',
    });
    expect((await run(['/users/me', '-o', 'id'])).stdout).toMatch(/^http.*\/users\/\w+\n$/);
  });

  test('validates fields only if the record type is known', async () => {
    const known = await run(['/users/me', '--json=nmae']);
    expect(known).toMatchObject({ code: 2, stdout: '' });
    expect(known.stderr).toContain('Did you mean \\"name\\"?');
    const write = await run(['POST', '/shares', '--json=nmae', '-f', 'event_type=x']);
    expect(write).toMatchObject({ code: 2, requests: [] });
    const send = replying({ body: '{"resource":{"nmae":1,"b":2}}' });
    expect(jsonOf(await run(['/things/1', '--json=nmae'], { send }))).toEqual({ nmae: 1 });
    expect(await run(['/things', '-o', 'tsv'], { send })).toMatchObject({ code: 2, requests: [] });
    expect(
      (await run(['/things', '-o', 'csv', '--fields', 'a,b'], { send: replying({ body: '[{"a":1,"b":2}]' }) })).stdout,
    ).toBe('a,b\r\n1,2\r\n');
  });

  test('is unchanged text in a pipe, and escaped text on a terminal', async () => {
    const send = replying({ headers: { 'content-type': 'text/html' }, body: '<p>\x1b[31m\n::error::x' });
    expect(await run(['/x'], { send })).toMatchObject({ code: 0, stdout: '<p>\x1b[31m\n::error::x' });
    expect((await run(['/x'], { send, terminals: ['stdout'] })).stdout).toBe('<p>\\x1b[31m\n::error::x\n');
    expect(await run(['PUT', '/x'], { send: replying({ status: 204, body: '' }) })).toMatchObject({
      code: 0,
      stdout: '',
    });
  });

  const html = { headers: { 'content-type': 'text/html' }, body: '<html>hello</html>' };
  const formats = ['--json', '--json=a', '--jq .', '--fields a', '-o json', '-o jsonl', '-o yaml', '-o id'];

  test.each(sample([...formats, '-o csv --fields a'], 2))(
    'is only JSON with an output format, otherwise exit code 13: %s',
    async (format) => {
      const asked = format.split(' ');
      for (const body of [html.body, 'a,b', '', '{"a":']) {
        for (const more of [[], ['--silent']]) {
          const read = await run(['/x', ...asked, ...more], { send: replying({ ...html, body }) });
          expect([body, read.code, read.stdout]).toEqual([body, 13, '']);
          expect(read.stderr).toContain('The service sent a reply that is not JSON');
        }
      }
      // R26: a write that the service accepted has succeeded; nothing is printed, as after a 204.
      for (const method of ['POST', 'PATCH', 'PUT']) {
        const written = await run([method, '/x', ...asked], { send: replying(html) });
        expect([method, written.code, written.stdout, written.requests.length]).toEqual([method, 0, '', 1]);
        expect(written.stderr).toContain('The service accepted this (HTTP 200), but its reply is not JSON');
      }
      for (const [method, code] of [
        ['GET', 9],
        ['POST', 10],
      ] as const) {
        const failed = await run([method, '/x', ...asked], { send: replying({ ...html, status: 502 }) });
        expect([method, failed.code, failed.stdout]).toEqual([method, code, '']);
      }
    },
  );

  test('is only JSON with --paginate, otherwise exit code 13', async () => {
    const { code, stdout } = await run(['/x', '--paginate'], { send: replying(html) });
    expect([code, stdout]).toEqual([13, '']);
  });

  test('is the unchanged reply without a format, with the exit code of its status', async () => {
    expect(await run(['/x'], { send: replying(html) })).toMatchObject({ code: 0, stdout: html.body });
    expect(await run(['POST', '/x'], { send: replying(html) })).toMatchObject({ code: 0, stdout: html.body });
    expect(await run(['/x'], { send: replying({ ...html, status: 502 }) })).toMatchObject({
      code: 9,
      stdout: html.body,
    });
  });

  test('without records to choose fields from is an error for a read and a note for a write', async () => {
    const send = replying({ status: 201, body: '7' });
    expect(await run(['/x', '--json=a'], { send })).toMatchObject({ code: 13, stdout: '' });
    const written = await run(['POST', '/x', '--json=a'], { send });
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(written.stderr).toContain('The service accepted this (HTTP 201), but its reply has no records');
  });

  test('is empty with --silent', async () => {
    expect(await run(['/users/me', '--silent'])).toMatchObject({ code: 0, stdout: '' });
    expect(await run(['/users/NOBODY', '--silent'])).toMatchObject({ code: 6, stdout: '' });
  });

  test('stays small if a hostile reply is deeply nested', async () => {
    const body = `${'['.repeat(4000)}${']'.repeat(4000)}`;
    const { code, stdout } = await run(['/x'], { send: replying({ body }) });
    expect(code).toBe(0);
    expect(stdout.length).toBeLessThan(2_000_000);
    expect(stdout.replace(/\s/g, '')).toBe(body);
  });
});

describe('api: failures', () => {
  test.each<[number, number]>([
    [400, 2],
    [401, 4],
    [403, 5],
    [404, 6],
    [409, 7],
    [422, 2],
    [302, 13],
    [500, 9],
  ])('a read with HTTP %i exits with %i, prints the body on stdout and the cause on stderr', async (status, exit) => {
    const { code, stdout, stderr } = await run(['/x'], {
      send: replying({ status, body: '{"title":"T","message":"because"}' }),
    });
    expect(code).toBe(exit);
    expect(JSON.parse(stdout)).toEqual({ title: 'T', message: 'because' });
    expect(stderr).toContain('cause: T: because');
  });

  test.each([
    ['5xx', replying({ status: 503, body: 'later' }), 10],
    ['a lost reply', async () => Promise.reject(new NetworkFailure('127.0.0.1', 'reset', true)), 10],
    ['no connection', async () => Promise.reject(new NetworkFailure('127.0.0.1', 'refused', false)), 9],
    ['invalid JSON', replying({ body: '{"a":' }), 10],
    [
      'a truncated 2xx',
      async () => Promise.reject(new NetworkFailure('127.0.0.1', 'reset', true, { status: 201 })),
      10,
    ],
  ] as [string, Send, number][])('a write that gets %s is sent once (case %#)', async (_, send, exit) => {
    const { code, requests } = await run(['POST', '/things', '-f', 'a=1'], { send });
    expect(code).toBe(exit);
    if (exit === 10) expect(requests).toHaveLength(1);
  });

  // R26: for a change any 2xx is success; a known creation has succeeded if its reply is complete.
  test.each<[string, string, string, number]>([
    ['PATCH', '/things/1', '{"a":', 0],
    ['PATCH', '/event_types/X', '<html>', 0],
    ['POST', '/invitees/X/no_show', '{"resource":', 0],
    ['POST', '/shares', '[]', 0],
    ['POST', '/shares', '', 0],
    ['POST', '/shares', '<html>', 10],
    ['POST', '/event_types', '{"resource":', 10],
  ])('%s %s with the reply %j is sent once and exits with %i', async (method, path, body, exit) => {
    const { code, requests } = await run([method, path, '-f', 'a=1', '--yes'], {
      send: replying({ status: 201, body }),
    });
    expect([code, requests.length]).toEqual([exit, 1]);
  });

  test.each([
    ['PATCH', '/things/1'],
    ['POST', '/invitees/X/no_show'],
  ])('%s %s with a truncated 2xx succeeds and is sent once', async (method, path) => {
    const send: Send = async () => Promise.reject(new NetworkFailure('127.0.0.1', 'reset', true, { status: 200 }));
    const { code, requests } = await run([method, path, '--yes'], { send });
    expect([code, requests.length]).toEqual([0, 1]);
  });

  test('reports all problems together, without repeating the arguments', async () => {
    const { code, stderr, requests } = await run([
      'FETCH',
      '/a/../b',
      '-H',
      'Cookie: x',
      '-f',
      'a',
      '--limit',
      '0',
      '--nope',
      '--tz',
      'Nowhere',
    ]);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    for (const part of ['METHOD', '..', '-H number 1', '-f "a"', '--limit', '--nope', 'Nowhere'])
      expect(stderr).toContain(part);
    expect(stderr).not.toContain('try:');
  });
});

describe('api --paginate', () => {
  test("prints one array with the same items as the list's own command", async () => {
    const listed = jsonOf(await world.run('events list --status active --since 2026-11-10 --json'));
    const result = await run([
      '/scheduled_events',
      '-f',
      'status=active',
      '-f',
      'user={user}',
      '-f',
      'min_start_time=2026-11-10T00:00:00+01:00',
      '--paginate',
      '--page-size',
      '7',
    ]);
    expect(jsonOf(result)).toEqual(listed);
    const pages = result.requests.filter(({ url }) => url.includes('/scheduled_events'));
    expect(pages).toHaveLength(Math.ceil(listed.length / 7));
    expect(
      pages.every(
        ({ url }) =>
          url.startsWith(`${base}/scheduled_events?`) && url.includes('status=active') && url.includes('count=7'),
      ),
    ).toBe(true);
  });

  test('accepts a limit, a count as page size, and output formats', async () => {
    const { stdout, requests } = await run([
      '/scheduled_events?user={user}&count=4',
      '--paginate',
      '--limit',
      '6',
      '-o',
      'id',
    ]);
    expect(stdout.trim().split('\n')).toHaveLength(6);
    expect(requests.slice(1).map(({ url }) => new URL(url).searchParams.get('count'))).toEqual(['4', '2']);
    const lines = await run([
      '/scheduled_events?user={user}',
      '--paginate',
      '--limit',
      '3',
      '-o',
      'jsonl',
      '--fields',
      'name',
    ]);
    expect(lines.stdout).toMatch(/^(\{"name":".*"\}\n){3}$/);
  });

  test('works with a list that has no pages', async () => {
    const { requests, ...result } = await run(['/locations?user={user}', '--paginate']);
    expect(jsonOf({ requests, ...result }).length).toBeGreaterThan(0);
    expect(requests.at(-1)!.url).not.toContain('count');
  });

  test.each([[['A', 'A']], [['A', 'B', 'A']]])('stops if page tokens repeat: %j', async (tokens) => {
    let page = 0;
    const send: Send = async (request) =>
      replying({
        body: JSON.stringify({
          collection: [{ n: page }],
          pagination: { next_page: 'https://evil.example/', next_page_token: tokens[page++ % tokens.length] },
        }),
      })(request);
    const { code, stderr, stdout, requests } = await run(['/things', '--paginate'], { send });
    expect(code).toBe(13);
    expect(stderr).toContain(`incomplete: ${tokens.length} rows written`);
    expect(() => JSON.parse(stdout)).toThrow();
    expect(requests.every(({ url }) => url.startsWith(`${base}/things?count=100`))).toBe(true);
  }); // R40

  // R40
  test('stops after a hundred empty pages, even if each has a new page token', async () => {
    let page = 0;
    const send: Send = async (request) =>
      replying({
        body: JSON.stringify({ collection: [], pagination: { next_page_token: page++ < 1000 ? `T${page}` : null } }),
      })(request);
    const { code, requests, stderr } = await run(['/things', '--paginate', '--json'], { send });
    expect([code, requests.length]).toEqual([13, 100]);
    expect(JSON.parse(stderr).error.cause).toBe('100 empty pages in a row, each with a next page');
  });

  test('continues after an empty page with a page token, and stops when the reader closes the pipe', async () => {
    const replies = [
      { collection: [], pagination: { next_page_token: 'A' } },
      { collection: [{ a: 1 }], pagination: {} },
    ];
    const send: Send = async (request) => replying({ body: JSON.stringify(replies.shift()) })(request);
    expect(jsonOf(await run(['/things', '--paginate'], { send }))).toEqual([{ a: 1 }]);
    const { code, requests } = await run(['/scheduled_events?user={user}', '--paginate', '--page-size', '5'], {
      closeAfter: 100,
    });
    expect(code).toBe(0);
    expect(requests.filter(({ url }) => url.includes('/scheduled_events'))).toHaveLength(1);
  });

  test.each([
    ['POST /things --paginate'],
    ['/users/me --paginate'],
    ['/things --paginate --include'],
    ['/things --limit 3'],
    ['/things?count=3 --paginate --page-size 3'],
    ['/things --paginate --page-size 101'],
  ])('is rejected in %s', async (line) => {
    expect(await run(line.split(' '))).toMatchObject({ code: 2, requests: [] });
  });

  test('names all that does not go together', async () => {
    const messageOf = async (line: string) =>
      JSON.parse((await run([...line.split(' '), '--json'])).stderr).error.message;
    expect(await messageOf('/things?count=3 --paginate --include --page-size 101 --if-absent')).toBe(
      [
        '--page-size must be a whole number from 1 to 100, not "101"',
        "--page-size can't be used with count",
        '--if-absent works only with POST /invitees',
        "--include can't be used with --paginate, which gets many replies",
      ].join('; '),
    );
    expect(await messageOf('/things --limit 3 --page-size 3')).toBe(
      '--limit needs --paginate; --page-size needs --paginate',
    );
  });

  test('fails with exit code 13 if the reply is not a list', async () => {
    expect(await run(['/things', '--paginate'], { send: replying({ body: '{"resource":{}}' }) })).toMatchObject({
      code: 13,
    });
  });
});

describe('api: confirmation', () => {
  const asking: string[][] = [
    ['POST', '/scheduled_events/X/cancellation'],
    ['post', 'scheduled_events/X/cancellation', '-f', 'reason=-y'],
    ['POST', `${base}/scheduled_events/X/cancellation`],
    ['POST', '/Scheduled_Events/X/%63ancellation'],
    ['POST', '/scheduled_events/X/cancellation;a=b'],
    ['POST', '/scheduled_events/X/cancellation.json'],
    ['PUT', '/v2/scheduled_events/X/cancellation'],
    ['PATCH', '/event_type_availability_schedules/X', '-f', 'timezone=UTC'],
    ['PATCH', '/event_type_availability_schedules', '-f', 'timezone=UTC'],
    ['POST', '/data_compliance/invitee_deletion', '-f', 'emails[]=ada@engine.example'],
    ['POST', '/data_compliance/deletion/invitees', '-f', 'emails[]=ada@engine.example'],
    ['PUT', '/v2/data_compliance'],
    ['DELETE', '/things/1'],
    ['DELETE', '/scheduled_events/X'],
    ['POST', '/invitees/X/no_show'],
    ['PUT', '/v2/no_show/X'],
  ];
  test.each(asking)('is required for %s %s', async (...words) => {
    const result = await run(words);
    expect(result).toMatchObject({ code: 12, requests: [] });
    expect(result.stderr).toContain('--yes');
    expect(await run([...words, '--dry-run'])).toMatchObject({ code: 0, requests: [] });
    const sent = await run([...words, '--yes'], { send: replying({}) });
    expect(sent.code).toBe(0);
    expect(sent.requests).toHaveLength(1);
  });

  test('is asked for on a terminal, and no stops the request', async () => {
    const uri = await firstEvent();
    const no = await run(['POST', `${uri}/cancellation`], { terminals, stdin: 'n\n' });
    expect({ code: no.code, writes: writes(no) }).toEqual({ code: 12, writes: [] });
    expect(no.stderr).toMatch(/^Cancel "[^"]+" and notify [^?]+\?\n {2}× \w{3} \d+ Nov .* · .*\n.* · Europe\/Paris\n/);
    const yes = await run(['POST', `${uri}/cancellation`, '-f', 'reason=ill'], { terminals, stdin: 'y\n' });
    expect(jsonOf(yes).resource.status).toBe('canceled');
  });

  test.each([
    ['POST', '/things'],
    ['PATCH', '/event_types/X'],
    ['GET', '/scheduled_events/X/cancellation'],
    ['GET', '/data_compliance/status'],
    ['GET', '/event_type_availability_schedules'],
  ])('is not required for %s %s', async (...words) => {
    expect(await run(words, { send: replying({}) })).toMatchObject({ code: 0 });
  });

  test('is required if the base URL contains the sensitive part of the path', async () => {
    const env = { SCHED_BASE_URL: `${base}/data_compliance` };
    expect(await run(['POST', '/invitee_deletion'], { env })).toMatchObject({ code: 12, requests: [] });
    const send = replying({ body: '{"email":"ada@engine.example"}' });
    expect((await run(['POST', '/invitee_deletion', '--yes'], { env, send })).stdout).toBe(
      '{"status":200,"body_bytes":30}\n',
    );
  });

  test('is required for every spelling of a sensitive path', async () => {
    const letter = (char: string) => {
      const hex = char.charCodeAt(0).toString(16).padStart(2, '0');
      const wide =
        char >= 'a' && char <= 'z' ? encodeURIComponent(String.fromCodePoint(char.codePointAt(0)! + 0xfee0)) : char;
      return fc.constantFrom(char, char.toUpperCase(), `%${hex}`, `%${hex.toUpperCase()}`, wide);
    };
    const spelled = fc
      .constantFrom('data_compliance', 'cancellation', 'event_type_availability_schedules', 'no_show')
      .chain((word) => fc.tuple(...[...word].map(letter)).map((letters) => letters.join('')));
    const segments = fc.array(fc.constantFrom('v2', 'X', 'scheduled_events', 'a;b=c', '%41'), { maxLength: 3 });
    const paths = fc
      .tuple(
        fc.constantFrom('/', '', `${base}/`),
        segments,
        spelled,
        fc.constantFrom('', '.json', ';a=b', 's'),
        segments,
      )
      .chain(([root, before, word, ending, after]) =>
        fc.constantFrom('', '/').map((end) => `${root}${[...before, `${word}${ending}`, ...after].join('/')}${end}`),
      );
    const methods = fc.constantFrom('POST', 'PATCH', 'PUT', 'DELETE', 'post', 'Delete');
    await fc.assert(
      fc.asyncProperty(methods, paths, async (method, path) => {
        const { code, requests } = await run([method, path, '--no-input'], { send: replying({}) });
        // An empty segment is rejected before the prompt.
        expect([path, code, requests]).toEqual([path, path.endsWith('/') ? 2 : 12, []]);
      }),
      runs(20, 300),
    );
  });
});

describe('api on /data_compliance', () => {
  const path = '/data_compliance/invitee_deletion';
  const address = 'ada@engine.example';
  const file = fileOf('deletion.json', `{"emails":["${address}"]}`);
  const quoting = (status: number) =>
    replying({
      status,
      headers: { 'content-type': 'application/json', 'x-request-id': address, 'x-a': address },
      body: `{"title":"T","message":"${address}"}`,
    });

  const ways: [string[], Send?][] = [
    [['POST', path, '-f', `emails[]=${address}`]],
    [['POST', path, '-f', `emails[]=${address}`, '-n']],
    [['POST', path, '-f', `emails[]=${address}`, '--curl']],
    [['POST', path, '--input', file, '-n', '-v']],
    [['POST', path, '--input', file, '-y', '-v', '-i']],
    [['POST', path, '-f', `emails[]=${address}`, '-y', '-v', '-i'], quoting(202)],
    [['POST', path, '-f', `emails[]=${address}`, '-y', '-v', '-i'], quoting(400)],
    [['POST', path, '-f', `emails[]=${address}`, '-y', '-o', 'jsonl'], quoting(500)],
    [['POST', path, '-f', `emails[]=${address}`, '-y', '--json=a'], quoting(202)],
    [['POST', '/%64ata_compliance/invitee_deletion', '-f', `emails[]=${address}`, '-y'], quoting(400)],
    [['POST', '/%2564ata_compliance/x', '-f', `emails[]=${address}`, '-f', address, '-y'], quoting(400)],
    [['POST', '/v2/Data_Compliance/deletion/invitees', '-f', `emails[]=${address}`], quoting(202)],
    [['POST', '/v2/Data_Compliance/deletion/invitees', '-f', `emails[]=${address}`, '-n'], quoting(202)],
    [['POST', '/v2/Data_Compliance/deletion/invitees', '-f', `emails[]=${address}`, '--curl'], quoting(202)],
    [['POST', '/v2/Data_Compliance/deletion/invitees', '-f', `emails[]=${address}`, '-y', '-v', '-i'], quoting(202)],
    [['PUT', '/data_compliance/other', '-f', `emails[]=${address}`, '-y', '-v', '--json'], quoting(422)],
    [['/data_compliance/other', '-v'], quoting(200)],
    [['/data_compliance/other', '--jq', '.message'], quoting(200)],
    [['/data_compliance/other', '--paginate'], replying({ body: `{"collection":[{"email":"${address}"}]}` })],
    [['POST', `${path}?emails=${address}`, '-y', '-v']],
    [['POST', `${path}/${address}`, '-y', '-v']],
    [['POST', '/data_compliance/other/ada', '-f', 'a=1']],
    [['POST', `${path}/../${address}`]],
    [['POST', path, address]],
    [[path, '-f', `emails[]=${address}`]],
    [['POST', path, '-f', address]],
    [['POST', path, '-f', `${address}=1`, '-f', `${address}=2`]],
    [['POST', path, '-F', `a=@${address}`]],
    [['POST', path, '-f', `a=${address}`, '--input', file]],
    [[path, address]],
    [[address, path]],
  ];
  test.each(ways)('prints no address: %j', async (words, send) => {
    for (const terminals of [[], ['stdout', 'stderr']]) {
      const { stdout, stderr } = await run(words, { terminals, ...(send ? { send } : {}) });
      expect(`${stdout}${stderr}`).not.toMatch(/ada|engine\.example/);
      expect(`${stdout}${stderr}`).not.toBe('');
    }
  }); // R49

  test('prints sizes instead', async () => {
    expect(await planned(['POST', path, '-f', `emails[]=${address}`])).toEqual({
      method: 'POST',
      url: `${base}${path}`,
      body_bytes: 33,
    });
    const { requests, ...result } = await run(['POST', path, '-f', `emails[]=${address}`, '--yes']);
    expect(jsonOf({ requests, ...result })).toEqual({ status: 202, body_bytes: 2 });
    expect(requests[0]!.body).toBe(`{"emails":["${address}"]}`);
  });
});

describe('api: shared flags and help', () => {
  test.each([
    ['-f', 'count=1'],
    ['--paginate', '--limit', '1'],
  ])('-o table names the columns that are hidden (%s)', async (...more) => {
    const words = ['/event_types', '-f', 'user={user}', ...more, '-o', 'table'];
    const { stderr } = await run(words, { terminals: outputs, columns: 24 });
    expect(stderr).toMatch(/ hidden: terminal\n* *too narrow\n$/);
  });

  test('--dry-run prints the request without secrets', async () => {
    const words = ['POST', '/things?x=1', '-F', 'a[]=1', '-H', 'X-Trace: 1'];
    expect(await planned(words)).toEqual({
      method: 'POST',
      url: `${base}/things?x=1`,
      headers: { 'x-trace': '1' },
      body: { a: [1] },
    });
    const { stdout, requests } = await run([...words, '-n']);
    expect(stdout).not.toContain(world.token);
    expect(requests).toEqual([]);
  });

  test('--curl prints a line without the token, and sends nothing', async () => {
    const { stdout, requests } = await run(['POST', '/things', '-f', 'a=1', '-H', 'X-Trace: 1', '--curl']);
    expect(stdout).toContain(`curl -X POST ${base}/things -H 'Authorization: Bearer '"$SCHED_TOKEN"`);
    expect(stdout).toContain(`-H 'x-trace: 1' --data '{"a":"1"}'`);
    expect({ requests, token: stdout.includes(world.token) }).toEqual({ requests: [], token: false });
  });

  test('--jq filters the reply, or the items with --paginate, but not an error reply', async () => {
    expect(await run(['/users/me', '--jq', '.resource.name'])).toMatchObject({ code: 0, stdout: 'Amara Lindqvist\n' });
    const counted = await run(['/scheduled_events?user={user}', '--paginate', '--limit', '3', '--jq', 'length']);
    expect(counted.stdout).toBe('3\n');
    const refused = await run(['/users/NOBODY', '--jq', '.title']);
    expect(refused.code).toBe(6);
    expect(JSON.parse(refused.stdout).title).toBe('Resource Not Found');
  });

  test('--input and --no-input can be combined', async () => {
    for (const words of [
      ['--no-input', '--input', '-'],
      ['--input', '-', '--no-input'],
    ]) {
      const terminals = ['stdin', 'stderr'];
      const { code, stderr } = await run(['POST', '/scheduled_events/X/cancellation', ...words], {
        terminals,
        stdin: '{}',
      });
      expect(code).toBe(12);
      expect(stderr).toContain('there is no terminal to ask on');
    }
  });

  test('-v traces without secrets', async () => {
    const { stderr } = await run(['/users/me', '-v']);
    expect(stderr).toContain(`→ GET ${base}/users/me`);
    expect(stderr).not.toContain(world.token);
  });

  test('shows help under its own name, with its own --header', async () => {
    for (const line of ['api --help', 'help api', 'api /users/me -h']) {
      const { stdout, code } = await world.run(line);
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: sched api [METHOD] <path> [flags]');
      expect(stdout.match(/--header/g)).toHaveLength(1);
    }
    expect((await world.run('help')).stdout).toMatch(/^ {2}api /m);
  });
});

describe('api: a list in the catalogue', () => {
  test('has the same default scope as its own command', async () => {
    const { run } = await createWorld();
    const own = JSON.parse((await run('events list --status active --json')).stdout);
    expect(JSON.parse((await run('api /scheduled_events -f status=active --paginate')).stdout)).toHaveLength(
      own.length,
    );
    const { requests } = await run("api /scheduled_events -f 'organization={organization}' --paginate --limit 1");
    expect(requests.at(-1)!.url).not.toContain('user=');
  });
});
