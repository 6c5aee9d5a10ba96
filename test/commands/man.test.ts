import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { whileFailing } from '../support/failing-calls.ts';
import { createWorld, terminals, type WorldOptions } from '../support/run.ts';

const { run } = await createWorld();
const committed = (name: string): string => readFileSync(join(import.meta.dirname, '../../man', name), 'utf8');

/** A terminal whose man ends with this exit code. */
const terminal = (code: number) => {
  const shown: { program: string; name: string; text: string; file: string }[] = [];
  const options: WorldOptions = {
    terminals,
    env: { TERM: 'xterm' },
    spawn: async ([program, file]) => {
      shown.push({ program: program!, name: basename(file!), text: readFileSync(file!, 'utf8'), file: file! });
      return code;
    },
  };
  return { shown, options };
};

describe('man', () => {
  test.each([
    ['man', 'sched.1'],
    ['man events', 'sched-events.1'],
    ['man event', 'sched-events.1'],
    ['man completion', 'sched-completion.1'],
    ['man exit-codes', 'sched-exit-codes.7'],
  ])('shows the committed page on a terminal: %s', async (line, name) => {
    const { shown, options } = terminal(0);
    const { code, stdout, stderr, requests } = await run(line, options);
    expect({ code, stdout, stderr, requests }).toEqual({ code: 0, stdout: '', stderr: '', requests: [] });
    expect(shown).toMatchObject([{ program: 'man', name, text: committed(name) }]);
    expect(existsSync(dirname(shown[0]!.file))).toBe(false);
  });

  test.each([
    ['man sched', 'sched.1'],
    ['man sched events list', 'sched-events-list.1'],
    ['man events list', 'sched-events-list.1'],
    ['man event-list', 'sched-events-list.1'],
    ['man sched-events', 'sched-events.1'],
    ['man exit codes', 'sched-exit-codes.7'],
  ])('finds the page by the names that people try: %s', async (line, name) => {
    const { shown, options } = terminal(0);
    expect(await run(line, options)).toMatchObject({ code: 0, stderr: '' });
    expect(shown).toMatchObject([{ name }]);
  });

  test("ends well also if the page's file can't be removed", async () => {
    const { shown, options } = terminal(0);
    const isCopy = (path: string) => path.includes('sched-man-');
    const ended = await whileFailing('rm', isCopy, () => run('man events', options));
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(shown).toHaveLength(1);
  });

  test('shows the page in a pipe too, also in CI', async () => {
    const { shown, options } = terminal(0);
    const { code, stdout, stderr } = await run('man events', { spawn: options.spawn!, env: { CI: '1' } });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(shown).toMatchObject([{ name: 'sched-events.1' }]);
  });

  test.each([
    ['man event list', 'help events list'],
    ['man doctor', 'help doctor'],
  ])('prints the help of the same command if man is missing: %s', async (line, help) => {
    const { stdout } = await run(help);
    const shown = await run(line, { spawn: () => Promise.reject(new Error('ENOENT')) });
    expect(shown.code).toBe(0);
    // What holds in detail is on man pages only, so it follows here.
    const own = stdout.slice(0, stdout.indexOf('Details: sched man'));
    expect(own.length).toBeGreaterThan(200);
    expect(shown.stdout.startsWith(own)).toBe(true);
    expect(shown.stdout).not.toContain('Details: ');
  });

  test('prints what holds in detail if man is missing', async () => {
    const { stdout } = await run('man event list', { spawn: () => Promise.reject(new Error('ENOENT')) });
    expect(stdout).toContain('Operation: GET /scheduled_events');
  });

  test('prints help if man is missing, fails, or a pager is not wanted', async () => {
    const { options } = terminal(0);
    const expected = (await run('help time', options)).stdout;
    const missing: WorldOptions = { ...options, spawn: () => Promise.reject(new Error('ENOENT')) };
    expect(await run('man time', missing)).toMatchObject({ code: 0, stdout: expected, stderr: '' });
    expect(await run('man time', terminal(16).options)).toMatchObject({ code: 0, stdout: expected });
    for (const [line, env] of [
      ['time --accessible', {}],
      ['time', { CI: '1' }],
      ['time', { TERM: 'dumb' }],
    ] as const) {
      const { shown, options: other } = terminal(0);
      const same = { ...other, env: { ...other.env, ...env } };
      const { stdout } = await run(`help ${line}`, same);
      expect(await run(`man ${line}`, same)).toMatchObject({ code: 0, stdout });
      expect(shown).toEqual([]);
    }
  });

  test.each([
    ['man evnts', 'sched man events'],
    ['man exit-code', 'sched man exit-codes'],
    ['man __proto__', 'sched man --help'],
    ['man ../package', 'sched man --help'],
    ['--sandbox man evnts', 'sched man events'],
    ['man events lsit', 'sched man events'],
  ])('refuses a name it has no page for: %s', async (line, hint) => {
    const { shown, options } = terminal(0);
    const { code, stdout, stderr } = await run(line, options);
    expect({ code, stdout, shown }).toEqual({ code: 2, stdout: '', shown: [] });
    expect(stderr).toContain('No manual page for');
    expect(stderr).toContain(`try: ${hint}\n`);
  });
});
