import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { gate } from '../support/gate.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { few, isDeep, sample, times } from '../support/tier.ts';
import { buildWorker, type Plan, startWorker, type Worker } from './support/build-worker.ts';
import { fingerprint } from './support/memory.ts';
import { judge, killThem } from './support/refresh-kills.ts';
import { renewalWorld } from './support/renewal.ts';

const processes = Number(process.env.SCHED_TEST_PROCESSES ?? times(2, 50));

let folder: string;
let file: string;
beforeAll(async () => {
  folder = temporaryDirectory('renewal');
  file = await buildWorker();
});

const countOf = (event: string, lines: readonly string[]): number =>
  lines.filter((line) => line.startsWith(`${event} `)).length;

let worlds = 0;
const world = (options: Parameters<typeof renewalWorld>[1]) => {
  worlds += 1;
  return renewalWorld(join(folder, String(worlds)), options);
};

// A worker that is stopped when its test fails would stay forever.
const started: Worker[] = [];
afterEach(() => {
  for (const { child, pid } of started.splice(0))
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
});

const run = async (plan: Plan) => {
  const worker = startWorker(file, plan);
  started.push(worker);
  await worker.ready;
  worker.say('go');
  return worker;
};

// R21
describe(`refresh: ${processes} processes at expiry`, () => {
  test('send one refresh and all succeed', { timeout: 60_000 }, async () => {
    const { promise: hold, release } = gate();
    const { server, socket, plan, store, key, lines, untilLog } = await world({ hold, expired: true });
    const workers = Array.from({ length: processes }, () => startWorker(file, { ...plan, isCrowded: true }));
    await Promise.all(workers.map(({ ready }) => ready));
    for (const worker of workers) worker.say('go');
    await untilLog((all) => countOf('wait', all) === processes);
    release();
    const ends = await Promise.all(workers.map(({ done }) => done));
    const token = fingerprint((await store.read(key))!.access_token);
    expect(ends.filter(({ code }) => code !== 0).map(({ said }) => said)).toEqual([]);
    expect(new Set(ends.map(({ said }) => said))).toEqual(new Set([token]));
    expect(server.counts).toMatchObject({ refresh: 1, reuse: 0 });
    expect(lines().filter((line) => line.startsWith('begun '))).toHaveLength(1);
    await socket.close();
  });

  // Shows that the test above would notice a missing lock.
  test.runIf(isDeep)('would lose the login without the lock', async () => {
    const { promise: hold, release } = gate();
    const { server, socket, plan, untilLog, isWhole } = await world({ hold, expired: true });
    const workers: Worker[] = [];
    // One after another: at the same time, both would try out the store in the same place, which can fail.
    for (const count of [1, 2]) {
      workers.push(await run({ ...plan, helper: false, withoutLock: true }));
      await untilLog((all) => countOf('send', all) === count);
    }
    release();
    await Promise.all(workers.map(({ done }) => done));
    expect(server.counts).toMatchObject({ refresh: 2, reuse: 1 });
    expect(await isWhole()).toBe(false);
    await socket.close();
  });
});

// R25; e2e/refresh.test.ts does the same with the program in `npm test`, and the torture tests many times.
describe('refresh: random kills', () => {
  const cells = [
    ['commands', false],
    ['helpers', true],
    ['helpers', false],
  ] as const;
  test.runIf(isDeep).each(cells)('of %s, with a replay window: %s', { timeout: 60_000 }, async (victims, replays) => {
    const home = join(folder, `${victims}-${replays}`);
    const told = await killThem({ file, home, kills: 2, victims, replays, workers: 2 });
    expect(told).toMatchObject({ kills: 2, overlaps: [], stuck: [], isWhole: true });
    // The login is lost only if a process dies between spending and storing, and the service has no replay window.
    expect(told.lost).toBeLessThanOrEqual(victims === 'helpers' && !replays ? told.killed.spending : 0);
  });

  test('are checked by a judge that notices overlaps', () => {
    const fair = ['enter 1', 'hand 1', 'enter 2', 'send 2', 'handed 1', 'kill 2', 'enter 3', 'stored 3', 'leave 3'];
    expect(judge(fair).overlaps).toEqual([]);
    expect(judge(['enter 1', 'enter 2', 'send 1']).overlaps).toEqual(['send 1 after 2 came in']);
  });
});

/** How many helpers are still running. */
const left = (lines: readonly string[]): number => {
  return Math.max(countOf('started', lines), countOf('begun', lines)) - countOf('gone', lines);
};

/** Who is killed where, how often the token is then spent, and whether the login survives without a replay window. */
const interleavings: [at: string, refreshes: number, survives: boolean][] = [
  ['command enter', 1, true],
  ['command started', 1, true],
  ['command hand', 1, true],
  ['command handed', 1, true],
  ['command told', 1, true],
  ['helper begun', 1, true],
  ['helper enter', 1, true],
  ['helper send', 1, true],
  ['helper bought', 2, false],
  ['helper stored', 1, true],
  ['helper leave', 1, true],
  ['helper left', 1, true],
];

// R24, R25: every step of the table in refresh-helper.ts
describe('refresh: kill points', () => {
  const kindOf = ([, refreshes]: (typeof interleavings)[0]) => refreshes;
  test.each(sample(interleavings, 1, kindOf))('%s', { timeout: 30_000 }, async (at, refreshes, survives) => {
    const { server, socket, plan, lines, isWhole, lock, untilLog } = await world({ expired: true });
    const first = await run({ ...plan, ends: { at, signal: 'SIGKILL' } });
    const { code, signal, said } = await first.done;
    const ofCommand = at.startsWith('command');
    // A command survives its helper's death, even if the login is lost.
    expect([code, signal]).toEqual(ofCommand ? [null, 'SIGKILL'] : [survives ? 0 : 1, null]);
    if (ofCommand) {
      // Its helper, if any, exits first, and spends nothing unless it was told to go.
      await untilLog((all) => left(all) === 0);
      expect(server.counts.refresh).toBe(at === 'command told' ? 1 : 0);
      expect((await (await run(plan)).done).code).toBe(0);
    }
    if (!survives) expect(said).toContain('The login is no longer valid');
    expect(server.counts.refresh).toBe(refreshes);
    expect(await isWhole()).toBe(survives);
    expect(judge(lines()).overlaps).toEqual([]);
    await (await lock.acquire())!.release();
    await socket.close();
  });

  few(1, {
    'helper bought, with a replay window: the same command gets the tokens': async () => {
      const { server, socket, plan, isWhole } = await world({ expired: true, replays: true });
      const { code } = await (await run({ ...plan, ends: { at: 'helper bought', signal: 'SIGKILL' } })).done;
      expect(code).toBe(0);
      expect(server.counts).toMatchObject({ refresh: 2, replayed: 1, reuse: 0 });
      expect(await isWhole()).toBe(true);
      await socket.close();
    },
    'no helper can be started: the command refreshes the token': async () => {
      const { server, socket, plan, isWhole } = await world({ expired: true });
      const { code } = await (await run({ ...plan, noKeeper: true })).done;
      expect(code).toBe(0);
      expect(server.counts).toMatchObject({ refresh: 1 });
      expect(await isWhole()).toBe(true);
      await socket.close();
    },
  });
});

describe('refresh: a helper', () => {
  // Its command is dead, and so the pipes are closed.
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const isHangUp = (signal: string) => signal === 'SIGHUP';
  test.each(sample(signals, 1, isHangUp))('finishes its work after %s', async (signal) => {
    const { promise, release } = gate();
    const { server, socket, plan, lines, isWhole, untilLog } = await world({ expired: true, holdReply: () => promise });
    const command = await run({ ...plan, real: true });
    await untilLog((all) => countOf('send', all) > 0);
    const helper = Number(/^begun (\d+)$/m.exec(lines().join('\n'))![1]);
    process.kill(-command.pid, 'SIGKILL');
    process.kill(helper, signal);
    await untilLog((all) => all.includes(`${signal} ${helper}`));
    release();
    const last = signal === 'SIGHUP' ? 'left ' : 'gone ';
    await untilLog((all) => all.at(-1)!.startsWith(last));
    expect(server.counts).toMatchObject({ refresh: 1 });
    expect(await isWhole()).toBe(true);
    await socket.close();
  });

  const releases = (signal: NodeJS.Signals) => async () => {
    const { server, socket, plan, lines, isWhole, untilLog } = await world({ expired: true });
    // The command is stopped after handing over the lock, before it says go.
    const command = await run({ ...plan, real: true, ends: { at: 'command handed', signal: 'SIGSTOP' } });
    await untilLog((all) => countOf('handed', all) > 0);
    process.kill(Number(/^begun (\d+)$/m.exec(lines().join('\n'))![1]), signal);
    await untilLog((all) => left(all) === 0);
    expect(server.counts.refresh).toBe(0);
    expect((await (await run(plan)).done).code).toBe(0);
    command.child.kill('SIGCONT');
    expect((await command.done).code).toBe(0);
    expect(server.counts).toMatchObject({ refresh: 1 });
    expect(await isWhole()).toBe(true);
    await socket.close();
  };

  few(1, {
    'releases the lock if SIGTERM arrives before it is told to go': releases('SIGTERM'),
    'releases the lock if SIGINT arrives before it is told to go': releases('SIGINT'),
    'keeps the lock while it is stopped, and finishes when it continues': async () => {
      const { server, socket, plan, lines, isWhole, untilLog } = await world({ expired: true });
      const command = await run({ ...plan, ends: { at: 'helper bought', signal: 'SIGSTOP' } });
      await untilLog((all) => countOf('bought', all) > 0);
      const other = await run(plan);
      // It waits for the lock: it has looked at the stopped holder a few times.
      await untilLog((all) => countOf('retry', all) > 3);
      expect(judge(lines()).counts).toMatchObject({ send: 1 });
      process.kill(Number(/^begun (\d+)$/m.exec(lines().join('\n'))![1]), 'SIGCONT');
      expect([(await command.done).code, (await other.done).code]).toEqual([0, 0]);
      expect(server.counts).toMatchObject({ refresh: 1 });
      expect(await isWhole()).toBe(true);
      await socket.close();
    },
    'is not stopped together with its command': async () => {
      const { promise, release } = gate();
      const { socket, plan, isWhole, untilLog } = await world({ expired: true, holdReply: () => promise });
      const command = await run({ ...plan, ends: { at: 'command told', signal: 'SIGSTOP' } });
      await untilLog((all) => countOf('told', all) > 0);
      release();
      await untilLog((all) => countOf('gone', all) > 0);
      expect(await isWhole()).toBe(true);
      command.child.kill('SIGCONT');
      expect((await command.done).code).toBe(0);
      await socket.close();
    },
  });
});

// R24
describe('refresh: signals', () => {
  test.each(sample([true, false], 1))(
    'do not lose the tokens of a refresh that was sent (with a helper: %s)',
    async (helper) => {
      const { promise: hold, release } = gate();
      const { server, socket, plan, store, key, lines, untilLog } = await world({ hold, expired: true });
      const worker = await run({ ...plan, helper, real: true });
      await untilLog((all) => countOf('send', all) > 0);
      // A signal is lost if it arrives before the previous one was handled, and a process doesn't report that.
      for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        const before = countOf(signal, lines());
        worker.child.kill(signal);
        await untilLog((all) => countOf(signal, all) === before + 1);
      }
      release();
      const { code } = await worker.done;
      expect([130, 143]).toContain(code);
      expect(server.counts).toMatchObject({ refresh: 1, reuse: 0 });
      expect((await store.read(key))?.refresh_token).toBe(server.families[0]!.refresh);
      await socket.close();
    },
  );

  test('leave the lock free when they end a waiting process', async () => {
    const { promise: hold, release } = gate();
    const { server, socket, plan, untilLog } = await world({ hold, expired: true });
    const [holder, waiter] = [startWorker(file, plan), startWorker(file, { ...plan, real: true })];
    await Promise.all([holder.ready, waiter.ready]);
    holder.say('go');
    await untilLog((all) => countOf('send', all) > 0);
    waiter.say('go');
    await untilLog((all) => all.includes(`retry ${waiter.pid}`));
    waiter.child.kill('SIGINT');
    expect((await waiter.done).said).toContain('Interrupted');
    release();
    expect((await holder.done).code).toBe(0);
    expect(server.counts).toMatchObject({ refresh: 1 });
    await socket.close();
  });
});
