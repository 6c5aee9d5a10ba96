import { appendFileSync } from 'node:fs';
import { until } from '../../support/until.ts';
import { startWorker, type Worker } from './build-worker.ts';
import { renewalWorld } from './renewal.ts';

/** Events that only the lock's holder logs. `handed` is not one: by then the new holder may be dead and replaced. */
const holding = new Set(['hand', 'send', 'bought', 'stored', 'leave']);

/**
 * Reads the shared log. If another process enters before the holder left, the holder was killed or gave up the lock.
 * If the old holder acts after that, two processes held the lock at once.
 */
export const judge = (lines: readonly string[]) => {
  const overlaps: string[] = [];
  const counts: Record<string, number> = {};
  let inside: string | undefined;
  const followed = new Map<string, string>();
  const last = new Map<string, string>();
  const killed = { inside: 0, spending: 0 };
  for (const line of lines) {
    const [event = '', pid = ''] = line.split(' ');
    counts[event] = (counts[event] ?? 0) + 1;
    if (event === 'enter') {
      if (inside !== undefined) followed.set(inside, pid);
      inside = pid;
      followed.delete(pid);
    }
    if (holding.has(event) && followed.has(pid)) overlaps.push(`${event} ${pid} after ${followed.get(pid)} came in`);
    if (event === 'kill' && between.has(last.get(pid) ?? '')) killed.inside += 1;
    if (event === 'kill' && spending.has(last.get(pid) ?? '')) killed.spending += 1;
    if (event === 'leave' && inside === pid) inside = undefined;
    last.set(pid, event);
  }
  return { overlaps, counts, killed };
};

/** Points that a process passes. Only processes with that role pass the first one. */
const points = {
  commands: ['started', 'handed', 'told', 'told'],
  helpers: ['begun', 'enter', 'send', 'bought', 'stored'],
};

const between = new Set(['enter', 'started', 'hand', 'handed', 'told', 'send', 'bought', 'stored']);

/** `told` is about a command whose helper is spending the token. */
const spending = new Set(['send', 'bought', 'told']);

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

export interface Kills {
  /** The bundled worker. */
  file: string;
  home: string;
  kills: number;
  /** Commands are killed with their whole process group. */
  victims: 'commands' | 'helpers';
  /** Whether the token that was spent last gets the same reply again, as within a replay window. */
  replays?: boolean;
  workers?: number;
  /** A random pause of at most so many milliseconds, before a kill and before a reply. Without it, there are none. */
  pause?: (most: number) => Promise<void>;
}

export interface Killed {
  kills: number;
  /** Killed while holding the lock or after handing it over; and between sending the refresh and storing the reply. */
  killed: { inside: number; spending: number };
  lost: number;
  overlaps: string[];
  /** Output of workers that failed on their own, or didn't refresh after the last kill. */
  stuck: string[];
  isWhole: boolean;
  counts: Record<string, number>;
  server: Record<string, number>;
}

/** Lets processes refresh one login in a loop, and kills them at random moments, preferably the lock's holder. */
export const killThem = async (options: Kills): Promise<Killed> => {
  const { file, home, kills, victims, replays = false, workers: crowd = 4, pause = async () => {} } = options;
  const world = await renewalWorld(home, { replays, holdReply: () => pause(40) });
  const { server, socket, plan, log, lines, logInAgain, isWhole } = world;
  const workers = new Set<Worker>();
  const stuck: string[] = [];
  const begin = async () => {
    const worker = startWorker(file, { ...plan, churn: true, pauses: options.pause !== undefined });
    workers.add(worker);
    worker.done.then(({ code, said }) => {
      if (!workers.has(worker) || code === 0) return;
      stuck.push(said);
      appendFileSync(log, `failed ${worker.pid}\n`);
    });
    await worker.ready;
    worker.say('go');
  };
  const recover = async () => {
    if (server.families.at(-1)!.revoked) await logInAgain();
  };
  /** A new process that has just passed a randomly chosen point. */
  const victim = async (): Promise<number> => {
    const [own, ...more] = points[victims];
    const point = [own, ...more][Math.floor(Math.random() * points[victims].length)];
    const from = lines().length;
    let found: string | undefined;
    await until(async () => {
      await recover();
      const since = lines().slice(from);
      const theirs = since.filter((line) => line.startsWith(`${own} `)).map((line) => line.split(' ')[1]);
      found = theirs.find((pid) => since.includes(`${point} ${pid}`));
      return found !== undefined || stuck.length > 0;
    }, home);
    if (found === undefined) throw new Error(`${stuck.join()} no process reached ${point}`);
    await pause(20);
    return Number(found);
  };
  const killHelper = async (): Promise<boolean> => {
    const pid = await victim();
    if (!isRunning(pid)) return false;
    appendFileSync(log, `kill ${pid}\n`);
    try {
      return process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It has just ended on its own.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      throw error;
    }
  };
  /** Kills a command, usually while it holds the lock or has just handed it over, sometimes at any point. */
  const killCommand = async (): Promise<boolean> => {
    const pid = Math.random() < 0.8 ? await victim() : undefined;
    const worker = [...workers].find((each) => each.pid === pid) ?? [...workers][0]!;
    workers.delete(worker);
    appendFileSync(log, `kill ${worker.pid}\n`);
    process.kill(-worker.pid, 'SIGKILL');
    await begin();
    return true;
  };

  await Promise.all(Array.from({ length: crowd }, begin));
  let done = 0;
  for (let tries = 0; done < kills && tries < kills * 10; tries += 1) {
    if (await (victims === 'helpers' ? killHelper() : killCommand())) done += 1;
    await recover();
  }

  // All recover: after the last kill, each worker refreshes the login or uses another worker's refresh.
  appendFileSync(log, 'after 0\n');
  const renewing = () => {
    const after = lines().slice(lines().lastIndexOf('after 0'));
    return [...workers].filter(({ pid }) => after.includes(`renewed ${pid}`)).length;
  };
  await until(async () => {
    await recover();
    return renewing() === workers.size || stuck.length > 0;
  }, home);
  const idle = workers.size - renewing();
  if (idle > 0) stuck.push(`${idle} did not refresh`);
  for (const worker of workers) worker.say('stop');
  await Promise.all([...workers].map(({ done: end }) => end));
  // The helper of a killed command may still be running.
  await (await world.lock.acquire())!.release();
  const { overlaps, counts, killed } = judge(lines());
  const told: Killed = {
    kills: done,
    killed,
    lost: server.families.filter(({ revoked }) => revoked).length,
    overlaps,
    stuck,
    isWhole: await isWhole(),
    counts,
    server: server.counts,
  };
  await socket.close();
  return told;
};
