import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resultPage } from '../../src/auth/callback-page.ts';
import { type Browser, browser, openChromium, problemsOn } from '../support/browser.ts';
import { spawn } from '../support/processes.ts';
import { ctrlC, ctrlD, type Terminal } from '../support/terminal.ts';
import { few, isDeep, sample } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import {
  cleanEnvironment,
  credentialFile,
  isStandalone,
  program,
  type RunningSandbox,
  runner,
  sched,
  schedInTerminal,
  startSandbox,
  temporaryHome,
  testClock,
} from './program.ts';

/** Directory for screenshots of the pages, for manual review. */
const pictures = process.env.SCHED_PICTURES;

let sandbox: RunningSandbox;
let home: string;
let terminal: Terminal | undefined;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox?.stop());
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => terminal?.close());

const addresses = () => [
  ...['--base-url', sandbox.base_url],
  ...['--auth-url', sandbox.auth_url],
  ...['--client-id', sandbox.client_id],
];

const login = (...flags: string[]) => {
  terminal = schedInTerminal(['auth', 'login', ...flags], home);
  return terminal;
};

const urlOn = async (screen: Terminal) => (await screen.until(/^(http:\S+\/oauth\/authorize\?\S+)\n/m))[1]!;
const redirectOf = (url: string) => new URL(new URL(url).searchParams.get('redirect_uri')!);

/** Files in the home directory with their content. */
const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      // Newer versions of Node cache the compiled program there.
      .filter((path) => statSync(path).isFile() && !path.includes('/.cache/sched/compiled'))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    connect({ port, host: '127.0.0.1' })
      .once('connect', () => resolve(false))
      .once('error', () => resolve(true));
  });

/** Sends the consent page's form, for tests without a browser. Returns where the browser is redirected to. */
const decide = async (url: string, decision: 'allow' | 'deny', user = 'owner'): Promise<string> => {
  const page = await (await fetch(url)).text();
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)![1]!;
  const body = new URLSearchParams({ ticket, user, decision });
  const answer = await fetch(`${sandbox.auth_url}/oauth/authorize`, { method: 'POST', body, redirect: 'manual' });
  return answer.headers.get('location')!;
};

const status = async () => JSON.parse((await sched(['auth', 'status', '--json'], home)).stdout);

const stored = () => JSON.parse(readFileSync(credentialFile(home), 'utf8'));

describeWith(browser, 'script')('auth login in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  }, 60_000);
  afterAll(() => browser?.close());

  const open = async (url: string) => {
    const page = await browser.context.newPage();
    await page.goto(url);
    return page;
  };
  const picture = async (page: Awaited<ReturnType<typeof open>>, name: string) => {
    if (!pictures) return;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) });
    }
  };

  test('stores the login after a click on Allow', async () => {
    const screen = login('--no-browser', '--credential-store', 'file', ...addresses());
    const page = await open(await urlOn(screen));
    await picture(page, 'consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL((url) => url.pathname === '/callback');
    expect(await page.locator('h1').textContent()).toBe('You are logged in');
    await picture(page, 'success');
    await page.close();
    const { code, text } = await screen.done;
    expect(code).toBe(0);
    expect(text).toContain('Logged in as Amara Lindqvist (profile default)');
    // A long path is on a line of its own.
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`The token is stored in ${join(home, '.config/sched/credentials')}`);
    expect(await status()).toMatchObject({ user_name: 'Amara Lindqvist', source: 'file', kind: 'oauth', usable: true });
  });

  // auth/login.test.ts has these ends without a browser, and sandbox/pages/consent-pages.test.ts clicks on Deny.
  describe.runIf(isDeep)('without a login', () => {
    few(1, {
      'stores nothing after a click on Deny': async () => {
        const screen = login('--no-browser', '--credential-store', 'file', ...addresses());
        const page = await open(await urlOn(screen));
        await page.getByRole('button', { name: 'Deny' }).click();
        await page.waitForURL((url) => url.pathname === '/callback');
        expect(await page.locator('main').textContent()).toContain('You denied access, so sched received nothing');
        await picture(page, 'denied');
        await page.close();
        expect((await screen.done).code).toBe(4);
        expect(filesIn(home)).toEqual({});
      },
      'shows a failure page if no token is issued': async () => {
        const screen = login('--no-browser', '--credential-store', 'file', ...addresses());
        const url = await urlOn(screen);
        // Another client uses the code first. Codes work only once.
        const location = new URL(await decide(url, 'allow'));
        await fetch(`${sandbox.auth_url}/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'authorization_code',
            client_id: sandbox.client_id,
            code: location.searchParams.get('code')!,
            code_verifier: 'x'.repeat(43),
            redirect_uri: `${location.origin}${location.pathname}`,
          }),
        });
        const page = await open(location.href);
        expect(await page.locator('h1').textContent()).toBe('Login failed');
        await picture(page, 'failed');
        await page.close();
        expect((await screen.done).code).toBe(4);
        expect(filesIn(home)).toEqual({});
      },
    });
  });

  const longestName = 'p'.repeat(64);
  const pages = (['success', 'denied', 'failed', 'unexpected'] as const).flatMap((kind) => [
    { kind, colorScheme: 'light' as const, width: 320 },
    { kind, colorScheme: 'dark' as const, width: 1100 },
  ]);
  test.each(sample(pages, 1))(
    'ends on a page ($kind) that is accessible in the $colorScheme color scheme, $width pixels wide',
    async ({ kind, colorScheme, width }) => {
      const tab = await browser.newPage({ reducedMotion: 'reduce', colorScheme, viewport: { width, height: 900 } });
      await tab.setContent(resultPage(kind, longestName).body);
      expect(await problemsOn(tab)).toEqual([]);
      await tab.close();
    },
  );
});

describe('auth login in a terminal', () => {
  const startIn = (flags: string[], env: Record<string, string> = {}) => {
    terminal = schedInTerminal(['auth', 'login', ...flags, '--credential-store', 'file', ...addresses()], home, env);
    return terminal;
  };

  const passesTheAddress = async (name: string, envOf: (script: string) => Record<string, string>) => {
    const script = join(home, name);
    const heard = join(home, 'heard');
    writeFileSync(script, `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${heard}.draft' && mv '${heard}.draft' '${heard}'\n`);
    chmodSync(script, 0o700);
    const screen = startIn([], envOf(script));
    const url = await urlOn(screen);
    await until(() => existsSync(heard), home);
    expect(filesIn(home)[heard]).toBe(`1\n${url}\n`);
    screen.type(ctrlC);
    expect((await screen.done).code).toBe(130);
  };

  const overSsh = { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' };

  const saysHowToPaste = async (end: (screen: Terminal, location: string) => unknown) => {
    const screen = startIn([], overSsh);
    const url = await urlOn(screen);
    await screen.until(/Final URL, or wait for the browser: $/);
    expect(screen.text().replace(/\s+/g, ' ')).toContain(
      "Copy that page's full URL from the address bar and paste it here.",
    );
    expect(screen.text()).toMatch(/press Ctrl-C and run:\s+sched auth login [\s\S]* --device\n/);
    await end(screen, await decide(url, 'allow', 'admin'));
    const { code, text } = await screen.done;
    expect([code, text]).toEqual([0, expect.stringMatching(/^Logged in as Jonas Weber \(profile default\)$/m)]);
    expect(stored()).toMatchObject({ kind: 'oauth' });
    expect(await isFree(Number(redirectOf(url).port))).toBe(true);
  };

  const endsOnCtrlD = async (screen: Terminal, prompt: RegExp) => {
    await screen.until(prompt);
    screen.type(ctrlD);
    const { code, text } = await screen.done;
    expect({ code, text }).toEqual({ code: 4, text: expect.stringMatching(/^error: No URL was pasted$/m) });
    expect(filesIn(home)).toEqual({});
  };

  // R8
  const timesOut = async () => {
    const clock = testClock();
    const screen = startIn(['--paste'], clock.env);
    await screen.until(/paste the URL/);
    clock.setAhead(5 * 60_000);
    const { code, text } = await screen.done;
    expect({ code, text }).toEqual({ code: 4, text: expect.stringContaining('The login timed out') });
    expect(filesIn(home)).toEqual({});
  };

  // auth/login.test.ts and auth/browser.test.ts have them without a process.
  few(1, {
    'reports a --port in use, listens on a free one, and on Ctrl-C frees it and stores nothing': async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as AddressInfo;
      const usual = ['--no-browser', '--port', String(port), '--credential-store', 'file', ...addresses()];
      const { code, text } = await login(...usual).done;
      expect({ code, says: text.includes('the port is in use') }).toEqual({ code: 3, says: true });
      await new Promise((resolve) => other.close(resolve));
      const screen = login(...usual);
      expect(redirectOf(await urlOn(screen)).port).toBe(String(port));
      expect(await isFree(port)).toBe(false);
      screen.type(ctrlC);
      expect((await screen.done).code).toBe(130);
      expect(await isFree(port)).toBe(true);
      expect(filesIn(home)).toEqual({});
    },
    'accepts the final address from the browser with --paste, and rejects others': async () => {
      const screen = login('--paste', '--credential-store', 'file', ...addresses());
      const url = await urlOn(screen);
      await screen.until(/paste the URL/);
      const location = await decide(url, 'allow');
      expect(await isFree(Number(redirectOf(url).port))).toBe(true);
      screen.type(`${location.replace(/state=[^&]+/, 'state=forged')}\n`);
      await screen.until(/Can't use that URL: it belongs to a different login/);
      screen.type(`${location}\n`);
      const { code, text } = await screen.done;
      expect([code, text]).toEqual([0, expect.stringMatching(/^Logged in as Amara Lindqvist \(profile default\)$/m)]);
      expect(stored()).toMatchObject({ kind: 'oauth' });
    },
    'treats Ctrl-D at a prompt as no answer to this prompt and all others': async () => {
      const screen = login('--no-browser');
      await screen.until(/--base-url\): $/);
      screen.type(ctrlD);
      const { code, text } = await screen.done;
      expect(code).toBe(2);
      for (const flag of ['--base-url', '--auth-url', '--client-id'])
        expect(text.replace(/\s+/g, ' ')).toMatch(new RegExp(`Missing required flags .*${flag}`));
    },
    'prompts for missing values, and for a file if there is no keychain': async () => {
      const screen = login('--no-browser');
      await screen.until(/--base-url\): $/);
      screen.type(`${sandbox.base_url}\n`);
      await screen.until(/--auth-url\): $/);
      screen.type(`${sandbox.auth_url}\n`);
      await screen.until(/--client-id\): $/);
      screen.type(`${sandbox.client_id}\n`);
      await screen.until(/no usable keychain on this machine \(there is no session bus\)[\s\S]*\[y\/N\] $/);
      screen.type('y\n');
      await fetch(await decide(await urlOn(screen), 'allow'));
      expect((await screen.done).code).toBe(0);
      expect(stored()).toMatchObject({ kind: 'oauth', origin: sandbox.base_url });
    },
    'passes the address to $BROWSER as one argument': () =>
      passesTheAddress('browser', (script) => ({ BROWSER: script })),
    // As on a desktop. Only then the package that opens browsers is loaded.
    'passes the address to xdg-open as one argument': () =>
      passesTheAddress('xdg-open', (script) => ({ DISPLAY: ':0', PATH: `${dirname(script)}:${process.env.PATH}` })),
    'over SSH says how to paste the final address, and accepts the pasted address at once': () =>
      saysHowToPaste((screen, location) => screen.type(`${location}\n`)),
    'over SSH says how to paste the final address, and accepts the callback at once': () =>
      saysHowToPaste((_, location) => fetch(location)),
    'ends with --paste on Ctrl-D, and says that no address was pasted': () =>
      endsOnCtrlD(startIn(['--paste']), /paste the URL/),
    'ends over SSH on Ctrl-D, and says that no address was pasted': () =>
      endsOnCtrlD(startIn([], overSsh), /Final URL, or wait for the browser: $/),
    // The standalone program can't get another clock, so its five minutes can't be shortened.
    ...(!isStandalone && { 'times out with --paste if nothing is typed': timesOut }),
  });

  // R42
  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const;
  test.each(sample(signals, 1))('ends on %s while it waits for a token on stdin', async (signal, expected) => {
    const args = ['auth', 'login', '--with-token', '--credential-store', 'file', '--base-url', sandbox.base_url];
    const child = spawn(runner, [...program, ...args], { env: cleanEnvironment(home) });
    // More than fits in a pipe. Once all of it is accepted, the program is reading.
    await new Promise((resolve) => child.stdin.write('x'.repeat(1_000_000), resolve));
    child.kill(signal);
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(expected);
    expect(filesIn(home)).toEqual({});
  });
});
