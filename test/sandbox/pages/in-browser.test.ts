import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { hostile } from '../../../src/sandbox/faults/inject.ts';
import { type Server, serve } from '../../../src/sandbox/http-server.ts';
import { idIn } from '../../../src/uri.ts';
import { type Browser, browser, openChromium, problemsOn } from '../../support/browser.ts';
import { few, sample } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';
import { eventType, openWorld, user, type World } from '../world.ts';

const intro = '/book/amara-lindqvist/intro-call';
const onboarding = '/book/amara-lindqvist/customer-onboarding';

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
    const page = await chromium.newPage(options);
    page.on('console', (message) => heard.push(message.text()));
    page.on('pageerror', (error) => heard.push(String(error)));
    page.on('dialog', (dialog) => heard.push(dialog.message()));
    return page;
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
      expect(await page.evaluate('document.activeElement.id')).toBe('times');
      await page.getByRole('link', { name: '16:30' }).click();
      await fillIn(page);
      await page.getByLabel('Company').fill('Engine Ltd');
      await page.getByRole('radio', { name: '11 to 100' }).check();
      await page.getByRole('button', { name: 'Book this time' }).click();
      expect(await page.getByRole('heading').textContent()).toBe('You are booked with Amara Lindqvist');
      expect(await page.locator('dl').textContent()).toContain('4 May 2026, 16:30–17:30');
      expect(heard).toEqual([]);
      await page.close();
    },

    'books without JavaScript in New York, in the second of two hours of the same name': async () => {
      const [schedule] = world.store.all<{ id: string; doc: string }>(
        'SELECT id, doc FROM schedules WHERE event_type = ?',
        idIn(eventType('sales-call')),
      );
      const rules = [{ type: 'date', date: '2026-11-01', intervals: [{ from: '00:00', to: '03:00' }] }];
      world.store.update('schedules', schedule!.id, { ...JSON.parse(schedule!.doc), rules });
      const page = await chromium.context.newPage();
      await page.goto(`${server.url}/book/lucia-romero/sales-call?date=2026-11-01&tz=UTC`);
      expect(await page.getByRole('link', { name: '06:30' }).count()).toBe(1);
      await page.getByText('Change').click();
      expect(await page.getByText("Your browser's time zone").isVisible()).toBe(false);
      await page.getByLabel('Another time zone').fill('America/New_York');
      await page.getByRole('button').click();
      await page.getByRole('link', { name: '01:30 GMT-5' }).click();
      await fillIn(page);
      await page.getByLabel('Your phone number').fill('+1 212 5550100');
      await page.getByRole('button').click();
      expect(await page.locator('dl').textContent()).toContain('01:30 GMT-5–02:00');
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
      expect(await loser.evaluate('document.activeElement.textContent')).toContain('14:00 was booked a moment ago');
      await loser.getByRole('radio', { name: '14:15' }).check();
      await loser.getByRole('button', { name: 'Book the chosen time' }).click();
      expect(await loser.locator('dl').textContent()).toContain('14:15–14:30');
      // The status of the reply is all the console has to say.
      expect(heard.filter((text) => !text.includes('409 (Conflict)'))).toEqual([]);
      await Promise.all([winner.close(), loser.close()]);
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

  const start = `start=2026-05-04T09:00:00Z&tz=Europe/Berlin`;
  const sendUnchecked = async (page: Page) => {
    await page.locator('form').evaluate((form) => form.setAttribute('novalidate', ''));
    await page.getByRole('button').click();
  };
  const shown: Record<string, { path: string; act?: (page: Page) => Promise<void> }> = {
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
  };
  const cells = Object.keys(shown).flatMap((name) => [
    { name, colorScheme: 'light' as const, width: 360 },
    { name, colorScheme: 'dark' as const, width: 1280 },
  ]);
  it.each(sample(cells, 1))(
    'is accessible, $name, $colorScheme, $width pixels wide',
    async ({ name, colorScheme, width }) => {
      const page = await openPage({ bypassCSP: true, colorScheme, viewport: { width, height: 800 } });
      const { path, act } = shown[name]!;
      await page.goto(`${server.url}${path}`);
      await act?.(page);
      expect(await problemsOn(page)).toEqual([]);
      await page.close();
    },
    60_000,
  );
});
