import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { clock as realClock } from '../../../src/node/clock.ts';
import { startWorker, type Worker } from './build-worker.ts';
import { renewalWorld } from './renewal.ts';

/** What only the holder does. One that has handed over notes that when its heir may be dead, and followed. */
const holding = new Set(['hand', 'send', 'bought', 'stored', 'leave']);

/**
 * Reads the common log. A holder who is followed by another before it left was killed, or handed over; if it is seen to
 * act after that, two were inside.
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

/** Points of the life of each, the first of which nobody else passes. */
const points = {
  commands: ['started', 'handed', 'told', 'told'],
  helpers: ['begun', 'enter', 'send', 'bought', 'stored'],
};

const between = new Set(['enter', 'started', 'hand', 'handed', 'told', 'send', 'bought', 'stored']);

/** Of a command, `told`: its helper is at it. */
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
  /** How long a spent token gets the same answer again. */
  replayMs?: number;
  workers?: number;
}

export interface Killed {
  kills: number;
  /** Those that held the lock or had handed it over, and those between sending the refresh and storing the answer. */
  killed: { inside: number; spending: number };
  lost: number;
  overlaps: string[];
  /** What workers said that ended by themselves, or renewed nothing after the last kill. */
  stuck: string[];
  isWhole: boolean;
  seconds: number;
  counts: Record<string, number>;
  server: Record<string, number>;
}

/** Lets processes renew one login without end, and kills them at moments of chance, holders by preference. */
export const killThem = async (options: Kills): Promise<Killed> => {
  const { file, home, kills, victims, replayMs = 0, workers: crowd = 4 } = options;
  const world = await renewalWorld(home, { replayMs, answerMs: () => Math.random() * 40 });
  const { server, socket, plan, log, lines, logInAgain, isWhole } = world;
  const workers = new Set<Worker>();
  const stuck: string[] = [];
  const begin = async () => {
    const worker = startWorker(file, { ...plan, churn: true });
    workers.add(worker);
    worker.done.then(({ code, said }) => {
      if (workers.has(worker) && code !== 0) stuck.push(said);
    });
    await worker.ready;
    worker.say('go');
  };
  const recover = async () => {
    if (server.families.at(-1)!.revoked) await logInAgain();
  };
  /** Somebody new, soon after coming to a point of its life that was chosen by chance. */
  const victim = async (): Promise<number> => {
    const [own, ...more] = points[victims];
    const point = [own, ...more][Math.floor(Math.random() * points[victims].length)];
    const from = lines().length;
    let found: string | undefined;
    await expect
      .poll(
        async () => {
          await recover();
          const since = lines().slice(from);
          const theirs = since.filter((line) => line.startsWith(`${own} `)).map((line) => line.split(' ')[1]);
          found = theirs.find((pid) => since.includes(`${point} ${pid}`));
          return found;
        },
        { timeout: 30_000, interval: 5, message: `${stuck.join()} nobody came to ${point}` },
      )
      .toBeDefined();
    await realClock.sleep(Math.random() * 20);
    return Number(found);
  };
  const killHelper = async (): Promise<boolean> => {
    const pid = await victim();
    if (!isRunning(pid)) return false;
    appendFileSync(log, `kill ${pid}\n`);
    try {
      return process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It ended by itself just now.
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
      throw error;
    }
  };
  /** Most of them while they hold the lock or have just handed it over, some whatever they do. */
  const killCommand = async (): Promise<boolean> => {
    const pid = Math.random() < 0.8 ? await victim() : undefined;
    const worker = [...workers].find((each) => each.pid === pid) ?? [...workers][0]!;
    workers.delete(worker);
    appendFileSync(log, `kill ${worker.pid}\n`);
    process.kill(-worker.pid, 'SIGKILL');
    await begin();
    return true;
  };

  const began = Date.now();
  await Promise.all(Array.from({ length: crowd }, begin));
  let done = 0;
  for (let tries = 0; done < kills && tries < kills * 10; tries += 1) {
    if (await (victims === 'helpers' ? killHelper() : killCommand())) done += 1;
    await recover();
  }

  // Everyone recovers: each of those alive renews, or adopts a renewal, after the last kill.
  appendFileSync(log, 'after 0\n');
  const renewing = () => {
    const after = lines().slice(lines().lastIndexOf('after 0'));
    return [...workers].filter(({ pid }) => after.includes(`renewed ${pid}`)).length;
  };
  await expect
    .poll(() => recover().then(renewing), { timeout: 30_000, interval: 50 })
    .toBe(workers.size)
    .catch(() => {});
  const idle = workers.size - renewing();
  if (idle > 0) stuck.push(`${idle} did not renew`);
  for (const worker of workers) worker.say('stop');
  await Promise.all([...workers].map(({ done: end }) => end));
  // A helper may be left over of a command that was killed.
  await (await world.lock.acquire())!.release();
  const { overlaps, counts, killed } = judge(lines());
  const told: Killed = {
    kills: done,
    killed,
    lost: server.families.filter(({ revoked }) => revoked).length,
    overlaps,
    stuck,
    isWhole: await isWhole(),
    seconds: (Date.now() - began) / 1000,
    counts,
    server: server.counts,
  };
  await socket.close();
  return told;
};
