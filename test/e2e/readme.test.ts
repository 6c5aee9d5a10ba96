import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followCookbook, readmeBlocks, recipes } from './cookbook.ts';
import { program, type RunningSandbox, runner, schedInTerminal, startSandbox, temporaryHome } from './program.ts';

/** Tomorrow's date in the time zone of the schedule in the recipes. */
const tomorrow = (): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(Date.now() + 24 * 60 * 60 * 1000);

describe('README.md', () => {
  test('is at most 350 lines long', () => {
    expect(readFileSync('README.md', 'utf8').split('\n').length).toBeLessThanOrEqual(350);
  });

  test('has recipes that work, in order', async () => {
    // The recipes may run past midnight.
    const tomorrowBefore = tomorrow();
    const outputs = await followCookbook(program[0] ?? runner, program.length === 0 ? {} : { node: runner });
    const output = (heading: string) => outputs.filter((_, index) => recipes[index]!.heading === heading).join('');
    expect(output('Book a meeting')).toContain('Ada Byron');
    expect(output('Cancel a meeting')).toContain('canceled');
    expect(output('Take a day off')).toMatch(new RegExp(`\\.date\\t(${tomorrowBefore}|${tomorrow()})\\n`));
    expect(output('Send a single-use link')).toMatch(/^https:\/\/\S+\n$/);
    expect(output('Write a script')).toContain('Amara Lindqvist');
    expect(outputs.join('')).toContain('No such event\n');
  }, 60_000);

  test('has commands for set-up that CI runs', () => {
    const setUp = readmeBlocks.filter(({ heading }) => heading === 'Start').map(({ script }) => script.trim());
    expect(setUp).toEqual(['npm ci && npx sched --sandbox events list', 'npm ci && npm test']);
    const ci = readFileSync('.ci/run', 'utf8');
    for (const command of setUp.flatMap((line) => line.split(' && '))) expect(ci).toContain(command);
  });
});

describe('README.md: logging in', () => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox('--auto-consent');
  });
  afterAll(() => sandbox?.stop());

  test('works with the addresses of a server', async () => {
    const script = readmeBlocks.find(({ heading }) => heading === 'Log in for real')!.script;
    const home = temporaryHome();
    const real = {
      'https://api.example.com': sandbox.base_url,
      'https://auth.example.com': sandbox.auth_url,
      ID: sandbox.client_id,
    };
    const lines = script
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map((word) => real[word as keyof typeof real] ?? word));
    const [login, ...others] = lines.map(([, ...words]) => words);
    const screen = schedInTerminal([...login!, '--no-browser', '--credential-store', 'file'], home);
    const url = (await screen.until(/^(http:\S+\/oauth\/authorize\?\S+)\n/m))[1]!;
    await (await fetch(url)).text();
    expect((await screen.done).code).toBe(0);
    for (const words of others) expect((await schedInTerminal(words, home).done).code).toBe(0);
  });
});
