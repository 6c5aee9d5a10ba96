import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resultPage } from '../../src/auth/callback-page.ts';
import { browser, launchChromium } from '../support/browser.ts';
import { describeWith } from '../support/tools.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

describeWith(browser)('callback page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser?.close());

  const longestName = 'p'.repeat(64);

  test.each([
    ['light', 320],
    ['dark', 1100],
  ] as const)('is accessible in the %s color scheme, %i pixels wide', async (colorScheme, width) => {
    for (const kind of ['success', 'denied', 'failed', 'unexpected'] as const) {
      const tab = await browser.newPage({ colorScheme, reducedMotion: 'reduce', viewport: { width, height: 900 } });
      await tab.setContent(resultPage(kind, longestName).body);
      await tab.addScriptTag({ path: axe });
      const { violations } = (await tab.evaluate('axe.run()')) as { violations: { id: string }[] };
      expect(violations.map(({ id }) => `${kind}: ${id}`)).toEqual([]);
      expect(await tab.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      await tab.close();
    }
  });
});
