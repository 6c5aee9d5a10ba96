import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyOf, recordFromLogin } from '../../src/auth/record.ts';
import { keep, lockOf } from '../../src/auth/session.ts';
import { openStore } from '../../src/auth/stores.ts';
import { buildWorker, type Plan, startWorker, type Worker } from './support/build-worker.ts';
import { machineIn, random, realClock } from './support/memory.ts';
import { createOAuthServer, serve } from './support/oauth-server.ts';

const processes = Number(process.env.SCHED_TEST_PROCESSES ?? 50);
const kills = Number(process.env.SCHED_TEST_KILLS ?? 20);

const origin = 'https://api.example.com';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sched-renewal-'));
  file = await buildWorker(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A login that has expired, a server on a socket, and a plan for workers. */
const world = async (name: string, options: { delayMs?: number; expired?: boolean } = {}) => {
  const server = createOAuthServer({ delayMs: options.delayMs ?? 0 });
  const socket = await serve(server.send);
  const issuer = { url: socket.url, clientId: 'client-1' };
  const home = join(folder, name);
  const [config, log] = [join(home, 'config'), join(folder, `${name}.log`)];
  writeFileSync(log, '');
  const machine = machineIn(home);
  const platform = process.platform;
  const loggedIn = () => {
    const { access, refresh } = server.start();
    return recordFromLogin(
      {
        accessToken: access,
        refreshToken: refresh,
        expiresInSeconds: 7200,
        scope: 'users:read',
        owner: `${origin}/users/U1`,
      },
      { issuer, origin, scopes: [], now: options.expired ? Date.now() - 86_400_000 : Date.now() },
    );
  };
  const first = loggedIn();
  const key = keyOf(first);
  const stores = { env: {}, platform, clock: realClock, machine, randomBytes: random };
  const store = await openStore('file', stores, config);
  const interrupted = new AbortController().signal;
  const lock = lockOf(key, { platform, clock: realClock, machine, interrupted, randomBytes: random });
  await store.write(key, first);
  const logInAgain = () => keep({ key, store, lock, clock: realClock, protect: (work) => work() }, loggedIn());
  const plan: Plan = { server: socket.url, home, config, log, store: 'file', key };
  return { server, socket, plan, store, key, log, logInAgain };
};

const together = async (plan: Plan) => {
  const workers = Array.from({ length: processes }, () => startWorker(file, plan));
  await Promise.all(workers.map(({ ready }) => ready));
  for (const worker of workers) worker.say('go');
  return Promise.all(workers.map(({ done }) => done));
};

// R21
describe(`renewal: ${processes} processes at expiry`, () => {
  test('send one refresh and all succeed', { timeout: 60_000 }, async () => {
    const { server, socket, plan, store, key } = await world('expiry', { delayMs: 50, expired: true });
    const ends = await together(plan);
    const token = (await store.read(key))?.access_token;
    expect(ends.filter(({ code }) => code !== 0).map(({ said }) => said)).toEqual([]);
    expect(new Set(ends.map(({ said }) => said))).toEqual(new Set([token]));
    expect(server.counts).toMatchObject({ refresh: 1, reuse: 0 });
    await socket.close();
  });

  // The guard taken away, to see that the test above would notice.
  test.runIf(process.env.SCHED_TEST_WITHOUT_LOCK)('lose the login without the lock', { timeout: 60_000 }, async () => {
    const { server, socket, plan } = await world('unlocked', { delayMs: 50, expired: true });
    const ends = await together({ ...plan, withoutLock: true });
    process.stderr.write(
      `without the lock: ${JSON.stringify(server.counts)}, failed: ${ends.filter(({ code }) => code !== 0).length}\n`,
    );
    expect(server.counts.refresh).toBeGreaterThan(1);
    await socket.close();
  });
});

/** Reads the common log: who was inside together, and who was killed between spending and storing. */
const judge = (log: string) => {
  const overlaps: string[] = [];
  const counts: Record<string, number> = {};
  let inside: string | undefined;
  let killedInside = 0;
  let killedSpending = 0;
  const last = new Map<string, string>();
  for (const line of readFileSync(log, 'utf8').trim().split('\n')) {
    const [event = '', pid = ''] = line.split(' ');
    counts[event] = (counts[event] ?? 0) + 1;
    if (event === 'enter') {
      if (inside !== undefined) overlaps.push(`${pid} entered while ${inside} was inside`);
      inside = pid;
    }
    if (event === 'kill' && last.get(pid) === 'send') killedSpending += 1;
    if (event === 'kill' && inside === pid) killedInside += 1;
    if ((event === 'leave' || event === 'kill') && inside === pid) inside = undefined;
    last.set(pid, event);
  }
  return { overlaps, counts, killedInside, killedSpending, inside };
};

// R25
describe(`renewal: ${kills} kills`, () => {
  test('leave no overlap, lose no login that could be kept, and everyone recovers', {
    timeout: 60_000 + kills * 1_000,
  }, async () => {
    const { server, socket, plan, log, logInAgain, store, key } = await world('torture');
    const workers = new Set<Worker>();
    const begin = async () => {
      const worker = startWorker(file, { ...plan, churn: true });
      workers.add(worker);
      await worker.ready;
      worker.say('go');
    };
    await Promise.all(Array.from({ length: 6 }, begin));

    const recover = async () => {
      if (server.families.at(-1)!.revoked) await logInAgain();
    };
    const began = Date.now();
    for (let count = 0; count < kills; count += 1) {
      await realClock.sleep(Math.random() * 60);
      const holder = readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .findLast((line) => /^(enter|leave|kill) /.test(line));
      const byPid = [...workers].find(({ pid }) => holder === `enter ${pid}`);
      const victim =
        (Math.random() < 0.8 ? byPid : undefined) ?? [...workers][Math.floor(Math.random() * workers.size)]!;
      workers.delete(victim);
      appendFileSync(log, `kill ${victim.pid}\n`);
      victim.child.kill('SIGKILL');
      await begin();
      await recover();
    }
    // Everyone recovers: each of those alive renews, or adopts a renewal, after the last kill.
    appendFileSync(log, 'after 0\n');
    const renewals = () => {
      const after = readFileSync(log, 'utf8').split('after 0\n')[1]!;
      return [...workers].filter(({ pid }) => after.includes(`renewed ${pid}\n`)).length;
    };
    await expect
      .poll(
        async () => {
          await recover();
          return renewals();
        },
        { timeout: 30_000, interval: 50 },
      )
      .toBe(workers.size);
    for (const worker of workers) worker.say('stop');
    const ends = await Promise.all([...workers].map(({ done }) => done));

    const { overlaps, counts, killedInside, killedSpending } = judge(log);
    const lost = server.families.filter(({ revoked }) => revoked).length;
    if (process.env.SCHED_TEST_KILLS) {
      const figures = {
        kills,
        killedInside,
        killedSpending,
        lost,
        overlaps: overlaps.length,
        seconds: (Date.now() - began) / 1000,
      };
      process.stderr.write(`${JSON.stringify({ ...figures, ...counts, server: server.counts })}\n`);
    }
    expect(overlaps).toEqual([]);
    expect(server.counts.overlapping).toBe(0);
    expect(ends.filter(({ code }) => code !== 0)).toEqual([]);
    // What was killed between spending and storing took the login with it; nothing else did.
    expect(lost).toBeLessThanOrEqual(killedSpending);
    expect(server.families.at(-1)!.refresh).toBe((await store.read(key))?.refresh_token);
    await socket.close();
  });
});

// R24
describe('renewal: signals', () => {
  test('do not lose what a sent refresh brings', async () => {
    const { server, socket, plan, store, key, log } = await world('signals', { delayMs: 600, expired: true });
    const worker = startWorker(file, { ...plan, real: true });
    await worker.ready;
    worker.say('go');
    await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 5_000 }).toContain('send');
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      await realClock.sleep(40);
      worker.child.kill(signal);
    }
    const { code } = await worker.done;
    expect([130, 143]).toContain(code);
    expect(server.counts).toMatchObject({ refresh: 1, reuse: 0 });
    expect((await store.read(key))?.refresh_token).toBe(server.families[0]!.refresh);
    await socket.close();
  });

  test('leave the lock free when they end a waiter', async () => {
    const { server, socket, plan } = await world('waiter', { delayMs: 600, expired: true });
    const [holder, waiter] = [startWorker(file, plan), startWorker(file, { ...plan, real: true })];
    await Promise.all([holder.ready, waiter.ready]);
    holder.say('go');
    await expect.poll(() => readFileSync(plan.log, 'utf8'), { timeout: 5_000 }).toContain('send');
    waiter.say('go');
    await realClock.sleep(100);
    waiter.child.kill('SIGINT');
    expect((await waiter.done).said).toContain('Interrupted');
    expect((await holder.done).code).toBe(0);
    expect(server.counts).toMatchObject({ refresh: 1 });
    await socket.close();
  });
});
