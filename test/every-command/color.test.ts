import { describe, expect, test } from 'vitest';
import { createWorld, outputs, replying, someday, terminals } from '../support/run.ts';
import { usedHome } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const world = await createWorld({ env: { NO_COLOR: '' } });

const style = (open: number, close: number) => (text: string) => `\x1b[${open}m${text}\x1b[${close}m`;
const bold = style(1, 22);
const dim = style(2, 22);
const red = style(31, 39);
const green = style(32, 39);
const yellow = style(33, 39);
const withoutStyles = (text: string) => text.replace(/\x1b\[\d+m/g, '');

const mistake = 'events list --statsu active';

describe('colors on stderr', () => {
  test('mark the word error and the command to copy', async () => {
    const { stderr } = await world.run(mistake, { terminals: ['stderr'] });
    expect(stderr).toBe(
      `${red(bold('error:'))} Unknown flag --statsu. Did you mean --status?\n${bold('try: sched events list --status active')}\n`,
    );
  });

  test('mark each line of a long command and the commands in a list', async () => {
    const { stderr } = await world.run('events list', {
      terminals: ['stderr'],
      columns: 60,
      home: temporaryDirectory('color'),
      env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' },
    });
    const plain = await world.run('events list --color never', {
      terminals: ['stderr'],
      columns: 60,
      home: temporaryDirectory('color'),
      env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' },
    });
    expect(stderr).toContain(`  look around without one   ${bold('sched --sandbox events list')}\n`);
    expect(stderr).toMatch(/log in {20}\x1b\[1msched auth login .*\\\x1b\[22m\n/);
    expect(withoutStyles(stderr)).toBe(plain.stderr);
  });

  test('leave the cause plain', async () => {
    const send = replying({ status: 500, body: '{"title":"Oops"}' });
    const { stderr } = await world.run('users me', { terminals: ['stderr'], send });
    expect(stderr).toMatch(/^cause: [^\x1b]*$/m);
  });

  test('name the sandbox in an error and in a question, and not above them', async () => {
    const [home, env] = [await usedHome(someday), { NO_COLOR: '1' }];
    const error = await world.run('--sandbox events get ZZZZ', { terminals, home, env });
    expect(error.screen).toBe('error: No event with ID ZZZZ (sandbox)\ntry: sched --sandbox events list\n');
    const piped = await world.run('--sandbox events get ZZZZ', { home });
    expect(piped.stderr).toMatch(/^\[sandbox\]\nerror: No event with ID ZZZZ\n/);
    const asked = await world.run('--sandbox events cancel next', { terminals, home, env, stdin: 'n\n' });
    expect(asked.screen).toMatch(/^Cancel "[^\n]+\n[^\n]+\nNorthlight Advisory · sandbox[^\n]*\n\[y\/N\] /);
    expect(asked.screen).toMatch(/Nothing canceled\.\n$/);
  });

  test('make footers and [sandbox] dim unless -q drops it on a terminal, and warnings yellow', async () => {
    const footers = await world.run('events list --search "no such words"', { terminals: ['stderr'] });
    expect(footers.stderr.trimEnd().split('\n')).toEqual(withoutStyles(footers.stderr).trimEnd().split('\n').map(dim));
    const home = await usedHome(someday);
    const sandbox = await world.run('--sandbox users me -o id --dry-run', { terminals: ['stderr'], home });
    expect(sandbox.stderr).toBe(`${dim('[sandbox]')}\n`);
    const quiet = '--sandbox users me -o id --dry-run -q';
    expect((await world.run(quiet, { terminals: ['stderr'], home })).stderr).toBe('');
    expect((await world.run(quiet, { home })).stderr).toBe('[sandbox]\n');
    const warning = await world.run('users me --json=nosuch', { terminals: ['stderr'] });
    expect(warning.stderr).toContain(yellow('The reply has no field "nosuch"'));
  });

  test.each<[string, string, Record<string, string>]>([
    ['--color never', `${mistake} --color never`, {}],
    ['NO_COLOR', mistake, { NO_COLOR: '1' }],
    ['FORCE_COLOR=0', mistake, { FORCE_COLOR: '0' }],
    ['CLICOLOR=0', mistake, { CLICOLOR: '0' }],
    ['TERM=dumb', mistake, { TERM: 'dumb' }],
    ['JSON errors', mistake, { SCHED_ERROR_FORMAT: 'json' }],
  ])('are off with %s', async (_, line, env) => {
    const { stderr } = await world.run(line, { terminals: outputs, env });
    expect(stderr).toContain('Unknown flag --statsu');
    expect(stderr).not.toContain('\x1b');
  });

  test('depend on the terminal of stderr alone', async () => {
    expect((await world.run(mistake, { terminals: ['stdout'] })).stderr).not.toContain('\x1b');
    for (const options of [{ env: { FORCE_COLOR: '1' } }, { terminals: outputs }])
      expect((await world.run(mistake, options)).stderr).toContain(bold('error:'));
    expect((await world.run([...mistake.split(' '), '--color', 'always'])).stderr).toContain(bold('error:'));
    const json = await world.run('events list --statsu active --json --color always');
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'usage' } });
  });

  test('are never set by untrusted text', async () => {
    const { stderr } = await world.run(['events', 'get', 'X\x1b[31mred\ntry: rm'], { terminals: ['stderr'] });
    expect(withoutStyles(stderr)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    expect(stderr).not.toContain('\x1b[31mred');
  });
});

describe('the colors of doctor', () => {
  test('repeat the status of each finding', async () => {
    const options = { terminals: outputs, home: temporaryDirectory('color') };
    await world.run('doctor', options);
    const { stdout } = await world.run('doctor', options);
    const plain = await world.run('doctor --color never', options);
    expect(stdout).toMatch(new RegExp(`^${green('✔').replaceAll('[', '\\[')} `, 'm'));
    expect(stdout).toMatch(new RegExp(`^${yellow('!').replaceAll('[', '\\[')} `, 'm'));
    expect(plain.stdout).not.toContain('\x1b');
    expect(withoutStyles(stdout).replaceAll(/\d\d:\d\d:\d\d\S*/g, '')).toBe(
      plain.stdout.replaceAll(/\d\d:\d\d:\d\d\S*/g, ''),
    );
    const broken = await world.run('doctor', { ...options, env: { SCHED_BASE_URL: 'nonsense' } });
    expect(broken.stdout).toMatch(/^\x1b\[31m\x1b\[1m✗\x1b/m);
  });
});
