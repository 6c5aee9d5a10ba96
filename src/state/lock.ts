import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, SchedError } from '../errors.ts';
import { jsonIn } from '../json.ts';
import { isTime } from '../numbers.ts';
import type { Clock, Machine, RandomBytes } from '../system.ts';
import { ensurePrivateDirectory } from './directories.ts';
import { readPrivateFile } from './files.ts';
import { directory } from './paths.ts';
import { identityOf, type ProcessIdentity, type ProcessTable, stateOf } from './processes.ts';
import { writeWholeFile } from './whole-file.ts';

/*
 * A lock between processes that stays correct when they are killed.
 *
 *   NAME.lock          the first owner; created by a hard link, so it appears complete and only once
 *   NAME.after-NONCE   the process that took over from the dead owner with that nonce; also created by a hard link
 *
 * The holder is the end of that chain. A nonce is never used twice, so each dead owner has exactly one heir, and so has
 * an heir that dies. To hand over the lock, a living owner names its heir itself. No file is ever removed because its
 * owner seems dead: two processes that decide so at the same moment would both get the lock. Only the holder removes
 * files, the first one first. A claim that comes too late finds that its chain has lost its start, and is void.
 */

interface LockOwner extends ProcessIdentity {
  readonly nonce: string;
  /** When it got the lock, in milliseconds since 1970. */
  readonly at: number;
  /** The nonce of the owner that handed over the lock: another process continues the same job. */
  readonly job?: string;
}

export interface LockOptions {
  directory: string;
  name: string;
  machine: ProcessTable;
  clock: Clock;
  randomBytes: RandomBytes;
  interrupted: AbortSignal;
  /** How long to wait for others. */
  waitMs?: number;
  /** When a holder in another container was last active. By default, when it got the lock. */
  lastSeen?(): Promise<number | undefined>;
  /** The error to throw if the holder doesn't finish. */
  busy?(pid: number, since: string): SchedError;
}

export interface Held {
  /** Releases the lock. Does nothing after `handOver`. */
  release(): Promise<void>;
  /** Makes another process the holder, with that nonce. Returns false if this process no longer held the lock. */
  handOver(heir: ProcessIdentity, nonce: string): Promise<boolean>;
}

export interface Lock {
  /**
   * Takes the lock, and waits for it if necessary. Calls `stillNeeded` each time the holder changes meanwhile, and
   * returns `undefined` if that says no.
   */
  acquire(stillNeeded?: () => Promise<boolean>): Promise<Held | undefined>;
  /** The lock that was handed over to this process with that nonce, or `undefined` if it wasn't. */
  adopt(nonce: string): Promise<Held | undefined>;
}

const defaultWaitMs = 30_000;
const shortestPauseMs = 10;
const longestPauseMs = 200;

/** A holder in another container can't be checked. No live one holds the lock for more than a minute. */
const outOfSightMs = 10 * 60_000;

/** Files this old that belong to no chain were left by killed processes. */
const litterMs = 60 * 60_000;

const ignoreMissing = (error: unknown): void => {
  if (codeOf(error) !== 'ENOENT') throw error;
};

const lockTrouble = (path: string, reason: string): SchedError =>
  new SchedError('environment', "Can't acquire the lock", {
    reason: `${path}: ${reason}`,
    outcome: 'not-sent',
  });

const damaged = (path: string): SchedError =>
  lockTrouble(path, 'it is damaged; remove it if no other sched process is running');

const isOwner = (value: unknown): value is LockOwner => {
  const { pid, nonce, at } = (value ?? {}) as Partial<Record<keyof LockOwner, unknown>>;
  return Number.isSafeInteger(pid) && isTime(at) && typeof nonce === 'string' && /^[\w-]+$/.test(nonce);
};

const readOwner = async (path: string): Promise<LockOwner | undefined> => {
  const text = await readPrivateFile(path);
  if (text === undefined) return undefined;
  const owner = jsonIn(text);
  if (!isOwner(owner)) throw damaged(path);
  return owner;
};

export const createLock = (options: LockOptions): Lock => {
  const { directory, name, machine, clock, randomBytes, interrupted, waitMs = defaultWaitMs } = options;
  const first = join(directory, `${name}.lock`);
  const heirOf = ({ nonce }: LockOwner) => join(directory, `${name}.after-${nonce}`);

  /** Turns errors of the file system into a SchedError. */
  const named = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } catch (error) {
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : lockTrouble(first, codeOf(error));
    }
  };

  /** From the first owner to the holder; empty if the lock is free. */
  const readChain = async (): Promise<LockOwner[]> => {
    const chain: LockOwner[] = [];
    for (let path = first; ; path = heirOf(chain.at(-1)!)) {
      const owner = await readOwner(path);
      if (owner === undefined) return chain;
      // A nonce that repeats would make the chain endless.
      if (chain.some(({ nonce }) => nonce === owner.nonce)) throw damaged(path);
      chain.push(owner);
    }
  };

  /** Creates `target` completely, or not at all if it exists. Returns whether it belongs to `owner`. */
  const place = async (target: string, owner: LockOwner): Promise<boolean> => {
    const draft = join(directory, `${name}.draft-${owner.nonce}`);
    try {
      await writeWholeFile(target, { content: JSON.stringify(owner), draft, replace: false });
      return true;
    } catch (error) {
      // On a network file system the link may be created although its confirmation is lost.
      if (codeOf(error) === 'EEXIST') return (await readOwner(target))?.nonce === owner.nonce;
      throw error;
    }
  };

  const sweep = async (): Promise<void> => {
    const files = (await readdir(directory)).filter((file) => /\.(after|draft)-/.test(file) && file.startsWith(name));
    for (const path of files.map((file) => join(directory, file))) {
      const { mtimeMs } = await stat(path);
      if (clock.now() - mtimeMs > litterMs) await unlink(path);
    }
  };

  /** Adds an heir to the end of a chain, unless there is one already or the chain is gone. */
  const inherit = async (chain: readonly LockOwner[], heir: LockOwner): Promise<boolean> => {
    const target = heirOf(chain.at(-1)!);
    if (!(await place(target, heir))) return false;
    if ((await readOwner(first))?.nonce === chain[0]!.nonce) return true;
    await unlink(target).catch(ignoreMissing);
    return false;
  };

  const heldThrough = (chain: readonly LockOwner[]): Held => ({
    release: async () => {
      const now = await readChain();
      if (now[0]?.nonce !== chain[0]!.nonce || now.at(-1)!.nonce !== chain.at(-1)!.nonce) return;
      // The order matters, see above. The last owner has no heir.
      const files = [first, ...chain.slice(0, -1).map(heirOf)];
      for (const file of files) await unlink(file).catch(ignoreMissing);
      await sweep().catch(() => {});
    },
    handOver: (heir, nonce) => named(inherit(chain, { ...heir, nonce, at: clock.now(), job: chain.at(-1)!.nonce })),
  });

  /** Takes a free lock, or takes over from the dead owner at the end of the chain. */
  const claim = async (chain: readonly LockOwner[], own: ProcessIdentity): Promise<Held | undefined> => {
    const mine: LockOwner = { ...own, nonce: Buffer.from(randomBytes(16)).toString('hex'), at: clock.now() };
    const isTaken = chain.length === 0 ? await place(first, mine) : await inherit(chain, mine);
    return isTaken ? heldThrough([...chain, mine]) : undefined;
  };

  const isGone = async (owner: LockOwner, own: ProcessIdentity): Promise<boolean> => {
    const state = await stateOf(owner, own, machine);
    if (state !== 'out of sight') return state === 'gone';
    const seen = Math.max(owner.at, (await options.lastSeen?.()) ?? 0);
    return clock.now() - seen > outOfSightMs;
  };

  const acquire: Lock['acquire'] = async (stillNeeded = async () => true) => {
    ensurePrivateDirectory(directory);
    const own = await identityOf(machine);
    const deadline = clock.now() + waitMs;
    let seen: string | undefined;
    for (let pause = shortestPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
      interrupted.throwIfAborted();
      const chain = await readChain();
      const holder = chain.at(-1);
      const job = holder?.job ?? holder?.nonce ?? '';
      if (seen !== undefined && job !== seen && !(await stillNeeded())) return undefined;
      seen = job;
      if (holder === undefined || (await isGone(holder, own))) {
        const held = await claim(chain, own);
        if (held !== undefined) return held;
      } else if (clock.now() >= deadline) {
        const since = new Date(holder.at).toISOString();
        if (options.busy !== undefined) throw options.busy(holder.pid, since);
        throw new SchedError('environment', 'Another sched process is taking too long to refresh the login', {
          reason: `process ${holder.pid} has held ${first} since ${since}`,
          advice: 'wait for it to end, or stop it',
          outcome: 'not-sent',
        });
      }
      await clock.sleep(pause, interrupted);
    }
  };

  const adopt: Lock['adopt'] = async (nonce) => {
    const chain = await readChain();
    const holder = chain.at(-1);
    return holder?.nonce === nonce && holder.pid === machine.pid ? heldThrough(chain) : undefined;
  };

  return { acquire: (stillNeeded) => named(acquire(stillNeeded)), adopt: (nonce) => named(adopt(nonce)) };
};

export type LockWorld = Pick<LockOptions, 'clock' | 'randomBytes' | 'interrupted'> & {
  readonly platform: string;
  readonly machine: Machine;
};

/** A lock in the OS account's home. Directories set by variables would give several locks. */
export const accountLock = (name: string, world: LockWorld): Lock => {
  const { platform, machine, clock, randomBytes, interrupted } = world;
  const home = directory('state', { env: {}, home: machine.accountHome, platform });
  return createLock({ directory: join(home, 'locks'), name, machine, clock, randomBytes, interrupted });
};
