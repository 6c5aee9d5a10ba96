import { readFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import type { Machine } from '../runtime.ts';

// A program that is compiled into one file has its script inside itself.
const isStandalone = /^(\/|[A-Z]:\\)(\$bunfs|~BUN)/.test(process.argv[1] ?? '');

/** Bun takes `HOME` for the account's own directory, so the list of accounts is asked; passwd(5). */
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
    // A container may run under a number that has no account.
    return homedir();
  }
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
  executable: process.execPath,
  isStandalone,
  program: isStandalone ? [process.execPath] : [process.execPath, process.argv[1]!],
  isAlive: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
};
