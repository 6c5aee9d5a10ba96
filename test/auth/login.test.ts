import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { usualServer } from '../../src/auth/auth-server.ts';
import { resultPage } from '../../src/auth/callback-page.ts';
import { type LoginOptions, login, loginTimeoutMs } from '../../src/auth/login.ts';
import { SchedError } from '../../src/base/errors.ts';
import { createSecrets } from '../../src/base/redact.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import { leaksIn } from '../support/canary.ts';
import { gate } from '../support/gate.ts';
import { heldClock } from '../support/held-clock.ts';
import { times } from '../support/tier.ts';
import { until } from '../support/until.ts';
import { everythingIn, memoryStore, random } from './support/memory.ts';
import { canary, createOAuthServer } from './support/oauth-server.ts';

const client = { server: usualServer('https://auth.example.com'), id: 'client-1' };

interface Reply {
  status: number;
  body: string;
  headers: Record<string, unknown>;
}

const visit = (url: string, more: { method?: string; headers?: Record<string, string> } = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    httpRequest(url, { agent: false, ...more }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body, headers: response.headers }));
    })
      .on('error', reject)
      .end();
  });

const isOpen = (port: number, address = '127.0.0.1'): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, address)
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      })
      .once('error', () => resolve(false));
  });

/** A login with `act` as the browser. */
const start = (act: (url: string) => Promise<unknown>, more: Partial<LoginOptions> = {}) => {
  const server = createOAuthServer();
  const { store, texts } = memoryStore();
  const controller = new AbortController();
  const urls: string[] = [];
  const clock = heldClock();
  const result = login({
    client,
    baseUrl: 'https://api.example.com/v1',
    scopes: ['users:read'],
    way: {
      kind: 'browser',
      open: async (url) => {
        act(url);
        return true;
      },
    },
    store,
    send: server.send,
    clock,
    interrupted: controller.signal,
    randomBytes: random,
    again: 'sched auth login',
    onUrl: (url) => {
      urls.push(url);
    },
    ...more,
  });
  return { server, result, texts, controller, urls, clock };
};

const portOf = (url: string) => Number(new URL(new URL(url).searchParams.get('redirect_uri')!).port);

describe('login', () => {
  test('returns a credential bound to the API, shows the page and frees the port', async () => {
    let page: Promise<Reply> | undefined;
    const { result, server, urls } = start(async (url) => {
      page = visit(server.allow(url));
    });
    const record = await result;
    expect(record).toMatchObject({
      version: 1,
      kind: 'oauth',
      origin: 'https://api.example.com',
      issuer: client.server.issuer,
      client_id: 'client-1',
      scope: 'users:read',
      owner: 'https://api.example.com/users/U1',
    });
    expect(record.expires_at! - record.created_at).toBe(7_200_000);
    expect((await page!).body).toContain('You are logged in');
    expect(await isOpen(portOf(urls[0]!))).toBe(false);
    expect(server.counts.code).toBe(1);
  });

  // R2
  test('listens on 127.0.0.1 only', async () => {
    const listening: boolean[] = [];
    const { result, server } = start(async (url) => {
      for (const address of ['127.0.0.1', '127.0.0.2', '::1']) listening.push(await isOpen(portOf(url), address));
      await visit(server.allow(url));
    });
    await result;
    expect(listening).toEqual([true, false, false]);
  });

  // R3, R4: forged, incomplete and junk requests before the genuine one.
  const many = times(20, 100);
  test(`ignores ${many} forged callbacks and ${many} junk connections`, async () => {
    const statuses: number[] = [];
    const { result, server } = start(async (url) => {
      const port = portOf(url);
      const at = `http://127.0.0.1:${port}`;
      const state = new URL(url).searchParams.get('state')!;
      const junk = Array.from({ length: many }, (_, index) => {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        if (index % 3 === 1) socket.write('GET /callback HTTP/1.1\r\nHo');
        if (index % 3 === 2) socket.write('\x16\x03\x01nonsense\r\n\r\n');
        return socket;
      });
      const forged = [
        () => visit(`${at}/callback?code=x&state=forged`),
        () => visit(`${at}/callback?error=access_denied`),
        () => visit(`${at}/callback?error=access_denied&state=forged`),
        () => visit(`${at}/callback?code=x&code=y&state=${state}`),
        () => visit(`${at}/callback?code=x&state=${state}`, { headers: { host: 'evil.example' } }),
        () => visit(`${at}/callback?code=x&state=${state}`, { method: 'POST' }),
        () => visit(`${at}/callback?state=${state}`),
        () => visit(`${at}/favicon.ico`),
        () => visit(`${at}/`),
        () => visit(`${at}/callback`),
      ];
      for (let index = 0; index < many; index += 1) statuses.push((await forged[index % forged.length]!()).status);
      await visit(server.allow(url));
      for (const socket of junk) socket.destroy();
    });
    expect((await result).access_token).toContain(canary);
    expect(statuses).toHaveLength(many);
    expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true);
    expect(server.counts.code).toBe(1);
  });

  test('sends one token request, however often the genuine callback arrives', async () => {
    const pages: Promise<Reply>[] = [];
    // The token request gets its reply after all callbacks have arrived.
    const { promise: hold, release } = gate();
    let arrived = 0;
    const onArrival = () => {
      arrived += 1;
      if (arrived === 6) release();
    };
    subscribe('http.server.request.start', onArrival);
    onTestFinished(() => void unsubscribe('http.server.request.start', onArrival));
    const server = createOAuthServer({ hold });
    const { result } = start(
      async (url) => {
        const redirect = server.allow(url);
        for (let index = 0; index < 5; index += 1) pages.push(visit(redirect));
        pages.push(visit(server.allow(url)));
      },
      { send: server.send },
    );
    await result;
    for (const { body } of await Promise.all(pages)) expect(body).toContain('You are logged in');
    expect(server.counts.code).toBe(1);
  });

  test('shows success in the browser only after everything else is done', async () => {
    const failed = new SchedError('environment', 'disk full');
    let page: Promise<Reply> | undefined;
    const { result, server } = start(
      async (url) => {
        page = visit(server.allow(url));
      },
      {
        finish: async () => {
          throw failed;
        },
      },
    );
    await expect(result).rejects.toBe(failed);
    expect((await page!).body).toContain('Login failed');
  });

  test('ends on a denial', async () => {
    let page: Promise<Reply> | undefined;
    const { result, server, texts } = start(async (url) => {
      const { searchParams } = new URL(url);
      page = visit(`${searchParams.get('redirect_uri')}?error=access_denied&state=${searchParams.get('state')}`);
    });
    await expect(result).rejects.toMatchObject({ category: 'auth', message: 'The login was denied' });
    expect((await page!).body).toContain('Access denied');
    expect([server.counts.code, texts.size]).toEqual([0, 0]);
  });

  // R8
  test('ends at once on a signal, frees the port and stores nothing', async () => {
    const stopped = new SchedError('interrupted', 'Interrupted');
    const { result, texts, controller, urls } = start(async (url) => {
      const socket = connect(portOf(url), '127.0.0.1', () => controller.abort(stopped));
      socket.on('error', () => {});
    });
    await expect(result).rejects.toBe(stopped);
    expect(await isOpen(portOf(urls[0]!))).toBe(false);
    expect(texts.size).toBe(0);
  });

  test('ends on a signal during the token request, and stores no token', async () => {
    const stopped = new SchedError('interrupted', 'Interrupted');
    let isFinished = false;
    let answer: Promise<unknown> | undefined;
    const { result, server, controller } = start(async (url) => visit(server.allow(url)).catch(() => {}), {
      send: async (request) => {
        controller.abort(stopped);
        const reply = server.send(request);
        answer = reply;
        return reply;
      },
      finish: async () => {
        isFinished = true;
      },
    });
    await expect(result).rejects.toBe(stopped);
    await answer;
    // Give the reply time to be processed.
    await new Promise((resolve) => setImmediate(resolve));
    expect([server.counts.code, isFinished]).toEqual([1, false]);
  });

  test('ends after the timeout', async () => {
    const { result, urls, clock } = start(async () => {});
    await until(() => clock.sleeping().includes(loginTimeoutMs));
    clock.end(loginTimeoutMs);
    await expect(result).rejects.toMatchObject({ category: 'auth', message: 'The login timed out' });
    expect(await isOpen(portOf(urls[0]!))).toBe(false);
  });

  test('discards a token that arrives after the timeout', async () => {
    const other = createOAuthServer();
    let page: Promise<Reply> | undefined;
    let kept = 0;
    const { result, clock } = start(
      async (url) => {
        page = visit(other.allow(url));
      },
      {
        send: async (request) => {
          clock.end(loginTimeoutMs);
          await new Promise((resolve) => setImmediate(resolve));
          return other.send(request);
        },
        finish: async () => {
          kept += 1;
        },
      },
    );
    await expect(result).rejects.toThrow('The login timed out');
    await page;
    expect([other.counts.code, kept]).toEqual([1, 0]);
  });

  test('waits five minutes by default', async () => {
    const slept: number[] = [];
    const clock = {
      now: () => 0,
      sleep: async (milliseconds: number) => {
        slept.push(milliseconds);
      },
    };
    await expect(start(async () => {}, { clock }).result).rejects.toThrow('The login timed out');
    expect(slept).toContain(300_000);
  });

  test('tests the store before it prints or opens anything', async () => {
    const broken = new SchedError('environment', 'no keychain');
    const { store } = memoryStore(() => {
      throw broken;
    });
    let opened = false;
    const { result, urls } = start(
      async () => {
        opened = true;
      },
      { store },
    );
    await expect(result).rejects.toBe(broken);
    expect([opened, urls]).toEqual([false, []]);
  });

  test('reports that a chosen port is in use', async () => {
    const first = start(async () => {});
    await until(() => first.clock.sleeping().includes(loginTimeoutMs));
    const second = start(async () => {}, { port: portOf(first.urls[0]!) });
    await expect(second.result).rejects.toMatchObject({
      category: 'environment',
      facts: { reason: 'the port is in use' },
    });
    first.clock.end(loginTimeoutMs);
    await expect(first.result).rejects.toThrow('The login timed out');
  });

  // R9, R10, R12
  test.each([
    ['no token', { body: '{}' }],
    ['HTML', { body: `<b>${canary}</b>`, headers: { 'content-type': 'text/html' } }],
    ['invalid JSON', { body: `{"access_token":"${canary}` }],
    ['an array', { body: '[]' }],
    ['a number as token', { body: '{"access_token":1,"token_type":"Bearer"}' }],
    ['a token with a line break', { body: `{"access_token":"${canary}\\nx","token_type":"Bearer"}` }],
    ['a token that is not ASCII', { body: `{"access_token":"${canary}ü","token_type":"Bearer"}` }],
    ['an unknown token type', { body: `{"access_token":"${canary}","token_type":"mac"}` }],
    ['a DPoP token', { body: `{"access_token":"${canary}","token_type":"DPoP"}` }],
    ['a broken refresh token', { body: `{"access_token":"${canary}","token_type":"Bearer","refresh_token":"a b"}` }],
    ['a negative lifetime', { body: `{"access_token":"${canary}","token_type":"Bearer","expires_in":-1}` }],
    [
      'a lifetime that is not a number',
      { body: `{"access_token":"${canary}","token_type":"Bearer","expires_in":"soon"}` },
    ],
    ['a redirect', { status: 302, headers: { location: `https://evil.example/?${canary}` } }],
    ['a failure', { status: 503, body: canary }],
  ])('stores nothing and prints no secret if the reply is %s', async (_, reply) => {
    let page: Promise<Reply> | undefined;
    const { result, server, texts } = start(async (url) => {
      page = visit(server.allow(url));
    });
    server.answerWith(reply);
    const error = await result.catch((reason) => reason);
    expect(error).toBeInstanceOf(SchedError);
    expect(['auth', 'integrity', 'unavailable']).toContain(error.category);
    expect(everythingIn(error)).not.toContain(canary);
    expect((await page!).body).toContain('Login failed');
    expect((await page!).body).not.toContain(canary);
    expect(texts.size).toBe(0);
  });

  test('takes a token without a type for a bearer token, and names a field that is missing', async () => {
    const replying = (body: string) => {
      const { result, server } = start(async (url) => visit(server.allow(url)));
      server.answerWith({ body });
      return result;
    };
    expect((await replying('{"access_token":"canary-untyped","expires_in":60}')).access_token).toBe('canary-untyped');
    await expect(replying('{"token_type":"Bearer"}')).rejects.toMatchObject({
      facts: { reason: 'access_token is missing or has the wrong format' },
    });
    await expect(replying('no')).rejects.toMatchObject({ facts: { reason: 'it is not a JSON object with a token' } });
  });

  // R12
  test('registers its secrets before it sends them, so that errors never print them', async () => {
    const secrets = createSecrets();
    let sent = new URLSearchParams();
    const { result, server } = start(async (url) => visit(server.allow(url)), {
      onSecret: secrets.keep,
      send: async ({ body }) => {
        sent = new URLSearchParams(body);
        const error = { error: 'invalid_grant', error_description: `no ${body}` };
        return { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(error) };
      },
    });
    const error = await result.catch((reason) => reason);
    expect(error.facts.reason).toContain(sent.get('code'));
    expect(leaksIn(secrets.redact(everythingIn(error)), [sent.get('code')!, sent.get('code_verifier')!])).toEqual([]);
  });

  test('describes a network failure in plain words', async () => {
    const { result, server } = start(async (url) => visit(server.allow(url)), {
      send: async () => {
        throw new NetworkFailure('auth.example.com', 'connection refused', false);
      },
    });
    await expect(result).rejects.toMatchObject({
      category: 'unavailable',
      facts: { reason: 'auth.example.com: connection refused' },
    });
  });

  // R24
  test('does not spend the code if the store has stopped working', async () => {
    let probes = 0;
    const store = {
      probe: async () => {
        probes += 1;
        if (probes > 1) throw new SchedError('environment', 'the disk is full');
      },
    };
    let page: Reply | undefined;
    const { result, server } = start(
      async (url) => {
        page = await visit(server.allow(url));
      },
      { store },
    );
    await expect(result).rejects.toMatchObject({ category: 'environment', message: 'the disk is full' });
    expect(server.counts.code).toBe(0);
    await until(() => page !== undefined);
    expect(page?.body).toContain('Login failed');
  });

  describe('in a browser that may run on another machine', () => {
    const remote = (lines: (url: string, allow: (url: string) => string) => (string | undefined)[], opened = false) => {
      const server = createOAuthServer();
      const mistakes: string[] = [];
      const openings: boolean[] = [];
      let left: (string | undefined)[] = [];
      let reading: AbortSignal | undefined;
      const run = start(async () => {}, {
        send: server.send,
        way: {
          kind: 'browser',
          open: async () => opened,
          onOpened: (isOpen) => {
            openings.push(isOpen);
            return async (unwanted) => {
              reading = unwanted;
              if (left.length > 0) return left.shift();
              return new Promise((_, reject) => unwanted.addEventListener('abort', () => reject(unwanted.reason)));
            };
          },
        },
        onUrl: (url) => {
          left = lines(url, server.allow);
        },
        onMistake: (why) => {
          mistakes.push(why);
        },
      });
      return { ...run, server, mistakes, openings, isReading: () => reading?.aborted === false };
    };

    test('accepts a pasted address, and frees the port', async () => {
      let port = 0;
      const { result, server, mistakes, openings } = remote((url, allow) => {
        port = portOf(url);
        return ['nonsense', allow(url)];
      });
      expect((await result).kind).toBe('oauth');
      expect([server.counts.code, mistakes.length, openings]).toEqual([1, 1, [false]]);
      expect(await isOpen(port)).toBe(false);
    });

    test('accepts the callback too, and then stops reading', async () => {
      let page: Promise<Reply> | undefined;
      const { result, server, isReading } = remote((url, allow) => {
        page = visit(allow(url));
        return [];
      }, true);
      expect((await result).kind).toBe('oauth');
      expect((await page!).body).toContain('You are logged in');
      expect([server.counts.code, isReading()]).toEqual([1, false]);
    });

    test('ends at the end of input, and says that nothing was pasted', async () => {
      const { result, server } = remote(() => [undefined]);
      await expect(result).rejects.toMatchObject({ category: 'auth', message: 'No URL was pasted' });
      expect(server.counts.code).toBe(0);
    });
  });

  describe('with a pasted address', () => {
    const paste = (make: (url: string, allow: (url: string) => string) => (string | undefined)[]) => {
      const server = createOAuthServer();
      const mistakes: string[] = [];
      let lines: (string | undefined)[] = [];
      const run = start(async () => {}, {
        send: server.send,
        way: { kind: 'paste', line: async () => lines.shift() },
        onUrl: (url) => {
          lines = make(url, server.allow);
        },
        onMistake: (why) => {
          mistakes.push(why);
        },
      });
      return { ...run, server, mistakes };
    };

    test('accepts the address after mistakes', async () => {
      const { result, mistakes, server } = paste((url, allow) => [
        'nonsense',
        'https://evil.example/callback?code=x',
        `${new URL(url).searchParams.get('redirect_uri')}?code=x&state=forged`,
        allow(url),
      ]);
      expect((await result).kind).toBe('oauth');
      expect(mistakes).toHaveLength(3);
      expect(server.counts.code).toBe(1);
    });

    test('ends at the end of input, and says that nothing was pasted', async () => {
      await expect(paste(() => [undefined]).result).rejects.toMatchObject({
        category: 'auth',
        message: 'No URL was pasted',
      });
    });

    // R8
    test('stops reading after the timeout', async () => {
      let reading: AbortSignal | undefined;
      const line = (unwanted: AbortSignal) => {
        reading = unwanted;
        clock.end(loginTimeoutMs);
        return new Promise<undefined>(() => {});
      };
      const { result, clock } = start(async () => {}, { way: { kind: 'paste', line } });
      await expect(result).rejects.toMatchObject({ category: 'auth', message: 'The login timed out' });
      expect(reading?.aborted).toBe(true);
    });
  });
});

// R5
describe('page', () => {
  test.each(['success', 'denied', 'failed', 'unexpected'] as const)(
    '%s has a strict content security policy and no script',
    (kind) => {
      const { headers, body } = resultPage(kind, 'work');
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; /,
      );
      expect(body).not.toMatch(/<script|https?:|\son\w+=|\sstyle=/);
      expect(body).toContain('<html lang="en">');
    },
  );

  test.each(['denied', 'failed'] as const)('%s shows the command that logs in again', async (kind) => {
    const again = 'sched auth login -p work';
    const error = kind === 'denied' ? 'access_denied' : 'server_error';
    let page: Promise<Reply> | undefined;
    const visitCallback = async (url: string) => {
      const state = new URL(url).searchParams.get('state');
      page = visit(`http://127.0.0.1:${portOf(url)}/callback?error=${error}&state=${state}`);
    };
    await expect(start(visitCallback, { again }).result).rejects.toMatchObject({ category: 'auth' });
    expect(/<code>(.*)<\/code>/.exec((await page!).body)?.[1]).toBe(again);
  });

  test('contains nothing from the request', async () => {
    const { result, server } = start(async (url) => {
      const at = `http://127.0.0.1:${portOf(url)}`;
      const page = await visit(`${at}/callback?error=<script>${canary}</script>&state=${canary}&code=${canary}`);
      expect(page.status).toBe(400);
      expect(page.body).not.toContain(canary);
      await visit(server.allow(url));
    });
    await result;
  });
});
