import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { bundle } from '../../../scripts/bundle.js';
import type { CredentialKey } from '../../../src/auth/credential.ts';
import { type ChildProcess, spawn } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

/** The instructions for a worker. */
export interface Plan {
  server: string;
  home: string;
  config: string;
  log: string;
  store: 'file' | 'keychain';
  key: CredentialKey;
  /** Refreshes the login in a loop. */
  churn?: boolean;
  /** Pauses at random while it holds the lock. */
  pauses?: boolean;
  /** Looks at the lock again when its directory changes. Otherwise at once, which finds a killed holder too. */
  isCrowded?: boolean;
  withoutLock?: boolean;
  /** Whether a helper spends the token, as in the real program. */
  helper?: boolean;
  /** No helper can be started. */
  noKeeper?: boolean;
  /** The first process with that role to reach that point gets the signal, as in `helper bought`. */
  ends?: { at: string; signal: 'SIGKILL' | 'SIGSTOP' | 'SIGTERM' | 'SIGHUP' | 'SIGINT' };
  /** Prints its token, to check that a leak is noticed. */
  leaks?: boolean;
  /** Uses the network and the signal handling of the real program. */
  real?: boolean;
}

/** Bundles the worker once for a test run, so that plain node can run it. In parts, which are loaded only if needed. */
export const buildWorker = async (): Promise<string> => {
  const folder = join(inject('folder'), 'refresh-worker');
  if (!existsSync(folder)) {
    const draft = temporaryDirectory('worker');
    await bundle({ input: { worker: 'test/auth/support/worker.ts' }, dir: draft });
    // Other processes may do the same: each bundles its own, and the first one wins.
    try {
      renameSync(draft, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    }
  }
  return join(folder, 'worker.js');
};

export interface Worker {
  child: ChildProcess;
  pid: number;
  ready: Promise<void>;
  /** Exit code and all output after `ready`. */
  done: Promise<{ code: number | null; signal: string | null; said: string }>;
  say(word: 'go' | 'stop'): void;
}

export const startWorker = (file: string, plan: Plan, env: Record<string, string> = {}): Worker => {
  const child = spawn(process.execPath, [file], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Its own process group, which can be killed as a whole.
    detached: true,
    env: {
      PATH: process.env.PATH,
      NODE_PATH: new URL('../../../node_modules', import.meta.url).pathname,
      WORKER_PLAN: JSON.stringify(plan),
      ...env,
    },
  });
  let said = '';
  let isReady!: () => void;
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk) => {
    said += chunk;
    if (said.startsWith('ready\n')) isReady();
  });
  const done = new Promise<{ code: number | null; signal: string | null; said: string }>((resolve) => {
    child.once('close', (code, signal) => {
      isReady();
      resolve({ code, signal, said: said.replace(/^ready\n/, '').trim() });
    });
  });
  return { child, pid: child.pid!, ready, done, say: (word) => child.stdin.write(`${word}\n`) };
};
