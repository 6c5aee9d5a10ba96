import { createRequire } from 'node:module';
import { type BrowserContext, chromium, type Page, type Browser as PlaywrightBrowser } from 'playwright-core';
import { pathOf } from './tools.ts';

/** For `describeWith`. */
export const browser = 'chromium|chromium-browser|google-chrome';
const path = pathOf(browser);

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Browser {
  /** An empty profile, without JavaScript for the pages it shows. */
  context: BrowserContext;
  /** A page that runs scripts, such as the accessibility checker. */
  newPage: PlaywrightBrowser['newPage'];
  close(): Promise<void>;
}

export const openChromium = async (): Promise<Browser> => {
  const opened = await chromium.launch({ executablePath: path!, args });
  const context = await opened.newContext({ javaScriptEnabled: false, viewport: { width: 900, height: 700 } });
  return { context, newPage: (options) => opened.newPage(options), close: () => opened.close() };
};

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Violations of the rules of accessibility on a page, and whether it is wider than the window. */
export const problemsOn = async (page: Page): Promise<string[]> => {
  await page.addScriptTag({ path: axe });
  const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string; impact: string }[] };
  const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  return [...violations.map(({ id, impact }) => `${impact}: ${id}`), ...(isWider ? ['too wide'] : [])];
};
