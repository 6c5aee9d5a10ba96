import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { credentialName } from '../../src/auth/credential.ts';
import { fingerprint } from '../../src/sandbox/oauth/ready-tokens.ts';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { fileVersions } from '../../src/state/versions.ts';
import { gate } from '../support/gate.ts';
import { type ChildProcess, spawn } from '../support/processes.ts';
import { until } from '../support/until.ts';
import {
  cleanEnvironment,
  credentialFile,
  locks,
  logIn,
  programIn,
  runner,
  sched,
  startSandbox,
  temporaryHome,
  testClock,
  usedSandbox,
} from './program.ts';

interface Owner {
  pid: number;
  nonce: string;
  /** Set if the lock was handed over to this process. */
  job?: string;
}

/** The process that holds a lock. */
const ownerOf = (name: string): Owner | undefined =>
  fileVersions<Record<string, Owner>>(locks(), 'test').read()?.[name];

/** The process that started another one (proc(5)), or 0 if that has ended. */
const parentOf = (pid: number): number => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
};

const isHelper = (owner: Owner | undefined): boolean => owner?.job !== undefined;

/** A server in front of the sandbox. It sends a reply with tokens when `hold()` resolves: the old token is spent by then. */
const startForwarder = async (sandbox: string, hold: () => Promise<void> | undefined) => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const kept = ['content-type', 'authorization', 'x-sandbox-admin'].filter((name) => name in request.headers);
    const headers = Object.fromEntries(kept.map((name) => [name, String(request.headers[name])]));
    const reply = await fetch(sandbox + request.url, { method: request.method!, headers, ...body, redirect: 'manual' });
    const text = await reply.text();
    if (request.url === '/oauth/token') await hold();
    // The metadata and the redirect must name this server as the issuer.
    const location = reply.headers.get('location')?.replace(encodeURIComponent(sandbox), encodeURIComponent(url));
    response.writeHead(reply.status, { 'content-type': 'application/json', ...(location && { location }) });
    response.end(request.url!.startsWith('/.well-known/') ? text.replaceAll(sandbox, url) : text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

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
  pause,
}: {
  kills: number;
  victims: 'commands' | 'helpers';
  replayWindow?: string;
  crowd?: number;
  /**
   * A random pause of at most so many milliseconds before a kill. Without it, there is none, and processes look at the
   * lock again at once.
   */
  pause?: (most: number) => Promise<void>;
}): Promise<KilledPrograms> => {
  const [home, data] = [temporaryHome(), await usedSandbox()];
  const env: Record<string, string> = pause === undefined ? testClock().env : {};
  const window = ['--refresh-replay-window', replayWindow];
  const sandbox = await startSandbox('--auto-consent', '--no-limits', '--data', data, ...window);
  let held = Promise.resolve();
  let lock = '';
  // Only a helper waits for its tokens. Nobody kills a command that refreshes the token itself, or a login: they would wait
  // for a kill that never comes.
  const forwarder = await startForwarder(sandbox.auth_url, () => (isHelper(ownerOf(lock)) ? held : undefined));
  const { code, text } = await logIn({ ...sandbox, auth_url: forwarder.url }, home);
  if (code !== 0) throw new Error(`cannot log in: ${text}`);
  const config = JSON.parse(readFileSync(join(home, '.config/sched/config.json'), 'utf8'));
  const { store: _, ...key } = config.profiles.default.login;
  lock = credentialName(key);
  const database = await openDatabase(data);

  const told = { renewed: 0, lost: 0, spentUnstored: 0, odd: [] as string[] };
  const killed = { holding: 0, handedOver: 0 };
  const running = new Map<number, ChildProcess>();
  let isOver = false;
  let loggingIn: Promise<unknown> | undefined;

  const refresh = (): Promise<void> =>
    new Promise((resolve) => {
      const child = spawn(runner, [...programIn(env), 'auth', 'refresh', '-q'], {
        env: cleanEnvironment(home, env),
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
          loggingIn ??= logIn(sandbox, home, { isKnown: true }).then(({ code, text }) => {
            if (code !== 0) told.odd.push(`login: ${code}: ${text}`);
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
  const untilSpent = ({ nonce }: Owner) => until(() => ownerOf(lock)?.nonce !== nonce || isSpent());

  /** All requests that the sandbox has received by now. */
  const requests = async () => {
    const headers = { 'x-sandbox-admin': sandbox.admin_token };
    const reply = await fetch(`${forwarder.url}/__sandbox/log`, { headers });
    return ((await reply.json()) as { log: { operation: string; status: number }[] }).log;
  };

  /** The holder of the lock when that is a command, or a helper that got the lock from a command. */
  const holderWhen = async (isHandedOver: boolean): Promise<Owner> => {
    let holder: Owner | undefined;
    const isSo = () => {
      holder = ownerOf(lock);
      return holder !== undefined && isHelper(holder) === isHandedOver;
    };
    await until(() => isSo() || told.odd.length > 0);
    if (told.odd.length > 0) throw new Error(`a process failed: ${told.odd.join()}`);
    return holder!;
  };

  const killHolder = async (isHandedOver: boolean): Promise<boolean> => {
    const holder = await holderWhen(isHandedOver);
    const command = isHandedOver ? parentOf(holder.pid) : holder.pid;
    const pid = victims === 'helpers' ? holder.pid : command;
    if (isHandedOver && Math.random() < 0.7) await untilSpent(holder);
    else await pause?.(100);
    if (victims === 'commands' && !running.has(pid)) return false;
    try {
      process.kill(victims === 'commands' ? -pid : pid, 'SIGKILL');
    } catch {
      return false;
    }
    killed[isHandedOver ? 'handedOver' : 'holding'] += 1;
    const isSpentNow = isSpent();
    // A killed helper's request may still be on its way. It arrives before a later request.
    if (!isSpentNow && victims === 'helpers') await requests();
    if (isSpentNow || (victims === 'helpers' && isSpent())) told.spentUnstored += 1;
    return true;
  };

  /** Kills one process. Returns false if it has already ended. A helper that is to be killed gets no tokens before that. */
  const killOne = async (): Promise<boolean> => {
    const isHandedOver = victims === 'helpers' || Math.random() < 0.6;
    const { promise, release } = gate();
    if (isHandedOver) held = promise;
    try {
      return await killHolder(isHandedOver);
    } finally {
      release();
    }
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
    return {
      kills: done,
      killed,
      ...told,
      refused: (await requests()).filter(({ operation, status }) => operation === 'oauth.token' && status >= 400)
        .length,
      after: after.code,
      isLockFree: ownerOf(lock) === undefined,
    };
  } finally {
    isOver = true;
    for (const pid of running.keys()) process.kill(-pid, 'SIGKILL');
    database.close();
    forwarder.close();
    await sandbox.stop();
  }
};
