import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPart } from '../cli/example-lines.ts';
import { isDeep, sample } from '../support/tier.ts';
import { tryLineProblem } from '../support/try-line.ts';
import { follow, readmeBlocks, recipes } from './cookbook.ts';
import {
  commandsOf,
  program,
  type RunningSandbox,
  runner,
  startSandbox,
  storeLogin,
  temporaryHome,
  usedHome,
} from './program.ts';

/** Tomorrow's date in the time zone of the schedules in the recipes. */
const tomorrow = (): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(Date.now() + 24 * 60 * 60 * 1000);

/** Words of a recipe, and what it prints. */
const shown: Record<string, RegExp> = {
  'sched invitees create --event-type "Support call" --start': /Ada Byron/,
  'sched events cancel "$event"': /canceled/,
  'sched events move "$event"': /active/,
  'sched availability off tomorrow': /TOMORROW\tall schedules\n/,
  // The file is as it was exported, so nothing differs.
  'sched config apply team.yaml': /^$/,
  'sched shares create': /^http:\/\/127\.0\.0\.1:4010\/d\/\S+\n$/,
  'sched events get no-such-event': /No such event\n/,
  'sched api /users/me': /Amara Lindqvist/,
};

const shownBy = (script: string): RegExp[] =>
  Object.entries(shown)
    .filter(([words]) => script.includes(words))
    .map(([, pattern]) => pattern);

/** The commands of a script, without what a shell would do with their output. */
const commandsIn = (script: string): string[] =>
  script
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => [/\$\((sched [^)]*)\)/.exec(line), /^(?:if )?(sched .*)/.exec(line)])
    .flatMap((found) => (found === null ? [] : ownPart(found[1]!)));

describe('README.md', () => {
  test('is at most 380 lines long, and its paragraphs 120 columns wide', () => {
    const text = readFileSync('README.md', 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(380);
    const lines = text.replaceAll(/^```.*?^```/gms, '').split('\n');
    expect(lines.filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([]);
  });

  test('has recipes that work, in order', async () => {
    // The recipes may run past midnight.
    const tomorrowBefore = tomorrow();
    // In `npm test` one whose output is known.
    const chosen = isDeep
      ? recipes
      : sample(
          recipes.filter(({ script }) => shownBy(script).length > 0),
          1,
        );
    const others: Record<string, string> = program.length === 0 ? {} : { node: runner };
    const outputs = await follow(chosen, { sched: program[0] ?? runner, others, home: await usedHome() });
    const days = new RegExp(`${tomorrowBefore}|${tomorrow()}`, 'g');
    for (const [index, { script }] of chosen.entries())
      for (const pattern of shownBy(script)) expect(outputs[index]!.replaceAll(days, 'TOMORROW')).toMatch(pattern);
    expect(outputs).toHaveLength(chosen.length);
    // All of them together reach the rate limit of the sandbox, and wait for the next minute.
  }, 180_000);

  test('has recipes whose output this test knows', () => {
    expect(recipes.flatMap(({ script }) => shownBy(script))).toHaveLength(Object.keys(shown).length);
  });

  test('names only commands and flags that exist', async () => {
    const commands = recipes.flatMap(({ script }) => commandsIn(script));
    expect(commands.length).toBeGreaterThan(40);
    for (const line of sample(commands, 4)) expect([line, await tryLineProblem(line)]).toEqual([line, undefined]);
  });

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
    expect(login!.slice(0, 2)).toEqual(['auth', 'login']);
    await storeLogin(login!.slice(2), home);
    const run = await commandsOf(home);
    for (const words of others) expect([words, (await run(words)).code]).toEqual([words, 0]);
    expect(others).not.toEqual([]);
  });
});
