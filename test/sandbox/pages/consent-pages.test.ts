import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopes } from '../../../src/api/scopes.ts';
import { type Server, serve } from '../../../src/sandbox/server/http-server.ts';
import { type Browser, browser, openChromium, problemsOn } from '../../support/browser.ts';
import { callTool } from '../../support/mcp-client.ts';
import { logInAndConnect, type Person, serveMcp } from '../../support/mcp-http.ts';
import { few, sample } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';
import { authorizeQuery, oauthOf } from '../oauth/login.ts';
import { jonas, openWorld, pathOf, tomas } from '../world.ts';

/** Directory for screenshots of the page, for manual review. */
const pictures = process.env.SCHED_PICTURES;

describeWith(browser)('consent page in a browser', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  let server: Server;
  let client: HttpServer;
  let heard: URL[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    world = await openWorld({ isSentBothWays: true });
    server = await serve(world.send, { port: 0 });
    client = createServer((request, response) => {
      heard.push(new URL(request.url!, 'http://127.0.0.1'));
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>client</title><p>heard');
    });
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve));
    browser = await openChromium();
    page = await browser.context.newPage();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    client?.close();
  });

  const callback = (host = '127.0.0.1') => `http://${host}:${(client.address() as AddressInfo).port}/callback`;

  const show = async (changes: Record<string, string> = {}) => {
    heard = [];
    await page.goto(`${server.url}/oauth/authorize?${authorizeQuery({ redirect_uri: callback(), ...changes })}`);
  };

  const answer = async () => {
    await page.waitForURL((url) => url.pathname === '/callback');
    const { searchParams } = heard.find(({ pathname }) => pathname === '/callback')!;
    return Object.fromEntries(searchParams);
  };

  it('names the client and describes the requested scopes', async () => {
    await show();
    expect(await page.title()).toBe('Allow sched to use your account?');
    const text = await page.locator('main').textContent();
    expect(text).toContain(scopes['scheduled_events:write'].slice(1));
    expect(text).toContain(scopes['users:read'].slice(1));
    expect(text).toContain(new URL(callback()).host);
    expect(await page.getByRole('radio').count()).toBe(3);
    expect(await page.getByRole('radio', { name: 'Amara Lindqvist' }).isChecked()).toBe(true);
  });

  // e2e/auth-login.test.ts clicks on the same page.
  few(1, {
    'redirects with a code that can be exchanged for a token': async () => {
      await show();
      await page.getByRole('radio', { name: 'Tomás Ferreira' }).check();
      await page.getByRole('button', { name: 'Allow' }).click();
      const { code, state, iss } = await answer();
      expect({ state, iss }).toEqual({ state: 'state-1', iss: server.url });
      const { status, json } = await oauthOf(world, server.url).redeem(code!, { redirect_uri: callback() });
      expect([status, pathOf(json.owner)]).toEqual([200, pathOf(tomas)]);
    },

    'redirects with access_denied': async () => {
      await show();
      await page.getByRole('button', { name: 'Deny' }).click();
      expect(await answer()).toMatchObject({ error: 'access_denied', state: 'state-1', iss: server.url });
    },

    'works with the keyboard alone': async () => {
      await show({ login_hint: 'owner' });
      const focused = () => page.locator(':focus').evaluate((node) => node.getAttribute('value'));
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('owner');
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe('admin');
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('allow');
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('deny');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      const { code } = await answer();
      const { json } = await oauthOf(world, server.url).redeem(code!, { redirect_uri: callback() });
      expect(pathOf(json.owner)).toBe(pathOf(jonas));
    },

    'redirects to an IPv6 address': async () => {
      const six = createServer((request, response) => {
        heard.push(new URL(request.url!, 'http://[::1]'));
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>client</title><p>heard');
      });
      const isBound = await new Promise<boolean>((resolve) => {
        six.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true));
      });
      if (!isBound) return;
      await show({ redirect_uri: `http://[::1]:${(six.address() as AddressInfo).port}/callback` });
      await page.getByRole('button', { name: 'Allow' }).click();
      expect((await answer()).code).toMatch(/^sandbox_code_/);
      six.close();
    },

    // commands/mcp/http-sessions.test.ts does the same without a browser.
    'lets an MCP client log in that registered itself': async () => {
      const sandbox = await serveMcp();
      const allow: Person = async (address) => {
        heard = [];
        await page.goto(String(address));
        expect(await page.locator('main').textContent()).toContain(
          'A client of the tests, a program that gave itself this name, wants to access',
        );
        await page.getByRole('radio', { name: 'Tomás Ferreira' }).check();
        await page.getByRole('button', { name: 'Allow' }).click();
        await answer();
        return page.url();
      };
      const { client: connected } = await logInAndConnect(sandbox.mcp, allow, callback());
      expect((await callTool(connected, 'users_me')).record).toMatchObject({ name: 'Tomás Ferreira' });
      await connected.close();
      await sandbox.stop();
    },
  });

  it('rejects a form sent from another site', async () => {
    await show();
    const ticket = await page.locator('[name=ticket]').getAttribute('value');
    heard = [];
    const evil = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(
        `<!doctype html><form method="post" action="${server.url}/oauth/authorize"><input name="ticket" value="${ticket}">
         <input name="user" value="owner"><button name="decision" value="allow">Win a prize</button></form>`,
      );
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
    await page.getByRole('button').click();
    await page.waitForLoadState();
    expect(await page.title()).toBe('Invalid request');
    expect(heard.filter(({ pathname }) => pathname === '/callback')).toEqual([]);
    evil.close();
  });

  const everything = Object.keys(scopes).join(' ');

  describe('is accessible', () => {
    let tab: Page;
    beforeAll(async () => {
      // The accessibility checker needs JavaScript.
      tab = await browser.newPage();
    });

    // Color scheme and width are independent, so two of the four combinations are enough.
    const cells = (['consent', 'error'] as const).flatMap((name) => [
      { name, colorScheme: 'light' as const, width: 360 },
      { name, colorScheme: 'dark' as const, width: 1100 },
    ]);
    it.each(sample(cells, 1))(
      'in the $colorScheme color scheme, $width pixels wide ($name)',
      async ({ name, colorScheme, width }) => {
        await tab.emulateMedia({ colorScheme });
        await tab.setViewportSize({ width, height: 900 });
        const asked = { redirect_uri: callback(), scope: everything };
        const query = authorizeQuery(name === 'consent' ? asked : { redirect_uri: 'https://evil.example/' });
        await tab.goto(`${server.url}/oauth/authorize?${query}`);
        expect(await problemsOn(tab)).toEqual([]);
        if (pictures)
          await tab.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      },
      60_000,
    );
  });
});
