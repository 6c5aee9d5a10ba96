import { join } from 'node:path';
import { codeOf, SchedError } from '../errors.ts';
import { isObject } from '../json.ts';
import { isTime } from '../numbers.ts';
import { once } from '../once.ts';
import type { Clock, Machine, RandomBytes } from '../system.ts';
import { directory } from './paths.ts';
import { identityOf, type ProcessIdentity, type ProcessTable, stateOf } from './processes.ts';
import { fileVersions } from './versions.ts';
import { lacksLinks } from './whole-file.ts';

/*
 * Locks between processes that stay correct when they are killed: a record of the owners, by the name of their lock.
 *
 * No lock is free because its owner seems dead: two processes that decide so at the same moment would both get it. Each
 * change instead names the owner that it replaces, and fails if another process was faster. A nonce is never used twice.
 * To hand over the lock, a living owner names its heir itself.
 */

interface LockOwner extends ProcessIdentity {
  readonly nonce: string;
  /** When it got the lock, in milliseconds since 1970. */
  readonly at: number;
  /** The nonce of the owner that handed over the lock: another process continues the same job. */
  readonly job?: string;
}

export interface LockOptions {
  /** The place of the record, for locks only. */
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

const lockTrouble = (path: string, reason: string): SchedError =>
  new SchedError('environment', "Can't acquire the lock", {
    reason: `${path}: ${reason}`,
    outcome: 'not-sent',
  });

const damaged = (path: string): SchedError =>
  lockTrouble(path, 'it is damaged; remove it if no other sched process is running');

/** By the name of the lock. */
type LockOwners = Readonly<Record<string, LockOwner>>;

const isOwner = (value: unknown): value is LockOwner => {
  const { pid, nonce, at } = (value ?? {}) as Partial<Record<keyof LockOwner, unknown>>;
  return Number.isSafeInteger(pid) && isTime(at) && typeof nonce === 'string';
};

export const createLock = (options: LockOptions): Lock => {
  const { directory, name, machine, clock, randomBytes, interrupted, waitMs = defaultWaitMs } = options;
  const newNonce = () => Buffer.from(randomBytes(16)).toString('hex');
  const record = once(() => fileVersions<LockOwners>(directory, newNonce()));

  /** Turns errors of the file system into a SchedError. */
  const named = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      const { syscall } = error as NodeJS.ErrnoException;
      const reason = syscall === 'link' && lacksLinks(error) ? 'this disk has no hard links' : codeOf(error);
      throw syscall === undefined ? error : lockTrouble(directory, reason);
    }
  };

  const holderIn = (owners: LockOwners = {}): LockOwner | undefined => {
    const holder = owners?.[name];
    if (!isObject(owners) || (holder !== undefined && !isOwner(holder))) throw damaged(directory);
    return holder;
  };

  /** Makes `next` the holder, or nobody, if `before` still is. Returns whether that is so. */
  const replace = (before: LockOwner | undefined, next?: LockOwner): boolean =>
    record().update((owners) => {
      const nonce = holderIn(owners)?.nonce;
      // On a network file system the change may be made although its confirmation is lost.
      if (nonce !== before?.nonce) return { value: nonce === next?.nonce };
      const { [name]: _, ...others } = owners ?? {};
      return { state: next === undefined ? others : { ...others, [name]: next }, value: true };
    });

  const heldBy = (owner: LockOwner): Held => ({
    release: async () => {
      try {
        replace(owner);
      } catch {
        // If the disk is full, others take over the lock as soon as this process has ended.
      }
    },
    handOver: (heir, nonce) => named(async () => replace(owner, { ...heir, nonce, at: clock.now(), job: owner.nonce })),
  });

  const isGone = async (owner: LockOwner, own: ProcessIdentity): Promise<boolean> => {
    const state = await stateOf(owner, own, machine);
    if (state !== 'out of sight') return state === 'gone';
    const seen = Math.max(owner.at, (await options.lastSeen?.()) ?? 0);
    return clock.now() - seen > outOfSightMs;
  };

  const acquire: Lock['acquire'] = async (stillNeeded = async () => true) => {
    const own = await identityOf(machine);
    const deadline = clock.now() + waitMs;
    let seen: string | undefined;
    for (let pause = shortestPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
      interrupted.throwIfAborted();
      const holder = holderIn(record().read());
      const job = holder?.job ?? holder?.nonce ?? '';
      if (seen !== undefined && job !== seen && !(await stillNeeded())) return undefined;
      seen = job;
      if (holder === undefined || (await isGone(holder, own))) {
        const mine: LockOwner = { ...own, nonce: newNonce(), at: clock.now() };
        if (replace(holder, mine)) return heldBy(mine);
      } else if (clock.now() >= deadline) {
        const since = new Date(holder.at).toISOString();
        if (options.busy !== undefined) throw options.busy(holder.pid, since);
        throw new SchedError('environment', 'Another sched process is taking too long to refresh the login', {
          reason: `process ${holder.pid} has held the lock in ${directory} since ${since}`,
          advice: 'wait for it to end, or stop it',
          outcome: 'not-sent',
        });
      }
      await clock.sleep(pause, interrupted);
    }
  };

  const adopt: Lock['adopt'] = async (nonce) => {
    const holder = holderIn(record().read());
    return holder?.nonce === nonce && holder.pid === machine.pid ? heldBy(holder) : undefined;
  };

  return { acquire: (stillNeeded) => named(() => acquire(stillNeeded)), adopt: (nonce) => named(() => adopt(nonce)) };
};

export type LockWorld = Pick<LockOptions, 'clock' | 'randomBytes' | 'interrupted'> & {
  readonly platform: string;
  readonly machine: Machine;
};

/** A lock in the OS account's home. Directories set by variables would give several locks. */
export const accountLock = (name: string, world: LockWorld, more: Pick<LockOptions, 'waitMs' | 'busy'> = {}): Lock => {
  const { platform, machine, clock, randomBytes, interrupted } = world;
  const home = directory('state', { env: {}, home: machine.accountHome, platform });
  return createLock({ directory: join(home, 'locks'), name, machine, clock, randomBytes, interrupted, ...more });
};
