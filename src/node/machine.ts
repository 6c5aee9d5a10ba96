import { readFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import type { Machine } from '../system.ts';

// In a single-file executable, the script's path is inside Bun's virtual file system.
const isStandalone = /^(\/|[A-Z]:\\)(\$bunfs|~BUN)/.test(process.argv[1] ?? '');

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
