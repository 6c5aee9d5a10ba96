import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createLock, type LockOptions } from '../../src/state/lock.ts';
import { identityOf } from '../../src/state/processes.ts';
import { machineIn, random } from '../auth/support/memory.ts';
import { heldClock } from '../support/held-clock.ts';
import { spawn, spawnSync } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { times } from '../support/tier.ts';
import { until } from '../support/until.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory('lock');
});

const machine = machineIn('/nonexistent');
const make = (more: Partial<LockOptions> = {}) =>
  createLock({
    directory,
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

/** Does something right after the next file is removed, before the remover continues. */
const afterNextRemoval = <Value>(work: () => Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    const { unlink } = promises;
    const use = (remove: typeof unlink) => {
      promises.unlink = remove;
      syncBuiltinESMExports();
    };
    use(async (path) => {
      use(unlink);
      await unlink(path);
      await work().then(resolve, reject);
    });
  });

const first = () => join(directory, 'l.lock');
const ownerIn = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const own = await identityOf(machine);

/** Takes the lock at once, and expects this process to be its holder then. */
const expectTaken = async () => {
  await make({ clock: jumpingClock() }).acquire();
  const owners = readdirSync(directory).map((name) => ownerIn(join(directory, name)));
  expect(
    owners.filter(({ pid, started, boot }) => pid === own.pid && started === own.started && boot === own.boot),
  ).toHaveLength(1);
};

/** A program that runs until it is killed. */
const endless = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

/** A pid that was somebody's and is nobody's now. */
const deadPid = await new Promise<number>((resolve) => {
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  child.once('exit', () => resolve(child.pid!));
});
const owner = (nonce: string, more: object = {}) =>
  JSON.stringify({ ...own, pid: deadPid, started: '1', nonce, at: Date.now(), ...more });

describe('lock', () => {
  test('exists while it is held and is gone afterwards', async () => {
    const held = await make().acquire();
    expect(ownerIn(first())).toMatchObject({ pid: process.pid, boot: own.boot });
    await held!.release();
    expect(readdirSync(directory)).toEqual([]);
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
  });

  test('stops waiting if it is no longer needed', async () => {
    const held = await make().acquire();
    const { clock, waits } = countingClock();
    const waiting = make({ clock }).acquire(async () => false);
    await waits(1);
    await held!.release();
    expect(await waiting).toBeUndefined();
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
      writeFileSync(first(), owner('dead'));
      expect(await mostInside()).toBe(1);
      expect(readdirSync(directory)).toEqual([]);
    });

    test('has one heir after another if heirs die, too', async () => {
      writeFileSync(first(), owner('a'));
      writeFileSync(join(directory, 'l.after-a'), owner('b'));
      writeFileSync(join(directory, 'l.after-b'), owner('c'));
      const held = await make().acquire();
      expect(ownerIn(join(directory, 'l.after-c')).pid).toBe(process.pid);
      await held!.release();
      expect(readdirSync(directory)).toEqual([]);
    });

    // The first file goes first: without it the chain is void. With it, the next process would inherit from a dead owner
    // and lose the lock with the other files.
    test('has one holder if it is taken while its files are removed', async () => {
      writeFileSync(first(), owner('a'));
      writeFileSync(join(directory, 'l.after-a'), owner('b'));
      const held = await make().acquire();
      const next = afterNextRemoval(() => make({ clock: jumpingClock() }).acquire());
      await held!.release();
      expect(await next).toBeDefined();
      await expect(make({ clock: jumpingClock() }).acquire()).rejects.toMatchObject({ category: 'environment' });
    });

    test('is not free while its heir lives', async () => {
      writeFileSync(first(), owner('a'));
      writeFileSync(join(directory, 'l.after-a'), owner('b', { pid: own.pid, started: own.started }));
      await expect(make({ clock: jumpingClock() }).acquire()).rejects.toMatchObject({ category: 'environment' });
    });

    test.each([
      ['a process whose PID was reused', { pid: process.pid, started: '1' }],
      ['a machine that was restarted', { pid: process.pid, started: own.started, boot: 'before' }],
    ])('is taken over from %s', async (_, more) => {
      writeFileSync(first(), owner('a', more));
      await expectTaken();
    });

    test.each([
      ['container', { space: 'pid:[1]' }],
      ['machine', { host: 'another', boot: 'another' }],
    ])('is not taken from another %s, except after ten minutes', async (_, elsewhere) => {
      writeFileSync(first(), owner('a', elsewhere));
      await expect(make({ clock: jumpingClock() }).acquire()).rejects.toMatchObject({ category: 'environment' });
      writeFileSync(first(), owner('a', { ...elsewhere, at: Date.now() - 11 * 60_000 }));
      await expectTaken();
    });

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
        writeFileSync(first(), owner('z', { pid, started }));
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
        writeFileSync(first(), owner('s', { pid: child.pid, started }));
        const error = await make({ clock: jumpingClock() })
          .acquire()
          .catch((reason) => reason);
        expect(error.facts.reason).toContain(`process ${child.pid} `);
        expect(existsSync(first())).toBe(true);
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
      const held = (await make().acquire())!;
      const isGiven = await held.handOver(await identityOf(heirMachine), 'given');
      return { held, isGiven };
    };

    test('is held by the heir and no longer by the giver', async () => {
      const { held, isGiven } = await give();
      expect(isGiven).toBe(true);
      await held.release();
      const error = await make({ clock: jumpingClock() })
        .acquire()
        .catch((reason) => reason);
      expect(error.facts.reason).toContain(`process ${child.pid} `);
      expect(await make().adopt('given')).toBeUndefined();
      expect(await make({ machine: heirMachine }).adopt('other')).toBeUndefined();
      await (await make({ machine: heirMachine }).adopt('given'))!.release();
      expect(readdirSync(directory)).toEqual([]);
      expect(await make({ machine: heirMachine }).adopt('given')).toBeUndefined();
    });

    test('is taken over if the heir is dead, and cannot be adopted after that', async () => {
      const held = (await make().acquire())!;
      await held.handOver({ ...own, pid: deadPid, started: '1' }, 'given');
      const next = await make({ clock: jumpingClock() }).acquire();
      expect(await make({ machine: { ...machine, pid: deadPid } }).adopt('given')).toBeUndefined();
      await next!.release();
      expect(readdirSync(directory)).toEqual([]);
    });

    test('cannot be handed over after another process took it over or removed it', async () => {
      const held = (await make().acquire())!;
      const { nonce } = ownerIn(first());
      writeFileSync(join(directory, `l.after-${nonce}`), owner('thief'));
      expect(await held.handOver(own, 'given')).toBe(false);
      await held.release();
      expect(ownerIn(join(directory, `l.after-${nonce}`)).nonce).toBe('thief');
      for (const name of readdirSync(directory)) unlinkSync(join(directory, name));
      expect(await held.handOver(own, 'given')).toBe(false);
      expect(readdirSync(directory)).toEqual([]);
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

  // Forces interleavings: randomBytes is called between reading the chain and the claim.
  describe('that changes between read and claim', () => {
    const meanwhile = (change: () => void, more: Partial<LockOptions> = {}) => {
      let done = false;
      return make({
        clock: jumpingClock(),
        ...more,
        randomBytes: (count) => {
          if (!done) change();
          done = true;
          return random(count);
        },
      });
    };
    const living = (nonce: string) => owner(nonce, { pid: own.pid, started: own.started });

    test('is not taken by a late claim if it was released and has a new holder', async () => {
      writeFileSync(first(), owner('dead'));
      const lock = meanwhile(() => {
        // Another heir took over, finished and released the lock. Then a new process took it.
        unlinkSync(first());
        writeFileSync(first(), living('new'));
      });
      await expect(lock.acquire()).rejects.toMatchObject({ category: 'environment' });
      expect(readdirSync(directory)).toEqual(['l.lock']);
      expect(ownerIn(first()).nonce).toBe('new');
    });

    test('is taken as a free lock after a late claim if it was released', async () => {
      writeFileSync(first(), owner('dead'));
      const held = await meanwhile(() => unlinkSync(first())).acquire();
      expect(ownerIn(first()).pid).toBe(process.pid);
      await held!.release();
      expect(readdirSync(directory)).toEqual([]);
    });

    test('is not taken if another heir was faster', async () => {
      writeFileSync(first(), owner('dead'));
      const lock = meanwhile(() => writeFileSync(join(directory, 'l.after-dead'), living('heir')));
      await expect(lock.acquire()).rejects.toMatchObject({ category: 'environment' });
      expect(ownerIn(join(directory, 'l.after-dead')).nonce).toBe('heir');
    });

    test('is not taken if another process took the free lock', async () => {
      const lock = meanwhile(() => writeFileSync(first(), living('quick')));
      await expect(lock.acquire()).rejects.toMatchObject({ category: 'environment' });
    });

    test('is not removed by a holder that lost it', async () => {
      const held = await make().acquire();
      renameSync(first(), `${first()}.old`);
      writeFileSync(first(), living('other'));
      await held!.release();
      expect(ownerIn(first()).nonce).toBe('other');
    });
  });

  test('reports a damaged lock and a directory that cannot be created', async () => {
    for (const text of ['{', '{}', 'null', '7', '{"pid":1,"at":1,"nonce":"../x"}', '{"pid":1,"at":9e15,"nonce":"x"}']) {
      writeFileSync(first(), text);
      await expect(make().acquire()).rejects.toMatchObject({
        category: 'environment',
        facts: { reason: expect.stringContaining('damaged') },
      });
    }
    await expect(make({ directory: join(first(), 'x') }).acquire()).rejects.toMatchObject({ category: 'environment' });
  });

  test('reports a chain of owners that repeats, instead of following it forever', async () => {
    const dead = JSON.stringify({ ...own, pid: 2 ** 22, nonce: 'again', at: 1 });
    writeFileSync(first(), dead);
    writeFileSync(join(directory, 'l.after-again'), dead);
    await expect(make().acquire()).rejects.toMatchObject({ category: 'environment' });
  });

  test.skipIf(process.platform === 'win32')('reports a pipe or a link in its place, and never waits', async () => {
    spawnSync('mkfifo', [first()]);
    await expect(make().acquire()).rejects.toMatchObject({ facts: { reason: 'it is not a file' } });
    unlinkSync(first());
    for (const target of [first(), join(directory, 'nowhere')]) {
      symlinkSync(target, first());
      await expect(make().acquire()).rejects.toMatchObject({
        facts: { reason: expect.stringContaining('symbolic link') },
      });
      unlinkSync(first());
    }
  });

  test('stores the process namespace', () => {
    if (process.platform === 'linux') expect(own.space).toBe(readlinkSync('/proc/self/ns/pid'));
  });
});
