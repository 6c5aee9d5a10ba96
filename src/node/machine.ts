import { readFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Env, Machine } from '../base/system.ts';
import { systemProgram } from '../base/windows.ts';
import { childEnvironment } from '../runtime.ts';

// In a single-file executable, the script's path is inside Bun's virtual file system.
const isStandalone = /^(\/|[A-Z]:\\)(\$bunfs|~BUN)/.test(process.argv[1] ?? '');

/** Not what this process was started with: that may be a program which uses ours as a library. */
const programFile = join(import.meta.dirname, '../../bin/sched.js');

/** The account's home directory from passwd(5), because Bun returns `HOME` instead. */
const homeInList = (): string | undefined => {
  try {
    const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
    return accounts.map((line) => line.split(':')).find(([, , user]) => user === String(process.getuid?.()))?.[5];
  } catch {
    return undefined;
  }
};

const accountHome = (): string => {
  try {
    return (isStandalone && homeInList()) || userInfo().homedir || homedir();
  } catch {
    // A container may run under a user ID that has no account.
    return homedir();
  }
};

/** Asks Windows PowerShell, which every Windows has. It answers in units of 100 nanoseconds since 1601. */
export const createdOnWindows = async (pid: number, env: Env): Promise<string> => {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const program = systemProgram('WindowsPowerShell\\v1.0\\powershell.exe', env);
  const words = ['-NoProfile', '-NonInteractive', '-Command', `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`];
  const options = { env: childEnvironment(env) as NodeJS.ProcessEnv, timeout: 10_000, windowsHide: true };
  const text = await new Promise<string>((resolve) => {
    execFile(program, words, options, (_, out) => resolve(out.trim()));
  });
  return /^\d{16,19}$/.test(text) ? String(Math.round(Number(text) / 10_000) + Date.UTC(1601)) : '';
};

const createdByPs = (pid: number): Promise<string> => {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], { env }, (_, out) => resolve(out.trim()));
  });
};

export const machine: Machine = {
  version: process.versions.node,
  platform: process.platform,
  get host() {
    return hostname();
  },
  get accountHome() {
    return accountHome();
  },
  pid: process.pid,
  get startedAt() {
    // Node 20 takes 2 ms to load `performance`.
    return performance.timeOrigin;
  },
  createdAt: (pid) => (process.platform === 'win32' ? createdOnWindows(pid, process.env) : createdByPs(pid)),
  executable: process.execPath,
  isStandalone,
  program: isStandalone ? [process.execPath] : [process.execPath, programFile],
  isAlive: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
};
