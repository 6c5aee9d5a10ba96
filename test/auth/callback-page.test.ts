import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resultPage } from '../../src/auth/callback-page.ts';
import { type Browser, browser, openChromium, problemsOn } from '../support/browser.ts';
import { sample } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';

describeWith(browser)('callback page in a browser', () => {
  let browser: Browser;
  let tab: Page;
  beforeAll(async () => {
    browser = await openChromium();
    tab = await browser.newPage({ reducedMotion: 'reduce' });
  }, 60_000);
  afterAll(() => browser?.close());

  const longestName = 'p'.repeat(64);

  const cells = (['success', 'denied', 'failed', 'unexpected'] as const).flatMap((kind) => [
    { kind, colorScheme: 'light' as const, width: 320 },
    { kind, colorScheme: 'dark' as const, width: 1100 },
  ]);
  test.each(sample(cells, 1))(
    '$kind is accessible in the $colorScheme color scheme, $width pixels wide',
    async ({ kind, colorScheme, width }) => {
      await tab.emulateMedia({ colorScheme });
      await tab.setViewportSize({ width, height: 900 });
      await tab.setContent(resultPage(kind, longestName).body);
      expect(await problemsOn(tab)).toEqual([]);
    },
  );
});
