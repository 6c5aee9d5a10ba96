import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownPart } from '../every-command/example-lines.ts';
import { sample } from '../support/tier.ts';
import { tryLineProblem } from '../support/try-line.ts';
import { blocksOf, follow, readmeBlocks, recipes } from './cookbook.ts';
import {
  commandsOf,
  program,
  type RunningSandbox,
  runner,
  startSandbox,
  storeLogin,
  temporaryHome,
} from './program.ts';

/** Tomorrow's date in the time zone of the schedules in the recipes. */
const tomorrow = (): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(Date.now() + 24 * 60 * 60 * 1000);

/** Words of a recipe, what it prints or writes to a file, and the file. */
const shown: Record<string, RegExp | [file: string, RegExp]> = {
  'sched invitees create --event-type "Support call" --start': /Ada Byron/,
  'sched events cancel "$event"': /canceled/,
  'sched events move "$event"': /active/,
  'sched events list --upcoming --with invitees -o ics': ['events.ics', /^ATTENDEE;CN=.*:mailto:/m],
  'sched availability off tomorrow': /TOMORROW off\t/,
  // The file is as it was exported, so nothing differs.
  'sched config apply team.yaml': /^$/,
  'sched shares create': /^http:\/\/127\.0\.0\.1:4010\/d\/\S+\n$/,
  'sched events get no-such-event': /No such event\n/,
  'sched api /users/me': /Amara Lindqvist/,
  'sched compliance delete --from emails.txt': ['result.json', /"accepted": 1/],
  'sched sandbox run --webhook-to': /\tinvitee\.created\tAda\tada@example\.com\t/,
};

const shownBy = (script: string): (RegExp | [file: string, RegExp])[] =>
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
  test('is at most 300 lines long, and its paragraphs 120 columns wide', () => {
    const text = readFileSync('README.md', 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(300);
    const lines = text.replaceAll(/^```.*?^```/gms, '').split('\n');
    expect(lines.filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([]);
  });

  test('has recipes that work, with CI set and without', async () => {
    // The recipes may run past midnight.
    const tomorrowBefore = tomorrow();
    // In `npm test` those for CI and webhooks, and another one. One of them runs with CI set.
    const isAlways = ({ script }: { script: string }) => /compliance delete|--webhook-to/.test(script);
    const others = sample(
      recipes.filter((recipe) => !isAlways(recipe)),
      1,
    );
    const chosen = [...recipes.filter(isAlways), ...others];
    const node: Record<string, string> = program.length === 0 ? {} : { node: runner };
    const kitchen = { sched: program[0] ?? runner, others: node };
    const inCi = sample(chosen, 1);
    const meals = [
      { recipes: chosen, dishes: await follow(chosen, kitchen) },
      { recipes: inCi, dishes: await follow(inCi, { ...kitchen, env: { CI: 'true' } }) },
    ];
    const days = new RegExp(`${tomorrowBefore}|${tomorrow()}`, 'g');
    for (const { recipes, dishes } of meals)
      for (const [index, { script }] of recipes.entries())
        for (const pattern of shownBy(script)) {
          const [text, expected] =
            pattern instanceof RegExp
              ? [dishes[index]!.stdout, pattern]
              : [dishes[index]!.read(pattern[0]), pattern[1]];
          expect(text.replaceAll(days, 'TOMORROW')).toMatch(expected);
        }
    for (const { recipes, dishes } of meals) expect(dishes).toHaveLength(recipes.length);
  }, 180_000);

  test('has recipes whose output this test knows', () => {
    expect(recipes.flatMap(({ script }) => shownBy(script))).toHaveLength(Object.keys(shown).length);
  });

  test('names only commands and flags that exist, and so do the pages behind it', async () => {
    const pages = ['docs/events.md', 'docs/login.md'].flatMap((page) => blocksOf(readFileSync(page, 'utf8')));
    const commands = [...recipes, ...pages].flatMap(({ script }) => commandsIn(script));
    expect(commands.length).toBeGreaterThan(60);
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
