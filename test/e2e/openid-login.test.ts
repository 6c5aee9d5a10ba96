import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Browser, browser, openChromium } from '../support/browser.ts';
import type { Terminal } from '../support/terminal.ts';
import { describeWith } from '../support/tools.ts';
import { clientSecret, startProvider } from './openid-provider.ts';
import {
  credentialFile,
  everythingBelow,
  expireToken,
  sched,
  schedInTerminal,
  temporaryHome,
  testClock,
} from './program.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

describeWith(browser, 'script')('a login at an OpenID provider', { timeout: 60_000 }, () => {
  let browser: Browser;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let home: string;
  let clock: ReturnType<typeof testClock>;
  let terminal: Terminal | undefined;
  beforeAll(async () => {
    browser = await openChromium();
    // The provider's pages load a font from the Internet.
    await browser.context.route(/^https:/, (route) => route.abort());
  }, 60_000);
  afterAll(() => browser?.close());
  beforeEach(async () => {
    home = temporaryHome();
    clock = testClock();
    provider = await startProvider();
  });
  afterEach(async () => {
    terminal?.close();
    expect(provider.errors).toEqual([]);
    await provider.close();
    await browser.context.clearCookies();
  });

  const start = (flags: string[]) => {
    const addresses = ['--base-url', provider.origin, '--auth-url', provider.issuer];
    const scopes = flags.includes('--scopes') ? [] : ['--scopes', 'openid,offline_access,users:read'];
    const words = ['auth', 'login', '--credential-store', 'file', ...addresses, ...scopes, ...flags];
    terminal = schedInTerminal(words, home, clock.env, { columns: 200 });
    return terminal;
  };

  const press = async (page: Page, name: string) => {
    await page.getByRole('button', { name }).click();
    await page.waitForLoadState();
  };

  /** Signs in and allows the access. */
  const allow = async (page: Page) => {
    await page.locator('input[name=login]').fill('ada');
    await page.locator('input[name=password]').fill('any');
    await press(page, 'Sign-in');
    await press(page, 'Continue');
  };

  const logIn = async (flags: string[]) => {
    const screen = start(['--no-browser', ...flags]);
    const [, url] = await screen.until(/^(http:\S+\/id\/auth\?\S+)\n/m);
    const page = await browser.context.newPage();
    await page.goto(url!);
    await allow(page);
    expect(await page.locator('h1').textContent()).toBe('You are logged in');
    await page.close();
    return screen.done;
  };

  const stored = () => JSON.parse(readFileSync(credentialFile(home), 'utf8'));
  const profile = async () => JSON.parse((await sched(['profiles', 'show', '--json'], home)).stdout);

  /** Ten commands find an expired token. Then the login is revoked. */
  const useIt = async () => {
    expireToken(home);
    const before = stored().refresh_token;
    // The processes wait for each other as they do for users, with pauses of 10 to 200 ms. Without pauses they would take longer.
    const commands = Array.from({ length: 10 }, () => sched(['users', 'me', '--json'], home));
    for (const { code, stdout, stderr } of await Promise.all(commands)) {
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

  test('finds its addresses, refreshes once for ten processes, and is revoked by a logout', async () => {
    const { code, text } = await logIn(['--client-id', 'native']);
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
  });

  // R12
  test('sends the secret of its client, and never prints or exports it', async () => {
    const file = join(home, 'secret');
    writeFileSync(file, `${clientSecret}\n`, { mode: 0o600 });
    const { code } = await logIn(['--client-id', 'secret', '--client-secret-file', file]);
    expect(code).toBe(0);
    expect(stored().client_secret).toBe(clientSecret);
    expect((await profile()).client_auth).toBe('client_secret_basic');
    const exported = await sched(['profiles', 'export'], home);
    expect(exported.stdout).not.toContain('canary');
    expect(exported.stderr).toContain('The secret of the client is not included');
    await useIt();
    expect(everythingBelow(join(home, '.config'))).not.toContain('canary');
  });

  test('works with a code on another device', async () => {
    const file = join(home, 'secret');
    writeFileSync(file, clientSecret, { mode: 0o600 });
    const screen = start(['--device', '--client-id', 'secret', '--client-secret-file', file]);
    const [, url] = await screen.until(/any machine:\n(http:\S+)\n/);
    const [, userCode] = await screen.until(/Enter this code there: (\S+)\n/);
    const page = await browser.context.newPage();
    await page.goto(url!);
    await page.locator('input[name=user_code]').fill(userCode!);
    await press(page, 'Continue');
    await press(page, 'Continue');
    await allow(page);
    expect(await page.locator('body').textContent()).toContain('Sign-in Success');
    await page.close();
    // The program asks again after five seconds.
    clock.setAhead(5000);
    expect((await screen.done).code).toBe(0);
    expect(provider.grants).toEqual([deviceGrant]);
    await useIt();
  });

  test('says at once that it brings no refresh token, and how to ask for one', async () => {
    const { code, text } = await logIn(['--client-id', 'native', '--scopes', 'openid,users:read']);
    expect(code).toBe(0);
    expect(text).toContain("The server issued no refresh token, so this login ends in 1h 00m and can't be refreshed.");
    expect(text).toContain('To ask for a refresh token: sched auth login -p default --add-scopes offline_access');
  });
});
