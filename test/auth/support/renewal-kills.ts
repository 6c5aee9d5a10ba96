import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';
import { startWorker, type Worker } from './build-worker.ts';
import { realClock } from './memory.ts';
import { renewalWorld } from './renewal.ts';

/** What only the holder does. */
const holding = new Set(['handed', 'send', 'bought', 'stored', 'leave']);

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
    if (event === 'kill' && ['enter', ...holding, 'told'].includes(last.get(pid) ?? '')) killed.inside += 1;
    if (event === 'kill' && spending.has(last.get(pid) ?? '')) killed.spending += 1;
    if (event === 'leave' && inside === pid) inside = undefined;
    last.set(pid, event);
  }
  return { overlaps, counts, killed };
};

/** Of a keeper's life. */
const points = ['begun', 'enter', 'send', 'bought', 'stored'];

/** Of a command, `told`: its keeper is at it. */
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
  victims: 'commands' | 'keepers';
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
  /** Workers that did not end well, or renewed nothing after the last kill. */
  stuck: number;
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
  const begin = async () => {
    const worker = startWorker(file, { ...plan, churn: true });
    workers.add(worker);
    await worker.ready;
    worker.say('go');
  };
  const recover = async () => {
    if (server.families.at(-1)!.revoked) await logInAgain();
  };
  const killCommand = async (holder: number | undefined) => {
    const byPid = [...workers].find(({ pid }) => pid === holder);
    const victim = byPid ?? [...workers][Math.floor(Math.random() * workers.size)]!;
    workers.delete(victim);
    appendFileSync(log, `kill ${victim.pid}\n`);
    process.kill(-victim.pid, 'SIGKILL');
    await begin();
  };
  /** A new one, soon after it came to some point of its life. */
  const killKeeper = async (): Promise<boolean> => {
    const point = points[Math.floor(Math.random() * points.length)]!;
    const from = lines().length;
    let found: string | undefined;
    await expect
      .poll(
        () => {
          const since = lines().slice(from);
          const keepers = since.filter((line) => line.startsWith('begun ')).map((line) => line.split(' ')[1]);
          found = keepers.find((pid) => since.includes(`${point} ${pid}`));
          return found;
        },
        { timeout: 30_000, interval: 1 },
      )
      .toBeDefined();
    await realClock.sleep(Math.random() * 20);
    if (!isRunning(Number(found))) return false;
    appendFileSync(log, `kill ${found}\n`);
    process.kill(Number(found), 'SIGKILL');
    return true;
  };

  const began = Date.now();
  await Promise.all(Array.from({ length: crowd }, begin));
  let done = 0;
  for (let tries = 0; done < kills && tries < kills * 10; tries += 1) {
    if (victims === 'keepers') {
      if (await killKeeper()) done += 1;
    } else {
      await realClock.sleep(Math.random() * 120);
      const holder = lines().findLast((line) => /^(enter|leave|handed|told) /.test(line));
      const pid = /^(enter|handed|told) (\d+)$/.exec(holder ?? '')?.[2];
      await killCommand(Math.random() < 0.8 && pid !== undefined ? Number(pid) : undefined);
      done += 1;
    }
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
  const stuck = workers.size - renewing();
  for (const worker of workers) worker.say('stop');
  const ends = await Promise.all([...workers].map(({ done: end }) => end));
  // A keeper may be left over of a command that was killed.
  await (await world.lock.acquire())!.release();
  const { overlaps, counts, killed } = judge(lines());
  const told: Killed = {
    kills: done,
    killed,
    lost: server.families.filter(({ revoked }) => revoked).length,
    overlaps,
    stuck: stuck + ends.filter(({ code }) => code !== 0).length,
    isWhole: await isWhole(),
    seconds: (Date.now() - began) / 1000,
    counts,
    server: server.counts,
  };
  await socket.close();
  return told;
};
