import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { joinedLines } from '../every-command/help-lines.ts';
import { createWorld, outputs } from '../support/run.ts';

const scripts = { bash: 'sched.bash', zsh: '_sched', fish: 'sched.fish', powershell: 'sched.ps1' };
const scriptOf = (name: string): string => join(import.meta.dirname, '../../completions', name);
const { run } = await createWorld();

describe('completion', () => {
  test.each(Object.entries(scripts))('prints the committed script of %s, and nothing else', async (shell, file) => {
    const { code, stdout, stderr, requests } = await run(`completion ${shell}`);
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(scriptOf(file), 'utf8'));
    expect(stderr).toBe('');
    expect(requests).toEqual([]);
  });

  test.each(Object.entries(scripts))('says on a terminal how to install the script of %s', async (shell, file) => {
    const { stdout, stderr } = await run(`completion ${shell}`, { terminals: outputs });
    expect(stdout).toBe(readFileSync(scriptOf(file), 'utf8'));
    expect(joinedLines(stderr)).toMatch(new RegExp(`^To install:\\s+.*\\bsched completion ${shell} >.*\\n$`));
  });

  test.each([
    ['completion', 'Missing argument <shell>: bash, zsh, fish, powershell', 'SHELL'],
    ['completion bsh', '"bsh"', 'bash'],
    ['completion pwsh', '"pwsh"', 'powershell'],
    ['completion tcsh-like', '"tcsh-like"', undefined],
    ['completion __proto__', '"__proto__"', undefined],
  ])('rejects %s with the list of shells', async (line, what, hint) => {
    const { code, stdout, stderr } = await run(line);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(what);
    expect(stderr).toContain('bash, zsh, fish, powershell');
    expect(stderr.split('\ntry: ')[1]).toBe(hint && `sched completion ${hint}\n`);
  });

  test('rejects a second shell and unknown flags', async () => {
    expect((await run('completion bash zsh')).code).toBe(2);
    expect((await run('completion bash --shell zsh')).code).toBe(2);
  });

  test.each(['completion --help', 'help completion', 'completion bash --help', '--sandbox completion -h'])(
    'shows help: %s',
    async (line) => {
      const { code, stdout } = await run(line);
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: sched completion <shell> [flags]');
      expect(stdout).toContain('Details: sched man completion.');
    },
  );

  test('works without a login', async () => {
    expect((await run('completion bash', { env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } })).code).toBe(0);
  });
});
