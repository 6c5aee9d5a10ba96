import { describe, expect, test } from 'vitest';
import { createWorld, outputs } from '../support/run.ts';
import { splitCommandLine } from '../support/shell-words.ts';
import { temporaryDirectory } from '../support/temporary.ts';

describe('first steps', () => {
  test('help works in any position', async () => {
    const { run } = await createWorld();
    const { stdout } = await run('help ci');
    expect((await run('--sandbox help ci')).stdout).toBe(stdout);
    const noun = (await run('events --help')).stdout;
    expect((await run('events help')).stdout).toBe(noun);
    expect((await run('help events')).stdout).toBe(noun);
    expect((await run('help events list')).stdout).toBe((await run('events list --help')).stdout);
  });

  test('help is the same for every spelling', async () => {
    const { run } = await createWorld({ env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
    const { stdout } = await run('events list --help');
    expect(stdout).toMatch(/^Usage: sched events list /);
    for (const line of ['event list -h', 'help events list', 'help event list', '--sandbox events list --help'])
      expect(await run(line)).toMatchObject({ code: 0, stdout, stderr: '' });
    // Here the word is the value of a flag.
    expect(await run('events list --search --help')).toMatchObject({ code: 4, stdout: '' });
  });

  test('all commands are shown with --help and with help', async () => {
    const { run } = await createWorld();
    const { stdout } = await run('--help');
    expect(stdout).toContain('Usage: sched <command> <subcommand>');
    for (const line of ['-h', 'help', '--sandbox --help'])
      expect(await run(line)).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  test('sched alone shows one screen of commands that exist, and no pager', async () => {
    const { run } = await createWorld();
    const pagers: unknown[] = [];
    const openPager = async (command: readonly string[]) => void pagers.push(command);
    const { code, stdout } = await run([], { terminals: outputs, env: { PAGER: 'less' }, openPager });
    const lines = stdout
      .replace(/\x1b\[[\d;]*m/g, '')
      .trimEnd()
      .split('\n');
    expect({ code, pagers }).toEqual({ code: 0, pagers: [] });
    expect(lines.length).toBeLessThanOrEqual(22);
    expect(lines).toEqual(expect.arrayContaining(['  sched --sandbox events list', '  sched auth login']));
    const commands = lines.filter((line) => line.startsWith('  sched ')).map((line) => line.trim().split(/ {2,}/)[0]!);
    expect(commands).toHaveLength(9);
    for (const command of commands) {
      const { stdout: help } = await run([...splitCommandLine(command).slice(1), '--help']);
      expect(help, command).toMatch(/^Usage: /);
    }
  });

  test.each(['constructor', '__proto__', 'tostring'])(
    'there is no help on %s, a property of every object',
    async (word) => {
      const { run } = await createWorld();
      for (const line of [`${word} --help`, `events ${word} --help`])
        expect(await run(line)).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(`Unknown command "(events )?${word}"`),
        });
    },
  );

  test('a time range that ends before it starts is rejected, and nothing is listed', async () => {
    const { run } = await createWorld();
    const { code, stderr, requests } = await run('events list --since 2026-12-01 --until 2026-11-01');
    expect(code).toBe(2);
    expect(stderr).toContain('The time window is empty');
    expect(requests.filter(({ url }) => url.includes('/scheduled_events'))).toEqual([]);
  });

  test.each(['auth logout', 'profiles remove work', 'sandbox reset', 'doctor'])(
    '--dry-run is rejected by %s, which sends no single request',
    async (line) => {
      const { run } = await createWorld();
      const { code, stderr } = await run(`${line} --dry-run --yes`);
      expect(code).toBe(2);
      expect(stderr).toContain("--dry-run doesn't work with this command");
    },
  );

  test('a method that the service does not support is a usage error, not an outage', async () => {
    const { run } = await createWorld();
    expect((await run('api DELETE /users/me --yes')).code).toBe(2);
  });

  test('the only remaining profile is the default', async () => {
    const home = temporaryDirectory();
    const { run } = await createWorld({ home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
    for (const name of ['one', 'two', 'three']) await run(`profiles add ${name} --base-url https://api.example.com`);
    const removed = await run('profiles remove one --yes');
    expect(removed.stderr).toContain('sched profiles use two');
    const open = await run('events list');
    expect(open.code).toBe(2);
    expect(open.stderr).toContain('your profiles: two, three; choose one with -p,');
    expect(open.stderr).not.toContain('try:');
    await run('profiles remove three --yes');
    expect((await run('events list')).stderr).toContain('Profile "two" is not logged in');
  });
});
