import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type BrowserContext, chromium, type Page, type Browser as PlaywrightBrowser } from 'playwright-core';
import { once } from '../../src/base/once.ts';
import { pathOf } from './tools.ts';

/** For `describeWith`. */
export const browser = 'chromium|chromium-browser|google-chrome';
const path = pathOf(browser);

const disabledFeatures = [
  // The list under the address bar: a page of its own, with scripts, for each window. It takes longer than the tests.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Those of Playwright, because only the last such flag counts.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${disabledFeatures.join()}`,
];

export interface Browser {
  /** An empty profile, without JavaScript for the pages it shows. */
  context: BrowserContext;
  /** A page that runs scripts, such as its own and the accessibility checker. */
  newPage: PlaywrightBrowser['newPage'];
  close(): Promise<void>;
}

export const openChromium = async (): Promise<Browser> => {
  const opened = await chromium.launch({ executablePath: path!, args });
  const context = await opened.newContext({
    javaScriptEnabled: false,
    locale: 'en-GB',
    viewport: { width: 900, height: 700 },
  });
  return { context, newPage: (options) => opened.newPage(options), close: () => opened.close() };
};

const axe = once(() => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));

/** Violations of the rules of accessibility on a page, and whether it is wider than the window. */
export const problemsOn = async (page: Page): Promise<string[]> => {
  // The checker is evaluated, because the policy of the page would block a script tag. It describes each element that it
  // looked at, unless it is told that nobody reads that.
  const violations: string[] = await page.evaluate(
    `${axe()};
    axe.run({ resultTypes: ['violations'], selectors: false })
      .then(({ violations }) => violations.map(({ id, impact }) => impact + ': ' + id))`,
  );
  const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  return [...violations, ...(isWider ? ['too wide'] : [])];
};
