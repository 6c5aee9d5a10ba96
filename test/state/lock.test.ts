import fs, { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { SchedError } from '../../src/base/errors.ts';
import { accountLock, createLock, type LockOptions } from '../../src/state/lock.ts';
import { identityOf } from '../../src/state/processes.ts';
import { fileVersions } from '../../src/state/versions.ts';
import { machineIn, random } from '../auth/support/memory.ts';
import { failing, patched } from '../support/files-world.ts';
import { heldClock } from '../support/held-clock.ts';
import { spawn, spawnSync } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { times } from '../support/tier.ts';
import { until } from '../support/until.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory('lock');
});

const place = () => join(directory, 'locks');
const machine = machineIn('/nonexistent');
const make = (more: Partial<LockOptions> = {}) =>
  createLock({
    directory: place(),
    name: 'l',
    machine,
    clock: heldClock(),
    randomBytes: random,
    interrupted: new AbortController().signal,
    ...more,
  });

/** A clock on which every wait ends at once. Calls `onSleep` for each wait. */
const jumpingClock = (onSleep: (milliseconds: number) => void = () => {}) => {
  let now = Date.now();
  return {
    now: () => now,
    sleep: async (milliseconds: number) => {
      onSleep(milliseconds);
      now += milliseconds;
    },
  };
};

/** A stopped clock that lets other tasks run during each wait. `waits(count)` resolves after that many waits. */
const countingClock = () => {
  const now = Date.now();
  let count = 0;
  const sleep = async (_: number, signal?: AbortSignal) => {
    count += 1;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  };
  const waits = async (more: number) => {
    for (const until = count + more; count < until; ) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock: { now: () => now, sleep }, waits };
};

/** Takes the lock many times at once. Returns how many held it at the same time. */
const mostInside = async () => {
  let inside = 0;
  let most = 0;
  const { clock } = countingClock();
  await Promise.all(
    Array.from({ length: times(8, 20) }, async () => {
      const held = await make({ clock }).acquire();
      inside += 1;
      most = Math.max(most, inside);
      await clock.sleep(0);
      inside -= 1;
      await held!.release();
    }),
  );
  return most;
};

const own = await identityOf(machine);

const record = () => fileVersions<object>(place(), 'test');

/** Writes the record as another process would. */
const store = (owners: object) => record().update(() => ({ state: owners, value: undefined }));
const holder = () => (record().read() as { l?: { pid: number; nonce: string } } | undefined)?.l;

/** Takes the lock at once, and expects this process to be its holder then. */
const expectTaken = async () => {
  await make({ clock: jumpingClock() }).acquire();
  expect(holder()).toMatchObject({ pid: own.pid, started: own.started, boot: own.boot });
};

/** A program that runs until it is killed. */
const endless = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

/** A pid that was somebody's and is nobody's now. */
const deadPid = await new Promise<number>((resolve) => {
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  child.once('exit', () => resolve(child.pid!));
});
const owner = (nonce: string, more: object = {}) => ({
  l: { ...own, pid: deadPid, started: '1', nonce, at: Date.now(), ...more },
});

describe('lock', () => {
  test('names its holder while it is held', async () => {
    const clock = jumpingClock();
    const held = await make({ clock }).acquire();
    expect(holder()).toMatchObject({ pid: process.pid, boot: own.boot, at: clock.now() });
    await held!.release();
    expect(record().read()).toEqual({});
  });

  test('does not disturb another one in the same directory', async () => {
    const held = (await make().acquire())!;
    const other = (await make({ name: 'other' }).acquire())!;
    expect(Object.keys(record().read() ?? {})).toEqual(['l', 'other']);
    await held.release();
    expect(record().read()).toEqual({ other: expect.objectContaining({ pid: process.pid }) });
    await other.release();
    expect(record().read()).toEqual({});
  });

  test('has one holder at a time', async () => {
    expect(await mostInside()).toBe(1);
  });

  // R22
  test('times out after 30 seconds and names the holder', async () => {
    await make().acquire();
    const slept: number[] = [];
    const error = await make({ clock: jumpingClock((milliseconds) => slept.push(milliseconds)) })
      .acquire()
      .catch((reason) => reason);
    expect(error).toMatchObject({ category: 'environment' });
    expect(error.facts.reason).toContain(`process ${process.pid} `);
    const waited = slept.reduce((sum, each) => sum + each, 0);
    expect(waited).toBeGreaterThanOrEqual(30_000);
    expect(waited).toBeLessThan(31_000);
    // Short pauses first, then longer ones.
    expect([...slept.slice(0, 3), slept.at(-1)]).toEqual([10, 15, 22.5, 200]);
  });

  test('reports a holder that takes too long in the words of its user', async () => {
    const clock = jumpingClock();
    const since = new Date(clock.now()).toISOString();
    await make({ clock }).acquire();
    const busy = (pid: number, time: string) => new SchedError('conflict', `${pid} since ${time}`);
    await expect(make({ clock, waitMs: 0, busy }).acquire()).rejects.toThrow(`${process.pid} since ${since}`);
  });

  test('says once that it waits, and for whom', async () => {
    await make().acquire();
    const told: unknown[] = [];
    const onWait = (...holder: unknown[]) => told.push(holder);
    await expect(make({ clock: jumpingClock(), onWait }).acquire()).rejects.toMatchObject({ category: 'environment' });
    expect(told).toEqual([[process.pid, undefined]]);
    const busy = (pid: number, _: string, place?: string) => new SchedError('conflict', `${pid} on ${place}`);
    store(owner('a', { host: 'another', machine: 'ci-7' }));
    await expect(make({ clock: jumpingClock(), onWait, busy }).acquire()).rejects.toThrow(`${deadPid} on ci-7`);
    expect(told.slice(1)).toEqual([[deadPid, 'ci-7']]);
    await expect(make({ waitMs: 0, onWait }).acquire()).rejects.toMatchObject({ category: 'environment' });
    expect(told).toHaveLength(2);
  });

  describe('whose holder works for long', () => {
    const elsewhere = { ...machine, host: 'ci-7' };
    /** Takes the lock as a process of another container, whose clock the test sets. */
    const takeElsewhere = async () => {
      let now = Date.now();
      const clock = { now: () => now, sleep: async () => {} };
      const held = (await make({ machine: elsewhere, clock }).acquire())!;
      store(owner(holder()!.nonce, { ...holder(), space: 'pid:[1]' }));
      const wait = (milliseconds: number) => {
        now += milliseconds;
      };
      return { held, wait, other: () => make({ clock, waitMs: 0, silentMs: 60_000 }).acquire() };
    };

    test('is not taken over as long as the holder shows that it works', async () => {
      const { held, wait, other } = await takeElsewhere();
      for (let step = 0; step < 5; step += 1) {
        wait(50_000);
        expect(await held.keep()).toBe(true);
      }
      await expect(other()).rejects.toMatchObject({ category: 'environment' });
      wait(61_000);
      const next = await other();
      expect([await held.keep(), await next!.keep()]).toEqual([false, true]);
      await held.release();
      expect(await next!.keep()).toBe(true);
    });

    test('is kept on a full disk, and not if somebody has removed it', async () => {
      const { held, wait } = await takeElsewhere();
      wait(50_000);
      const full = failing('ENOSPC', 9, fs.writeFileSync);
      expect(await patched(fs, { writeFileSync: full }, () => held.keep())).toBe(true);
      store({});
      expect(await held.keep()).toBe(false);
      expect(record().read()).toEqual({});
    });

    test('is free for the same process if it could not be released', async () => {
      const held = (await make().acquire())!;
      await patched(fs, { writeFileSync: failing('ENOSPC', 9, fs.writeFileSync) }, () => held.release());
      expect(holder()).toMatchObject({ pid: process.pid });
      await (await make({ waitMs: 0 }).acquire())!.release();
      expect(record().read()).toEqual({});
    });

    test('is not written again at each step', async () => {
      const { held, wait } = await takeElsewhere();
      const before = record().read();
      wait(1000);
      await held.keep();
      expect(record().read()).toEqual(before);
    });
  });

  test('stops waiting if it is no longer needed', async () => {
    const held = await make().acquire();
    const { clock, waits } = countingClock();
    const waiting = make({ clock }).acquire(async () => false);
    await waits(1);
    await held!.release();
    expect(await waiting).toBeUndefined();
  });

  test('asks once for each new holder whether it is still needed', async () => {
    await make().acquire();
    let asked = 0;
    const stop = new AbortController();
    const { clock, waits } = countingClock();
    const waiting = make({ clock, interrupted: stop.signal }).acquire(async () => {
      asked += 1;
      return true;
    });
    await waits(1);
    for (const nonce of ['second', 'third']) {
      store(owner(nonce, { pid: own.pid, started: own.started }));
      await waits(3);
    }
    expect(asked).toBe(2);
    stop.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
  });

  test('is not taken after a signal', async () => {
    await expect(make({ interrupted: AbortSignal.abort(new Error('stop')) }).acquire()).rejects.toThrow('stop');
    expect(holder()).toBeUndefined();
  });

  test('ends a pause at a signal', async () => {
    await make().acquire();
    const stop = new AbortController();
    const sleep = (_: number, signal?: AbortSignal) =>
      new Promise<void>((_, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason));
        stop.abort(new Error('stop'));
      });
    const clock = { now: Date.now, sleep };
    await expect(make({ clock, interrupted: stop.signal }).acquire()).rejects.toThrow('stop');
  });

  test('stops waiting after a signal', async () => {
    await make().acquire();
    const controller = new AbortController();
    const { clock, waits } = countingClock();
    const waiting = expect(make({ clock, interrupted: controller.signal }).acquire()).rejects;
    const reason = new Error('stop');
    await waits(1);
    controller.abort(reason);
    await waiting.toBe(reason);
  });

  // R25
  describe('of a dead process', () => {
    test('is taken over by exactly one of many processes', async () => {
      store(owner('dead'));
      expect(await mostInside()).toBe(1);
      expect(record().read()).toEqual({});
    });

    test.each([
      ['a process whose PID was reused', { pid: process.pid, started: '1' }],
      ['a machine that was restarted', { pid: process.pid, started: own.started, boot: 'before' }],
    ])('is taken over from %s', async (_, more) => {
      store(owner('a', more));
      await expectTaken();
    });

    test.each([
      ['container', { space: 'pid:[1]' }],
      ['machine', { host: 'another', boot: 'another' }],
    ])('is not taken from another %s, except after ten minutes', async (_, elsewhere) => {
      store(owner('a', elsewhere));
      await expect(make({ clock: jumpingClock() }).acquire()).rejects.toMatchObject({ category: 'environment' });
      store(owner('a', { ...elsewhere, at: Date.now() - 11 * 60_000 }));
      await expectTaken();
    });

    test.each([
      ['it was seen lately', 20, 1, false],
      ['it got the lock lately', 1, 20, false],
      ['neither', 20, 11, true],
    ])(
      'is taken from another container only ten minutes after its last sign of life: %s',
      async (_, got, seen, isTaken) => {
        const clock = jumpingClock();
        const ago = (minutes: number) => clock.now() - minutes * 60_000;
        store(owner('a', { space: 'pid:[1]', at: ago(got) }));
        const taken = make({ clock, waitMs: 0, lastSeen: async () => ago(seen) }).acquire();
        await taken.catch((error) => expect(error).toMatchObject({ category: 'environment' }));
        expect(holder()!.nonce !== 'a').toBe(isTaken);
      },
    );

    test('is taken over from a zombie', async () => {
      // The parent never collects its child, which stays a zombie while the parent lives.
      const parent = spawn(process.execPath, [
        '-e',
        `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', '${endless}']);
         require('node:fs').writeSync(1, String(pid));
         ${endless}`,
      ]);
      try {
        const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
        const { started } = await identityOf({ ...machine, pid });
        expect(started).not.toBe('');
        process.kill(pid, 'SIGKILL');
        await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '));
        store(owner('z', { pid, started }));
        await expectTaken();
      } finally {
        parent.kill('SIGKILL');
      }
    });

    test('is not taken over if the holder is only stopped', async () => {
      const child = spawn(process.execPath, ['-e', endless]);
      try {
        const { started } = await identityOf({ ...machine, pid: child.pid! });
        child.kill('SIGSTOP');
        store(owner('s', { pid: child.pid, started }));
        const error = await make({ clock: jumpingClock() })
          .acquire()
          .catch((reason) => reason);
        expect(error.facts.reason).toContain(`process ${child.pid} `);
        expect(holder()!.nonce).toBe('s');
      } finally {
        child.kill('SIGKILL');
      }
    });
  });

  describe('that is handed over', () => {
    const child = spawn(process.execPath, ['-e', endless]);
    afterAll(() => child.kill('SIGKILL'));
    const heirMachine = { ...machine, pid: child.pid! };
    const give = async () => {
      const clock = jumpingClock();
      const held = (await make({ clock }).acquire())!;
      await clock.sleep(1000);
      const isGiven = await held.handOver(await identityOf(heirMachine), 'given');
      return { held, isGiven, now: clock.now() };
    };

    test('is held by the heir from now on, and no longer by the giver', async () => {
      const { held, isGiven, now } = await give();
      expect([isGiven, holder()]).toMatchObject([true, { pid: child.pid, at: now }]);
      await held.release();
      const error = await make({ clock: jumpingClock() })
        .acquire()
        .catch((reason) => reason);
      expect(error.facts.reason).toContain(`process ${child.pid} `);
      expect(await make().adopt('given')).toBeUndefined();
      expect(await make({ machine: heirMachine }).adopt('other')).toBeUndefined();
      await (await make({ machine: heirMachine }).adopt('given'))!.release();
      expect(record().read()).toEqual({});
      expect(await make({ machine: heirMachine }).adopt('given')).toBeUndefined();
    });

    test('is taken over if the heir is dead, and cannot be adopted after that', async () => {
      const held = (await make().acquire())!;
      await held.handOver({ ...own, pid: deadPid, started: '1' }, 'given');
      const next = await make({ clock: jumpingClock() }).acquire();
      expect(await make({ machine: { ...machine, pid: deadPid } }).adopt('given')).toBeUndefined();
      await next!.release();
      expect(record().read()).toEqual({});
    });

    test('cannot be handed over after another process took it over or removed it', async () => {
      const held = (await make().acquire())!;
      store(owner('thief'));
      expect(await held.handOver(own, 'given')).toBe(false);
      await held.release();
      expect(holder()!.nonce).toBe('thief');
      rmSync(place(), { recursive: true });
      expect(await held.handOver(own, 'given')).toBe(false);
      expect(record().read()).toBeUndefined();
    });

    test('does not make waiting processes check again before the job is done', async () => {
      const held = (await make().acquire())!;
      let asked = 0;
      const { clock, waits } = countingClock();
      const waiting = make({ clock }).acquire(async () => {
        asked += 1;
        return false;
      });
      await waits(1);
      await held.handOver(await identityOf(heirMachine), 'given');
      // The first of these checks may have been before the handover.
      await waits(3);
      expect(asked).toBe(0);
      await (await make({ machine: heirMachine }).adopt('given'))!.release();
      expect(await waiting).toBeUndefined();
      expect(asked).toBe(1);
    });
  });

  // Forces interleavings: randomBytes is called between reading the record and the claim.
  describe('that changes between read and claim', () => {
    const meanwhile = (change: () => void) => {
      let calls = 0;
      return make({
        clock: jumpingClock(),
        randomBytes: (count) => {
          calls += 1;
          if (calls === 2) change();
          return random(count);
        },
      });
    };
    const living = (nonce: string) => owner(nonce, { pid: own.pid, started: own.started });

    test.each([
      ['from a dead process', owner('dead')],
      ['while it was free', {}],
    ])('is not taken if another process took it %s', async (_, before) => {
      store(before);
      await expect(meanwhile(() => store(living('quick'))).acquire()).rejects.toMatchObject({
        category: 'environment',
      });
      expect(holder()!.nonce).toBe('quick');
    });

    test('is taken as a free lock after a late claim if it was released', async () => {
      store(owner('dead'));
      const held = await meanwhile(() => store({})).acquire();
      expect(holder()!.pid).toBe(process.pid);
      await held!.release();
      expect(record().read()).toEqual({});
    });

    test('is not released by a holder that lost it', async () => {
      const held = await make().acquire();
      store(living('other'));
      await held!.release();
      expect(holder()!.nonce).toBe('other');
    });
  });

  test('reports a damaged record and a directory that cannot be created', async () => {
    const wrong = [{ at: 9e15 }, { pid: 'x' }, { nonce: 7 }].map((part) => ({
      l: { pid: 1, at: 1, nonce: 'x', ...part },
    }));
    for (const value of [7, [], { l: null }, { l: {} }, ...wrong]) {
      store(value as object);
      await expect(make().acquire()).rejects.toMatchObject({
        category: 'environment',
        facts: { reason: expect.stringContaining('damaged') },
      });
    }
    await expect(make({ directory: join(place(), '1', 'x') }).acquire()).rejects.toMatchObject({
      category: 'environment',
    });
  });

  describe('on a disk that fails', () => {
    const reasonOf = async (functions: object, work: () => Promise<unknown>): Promise<string> => {
      const error = await patched(fs, functions, work).catch((it: SchedError) => it);
      expect(error).toMatchObject({ category: 'environment', facts: { outcome: 'not-sent' } });
      return (error as SchedError).facts.reason!;
    };

    // R65
    test.each([
      ['linkSync', 'EISDIR', 'this disk has no hard links'],
      ['linkSync', 'EPERM', 'this disk has no hard links'],
      ['linkSync', 'ENOSPC', 'ENOSPC'],
      ['writeFileSync', 'EPERM', 'EPERM'],
      ['openSync', 'EIO', 'EIO'],
    ] as const)('says why it cannot be taken: %s, %s', async (call, code, reason) => {
      store({});
      expect(await reasonOf({ [call]: failing(code, 1, fs[call] as never) }, () => make().acquire())).toBe(
        `${place()}: ${reason}`,
      );
    });

    test('says why it cannot be handed over or adopted', async () => {
      const held = (await make().acquire())!;
      const full = { linkSync: failing('ENOSPC', 1, fs.linkSync) };
      expect(await reasonOf(full, () => held.handOver(own, 'given'))).toBe(`${place()}: ENOSPC`);
      const broken = { openSync: failing('EIO', 1, fs.openSync) };
      expect(await reasonOf(broken, () => make().adopt('given'))).toBe(`${place()}: EIO`);
    });

    test('stays with its holder if it cannot be released, which is no error', async () => {
      const held = (await make().acquire())!;
      await patched(fs, { linkSync: failing('ENOSPC', 1, fs.linkSync) }, () => held.release());
      expect(holder()!.pid).toBe(process.pid);
      await held.release();
      expect(record().read()).toEqual({});
    });

    test('is taken although the confirmation is lost', async () => {
      const { linkSync } = fs;
      let links = 0;
      const lost = (...paths: Parameters<typeof linkSync>) => {
        linkSync(...paths);
        links += 1;
        if (links === 1) throw Object.assign(new Error('EEXIST'), { code: 'EEXIST', syscall: 'link' });
      };
      const held = (await patched(fs, { linkSync: lost }, () => make({ clock: jumpingClock() }).acquire()))!;
      // It was not written again.
      expect([links, holder()!.pid]).toEqual([1, process.pid]);
      await held.release();
      expect(record().read()).toEqual({});
    });
  });

  test('is free if a power cut has torn the record: no process has survived it', async () => {
    mkdirSync(place(), { mode: 0o700 });
    writeFileSync(join(place(), '1'), '{"l":{"pid":');
    await expectTaken();
  });

  test.skipIf(process.platform === 'win32')('never waits for a pipe in its place, and follows no link', async () => {
    mkdirSync(place(), { mode: 0o700 });
    spawnSync('mkfifo', [join(place(), '1')]);
    await expectTaken();
    symlinkSync('1', join(place(), '9'));
    await expect(make().acquire()).rejects.toMatchObject({ facts: { reason: expect.stringContaining('ELOOP') } });
    rmSync(place(), { recursive: true });
    spawnSync('mkfifo', [place()]);
    await expect(make().acquire()).rejects.toMatchObject({ category: 'environment' });
    rmSync(place());
    symlinkSync(directory, place());
    await expect(make().acquire()).rejects.toMatchObject({
      facts: { reason: expect.stringContaining('symbolic link') },
    });
  });

  // R22
  test('of an account is in its home directory', async () => {
    const world = { platform: 'linux', machine: { ...machine, accountHome: directory } };
    const more = { clock: jumpingClock(), randomBytes: random, interrupted: new AbortController().signal };
    await accountLock('a', { ...world, ...more }).acquire();
    expect(readdirSync(join(directory, '.local/state/sched/locks'))).toEqual(['1']);
  });

  test('stores the process namespace', () => {
    if (process.platform === 'linux') expect(own.space).toBe(readlinkSync('/proc/self/ns/pid'));
  });
});
