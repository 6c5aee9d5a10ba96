import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addCanary } from '../support/canary.ts';
import { few, isDeep, sample } from '../support/tier.ts';
import { needs, pathOf } from '../support/tools.ts';
import { type Finished, sched, schedInTerminal, temporaryHome, testClock } from './program.ts';
import { smallService } from './small-service.ts';
import {
  type Authority,
  createAuthority,
  type Listening,
  type ProxyOptions,
  type RunningProxy,
  startProxy,
  withTls,
} from './tls.ts';

// R50: tests run the shipped program. Everything here runs the built program.

const closing: { close(): void }[] = [];
afterEach(() => {
  for (const each of closing.splice(0)) each.close();
});
const closeLater = <Closable extends { close(): void }>(it: Closable): Closable => {
  closing.push(it);
  return it;
};

/** Only the proxy knows this host: there is no DNS request for it. */
const host = 'api.test.example';
const password = 'canary:p@ss/word 1';
const login = `robot:${password}`;
const loginInUrl = `robot:${encodeURIComponent(password)}`;

let authority: Authority;
let service: Awaited<ReturnType<typeof smallService>>;
let secure: Listening;
let trusting: Record<string, string>;
beforeEach(() => needs('openssl'));
beforeAll(async () => {
  if (pathOf('openssl') === undefined) return;
  addCanary(password);
  addCanary(Buffer.from(login).toString('base64'));
  authority = createAuthority();
  service = await smallService();
  const port = Number(new URL(service.env.SCHED_BASE_URL).port);
  secure = await withTls(port, authority.certify('DNS:*.test.example,IP:127.0.0.1,IP:0.0.0.0'));
  trusting = {
    ...service.env,
    ...testClock().env,
    SCHED_BASE_URL: `https://${host}`,
    NODE_EXTRA_CA_CERTS: authority.file,
  };
});
afterAll(() => {
  secure?.close();
  service?.close();
});

const proxyWith = async (options: Partial<ProxyOptions> = {}) =>
  closeLater(await startProxy({ to: secure.port, ...options }));

const me = (env: Record<string, string>, ...flags: string[]): Promise<Finished> =>
  sched(['users', 'me', '--fields', 'uri', ...flags], temporaryHome(), { ...trusting, ...env });

/** The output of `me`. */
const found = { code: 0, stdout: 'uri\thttp://127.0.0.1/users/U\n', stderr: '' };

describe('a proxy', () => {
  const carriesMany = async (name: string) => {
    const proxy = await proxyWith();
    const env = { ...trusting, [name]: `http://127.0.0.1:${proxy.port}` };
    const { code, stdout } = await sched(['events', 'list', '--limit', '1000', '-o', 'id'], temporaryHome(), env);
    expect({ code, rows: stdout.trim().split('\n').length }).toEqual({ code: 0, rows: 1000 });
    expect(new Set(proxy.seen.map(({ target }) => target))).toEqual(new Set([`${host}:443`]));
    expect(proxy.seen.length).toBeLessThanOrEqual(2);
    // The proxy sees the host name, but neither token nor path.
    expect(JSON.stringify(proxy.seen)).not.toMatch(/canary|users|events/);
  };

  test.each(sample(['http', 'https'], 1))(
    'with an %s URL gets the login from it with the CONNECT, and the login appears nowhere else',
    async (protocol) => {
      const secured = protocol === 'https' && { certificate: authority.certify('IP:127.0.0.1') };
      const proxy = await proxyWith({ login, ...secured });
      const { code, stdout, stderr } = await me(
        { HTTPS_PROXY: `${protocol}://${loginInUrl}@127.0.0.1:${proxy.port}` },
        '-v',
      );
      expect({ code, stdout }).toEqual({ code: 0, stdout: found.stdout });
      expect(stderr).toContain(`→ GET https://${host}/`);
      expect(proxy.seen).toHaveLength(1);
      expect(JSON.stringify(service.headers)).not.toContain('proxy-');
    },
  );

  // http/proxy.test.ts and http/transport.test.ts show tunnels and NO_PROXY without a process.
  few(1, {
    'named by HTTPS_PROXY carries many HTTPS requests over few tunnels': () => carriesMany('HTTPS_PROXY'),
    'named by https_proxy carries many HTTPS requests over few tunnels': () => carriesMany('https_proxy'),
    'is not used for hosts in NO_PROXY': async () => {
      const proxy = await proxyWith();
      // 0.0.0.0 is this machine but not a loopback address, so a proxy is used for it, and no DNS is needed.
      const env = {
        SCHED_BASE_URL: `https://0.0.0.0:${secure.port}`,
        HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      };
      expect(await me(env)).toEqual(found);
      expect(proxy.seen).toMatchObject([{ target: `0.0.0.0:${secure.port}` }]);
      for (const name of sample(['NO_PROXY', 'no_proxy'], 1))
        expect(await me({ ...env, [name]: 'other.example, 0.0.0.0' })).toEqual(found);
      expect(proxy.seen).toHaveLength(1);
    },
    'also carries the login, its refresh, the MCP metadata and doctor --network': async () => {
      const answers: Record<string, unknown> = {
        '/oauth/token': {
          access_token: 'canary-access-0123456789',
          refresh_token: 'canary-refresh-0123456789',
          token_type: 'Bearer',
          expires_in: 7200,
        },
        '/users/me': { resource: { uri: `https://${host}/users/U`, name: 'Ada' } },
        '/.well-known/oauth-protected-resource': { resource: 'https://mcp.test.example' },
      };
      const server = createServer((request, response) => {
        const answer = answers[new URL(request.url!, 'http://x').pathname];
        response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer ?? {}));
      }).listen(0, '127.0.0.1');
      closeLater(server);
      await new Promise((resolve) => server.once('listening', resolve));
      const certificate = authority.certify('DNS:*.test.example');
      const { port } = closeLater(await withTls((server.address() as AddressInfo).port, certificate));
      const proxy = await proxyWith({ to: port });
      const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: authority.file };
      const home = temporaryHome();
      const addresses = [
        '--base-url',
        `https://${host}`,
        '--auth-url',
        'https://auth.test.example',
        '--client-id',
        'C',
      ];
      const flags = ['--credential-store', 'file', '--no-browser', '--paste'];
      const terminal = schedInTerminal(['auth', 'login', ...addresses, ...flags], home, env);
      closeLater(terminal);
      const [, url] = await terminal.until(/^(https:\S+\/oauth\/authorize\?\S+)\n/m);
      const { searchParams } = new URL(url!);
      await terminal.until(/paste the URL/);
      terminal.type(`${searchParams.get('redirect_uri')}?code=typed-and-echoed&state=${searchParams.get('state')}\n`);
      expect(await terminal.done).toMatchObject({ code: 0 });
      const asked = () => [...new Set(proxy.seen.splice(0).map(({ target }) => target))].sort();
      expect(asked()).toEqual([`${host}:443`, 'auth.test.example:443']);
      const refusing = await proxyWith({ status: 403 });
      const refused = await sched(['auth', 'refresh'], home, {
        ...env,
        HTTPS_PROXY: `http://127.0.0.1:${refusing.port}`,
      });
      expect({ code: refused.code, asked: refusing.seen.length }).toEqual({ code: 9, asked: 1 });
      expect(refused.stderr).toContain(
        `The proxy http://127.0.0.1:${refusing.port} refused to connect to auth.test.example`,
      );
      const others: [line: string, shown: string, target: string][] = [
        ['auth refresh', '', 'auth.test.example'],
        ['mcp metadata --json', 'mcp.test.example', 'mcp.test.example'],
        ['doctor --network', `${host} replies`, host],
      ];
      for (const [line, shown, target] of sample(others, 1)) {
        const mcp = { ...env, SCHED_MCP_URL: 'https://mcp.test.example' };
        const { code, stdout } = await sched(line.split(' '), home, mcp);
        expect([line, code, stdout]).toEqual([line, 0, expect.stringContaining(shown)]);
        expect(asked()).toEqual([`${target}:443`]);
      }
    },
  });
});

describe('without a tunnel nothing is sent, and the error names a proxy', () => {
  interface Failure {
    what: string;
    start: () => Promise<RunningProxy>;
    /** The part before the host in the proxy's URL. */
    userinfo?: string;
    /** The error, with `http://PROXY` for the proxy. */
    message?: string;
    cause: string;
    advice?: string;
    /** How many CONNECTs are sent: one after a refusal, more after a temporary failure. */
    asked: number;
  }

  const failures: Failure[] = [
    {
      what: 'that refuses the host',
      start: () => proxyWith({ status: 403 }),
      message: `The proxy http://PROXY refused to connect to ${host}`,
      cause: 'HTTP 403 from the proxy',
      advice: `ask the proxy's administrator to allow ${host}, or bypass the proxy: NO_PROXY=${host}`,
      asked: 1,
    },
    {
      what: 'that requires a login',
      start: () => proxyWith({ login }),
      message: 'The proxy http://PROXY requires a login',
      cause: 'HTTP 407 from the proxy',
      advice: 'set HTTPS_PROXY=http://USER:PASSWORD@PROXY',
      asked: 1,
    },
    {
      what: 'that refuses the login',
      start: () => proxyWith({ login: 'other:login' }),
      userinfo: `${loginInUrl}@`,
      message: 'The proxy http://PROXY refused the login in HTTPS_PROXY',
      cause: 'HTTP 407 from the proxy',
      advice: 'check the user and password in HTTPS_PROXY; URL-encode special characters, such as %40 for @',
      asked: 1,
    },
    {
      what: 'that cannot reach the host',
      start: () => proxyWith({ status: 502 }),
      cause: 'the proxy http://PROXY replied with HTTP 502',
      asked: 3,
    },
    {
      what: 'that closes the connection',
      start: () => proxyWith({ hangsUp: true }),
      userinfo: `${loginInUrl}@`,
      cause: 'the proxy http://PROXY: the connection was closed before the reply was complete',
      asked: 3,
    },
    {
      what: 'that is not running',
      // A port that needs a privilege, and that no program uses.
      start: async () => ({ port: 1, seen: [], close: () => {} }),
      userinfo: `${loginInUrl}@`,
      cause: 'the proxy http://PROXY: connection refused',
      asked: 0,
    },
  ];

  const booking = [
    ...['invitees', 'create', '--event-type', 'http://127.0.0.1/event_types/T', '--start', '2099-02-01T10:00:00Z'],
    ...['--timezone', 'UTC', '--email', 'ada@engine.example', '--name', 'Ada', '--json'],
  ];
  // Set, so that no other request is sent.
  const who = { SCHED_USER: 'http://127.0.0.1/users/U', SCHED_ORG: 'http://127.0.0.1/organizations/O' };

  // R27
  test.each(sample(failures, 1))('$what; the booking can be made afterwards', async (failure) => {
    const { start, userinfo = '', asked, cause } = failure;
    const { message, advice = `check HTTPS_PROXY, or bypass the proxy: NO_PROXY=${host}` } = failure;
    const home = temporaryHome();
    const env = { ...trusting, ...who };
    const bad = await start();
    const before = service.seen.posts;
    const failed = await sched(booking, home, { ...env, HTTPS_PROXY: `http://${userinfo}127.0.0.1:${bad.port}` });
    const { error } = JSON.parse(failed.stderr.trim().split('\n').at(-1)!);
    expect(error).toMatchObject({
      exit: 9,
      message: (message ?? `Can't reach ${host}`).replace('http://PROXY', `http://127.0.0.1:${bad.port}`),
      cause: `${cause}; ${advice}`.replace(/(?<=[/@])PROXY/, `127.0.0.1:${bad.port}`),
      // Once the proxy has refused, there is nothing to find out about the network.
      ...(message === undefined ? { hint: 'sched doctor --network' } : {}),
      outcome: 'not-sent',
    });
    expect([failed.code, bad.seen.length, service.seen.posts]).toEqual([9, asked, before]);
    const good = await proxyWith();
    const booked = await sched(booking, home, { ...env, HTTPS_PROXY: `http://127.0.0.1:${good.port}` });
    expect([booked.code, service.seen.posts]).toEqual([0, before + 1]);
  });
});

describe("a user's own certificate authority", () => {
  const direct = () => ({ SCHED_BASE_URL: `https://127.0.0.1:${secure.port}` });
  // Each request in this file that is not through a proxy shows that it is trusted with NODE_EXTRA_CA_CERTS.
  test.each(sample(['directly', 'through a proxy', 'by a proxy'], 1))(
    'is not trusted without NODE_EXTRA_CA_CERTS, and the error says what to do: used %s',
    async (way) => {
      const isOfProxy = way === 'by a proxy';
      const proxy = await proxyWith(isOfProxy ? { certificate: authority.certify('IP:127.0.0.1') } : {});
      const url = `${isOfProxy ? 'https' : 'http'}://127.0.0.1:${proxy.port}`;
      const env = way === 'directly' ? direct() : { HTTPS_PROXY: url };
      const { code, stderr } = await me({ ...env, NODE_EXTRA_CA_CERTS: '' });
      const place = way === 'directly' ? `127.0.0.1:${secure.port}` : host;
      const untrusted = 'the certificate is not signed by a trusted authority';
      const cause = {
        directly: untrusted,
        'through a proxy': `${untrusted}, through the proxy ${url}`,
        'by a proxy': `the proxy ${url}: ${untrusted}`,
      }[way];
      expect({ code, stderr: stderr.trim().split('\n') }).toEqual({
        code: 9,
        stderr: [
          `error: Can't reach ${place}`,
          `cause: ${cause}; set NODE_EXTRA_CA_CERTS=ca.pem to trust your own certificate authority`,
          'try: sched doctor --network',
        ],
      });
    },
  );

  test.each(sample([true, false], 1))(
    'does not make a certificate for another host valid, through a proxy: %s',
    async (isProxied) => {
      const port = Number(new URL(service.env.SCHED_BASE_URL).port);
      const other = closeLater(await withTls(port, authority.certify('DNS:other.example')));
      const proxy = await proxyWith({ to: other.port });
      const { code, stderr } = await me(
        isProxied
          ? { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
          : { SCHED_BASE_URL: `https://127.0.0.1:${other.port}` },
      );
      expect({ code, stderr }).toEqual({
        code: 9,
        stderr: expect.stringContaining('cause: the certificate is for a different host'),
      });
    },
  );
});

// http/transport.test.ts shows it without a process.
describe.runIf(isDeep)('a compressed reply', () => {
  const answering = async (encoding: string, body: Buffer) => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers['accept-encoding'] as string);
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body);
    }).listen(0, '127.0.0.1');
    closeLater(server);
    await new Promise((resolve) => server.once('listening', resolve));
    return { asked, SCHED_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };

  few(1, {
    'is decoded': async () => {
      const body = brotliCompressSync('{"resource":{"uri":"http://127.0.0.1/users/U"}}');
      const { asked, ...env } = await answering('br', body);
      expect(await me(env)).toEqual(found);
      expect(asked).toEqual(['gzip, br']);
    },
    // R39
    'is rejected above 32 MiB': async () => {
      const { asked: _, ...env } = await answering('gzip', gzipSync(Buffer.alloc(33 * 1024 * 1024, ' ')));
      const { code, stderr } = await me(env);
      expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('the reply is larger than 32 MiB') });
    },
  });
});
