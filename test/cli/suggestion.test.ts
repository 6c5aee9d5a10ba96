import { describe, expect, test } from 'vitest';
import { createWorld, someday } from '../support/run.ts';
import { usedHome } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { tryLineProblem } from '../support/try-line.ts';

const world = await createWorld();
const lastLine = async (line: string | string[], home?: string) =>
  (await world.run(line, home === undefined ? {} : { home })).stderr.trimEnd().split('\n').at(-1);

describe('a suggestion', () => {
  test.each([
    ['events cancel QZKALNZNJFG8XPRG', 'try: sched events cancel QZKALNZNJFG8XPRG --yes'],
    [
      ['events', 'cancel', 'QZKALNZNJFG8XPRG', '--reason', 'not well'],
      "try: sched events cancel QZKALNZNJFG8XPRG --reason 'not well' --yes",
    ],
    ['api DELETE /things/X', 'try: sched api DELETE /things/X --yes'],
  ])('for %s is the same command with --yes', async (line, expected) => {
    expect(await lastLine(line)).toBe(expected);
  });

  test('repeats no address and no header, but names the flag', async () => {
    expect(await lastLine('compliance delete a@b.example')).toBe("cause: a deletion can't be undone; add --yes");
    expect(await lastLine(['api', 'DELETE', '/things/X', '-H', 'X-Key: hunter2'])).toBe('cause: add --yes');
  });

  test('of another command has the same account', async () => {
    expect(await lastLine('--sandbox events get NOPE', await usedHome(someday))).toBe(
      'try: sched --sandbox events list',
    );
  });

  test('names the account that a variable chose, which may be set for one command only', async () => {
    const home = await usedHome(someday);
    const run = async (line: string, env: Record<string, string>) =>
      (await world.run(line, { home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '', ...env } })).stderr;
    const inSandbox = { SCHED_SANDBOX: '1' };
    expect(await run('events get NOPE', inSandbox)).toMatch(/^try: sched --sandbox events list$/m);
    expect(await run('events cancel next', inSandbox)).toMatch(/^try: sched --sandbox events cancel \w+ --yes$/m);
    expect(await run('evnts list', inSandbox)).toMatch(/^try: sched --sandbox events list$/m);
    expect(await run('profiles shwo', inSandbox)).toMatch(/^try: sched profiles show$/m);
    expect(await run('events list -- x', { SCHED_PROFILE: 'jonas' })).toContain('Unexpected argument');
    expect(await run('events lsit', { SCHED_PROFILE: 'jonas' })).toMatch(/^try: sched events list -p jonas$/m);
    expect(await run('auth lgoin', { SCHED_PROFILE: 'jonas' })).toMatch(/^try: sched auth login -p jonas$/m);
  });

  test('in the cause has the same account too', async () => {
    const home = temporaryDirectory();
    const env = { SCHED_USER: 'http://127.0.0.1:4010/groups/X' };
    await world.run('profiles add work --base-url http://127.0.0.1:4010', { home });
    const { stderr } = await world.run('events list -p work', { home, env });
    expect(stderr).toMatch(/^cause: .*, or run sched profiles set user ID -p work$/m);
  });

  test('names no profile if there is only one, and nobody named it', async () => {
    const home = temporaryDirectory();
    const run = (line: string, stdin = '') =>
      world.run(line, { home, stdin, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
    const login = 'auth login --with-token --credential-store file --base-url http://127.0.0.1:4010';
    const said = async (line: string) => (await run(line)).stderr.trimEnd().split('\n').at(-1);
    expect((await run(login, `${world.token}\n`)).stderr).toMatch(/^try: sched events list$/m);
    expect(await said('events get NOPE')).toBe('try: sched events list');
    expect(await said('events get NOPE -p default')).toBe('try: sched events list -p default');
    expect((await run(`${login} -p second`, `${world.token}\n`)).stderr).toMatch(/^try: sched events list -p second$/m);
    expect(await said('events get NOPE')).toBe('try: sched events list -p default');
  });
});

describe('the check of all try: lines', () => {
  test.each([
    'add --yes',
    'sched auth login --credential-store file, or set SCHED_TOKEN',
    'sched events list --nonsense',
    'sched nothing list',
    'sched compliance key --receipt-key-file',
  ])('rejects %s', async (line) => expect(await tryLineProblem(line)).toBeDefined());

  test.each([
    'sched events cancel X --yes',
    'sched --sandbox events list',
    'sched help time',
    'sched doctor --network',
  ])('accepts %s', async (line) => expect(await tryLineProblem(line)).toBeUndefined());
});
