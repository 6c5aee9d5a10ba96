import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../../bin/sched.js', import.meta.url));

export const temporaryHome = (): string => mkdtempSync(join(tmpdir(), 'sched-'));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The environment of a person with an empty home directory: nothing of the caller's own leaks in. */
export const cleanEnvironment = (home: string, env: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  TZ: 'UTC',
  ...env,
});

/** Runs the real program in a process of its own. */
export const sched = (args: string[], home: string, env: Record<string, string> = {}, stdin = ''): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { env: cleanEnvironment(home, env) });
    const out = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      out.stderr += text;
    });
    child.on('error', reject).on('close', (code) => resolve({ code, ...out }));
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });

/** Runs a line of shell with `sched` as a command, as a script would. */
export const shell = (line: string, home: string, env: Record<string, string> = {}): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `sched() { "${process.execPath}" "${program}" "$@"; }\n${line}`], {
      env: cleanEnvironment(home, env),
    });
    const out = { stdout: '', stderr: '' };
    child.stdout.on('data', (text) => {
      out.stdout += text;
    });
    child.stderr.on('data', (text) => {
      out.stderr += text;
    });
    child.on('error', reject).on('close', (code) => resolve({ code, ...out }));
  });
