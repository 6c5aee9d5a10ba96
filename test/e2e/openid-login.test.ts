import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonOf } from '../support/run.ts';
import type { Terminal } from '../support/terminal.ts';
import { few, isDeep, times } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';
import { clientSecret, startProvider } from './openid-provider.ts';
import {
  commandsOf,
  credentialFile,
  everythingBelow,
  expireToken,
  sched,
  schedInTerminal,
  temporaryHome,
  testClock,
} from './program.ts';
import { createVisitor, type VisitedPage } from './visitor.ts';

/** auth.test.ts has more commands in `npm test`. */
const crowd = times(2, 10);

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

describeWith('script')('a login at an OpenID provider', { timeout: 60_000 }, () => {
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let home: string;
  let clock: ReturnType<typeof testClock>;
  let terminal: Terminal | undefined;
  let visitor: ReturnType<typeof createVisitor>;
  beforeEach(async () => {
    home = temporaryHome();
    clock = testClock();
    provider = await startProvider();
    visitor = createVisitor();
  });
  afterEach(async () => {
    terminal?.close();
    expect(provider.errors).toEqual([]);
    await provider.close();
  });

  const start = (flags: string[]) => {
    const addresses = ['--base-url', provider.origin, '--auth-url', provider.issuer];
    const scopes = flags.includes('--scopes') ? [] : ['--scopes', 'openid,offline_access,users:read'];
    const words = ['auth', 'login', '--credential-store', 'file', ...addresses, ...scopes, ...flags];
    terminal = schedInTerminal(words, home, clock.env, { columns: 200 });
    return terminal;
  };

  /** Signs in and allows the access. */
  const allow = async (page: VisitedPage): Promise<VisitedPage> =>
    visitor.submit(await visitor.submit(page, { login: 'ada', password: 'any' }));

  const logIn = async (flags: string[]) => {
    const screen = start(['--no-browser', ...flags]);
    const [, url] = await screen.until(/^(http:\S+\/id\/auth\?\S+)\n/m);
    const { text } = await allow(await visitor.visit(url!));
    expect(text).toContain('<h1>You are logged in</h1>');
    return screen.done;
  };

  /** Logs in with a code on another device. */
  const logInWithDevice = async (flags: string[]) => {
    const screen = start(['--device', ...flags]);
    const [, url] = await screen.until(/any machine:\n(http:\S+)\n/);
    const [, userCode] = await screen.until(/Enter this code there: (\S+)\n/);
    const asked = await visitor.submit(await visitor.visit(url!), { user_code: userCode! });
    const { text } = await allow(await visitor.submit(asked));
    expect(text).toContain('Sign-in Success');
    // The program asks again after five seconds.
    clock.setAhead(5000);
    return screen.done;
  };

  const stored = () => JSON.parse(readFileSync(credentialFile(home), 'utf8'));
  const profile = async () => jsonOf(await (await commandsOf(home))('profiles show --json'));

  /** Commands find an expired token at the same time. Then the login is revoked. */
  const useIt = async () => {
    expireToken(home);
    const before = stored().refresh_token;
    // The processes wait for each other as they do for users, with pauses of 10 to 200 ms. Without pauses they would take longer.
    const all = Array.from({ length: crowd }, () => sched(['users', 'me', '--json'], home));
    for (const { code, stdout, stderr } of await Promise.all(all)) {
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout).name).toBe('Ada');
    }
    expect(provider.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1);
    const { refresh_token: after } = stored();
    expect([after === before, await provider.isRefreshToken(after)]).toEqual([false, true]);
    const logout = await sched(['auth', 'logout'], home);
    expect([logout.code, logout.stderr]).toEqual([0, 'logged out: default (revoked at the service)\n']);
    expect(await provider.isRefreshToken(after)).toBe(false);
  };

  // R12
  const keepsSecret = async (way: typeof logIn, grant: string) => {
    const file = join(home, 'secret');
    writeFileSync(file, `${clientSecret}\n`, { mode: 0o600 });
    expect((await way(['--client-id', 'secret', '--client-secret-file', file])).code).toBe(0);
    expect(provider.grants).toEqual([grant]);
    expect(stored().client_secret).toBe(clientSecret);
    expect((await profile()).client_auth).toBe('client_secret_basic');
    const exported = await (await commandsOf(home))('profiles export');
    expect(exported.stdout).not.toContain('canary');
    expect(exported.stderr).toContain('The secret of the client is not included');
    await useIt();
    expect(everythingBelow(join(home, '.config'))).not.toContain('canary');
  };

  few(1, {
    [`finds its addresses, refreshes once for ${crowd} processes, and is revoked by a logout`]: async () => {
      const { code, text } = await logIn(['--client-id', 'native', '--verbose']);
      expect([code, text]).toEqual([0, expect.stringContaining('Logged in as Ada (profile default)')]);
      expect(text).toContain(
        [
          `Authorization server (from ${provider.issuer}/.well-known/openid-configuration):`,
          `  issuer     ${provider.issuer}`,
          `  authorize  ${provider.issuer}/auth`,
          `  token      ${provider.issuer}/token`,
          `  revoke     ${provider.issuer}/token/revocation`,
          `  device     ${provider.issuer}/device/auth`,
        ].join('\n'),
      );
      expect(await profile()).toMatchObject({
        auth_url: provider.issuer,
        issuer: provider.issuer,
        authorize_url: `${provider.issuer}/auth`,
        token_url: `${provider.issuer}/token`,
        revoke_url: `${provider.issuer}/token/revocation`,
        device_url: `${provider.issuer}/device/auth`,
      });
      expect(provider.grants).toEqual(['authorization_code']);
      await useIt();
    },
    // cli/login-server.test.ts has the secret of a login in a browser, too.
    'with a code on another device sends the secret of its client, and never prints or exports it': () =>
      keepsSecret(logInWithDevice, deviceGrant),
    'in a browser sends the secret of its client, and never prints or exports it': () =>
      keepsSecret(logIn, 'authorization_code'),
  });

  // cli/login-server.test.ts has the same with the sandbox.
  test.runIf(isDeep)('says at once that it brings no refresh token, and how to ask for one', async () => {
    const { code, text } = await logIn(['--client-id', 'native', '--scopes', 'openid,users:read']);
    expect(code).toBe(0);
    expect(text).toContain("The server issued no refresh token, so this login ends in 1h 00m and can't be refreshed.");
    expect(text).toContain('To ask for a refresh token: sched auth login -p default --add-scopes offline_access');
  });
});
