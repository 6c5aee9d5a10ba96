import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Browser, browser, openChromium } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { spawn } from '../support/processes.ts';
import { ctrlC, ctrlD, type Terminal } from '../support/terminal.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import {
  cleanEnvironment,
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
const scopesOf = (url: string) => new URL(url).searchParams.get('scope')!.split(' ');

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
const decide = async (url: string, decision: 'allow' | 'deny', user = 'amara'): Promise<string> => {
  const page = await (await fetch(url)).text();
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)![1]!;
  const body = new URLSearchParams({ ticket, user, decision });
  const answer = await fetch(`${sandbox.auth_url}/oauth/authorize`, { method: 'POST', body, redirect: 'manual' });
  return answer.headers.get('location')!;
};

const status = async () => JSON.parse((await sched(['auth', 'status', '--json'], home)).stdout);

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
    expect(text).toContain(`The token is stored in ${join(home, '.config/sched/credentials')}`);
    expect(await status()).toMatchObject({ user_name: 'Amara Lindqvist', source: 'file', kind: 'oauth', usable: true });
    const list = await sched(['events', 'list', '--limit', '1', '--json'], home);
    expect(list.code).toBe(0);
    expect(JSON.parse(list.stdout)).toHaveLength(1);
  });

  test('stores nothing after a click on Deny', async () => {
    const screen = login('--no-browser', '--credential-store', 'file', ...addresses());
    const page = await open(await urlOn(screen));
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL((url) => url.pathname === '/callback');
    expect(await page.locator('main').textContent()).toContain('You denied access, so sched received nothing');
    await picture(page, 'denied');
    await page.close();
    expect((await screen.done).code).toBe(4);
    expect(filesIn(home)).toEqual({});
  });

  test('shows a failure page if no token is issued', async () => {
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
  });
});

describe('auth login in a terminal', () => {
  test('ends at once on Ctrl-C, frees its port and stores nothing', async () => {
    const screen = login('--no-browser', '--credential-store', 'file', ...addresses());
    const port = Number(redirectOf(await urlOn(screen)).port);
    expect(await isFree(port)).toBe(false);
    screen.type(ctrlC);
    expect((await screen.done).code).toBe(130);
    expect(await isFree(port)).toBe(true);
    expect(filesIn(home)).toEqual({});
  });

  test.each<[string, string, (script: string) => Record<string, string>]>([
    ['$BROWSER', 'browser', (script) => ({ BROWSER: script })],
    // As on a desktop. Only then the package that opens browsers is loaded.
    ['xdg-open', 'xdg-open', (script) => ({ DISPLAY: ':0', PATH: `${dirname(script)}:${process.env.PATH}` })],
  ])('passes the address to %s as one argument', async (_, name, env) => {
    const script = join(home, name);
    const heard = join(home, 'heard');
    writeFileSync(script, `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${heard}.draft' && mv '${heard}.draft' '${heard}'\n`);
    chmodSync(script, 0o700);
    const args = ['auth', 'login', '--credential-store', 'file', ...addresses()];
    terminal = schedInTerminal(args, home, env(script));
    const url = await urlOn(terminal);
    await until(() => existsSync(heard), home);
    expect(filesIn(home)[heard]).toBe(`1\n${url}\n`);
    terminal.type(ctrlC);
    expect((await terminal.done).code).toBe(130);
  });

  test('accepts the final address from the browser with --paste, and rejects others', async () => {
    const screen = login('--paste', '--credential-store', 'file', ...addresses());
    const url = await urlOn(screen);
    await screen.until(/paste the URL/);
    const location = await decide(url, 'allow');
    expect(await isFree(Number(redirectOf(url).port))).toBe(true);
    screen.type(`${location.replace(/state=[^&]+/, 'state=forged')}\n`);
    await screen.until(/Can't use that URL: it belongs to a different login/);
    screen.type(`${location}\n`);
    expect((await screen.done).code).toBe(0);
    expect((await status()).user_name).toBe('Amara Lindqvist');
  });

  test('over SSH says how to paste the final address, and accepts it at once', async () => {
    const args = ['auth', 'login', '--credential-store', 'file', ...addresses()];
    terminal = schedInTerminal(args, home, { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' });
    const url = await urlOn(terminal);
    await terminal.until(/Final URL, or wait for the browser: $/);
    expect(terminal.text().replace(/\s+/g, ' ')).toContain(
      "Copy that page's full URL from the address bar and paste it here.",
    );
    expect(terminal.text()).toMatch(/press Ctrl-C and run: sched auth login .* --device\n/);
    terminal.type(`${await decide(url, 'allow', 'jonas')}\n`);
    const { code, text } = await terminal.done;
    expect([code, text]).toEqual([0, expect.stringMatching(/^Logged in as Jonas Weber \(profile default\)$/m)]);
    expect((await status()).user_name).toBe('Jonas Weber');
    expect(await isFree(Number(redirectOf(url).port))).toBe(true);
  });

  test('over SSH still accepts the callback, and ends on Ctrl-D', async () => {
    const env = { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' };
    const args = ['auth', 'login', '--credential-store', 'file', ...addresses()];
    terminal = schedInTerminal(args, home, env);
    const url = await urlOn(terminal);
    await terminal.until(/Final URL, or wait for the browser: $/);
    await fetch(await decide(url, 'allow', 'jonas'));
    const { code, text } = await terminal.done;
    expect([code, text]).toEqual([0, expect.stringMatching(/^Logged in as Jonas Weber \(profile default\)$/m)]);
    const second = schedInTerminal(args, temporaryHome(), env);
    await second.until(/Final URL, or wait for the browser: $/);
    second.type(ctrlD);
    const ended = await second.done;
    expect([ended.code, ended.text]).toEqual([4, expect.stringMatching(/^error: No URL was pasted$/m)]);
  });

  // R8. The standalone program can't get another clock, so its five minutes can't be shortened.
  test.skipIf(isStandalone)('times out with --paste if nothing is typed', async () => {
    const clock = testClock();
    const args = ['auth', 'login', '--paste', '--credential-store', 'file', ...addresses()];
    terminal = schedInTerminal(args, home, clock.env);
    await terminal.until(/paste the URL/);
    clock.setAhead(5 * 60_000);
    const { code, text } = await terminal.done;
    expect({ code, text }).toEqual({ code: 4, text: expect.stringContaining('The login timed out') });
    expect(filesIn(home)).toEqual({});
  });

  test('ends with --paste on Ctrl-D, and says that no address was pasted', async () => {
    const screen = login('--paste', '--credential-store', 'file', ...addresses());
    await screen.until(/paste the URL/);
    screen.type(ctrlD);
    const { code, text } = await screen.done;
    expect({ code, text }).toEqual({ code: 4, text: expect.stringContaining('error: No URL was pasted') });
    expect(filesIn(home)).toEqual({});
  });

  test('treats Ctrl-D at a prompt as no answer to this prompt and all others', async () => {
    const screen = login('--no-browser');
    await screen.until(/--base-url\): $/);
    screen.type(ctrlD);
    const { code, text } = await screen.done;
    expect(code).toBe(2);
    for (const flag of ['--base-url', '--auth-url', '--client-id'])
      expect(text.replace(/\s+/g, ' ')).toMatch(new RegExp(`Missing required flags .*${flag}`));
  });

  // R42
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends on %s while it waits for a token on stdin', async (signal, expected) => {
    const args = ['auth', 'login', '--with-token', '--credential-store', 'file', '--base-url', sandbox.base_url];
    const child = spawn(runner, [...program, ...args], { env: cleanEnvironment(home) });
    // More than fits in a pipe. Once all of it is accepted, the program is reading.
    await new Promise((resolve) => child.stdin.write('x'.repeat(1_000_000), resolve));
    child.kill(signal);
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(expected);
    expect(filesIn(home)).toEqual({});
  });

  test('listens on --port, and reports a port that is in use', async () => {
    const port = String(await freePort());
    const flags = ['--no-browser', '--port', port, '--credential-store', 'file', ...addresses()];
    const screen = login(...flags);
    expect(redirectOf(await urlOn(screen)).port).toBe(port);
    const taken = schedInTerminal(['auth', 'login', ...flags], temporaryHome());
    const { code, text } = await taken.done;
    expect({ code, says: text.includes('the port is in use') }).toEqual({ code: 3, says: true });
    screen.type(ctrlC);
    await screen.done;
  });

  test('prompts for missing values, and for a file if there is no keychain', async () => {
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
    expect(await status()).toMatchObject({ source: 'file', base_url: sandbox.base_url });
  });

  test('requests read-only scopes, chosen scopes, and additional scopes', async () => {
    const usual = ['--no-browser', '--credential-store', 'file', ...addresses()];
    const readOnly = login('--read-only', ...usual);
    const asked = scopesOf(await urlOn(readOnly));
    expect(asked.every((scope) => scope.endsWith(':read'))).toBe(true);
    expect(asked).toContain('scheduled_events:read');
    readOnly.type(ctrlC);
    await readOnly.done;

    const some = login('--scopes', 'users:read,event_types:read', ...usual);
    await fetch(await decide(await urlOn(some), 'allow'));
    expect((await some.done).code).toBe(0);
    expect((await status()).scopes.toSorted()).toEqual(['event_types:read', 'users:read']);

    // A missing scope is reported before any request is sent: -v would print the request.
    const type = JSON.parse((await sched(['event-types', 'list', '--limit', '1', '--json'], home)).stdout)[0].uri;
    const share = ['shares', 'create', '--event-type', type, '--duration', '30', '--json'];
    const refused = await sched(['-v', ...share], home);
    expect({ code: refused.code, lines: refused.stderr.trim().split('\n').length }).toEqual({ code: 5, lines: 1 });
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      message: 'This login is not allowed to create single-use scheduling links',
      cause: 'it lacks the scope shares:write; nothing was sent',
      hint: 'sched auth login -p default --add-scopes shares:write',
      outcome: 'not-sent',
    });

    const more = login('--add-scopes', 'shares:write', '--no-browser');
    await fetch(await decide(await urlOn(more), 'allow'));
    expect((await more.done).code).toBe(0);
    expect((await status()).scopes.toSorted()).toEqual(['event_types:read', 'shares:write', 'users:read']);
    expect((await sched(share, home)).code).toBe(0);
  });
});
