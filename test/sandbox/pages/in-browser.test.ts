import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContextOptions, ConsoleMessage, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import { hostile } from '../../../src/sandbox/faults/inject.ts';
import { type Server, serve } from '../../../src/sandbox/server/http-server.ts';
import { type Browser, browser, openChromium, problemsOn } from '../../support/browser.ts';
import { few, sample, times } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';
import { eventType, openWorld, pathOf, user, type World } from '../world.ts';

const intro = '/book/amara-lindqvist/intro-call';
const onboarding = '/book/amara-lindqvist/customer-onboarding';

const parent = 'http://localhost:3000';
const wide = { width: 1280, height: 900 };

interface Told {
  event: string;
  height?: number;
}

describeWith(browser)('booking pages in a browser', () => {
  let world: World;
  let server: Server;
  let chromium: Browser;
  /** What the console of the browser shows: errors, and reports of the content security policy. */
  let heard: string[] = [];

  beforeAll(async () => {
    world = await openWorld();
    server = await serve(world.send, { port: 0 });
    chromium = await openChromium();
  }, 60_000);
  afterAll(async () => {
    await chromium?.close();
    await server?.close();
  });
  beforeEach(() => {
    heard = [];
  });

  const openPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await chromium.newPage({ locale: 'en-GB', ...options });
    page.on('console', (message) => heard.push(message.text()));
    page.on('pageerror', (error) => heard.push(String(error)));
    page.on('dialog', (dialog) => heard.push(dialog.message()));
    return page;
  };

  /** Lets an event type be booked on one day only. */
  const setHours = (slug: string, date: string, interval: { from: string; to: string }) => {
    const [schedule] = world.store.all<{ id: string; doc: string }>(
      'SELECT id, doc FROM schedules WHERE event_type = ?',
      idIn(eventType(slug)),
    );
    const rules = [{ type: 'date', date, intervals: [interval] }];
    world.store.update('schedules', schedule!.id, { ...JSON.parse(schedule!.doc), rules });
  };

  const fillIn = async (page: Page, email = 'ada@engine.example') => {
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill(email);
  };

  few(1, {
    'books on a phone in Tokyo, in the zone of the browser': async () => {
      const page = await openPage({
        timezoneId: 'Asia/Tokyo',
        viewport: { width: 390, height: 800 },
        colorScheme: 'dark',
      });
      await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}${onboarding}`);
      await page.waitForURL(/tz=Asia%2FTokyo/);
      await page.getByRole('link', { name: 'Later weeks' }).click();
      await page.getByRole('link', { name: /^Mon 4 May/ }).click();
      // A browser moves the focus a moment after it has loaded a page.
      await page.locator('#times:focus').waitFor();
      await page.getByRole('link', { name: '16:30' }).click();
      await fillIn(page);
      await page.getByLabel('Company').fill('Engine Ltd');
      await page.getByRole('radio', { name: '11 to 100' }).check();
      await page.getByRole('button', { name: 'Book this time' }).click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('You are booked with Amara Lindqvist');
      expect(await page.locator('dl').textContent()).toContain('4 May 2026, 16:30–17:30');
      expect(heard).toEqual([]);
      await page.close();
    },

    'books without JavaScript in New York, in the second of two hours of the same name': async () => {
      setHours('sales-call', '2026-11-01', { from: '00:00', to: '03:00' });
      const page = await chromium.context.newPage();
      await page.goto(`${server.url}/book/lucia-romero/sales-call?date=2026-11-01&tz=UTC`);
      expect(await page.getByRole('link', { name: '06:30' }).count()).toBe(1);
      await page.getByText('Change').click();
      expect(await page.getByText("Your browser's time zone").isVisible()).toBe(false);
      await page.getByLabel('City or time zone').fill('New York');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('link', { name: '01:30 GMT-5' }).click();
      await fillIn(page);
      await page.getByLabel('Your phone number').fill('+1 212 5550100');
      await page.getByRole('button').click();
      expect(await page.locator('dl').textContent()).toContain('01:30 GMT-5–02:00');
      await page.close();
    },

    'is booked with the keyboard alone, and the first time is near': async () => {
      const page = await openPage({ timezoneId: 'Europe/Berlin' });
      const press = (...keys: string[]) =>
        keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
      const focused = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
      await page.goto(`${server.url}${intro}?tz=Europe/Berlin&date=2026-05-11`);
      await press('Tab');
      expect(await focused()).toBe('Skip to the times');
      await press('Enter', 'Tab');
      expect(await focused()).toBe('09:00');
      expect(await page.evaluate("getComputedStyle(document.querySelector('#times')).outlineStyle")).toBe('none');
      await press('Enter');
      await page.waitForURL(/start=/);
      await page.getByLabel('Name').focus();
      await page.keyboard.type('Ada Lovelace');
      await press('Tab');
      await page.keyboard.type('ada@engine.example');
      await press('Enter');
      await page.getByText('You are booked').waitFor();
      await page.close();
    },

    'leads the loser of a race to another time, with the keyboard at the message': async () => {
      const start = `${server.url}${intro}?start=2026-05-04T12:00:00Z&tz=Europe/Berlin`;
      const [winner, loser] = [await openPage(), await openPage()];
      for (const page of [winner, loser]) {
        await page.goto(start);
        await fillIn(page);
      }
      await winner.getByRole('button').click();
      await loser.getByRole('button').click();
      await loser.locator(':focus', { hasText: '14:00 was booked a moment ago' }).waitFor();
      await loser.getByRole('radio', { name: '14:15' }).check();
      await loser.getByRole('button', { name: 'Book the chosen time' }).click();
      expect(await loser.locator('dl').textContent()).toContain('14:15–14:30');
      // The status of the reply is all the console has to say.
      expect(heard.filter((text) => !text.includes('409 (Conflict)'))).toEqual([]);
      await Promise.all([winner.close(), loser.close()]);
    },

    'keeps words in their cells on a narrow screen, in any language': async () => {
      const page = await openPage({ timezoneId: 'UTC', locale: 'en-US', viewport: { width: 280, height: 800 } });
      /** The parts of a page that are higher than one line of text, or wider than their cell. */
      const brokenOnes = (parts: string) =>
        page.locator(parts).evaluateAll((all) =>
          all.flatMap((part) => {
            const isHigh = part.textContent !== '' && part.getBoundingClientRect().height > 46;
            return isHigh || part.scrollWidth > part.clientWidth ? [part.textContent] : [];
          }),
        );
      await page.goto(`${server.url}${intro}?tz=UTC&date=2026-05-11`);
      expect(await brokenOnes('.hour, .hour b, .cycle a')).toEqual([]);
      const edges = await page
        .locator('.hour .at00')
        .evaluateAll((all) => all.map((time) => time.getBoundingClientRect().left));
      expect(new Set(edges).size).toBe(1);
      await page.setViewportSize({ width: 768, height: 800 });
      await page.goto(`${server.url}${onboarding}?start=2026-05-11T09:00:00Z&tz=UTC`);
      expect(await brokenOnes('.choices label')).toEqual([]);
      await page.setViewportSize({ width: 280, height: 800 });

      const arabic = eventType('strategy-session');
      world.store.run("UPDATE event_types SET doc = json_set(doc, '$.locale', 'ar') WHERE id = ?", idIn(arabic));
      const strategy = `${server.url}/book/amara-lindqvist/strategy-session?tz=UTC`;
      await page.goto(`${strategy}&date=2026-05-11`);
      expect(await brokenOnes('.days th')).toEqual([]);
      const arrow = page.getByRole('link', { name: 'Later weeks' });
      // A mirrored sign follows the direction of its line.
      expect(await arrow.evaluate((link) => link.ownerDocument.defaultView!.getComputedStyle(link).unicodeBidi)).toBe(
        'normal',
      );
      const start = await page.locator('.slots a').first().getAttribute('href');
      await page.goto(`${server.url}${start}`);
      const [first, last] = await page
        .locator('.span bdi')
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()));
      expect(first!.right).toBeLessThanOrEqual(last!.left);
      expect(first!.top).toBe(last!.top);
      await page.close();
    },

    'fills both columns if all times are in one part of the day': async () => {
      setHours('candidate-chat', '2026-05-11', { from: '13:00', to: '15:00' });
      const page = await openPage();
      await page.goto(`${server.url}/book/jonas-weber/candidate-chat?date=2026-05-11&tz=Europe/Berlin`);
      expect(await page.locator('h3').count()).toBe(1);
      const times = page.locator('.slots li');
      const columns = await times.evaluateAll((all) => all.map((item) => item.getBoundingClientRect().left));
      expect(new Set(columns).size).toBe(2);
      await page.close();
    },

    'shows hostile text as text': async () => {
      const page = await openPage({ timezoneId: 'UTC' });
      const { body } = await world.book('technical-review', '2026-05-05T01:00:00Z');
      const invitee = idIn(body.resource.uri);
      const type = '/book/mei-tanaka/technical-review?tz=UTC';
      const paths = [
        '/book/mei-tanaka',
        type,
        `${type}&start=2026-05-05T03:00:00Z`,
        ...['bookings', 'cancellations', 'reschedulings'].map((name) => `/${name}/${invitee}?tz=UTC`),
      ];
      const count = async () => {
        const counts: number[] = [];
        for (const path of paths) {
          await page.goto(`${server.url}${path}`);
          counts.push(await page.locator('*').count());
        }
        return counts;
      };
      const before = await count();
      const text = `${hostile}</bdi><img src=x onerror="alert(1)">`;
      world.store.run("UPDATE users SET doc = json_set(doc, '$.name', ?) WHERE id = ?", text, idIn(user('mei')));
      for (const [table, fields] of [
        ['event_types', ['$.name', '$.color', '$.profile.name']],
        ['events', ['$.name', '$.event_memberships[0].user_name']],
        ['invitees', ['$.name']],
      ] as const)
        for (const field of fields) world.store.run(`UPDATE ${table} SET doc = json_set(doc, '${field}', ?)`, text);
      expect(await count()).toEqual(before);
      expect(await page.locator('h1').textContent()).toContain('<script>alert(1)</script>');
      expect(heard).toEqual([]);
      await page.close();
    },
  });

  describe('an embedded one', () => {
    let page: Page;
    let problems: string[];
    let warnings: string[];

    beforeAll(async () => {
      page = await chromium.newPage({ viewport: wide, timezoneId: 'Europe/Paris', locale: 'en-GB' });
      const listen = (message: ConsoleMessage) => {
        if (message.type() === 'error') problems.push(message.text());
        if (message.type() === 'warning') warnings.push(message.text());
      };
      page.on('console', listen).on('pageerror', (error) => problems.push(String(error)));
    });

    afterEach(() => {
      expect(problems).toEqual([]);
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

    few(1, {
      'has the height of its page on load and after each change, and is told once': async () => {
        start();
        await page.goto(`${server.url}/embed/demo?page=${intro}`);
        const frame = page.frameLocator('iframe');
        const content = () => frame.locator('body').evaluate((body) => Math.ceil(body.getBoundingClientRect().height));
        const steps: Array<[string, () => Promise<unknown>]> = [
          ['open the list of zones', () => frame.locator('summary').click()],
          ['close it', () => frame.locator('summary').click()],
          ['make the window narrow', () => page.setViewportSize({ width: 390, height: 900 })],
          ['make it wide again', () => page.setViewportSize(wide)],
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
        const [load, opened, closed, narrow, widened] = heights;
        // Another width with the same height is no news.
        await page.setViewportSize({ width: 1284, height: 900 });
        await idle();
        expect((await told()).length).toBe(seen);
        expect([closed, widened, new Set([load, opened, narrow]).size]).toEqual([load, load, 3]);
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
      },

      'tells a wrapper of others in the words of the dialect': async () => {
        start();
        const embed = { class: 'calendly-inline-widget', prefix: 'calendly', height: 'px' } as const;
        const speaking = await openWorld({ dialect: { dialect: 1, name: 'x', digest: '', place: 'x', embed } });
        const sandbox = await serve(speaking.send, { port: 0 });
        // The same address as that of the public React wrapper, and its listener.
        const host = createServer((_, response) =>
          response.setHeader('content-type', 'text/html').end(`<!doctype html><title>host</title>
  <iframe src="${sandbox.url}${intro}?name=Ada&email=ada%40engine.example&embed_type=Inline&embed_domain=1"></iframe>
  <script>var told = []; addEventListener('message', ({ data }) => told.push([data.event, Object.entries(data.payload).flat().join()]));</script>`),
        );
        await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
        try {
          await page.goto(`http://localhost:${(host.address() as AddressInfo).port}/`);
          const frame = page.frameLocator('iframe');
          await frame.locator('.slots a').first().click();
          await frame.getByRole('button', { name: 'Book this time' }).click();
          await page.waitForFunction("told.some(([event]) => event === 'calendly.event_scheduled')");
          const told = (await page.evaluate('told')) as Array<[string, string]>;
          expect([...new Set(told.map(([event]) => event))].sort()).toEqual([
            'calendly.date_and_time_selected',
            'calendly.event_scheduled',
            'calendly.event_type_viewed',
            'calendly.page_height',
          ]);
          const heights = told.filter(([event]) => event === 'calendly.page_height').map(([, payload]) => payload);
          for (const height of heights) expect(height).toMatch(/^height,\d+px$/);
        } finally {
          host.close();
          await sandbox.close();
        }
      },

      'resizes only the first frame, and only for messages of its own page': async () => {
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
      },
    });
  });

  const start = `start=2026-05-04T09:00:00Z&tz=Europe/Berlin`;
  const sendUnchecked = async (page: Page) => {
    await page.locator('form').evaluate((form) => form.setAttribute('novalidate', ''));
    await page.getByRole('button').click();
  };
  let booked = Date.parse('2026-05-06T07:00:00Z');
  /** Shows a page on which one more booking can be changed. */
  const showChange = async (page: Page, way: 'cancel_url' | 'reschedule_url', query = '') => {
    const { body } = await world.book('intro-call', new Date(booked).toISOString());
    booked += 15 * 60_000;
    await page.goto(`${server.url}${pathOf(body.resource[way])}${query}`);
  };
  const shown: Record<string, { path?: string; act?: (page: Page) => Promise<void> }> = {
    person: { path: '/book/amara-lindqvist' },
    days: { path: `${onboarding}?tz=Mars/Base` },
    details: { path: `${onboarding}?${start}` },
    'with problems': { path: `${onboarding}?${start}`, act: sendUnchecked },
    seats: { path: '/book/kofi-mensah/open-office-hours?tz=UTC' },
    'places to choose from': { path: `/book/amara-lindqvist/consultation?${start}&location=1` },
    done: {
      path: '/book/sam-whitaker/renewal-talk?tz=UTC',
      act: async (page) => {
        await page.locator('.slots a').first().click();
        await fillIn(page);
        await page.getByRole('button').click();
        await page.getByText('You are booked').waitFor();
      },
    },
    'with other times': {
      path: '/book/elif-demir/research-interview?tz=UTC',
      act: async (page) => {
        await page.locator('.slots a').first().click();
        await fillIn(page);
        await world.book('research-interview', new URL(page.url()).searchParams.get('start')!);
        await page.getByRole('button').click();
      },
    },
    missing: { path: '/book/amara-lindqvist/summer-office-hours' },
    'of a link that was used': {
      path: '/book/amara-lindqvist',
      act: async (page) => {
        const { body } = await world.call('POST', '/shares', { body: { event_type: eventType('consultation') } });
        world.store.run('UPDATE shares SET used_by = (SELECT id FROM invitees LIMIT 1)');
        const { pathname } = new URL(body.resource.scheduling_links[0].booking_url);
        const reply = await page.goto(`${server.url}${pathname}`);
        expect(reply?.status()).toBe(410);
      },
    },
    'to cancel': { act: (page) => showChange(page, 'cancel_url') },
    'to cancel, embedded': {
      act: (page) => showChange(page, 'cancel_url', `?embed=inline&parent=${encodeURIComponent(parent)}`),
    },
    'to reschedule': { act: (page) => showChange(page, 'reschedule_url', '?tz=UTC') },
    'to reschedule, details': {
      act: (page) => showChange(page, 'reschedule_url', '?tz=UTC&start=2026-05-07T08:00:00Z'),
    },
    canceled: {
      act: async (page) => {
        await showChange(page, 'cancel_url');
        await page.getByRole('button').click();
      },
    },
    'with an embed': { path: '/embed/demo', act: (page) => page.locator('#log tr').nth(1).waitFor() },
  };
  const cells = Object.keys(shown).flatMap((name) => [
    { name, colorScheme: 'light' as const, width: 280 },
    { name, colorScheme: 'dark' as const, width: 1280 },
  ]);
  it.each(sample(cells, 1))(
    'is accessible, $name, $colorScheme, $width pixels wide',
    async ({ name, colorScheme, width }) => {
      const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
      const { path, act } = shown[name]!;
      if (path !== undefined) await page.goto(`${server.url}${path}`);
      await act?.(page);
      expect(await problemsOn(page)).toEqual([]);
      await page.close();
    },
    60_000,
  );
});
