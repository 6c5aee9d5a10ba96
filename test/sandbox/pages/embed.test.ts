import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConsoleMessage, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Server, serve } from '../../../src/sandbox/http-server.ts';
import { type Browser, browser as chromium, openChromium, problemsOn } from '../../support/browser.ts';
import { sample, times } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';
import { at, openWorld, origin, pathOf, type World } from '../world.ts';
import { visitorOf } from './visitor.ts';

const intro = '/book/amara-lindqvist/intro-call';
const parent = 'http://localhost:3000';
const embedded = `embed=inline&parent=${encodeURIComponent(parent)}`;

describe('an embedded page', () => {
  it('can be framed by pages of this computer, and no other page can', async () => {
    const { open } = visitorOf(await openWorld());
    for (const path of [intro, '/book/amara-lindqvist', '/book/nobody', '/embed/demo', '/cancellations/NOBODY']) {
      const { headers } = await open(path);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options']).toBe('DENY');
    }
    const { headers, body } = await open(`${intro}?${embedded}`);
    expect(headers['content-security-policy']).toMatch(
      /frame-ancestors http:\/\/127\.0\.0\.1:\* http:\/\/localhost:\* https:\/\/localhost:\*$/,
    );
    expect([headers['x-frame-options'], headers['access-control-allow-origin']]).toEqual([undefined, undefined]);
    expect(body).toContain(`<body class="embed" data-needs-zone="" data-parent="${parent}"`);
    // The demo page is no page to embed.
    expect((await open(`/embed/demo?${embedded}`)).headers['x-frame-options']).toBe('DENY');
  });

  it('sends no message to what is not the origin of a website', async () => {
    const { open } = visitorOf(await openWorld());
    for (const wrong of ['javascript:alert(1)', 'https://a.example/path', 'null', '*', '', 'https://a.example\n']) {
      const { body } = await open(`/book/nobody?embed=inline&parent=${encodeURIComponent(wrong)}`);
      expect(body, wrong).toContain('<body class="embed">');
    }
  });

  it('carries the embedding and the time zone through every link and form', async () => {
    const { open, submit } = visitorOf(await openWorld());
    const carried = { embed: 'inline', parent, tz: 'Asia/Tokyo' };
    const queryOf = (href: string) => Object.fromEntries(new URL(href, origin).searchParams);
    const start = await open(`${intro}?${embedded}&tz=Asia/Tokyo&date=2026-05-04`);
    const details = await open(start.links.find((href) => href.includes('start='))!);
    const sent = await submit(details, { name: 'Ada', email: 'ada@engine.example' });
    expect(queryOf(sent.headers.location!)).toEqual(carried);
    const done = await open(sent.headers.location!);
    expect(done.body).toContain('&quot;event&quot;:&quot;sched.event_scheduled&quot;');
    const change = done.links.filter((href) => /cancellations|reschedulings/.test(href));
    expect(change).toHaveLength(2);
    const pages = [start, details, done, await open(change[0]!), await open(change[1]!)];
    const links = pages.flatMap(({ links }) => links).filter((href) => !/^#|^\/assets|\.ics$|^https:/.test(href));
    for (const href of links) expect(queryOf(href), href).toMatchObject({ embed: 'inline', parent });
    // Both pages with days have a link to each other zone, and to the browser's, which has no name yet.
    const zones = links.map((href) => queryOf(href).tz ?? 'of the browser').filter((zone) => zone !== carried.tz);
    expect(zones.sort()).toEqual(['Europe/Berlin', 'Europe/Berlin', 'UTC', 'UTC', 'of the browser', 'of the browser']);
    const canceled = await submit(pages.find(({ url }) => url.pathname.startsWith('/cancel'))!);
    expect(queryOf(canceled.headers.location!)).toEqual(carried);
  });
});

interface Told {
  event: string;
  height?: number;
}

describeWith(chromium)('the embed in a browser', () => {
  let world: World;
  let server: Server;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let warnings: string[];

  beforeAll(async () => {
    world = await openWorld();
    server = await serve(world.send, { port: 0 });
    browser = await openChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, timezoneId: 'Europe/Paris' });
    const listen = (message: ConsoleMessage) => {
      if (message.type() === 'error') problems.push(message.text());
      if (message.type() === 'warning') warnings.push(message.text());
    };
    page.on('console', listen).on('pageerror', (error) => problems.push(String(error)));
  }, 60_000);

  afterEach(() => {
    expect(problems).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const start = () => {
    problems = [];
    warnings = [];
  };

  /** What the demo page was told, oldest first, and whether the frame had that height each time. */
  const told = async (): Promise<Array<Told & { frame: number }>> =>
    (
      await page
        .locator('#log tr')
        .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent!)))
    )
      .reverse()
      .map(([, event, height, frame]) => ({
        event: event!,
        frame: Number(frame),
        ...(height === '' ? {} : { height: Number(height) }),
      }));

  /** Waits for some frames, in which any message would come. */
  const idle = () =>
    page.evaluate(`new Promise((resolve) => {
      const wait = (left) => (left === 0 ? resolve() : requestAnimationFrame(() => wait(left - 1)));
      wait(${times(5, 70)});
    })`);

  /** Waits for the next message, and then for another one that shouldn't come. */
  const next = async (after: number, event = 'sched.page_height') => {
    await page.locator('#log tr').nth(after).waitFor();
    await idle();
    const messages = await told();
    return messages.slice(after).filter((message) => message.event === event);
  };

  const frameHeight = () =>
    page
      .locator('iframe')
      .first()
      .evaluate((frame) => frame.clientHeight);

  it('has the height of its page on load and after each change, and is told once', async () => {
    start();
    await page.goto(`${server.url}/embed/demo?page=${intro}`);
    const frame = page.frameLocator('iframe');
    const content = () => frame.locator('body').evaluate((body) => Math.ceil(body.getBoundingClientRect().height));
    const steps: Array<[string, () => Promise<unknown>]> = [
      ['open the list of zones', () => frame.locator('summary').click()],
      ['close it', () => frame.locator('summary').click()],
      ['make the window narrow', () => page.setViewportSize({ width: 390, height: 900 })],
      ['make it wide again', () => page.setViewportSize({ width: 1280, height: 900 })],
      ['choose a time', () => frame.locator('.slots a').first().click()],
    ];
    let seen = 0;
    const heights: number[] = [];
    for (const [name, act] of [['load', async () => {}] as const, ...steps]) {
      await act();
      const messages = await next(seen);
      expect(messages, name).toEqual([
        { event: 'sched.page_height', height: await content(), frame: await frameHeight() },
      ]);
      expect(messages[0]!.height, name).toBe(messages[0]!.frame);
      heights.push(messages[0]!.height!);
      seen = (await told()).length;
    }
    const [load, opened, closed, narrow, wide] = heights;
    // Another width with the same height is no news.
    await page.setViewportSize({ width: 1284, height: 900 });
    await idle();
    expect((await told()).length).toBe(seen);
    expect([closed, wide, new Set([load, opened, narrow]).size]).toEqual([load, load, 3]);
    expect(new URL(page.frames()[1]!.url()).hostname).toBe('localhost');

    await frame.getByLabel('Name').fill('Ada Lovelace');
    await frame.getByLabel('Email').fill('ada@engine.example');
    await frame.getByRole('button').click();
    expect(await next(seen, 'sched.event_scheduled')).toHaveLength(1);
    expect((await told()).map(({ event }) => event).filter((event) => event !== 'sched.page_height')).toEqual([
      'sched.event_type_viewed',
      'sched.date_and_time_selected',
      'sched.event_scheduled',
    ]);
  }, 60_000);

  it('resizes only the first frame, and only for messages of its own page', async () => {
    start();
    const box = (more: string) =>
      `<div class="sched-inline" data-url="${server.url}${intro}" data-resize="true"${more}></div>`;
    const evil = `<!doctype html><title>evil</title>`;
    const host = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url !== '/') return response.end(evil);
      return response.end(`<!doctype html><title>host</title>${box('')}${box(' data-title="Second"')}
<div class="sched-inline" data-url="javascript:alert(1)"></div>
<iframe name="evil" src="/evil"></iframe><script async src="${server.url}/embed.js"></script>`);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    try {
      const port = (host.address() as AddressInfo).port;
      await page.goto(`http://localhost:${port}/`);
      const first = page.locator('iframe[title="Choose a time"]');
      const second = page.locator('iframe[title="Second"]');
      await page.waitForFunction(`document.querySelector('iframe')?.clientHeight !== 700`);
      const right = await first.evaluate((frame) => frame.clientHeight);
      expect(await second.evaluate((frame) => frame.clientHeight)).toBe(700);
      expect(await page.locator('iframe').count()).toBe(3);
      expect(warnings).toEqual([expect.stringContaining('only the first embed')]);

      const frames = page.frames().filter((frame) => frame.url().includes('parent='));
      // As text, because NaN and infinity can't be passed otherwise.
      const post = (from: Frame, data: string) =>
        from.evaluate(
          `parent.postMessage(${data}, '*'); new Promise((resolve) => requestAnimationFrame(() => resolve()))`,
        );
      const height = (value: string, more = '') =>
        `{ event: 'sched.page_height', version: 1, payload: { height: ${value} }, ${more} }`;
      const [own, other] = frames as [Frame, Frame];
      // Another origin, and another frame of the same origin.
      for (const from of [page.frame('evil')!, other]) await post(from, height('123'));
      for (const wrong of ["'123'", 'NaN', 'Infinity', '-5', '0', 'null', '[123]', '{}'])
        await post(own, height(wrong));
      for (const wrong of ['version: 2', "event: 'page_height'", 'payload: null'])
        await post(own, height('123', wrong));
      for (const wrong of ['null', "'sched.page_height'"]) await post(own, wrong);
      expect(await first.evaluate((frame) => frame.clientHeight)).toBe(right);
      await post(own, height('1e9'));
      await page.waitForFunction(`document.querySelector('iframe').clientHeight === 10_000`);
      // The same frame, after it went to another origin.
      await first.evaluate(`document.querySelector('iframe').src = '/own-evil'`);
      await page.waitForFunction(`document.querySelector('iframe').contentDocument?.title === 'evil'`);
      await post(page.frames().find((frame) => frame.url().endsWith('/own-evil'))!, height('123'));
      await idle();
      expect(await first.evaluate((frame) => frame.clientHeight)).toBe(10_000);
      expect(await second.evaluate((frame) => frame.clientHeight)).toBe(700);

      // A name that isn't this computer's may not show the page.
      await page.goto(`http://evil.localhost:${port}/`);
      await page.waitForLoadState('networkidle');
      expect(problems.splice(0).join()).toContain('frame-ancestors');
      expect(await page.frames()[1]!.locator('h1').count()).toBe(0);
    } finally {
      host.close();
    }
  }, 60_000);

  describe('is accessible', () => {
    const names = ['cancel', 'reschedule', 'details', 'canceled', 'embedded', 'demo'] as const;
    const cells = names.flatMap((name) => [
      { name, colorScheme: 'light' as const, width: 390 },
      { name, colorScheme: 'dark' as const, width: 1280 },
    ]);
    it.each(sample(cells, 1))(
      '$name, $colorScheme, $width pixels wide',
      async (cell) => {
        start();
        const { name, colorScheme, width } = cell;
        const time = new Date(Date.parse(at('07:00')) + cells.indexOf(cell) * 15 * 60_000).toISOString();
        const { cancel_url, reschedule_url } = (await world.book('intro-call', time)).body.resource;
        const [cancel, reschedule] = [pathOf(cancel_url), `${pathOf(reschedule_url)}?tz=UTC`];
        const details = `${reschedule}&start=2026-05-05T08:00:00Z`;
        const paths = {
          cancel,
          reschedule,
          details,
          canceled: cancel,
          embedded: `${cancel}?${embedded}`,
          demo: '/embed/demo',
        };
        // The accessibility checker is a script, which the page's policy would block.
        const tab = await browser.newPage({ bypassCSP: true, colorScheme, viewport: { width, height: 900 } });
        await tab.goto(`${server.url}${paths[name]}`);
        if (name === 'canceled') await tab.getByRole('button').click();
        if (name === 'demo') await tab.locator('#log tr').nth(1).waitFor();
        expect(await problemsOn(tab)).toEqual([]);
        await tab.close();
      },
      60_000,
    );
  });
});
