import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';
import { leaksIn } from '../support/canary.ts';
import { createWorld, terminals, type WorldOptions } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

/*
 * R12, with a service that quotes the token it was sent. test/support/run.ts searches the output of each run for the
 * token in all its forms; these tests make the service quote it.
 */

const token = 'canary+Token/0123456789-abcdefghij~klmnopqrstuvwxyz';
const baseUrl = 'http://127.0.0.1:4010';
const env = { SCHED_TOKEN: token, SCHED_BASE_URL: baseUrl };
const hex = (char: string) => char.charCodeAt(0).toString(16).padStart(2, '0');

/** Forms in which a service may quote the token, each as text and as the content of a JSON string. */
const forms: Record<string, { text: string; json: string }> = Object.fromEntries(
  Object.entries({
    plain: token,
    'after Bearer': `Bearer ${token}`,
    'percent-encoded': encodeURIComponent(token),
    'percent-encoded letter by letter': [...token].map((char) => `%${hex(char)}`).join(''),
    'percent-encoded twice': encodeURIComponent(encodeURIComponent(token)),
    base64: Buffer.from(token).toString('base64'),
    'base64 after Bearer': Buffer.from(`Bearer ${token}`).toString('base64'),
    'base64url with a user': Buffer.from(`me:${token}`).toString('base64url'),
    hex: Buffer.from(token).toString('hex'),
    'HTML entities': [...token].map((char) => `&#${char.charCodeAt(0)};`).join(''),
  }).map(([name, text]) => [name, { text, json: JSON.stringify(text).slice(1, -1) }]),
);
forms['JSON with escaped slashes'] = { text: token, json: token.replaceAll('/', '\\/') };
forms['JSON with every letter escaped'] = {
  text: token,
  json: [...token].map((char) => `\\u00${hex(char)}`).join(''),
};

const world = await createWorld();

const json = { 'content-type': 'application/json' };

/** An event with the token in every text. */
const event = (said: string) =>
  `{"uri":"${baseUrl}/scheduled_events/${said}","name":"${said}","status":"active","start_time":"2026-11-16T09:00:00Z","end_time":"2026-11-16T09:30:00Z","event_type":"${said}","location":{"type":"custom","location":"${said}"},"invitees_counter":{"total":1},"created_at":"2026-11-01T09:00:00Z","event_memberships":[{"user":"${said}","user_email":"${said}","user_name":"${said}"}],"${said}":"${said}"}`;

/** The service's reply, by the place where it quotes the token. */
const places: Record<string, (form: { text: string; json: string }) => Partial<HttpReply>> = {
  'a title': ({ json: said }) => ({ status: 400, headers: json, body: `{"title":"${said}","message":"no"}` }),
  'a message': ({ json: said }) => ({ status: 403, headers: json, body: `{"title":"No","message":"not ${said}"}` }),
  'a truncated message': ({ json: said }) => ({
    status: 403,
    headers: json,
    body: `{"title":"${'x'.repeat(470)}","message":"${said} ${said}"}`,
  }),
  details: ({ json: said }) => ({
    status: 400,
    headers: json,
    body: `{"title":"No","details":[{"parameter":"${said}","message":"${said}"}]}`,
  }),
  scopes: ({ json: said }) => ({ status: 403, headers: json, body: `{"required_scopes":["${said}"]}` }),
  'an OAuth error': ({ json: said }) => ({
    status: 401,
    headers: { ...json, 'www-authenticate': 'Bearer' },
    body: `{"error":"invalid_token","error_description":"${said}"}`,
  }),
  'headers of a success': ({ text, json: said }) => ({ status: 200, headers: everyHeader(text), body: event(said) }),
  'headers of a 404': ({ text }) => ({ status: 404, headers: everyHeader(text), body: '{}' }),
  'headers of a 429': ({ text }) => ({ status: 429, headers: { ...everyHeader(text), 'retry-after': '9999' } }),
  'headers of a 503': ({ text }) => ({ status: 503, headers: everyHeader(text), body: text }),
  'the content type': ({ text }) => ({
    status: 200,
    headers: { 'content-type': `text/html; x=${text}` },
    body: text,
  }),
  'an HTML page': ({ text }) => ({ status: 200, headers: { 'content-type': 'text/html' }, body: `<p>${text}</p>` }),
  'an HTML page with status 502': ({ text }) => ({ status: 502, headers: { 'content-type': 'text/html' }, body: text }),
  'a redirect to another host': ({ text }) => ({ status: 302, headers: { location: `https://evil.example/${text}` } }),
  'a redirect to itself': ({ text }) => ({ status: 302, headers: { location: `/x?${text}` } }),
  records: ({ json: said }) => ({
    status: 200,
    headers: json,
    body: `{"collection":[${event(said)}],"resource":${event(said)},"pagination":{"next_page_token":null}}`,
  }),
  'a cursor': ({ json: said }) => ({
    status: 200,
    headers: json,
    body: `{"collection":[],"pagination":{"next_page_token":"${said}","next_page":"${baseUrl}/?page_token=${said}"}}`,
  }),
  'an invalid record': ({ json: said }) => ({
    status: 200,
    headers: json,
    body: `{"resource":{"uri":5,"${said}":1}}`,
  }),
  'broken JSON': ({ json: said }) => ({ status: 200, headers: json, body: `{"a":"${said}` }),
};

const everyHeader = (text: string) => ({
  ...json,
  'x-request-id': text,
  location: `${baseUrl}/${text}`,
  'www-authenticate': `Bearer error="invalid_token", error_description="${text}"`,
  link: `<${text}>; rel=next`,
  'x-debug': text,
});

const lines = [
  'events list --user me -v',
  'events list --user me --json -v',
  'events list --user me -o jsonl',
  'events list --user me -o csv',
  'events list --user me -o yaml',
  'events list --user me -o id',
  'events list --user me -o table',
  'events list --user me -o table --accessible',
  'events list --user me --jq .[].name',
  'events get EVENT123',
  'events get EVENT123 -o table',
  'events get EVENT123 --json',
  'events get EVENT123 -o csv',
  'api /scheduled_events/EVENT123 -i -v',
  'api /scheduled_events/EVENT123 -i -o yaml',
  'api /scheduled_events --paginate --limit 5 -o jsonl',
  'api POST /event_types -f name=x --json',
  'event-types create --name x --owner https://x.example/users/U -v',
  'users me --json',
];

/** One command of each kind, for forms that differ only in their encoding. */
const few = lines.filter((line) => /--json -v$|EVENT123 -o table$|-i -v$|^event-types/.test(line));
const linesFor = (form: string) => (/^plain|every letter escaped/.test(form) ? lines : few);

const quotes = Object.keys(places).flatMap((place) =>
  Object.keys(forms).flatMap((form) => linesFor(form).map((line) => ({ place, form, line }))),
);

const screens = ['a message', 'records', 'a title', 'a redirect to itself'].flatMap((place) =>
  [20, 33, 40, 53, 80, 120].flatMap((columns) =>
    ['events list --user me', 'events get EVENT123', 'events get EVENT123 -v'].flatMap((line) =>
      (['stdout', 'stderr'] as const).map((terminal) => ({ place, columns, line, terminal })),
    ),
  ),
);

const run = (line: string | string[], send: Send, more: WorldOptions = {}) =>
  world.run(line, { ...more, env: { ...env, ...more.env }, send });

describe('a token that the service quotes', () => {
  const quoting = (place: string, form: string): Send => {
    const reply = places[place]!(forms[form]!);
    return async () => ({ status: 200, headers: {}, body: '', ...reply });
  };

  test.each(sample(quotes, 1, ({ place }) => place))(
    'in $place, $form, is not printed by $line',
    async ({ place, form, line }) => expect((await run(line, quoting(place, form))).requests).not.toEqual([]),
  );

  const eachPlace = sample(screens, 1, ({ place }) => place);
  const eachWidth = sample(screens, 1, ({ columns }) => columns);
  test.each([...new Set([...eachPlace, ...eachWidth])])(
    'in $place is not printed on a terminal with $columns columns that wraps lines: $line, $terminal',
    async ({ place, columns, line, terminal }) => {
      const { stdout, stderr } = await run(line, quoting(place, 'plain'), { columns, terminals: [terminal] });
      expect(leaksIn((stdout + stderr).replace(/\s+/g, ''), [token])).toEqual([]);
    },
  );

  test('is replaced by [token], and the rest is unchanged', async () => {
    const send: Send = async () => ({ status: 200, headers: json, body: `{"resource":${event(forms.plain!.json)}}` });
    const { stdout } = await run('events get EVENT123 --json', send);
    expect(JSON.parse(stdout)).toMatchObject({
      name: '[token]',
      uri: `${baseUrl}/scheduled_events/[token]`,
      status: 'active',
    });
    const api = await run('api /scheduled_events/X -i', async () => ({
      status: 200,
      headers: { ...json, location: `/x?t=${encodeURIComponent(token)}&a=1` },
      body: `{"a":"${forms['JSON with every letter escaped']!.json}","b":1}`,
    }));
    expect(api.stdout).toContain('location: /x?t=[token]&a=1\n');
    expect(api.stdout).toContain('"a": "[token]",\n  "b": 1');
  });

  test('is not printed by a pager', async () => {
    let shown = '';
    const openPager = async () => ({
      isTerminal: true,
      columns: 80,
      write: async (text: string) => {
        shown += text;
      },
      close: async () => {},
    });
    const records = Array.from({ length: 20 }, () => event(forms.plain!.json)).join(',');
    const send: Send = async () => ({
      status: 200,
      headers: json,
      body: `{"resource":{"uri":"${baseUrl}/users/U"},"collection":[${records}]}`,
    });
    await run('events list --user me', send, { openPager, terminals });
    expect(shown).toContain('[token]');
    expect(leaksIn(shown, [token])).toEqual([]);
  });

  test('is not written to any file', async () => {
    const home = temporaryDirectory('secrets');
    const summary = join(home, 'summary.md');
    writeFileSync(join(home, 'people.txt'), 'ada@engine.example\n');
    appendFileSync(summary, '');
    const send: Send = async ({ url }) => ({
      status: url.endsWith('/users/me') ? 200 : 202,
      headers: { ...json, 'x-request-id': forms.base64!.text },
      body: JSON.stringify({
        resource: {
          uri: `${baseUrl}/users/${Buffer.from(token).toString('base64url')}`,
          name: token,
          current_organization: `${baseUrl}/organizations/O`,
        },
      }),
    });
    const line = `compliance delete --from ${join(home, 'people.txt')} --confirm 1 --yes`;
    const { code, stderr } = await run(line, send, { home, env: { GITHUB_STEP_SUMMARY: summary } });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    await run('events list', send, { home });
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const kept = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n');
    expect(kept).toContain('"request":"[token]');
    expect(leaksIn(kept, [token])).toEqual([]);
  });

  test('typed by mistake is not printed', async () => {
    const lines = [
      ['events', 'get', token],
      ['events', 'get', `x${token}`, '--json'],
      ['events', 'list', `--${token}`],
      [token],
      ['events', token],
      ['events', 'list', '--user', token],
      ['api', `/${token}`, '--dry-run'],
      ['api', 'POST', '/event_types', '-f', `name=${token}`, '--dry-run'],
      ['event-types', 'create', '--name', token, '--curl'],
      ['events', 'list', '--jq', token],
    ];
    for (const line of lines) {
      const { stdout, stderr } = await run(line, async () => ({ status: 404, headers: json, body: '{}' }));
      expect(stdout + stderr).not.toBe('');
      expect(leaksIn(stdout + stderr, [token])).toEqual([]);
    }
  });

  test('is not in the stack trace of an internal error', async () => {
    const { code, stderr } = await run(
      'users me',
      async ({ headers }) => {
        throw new TypeError(`cannot read ${headers.authorization}`);
      },
      { env: { SCHED_DEBUG: '1' } },
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('TypeError: cannot read Bearer [token]\n    at ')]);
  });

  test('from a file is not printed, nor is the password of a proxy', async () => {
    const file = join(temporaryDirectory('secrets'), 'token');
    writeFileSync(file, `${token}\n`);
    const password = 'proxy-p@ssword';
    const send: Send = async () => ({
      status: 403,
      headers: json,
      body: JSON.stringify({ title: `${token} ${password}` }),
    });
    const { stderr } = await run('users me', send, {
      env: {
        SCHED_TOKEN: '',
        SCHED_TOKEN_FILE: file,
        HTTPS_PROXY: `http://user:${encodeURIComponent(password)}@proxy.example`,
      },
    });
    expect(stderr).toContain('cause: [token] [password]\n');
  });
});

describe('the tokens of a login that the service quotes are not printed', () => {
  const secret = (kind: string) => `${kind}/canary+${Buffer.from(kind.repeat(3)).toString('hex')}`;
  const [access, refresh, next] = ['access', 'refresh', 'next'].map(secret) as [string, string, string];
  const none = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
  const me = { uri: `${baseUrl}/users/U`, name: 'Ada', current_organization: `${baseUrl}/organizations/O` };
  const form = ({ body }: HttpRequest) => Object.fromEntries(new URLSearchParams(body));

  /** Logs in with --paste. `answer` is the token endpoint. */
  const logIn = async (home: string, answer: (request: HttpRequest) => Partial<HttpReply>) => {
    const redirect = 'http://127.0.0.1:49152/callback';
    const code = secret('code');
    // Random bytes are all zero in this world, so the state is known.
    const state = Buffer.alloc(32).toString('base64url');
    const result = await world.run(
      `auth login --paste --credential-store file --base-url ${baseUrl} --auth-url ${baseUrl} --client-id c`,
      {
        home,
        env: none,
        // Stops the login from timing out.
        clock: { now: world.clock.now, sleep: () => new Promise(() => {}) },
        terminals: ['stdin', 'stderr'],
        stdin: `${redirect}?${new URLSearchParams({ code, state })}`,
        send: async (request) => {
          if (request.url.includes('/.well-known/')) return { status: 404, headers: json, body: '{}' };
          return request.url.includes('/oauth/')
            ? { status: 200, headers: json, body: '{}', ...answer(request) }
            : { status: 200, headers: json, body: JSON.stringify({ resource: { ...me, name: `Ada ${access}` } }) };
        },
      },
    );
    return { ...result, code: result.code, secrets: [code, Buffer.alloc(32).toString('base64url')] };
  };
  const refused = (description: string): Partial<HttpReply> => ({
    status: 400,
    body: JSON.stringify({ error: 'invalid_grant', error_description: description }),
  });
  const issued = {
    status: 200,
    body: JSON.stringify({ access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 5 }),
  };

  test.each(sample(Object.keys({ plain: 1, encoded: 1, base64: 1, 'far back': 1 }), 2))(
    'when the code is rejected: %s',
    async (how) => {
      let sent: Record<string, string> = {};
      const { code, stderr } = await logIn(temporaryDirectory('secrets'), (request) => {
        sent = form(request);
        const said = `${sent.code} and ${sent.code_verifier}`;
        return refused(
          how === 'encoded'
            ? String(request.body)
            : how === 'base64'
              ? Buffer.from(said).toString('base64')
              : how === 'far back'
                ? `${'x'.repeat(170)} ${said}`
                : said,
        );
      });
      expect([code, stderr]).toEqual([4, expect.stringContaining('invalid_grant:')]);
      expect(stderr).toMatch(/\[code\]/);
      expect(leaksIn(stderr, [sent.code!, sent.code_verifier!])).toEqual([]);
      for (const text of [sent.code!, sent.code_verifier!]) expect(stderr).not.toContain(text.slice(0, 6));
    },
  );

  test('when the login is used, refreshed and revoked', async () => {
    const home = temporaryDirectory('secrets');
    const login = await logIn(home, () => issued);
    expect([login.code, login.stderr]).toEqual([0, expect.stringContaining('Logged in as Ada [token]')]);
    const quoting: Send = async (request) =>
      request.url.includes('/oauth/')
        ? { status: 400, headers: json, body: '{}', ...refused(`${request.body} ${access} ${refresh}`) }
        : { status: 401, headers: json, body: JSON.stringify({ title: request.headers.authorization }) };
    const everything: string[] = [];
    for (const line of ['users me -v', 'auth refresh', 'auth status', 'api /users/me -i', 'auth logout']) {
      const { stdout, stderr } = await world.run(line, { home, env: none, send: quoting });
      everything.push(stdout, stderr);
    }
    expect(everything.join('')).toContain('[refresh token]');
    expect(leaksIn(everything.join(''), [access, refresh])).toEqual([]);
  });

  test('after a refresh', async () => {
    const home = temporaryDirectory('secrets');
    await logIn(home, () => issued);
    await world.clock.sleep(60_000);
    const send: Send = async ({ url, headers }) =>
      url.includes('/oauth/')
        ? {
            ...issued,
            headers: json,
            body: JSON.stringify({ access_token: next, token_type: 'Bearer', expires_in: 5000 }),
          }
        : { status: 403, headers: json, body: JSON.stringify({ title: headers.authorization }) };
    const { stderr } = await world.run('users me', { home, env: none, send });
    expect(stderr).toContain('cause: Bearer [token]');
    expect((await world.run('auth token', { home, env: none, send })).stdout).toBe(`${next}\n`);
  });
});
