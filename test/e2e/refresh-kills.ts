import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { credentialName } from '../../src/auth/record.ts';
import { openDatabase } from '../../src/sandbox/database.ts';
import { fingerprint } from '../../src/sandbox/tokens.ts';
import { directory } from '../../src/state/paths.ts';
import { type ChildProcess, spawn } from '../support/processes.ts';
import {
  cleanEnvironment,
  credentialFile,
  logIn,
  program,
  runner,
  sched,
  startSandbox,
  temporaryHome,
} from './program.ts';

interface Owner {
  pid: number;
  nonce: string;
  /** Set if the lock was handed over to this process. */
  job?: string;
}

/** All owners of a lock, from the first to the current holder, as the files currently show them. */
const ownersOf = (file: string): Owner[] => {
  const owners: Owner[] = [];
  for (let path = `${file}.lock`; existsSync(path); path = `${file}.after-${owners.at(-1)!.nonce}`) {
    try {
      owners.push(JSON.parse(readFileSync(path, 'utf8')));
    } catch {
      break;
    }
  }
  return owners;
};

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

export interface KilledPrograms {
  kills: number;
  /** Kills of a command that held the lock, and of a command whose helper held it. For helpers, only the second. */
  killed: { holding: number; handedOver: number };
  /** Kills while the stored token was already spent. */
  spentUnstored: number;
  renewed: number;
  lost: number;
  /** Token requests that the service refused, because a token was spent twice. */
  refused: number;
  /** Commands that were neither successful, killed, nor told to log in again. */
  odd: string[];
  /** The exit code of a command after the kills. */
  after: number | null;
  isLockFree: boolean;
  seconds: number;
}

/**
 * Runs `sched auth refresh` in a loop in several processes against `sched sandbox start`, and kills the commands with
 * their process groups, or their helpers, at random moments, preferably the lock's holder.
 */
export const killPrograms = async ({
  kills,
  victims,
  replayWindow = '0s',
  crowd = 3,
}: {
  kills: number;
  victims: 'commands' | 'helpers';
  replayWindow?: string;
  crowd?: number;
}): Promise<KilledPrograms> => {
  const began = Date.now();
  const [home, data] = [temporaryHome(), join(temporaryHome(), 'sandbox.db')];
  const slow = ['--fault', 'oauth.token slow-token ms=60'];
  const window = ['--refresh-replay-window', replayWindow];
  const sandbox = await startSandbox('--auto-consent', '--no-limits', '--data', data, ...slow, ...window);
  const { code } = await logIn(sandbox, home);
  if (code !== 0) throw new Error('cannot log in');
  const config = JSON.parse(readFileSync(join(home, '.config/sched/config.json'), 'utf8'));
  const { store: _, ...key } = config.profiles.default.login;
  const machine = { env: {}, home: userInfo().homedir, platform: process.platform };
  const lock = join(directory('state', machine), 'locks', credentialName(key));
  const database = await openDatabase(data);

  const told = { renewed: 0, lost: 0, spentUnstored: 0, odd: [] as string[] };
  const killed = { holding: 0, handedOver: 0 };
  const running = new Map<number, ChildProcess>();
  let isOver = false;
  let loggingIn: Promise<unknown> | undefined;

  const refresh = (): Promise<void> =>
    new Promise((resolve) => {
      const child = spawn(runner, [...program, 'auth', 'refresh', '-q'], {
        env: cleanEnvironment(home),
        detached: true,
      });
      running.set(child.pid!, child);
      let said = '';
      child.stdout.resume();
      child.stderr.on('data', (text) => {
        said += text;
      });
      child.once('close', (end, signal) => {
        running.delete(child.pid!);
        if (end === 0) told.renewed += 1;
        else if (end === 4 && said.includes('The login is no longer valid') && said.includes('sched auth login')) {
          loggingIn ??= logIn(sandbox, home, { isKnown: true }).then(() => {
            told.lost += 1;
            loggingIn = undefined;
          });
        } else if (signal !== 'SIGKILL') told.odd.push(`${end} ${signal}: ${said}`);
        resolve();
      });
    });
  const churn = async () => {
    while (!isOver) {
      await loggingIn;
      await refresh();
    }
  };

  /** Whether the stored token is spent and the new one not stored yet. Repeats if the store changes meanwhile. */
  const isSpent = (): boolean => {
    for (;;) {
      const stored = () => JSON.parse(readFileSync(credentialFile(home), 'utf8')).refresh_token as string;
      const token = stored();
      const [row] = database.all<{ used_at: string | null }>(
        'SELECT used_at FROM refresh_tokens WHERE hash = ?',
        fingerprint(token),
      );
      if (stored() === token) return row === undefined || row.used_at !== null;
    }
  };

  /** Waits until the holder has spent the token or no longer holds the lock. */
  const untilSpent = async ({ nonce }: Owner) => {
    while (ownersOf(lock).at(-1)?.nonce === nonce && !isSpent()) await sleep(2);
  };

  /** Kills one process. Returns false if it has already ended. */
  const killOne = async (): Promise<boolean> => {
    const wantsHandedOver = victims === 'helpers' || Math.random() < 0.6;
    for (let tries = 0; tries < 2_000; tries += 1) {
      const owners = ownersOf(lock);
      const holder = owners.at(-1);
      const isHandedOver = holder?.job !== undefined;
      if (holder !== undefined && isHandedOver === wantsHandedOver) {
        const command = isHandedOver ? owners.at(-2)!.pid : holder.pid;
        const pid = victims === 'helpers' ? holder.pid : command;
        if (isHandedOver && Math.random() < 0.7) await untilSpent(holder);
        else await sleep(Math.random() * 100);
        if (victims === 'commands' && !running.has(pid)) return false;
        try {
          process.kill(victims === 'commands' ? -pid : pid, 'SIGKILL');
        } catch {
          return false;
        }
        killed[isHandedOver ? 'handedOver' : 'holding'] += 1;
        // A killed helper's request may still arrive, and no other process can take over that fast.
        const isSpentNow = isSpent();
        if (!isSpentNow && victims === 'helpers') await sleep(50);
        if (isSpentNow || (victims === 'helpers' && isSpent())) told.spentUnstored += 1;
        return true;
      }
      await sleep(5);
    }
    throw new Error(`no process refreshes the login: ${told.odd.join()}`);
  };

  try {
    const churning = Promise.all(Array.from({ length: crowd }, churn));
    let done = 0;
    while (done < kills) {
      await loggingIn;
      if (await killOne()) done += 1;
    }
    isOver = true;
    await churning;
    await loggingIn;
    const after = await sched(['auth', 'refresh'], home);
    const log = await fetch(`${sandbox.base_url}/__sandbox/log`, {
      headers: { 'x-sandbox-admin': sandbox.admin_token },
    }).then(async (reply) => (await reply.json()) as { log: { operation: string; status: number }[] });
    return {
      kills: done,
      killed,
      ...told,
      refused: log.log.filter(({ operation, status }) => operation === 'oauth.token' && status >= 400).length,
      after: after.code,
      isLockFree: ownersOf(lock).length === 0,
      seconds: (Date.now() - began) / 1000,
    };
  } finally {
    isOver = true;
    for (const pid of running.keys()) process.kill(-pid, 'SIGKILL');
    database.close();
    await sandbox.stop();
  }
};
