/**
 * `npm run pictures`: makes the pictures of the sandbox's pages in docs/ with the built program and Chromium. CI doesn't
 * compare them, because fonts differ between machines.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/** @param {string} path */
const fromRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const { CHROMIUM: executablePath = '/usr/bin/chromium' } = process.env;
// The usual port, which readers know from the docs.
const args = [fromRoot('bin/sched.js'), 'sandbox', 'start', '--data', ':memory:', '--json'];
const sandbox = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
/** @type {Buffer} */
const started = await new Promise((resolve, reject) => {
  sandbox.stdout.once('data', resolve);
  sandbox.once('exit', () => reject(new Error('The sandbox ended')));
});
const { base_url } = JSON.parse(String(started));

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-lcd-text'] });
// Sharp on a display with two pixels for one, at the width of a page of documentation.
const look = { deviceScaleFactor: 1.5, timezoneId: 'Europe/Paris' };
try {
  const page = await browser.newPage({ ...look, viewport: { width: 1100, height: 590 } });
  const wednesday = new Date();
  wednesday.setUTCDate(wednesday.getUTCDate() + 7 + ((10 - wednesday.getUTCDay()) % 7));
  const booking = '/book/amara-lindqvist/customer-onboarding';
  const date = wednesday.toISOString().slice(0, 10);
  await page.goto(`${base_url}${booking}?date=${date}`);
  await page.waitForURL(/tz=/);
  await page.screenshot({ path: fromRoot('docs/booking-page.png') });

  const demo = await browser.newPage({ ...look, viewport: { width: 1180, height: 980 } });
  await demo.goto(`${base_url}/embed/demo?page=${booking}`);
  const zones = demo.frameLocator('iframe').locator('summary');
  for (const messages of [2, 3, 4]) {
    await demo
      .locator('#log tr')
      .nth(messages - 1)
      .waitFor();
    if (messages < 4) await zones.click();
  }
  await demo.evaluate('scrollTo(0, 0)');
  await demo.screenshot({ path: fromRoot('docs/embed.png') });
} finally {
  await browser.close();
  sandbox.kill();
}
