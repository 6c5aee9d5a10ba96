import { type BrowserContext, chromium } from 'playwright-core';
import { temporaryDirectory } from './temporary.ts';
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

/** A browser that runs scripts, such as the accessibility checker. */
export const launchChromium = () => chromium.launch({ executablePath: path!, args });

export interface Browser {
  context: BrowserContext;
  close(): Promise<void>;
}

/** A browser with an empty profile and without JavaScript for the pages it shows. */
export const openChromium = async (colorScheme: 'light' | 'dark' = 'light'): Promise<Browser> => {
  const profile = temporaryDirectory('chromium');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: path!,
    headless: true,
    javaScriptEnabled: false,
    colorScheme,
    viewport: { width: 900, height: 700 },
    args,
  });
  return {
    context,
    close: async () => {
      await context.close();
    },
  };
};
