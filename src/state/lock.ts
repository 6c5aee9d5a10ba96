import { join } from 'node:path';
import { codeOf, SchedError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { isTime } from '../base/numbers.ts';
import { once } from '../base/once.ts';
import type { Clock, Machine, RandomBytes } from '../base/system.ts';
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
  /** When it was last known to be working, if that is later. */
  readonly seen?: number;
  /** The name of its machine, for people. */
  readonly machine?: string;
  /** The nonce of the owner that handed over the lock: another process continues the same job. */
  readonly job?: string;
}

/** By the name of the lock. */
export type LockOwners = Readonly<Record<string, LockOwner>>;

/** The record of the owners, in files or in Redis. */
export interface OwnersRecord {
  /** Where it is, for messages. */
  place: string;
  /** Whether several machines share it. */
  isShared?: true;
  /** With the time of the record's clock. */
  read(): Promise<{ owners: LockOwners | undefined; now: number }>;
  /** Changes the record in one atomic step, unless the new owners are missing. `change` may be called again. */
  update<Value>(
    change: (owners: LockOwners | undefined, now: number) => { owners?: LockOwners; value: Value },
  ): Promise<Value>;
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
  /** Called once if it waits. */
  onWait?(pid: number, machine?: string): void;
  /** How long a holder that can't be checked may be silent. A holder that works longer calls `keep`. */
  silentMs?: number;
  /** When a holder in another container was last active. By default, when it got the lock. */
  lastSeen?(): Promise<number | undefined>;
  /** The error to throw if the holder doesn't finish. `machine` is its name, if that isn't this one. */
  busy?(pid: number, since: string, machine?: string): SchedError;
}

export interface HeldLock {
  /** Returns whether this process still holds the lock, and shows others that it is working. */
  keep(): Promise<boolean>;
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
  acquire(stillNeeded?: () => Promise<boolean>): Promise<HeldLock | undefined>;
  /** The lock that was handed over to this process with that nonce, or `undefined` if it wasn't. */
  adopt(nonce: string): Promise<HeldLock | undefined>;
}

const defaultWaitMs = 30_000;
const shortestPauseMs = 10;
const longestPauseMs = 200;

/** A holder in another container can't be checked. No live one holds the lock for more than a minute. */
const outOfSightMs = 10 * 60_000;

/** Locks that a process could not release, because the disk was full. It may run for long. */
const unreleased = new WeakMap<ProcessTable, Set<string>>();

const unreleasedBy = (machine: ProcessTable): Set<string> => {
  const nonces = unreleased.get(machine) ?? new Set();
  unreleased.set(machine, nonces);
  return nonces;
};

/** How often `keep` writes that the holder is working. */
const seenEveryMs = 20_000;

export const lockTrouble = (reason: string): SchedError =>
  new SchedError('environment', "Can't acquire the lock", { reason, outcome: 'not-sent' });

const damagedLock = (place: string): SchedError =>
  lockTrouble(`${place}: it is damaged; remove it if no other sched process is running`);

const isOwner = (value: unknown): value is LockOwner => {
  const { pid, nonce, at } = (value ?? {}) as Partial<Record<keyof LockOwner, unknown>>;
  return Number.isSafeInteger(pid) && isTime(at) && typeof nonce === 'string';
};

/** The owners of the locks in a directory. Errors of the file system become a SchedError. */
const fileOwners = (directory: string, { now }: Pick<Clock, 'now'>, unique: string): OwnersRecord => {
  const record = once(() => fileVersions<LockOwners>(directory, unique));
  const withPlace = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      const { syscall } = error as NodeJS.ErrnoException;
      const reason = syscall === 'link' && lacksLinks(error) ? 'this disk has no hard links' : codeOf(error);
      throw syscall === undefined ? error : lockTrouble(`${directory}: ${reason}`);
    }
  };
  return {
    place: directory,
    read: async () => ({ owners: withPlace(() => record().read()), now: now() }),
    update: async (change) =>
      withPlace(() =>
        record().update((before) => {
          const { owners, value } = change(before, now());
          return { ...(owners === undefined ? {} : { state: owners }), value };
        }),
      ),
  };
};

const nonceFrom = (randomBytes: RandomBytes): string => Buffer.from(randomBytes(16)).toString('hex');

/** A lock whose owner is in a record that processes share. */
export const lockIn = (record: OwnersRecord, options: Omit<LockOptions, 'directory'>): Lock => {
  const { name, machine, clock, randomBytes, interrupted, waitMs = defaultWaitMs, silentMs = outOfSightMs } = options;

  /** Copies of one machine can have the same ID, and some systems have none. */
  const ownIdentity = async (): Promise<ProcessIdentity> => {
    const own = await identityOf(machine);
    return record.isShared ? { ...own, host: `${own.host} ${own.boot} ${machine.host}` } : own;
  };

  const holderIn = (owners: LockOwners = {}): LockOwner | undefined => {
    const holder = owners?.[name];
    if (!isObject(owners) || (holder !== undefined && !isOwner(holder))) throw damagedLock(record.place);
    return holder;
  };

  /** Makes `next` the holder, or nobody, if the one with this nonce still is. Returns whether that is so. */
  const replace = (before: string | undefined, next?: Omit<LockOwner, 'at'>): Promise<boolean> =>
    record.update((owners, now) => {
      const nonce = holderIn(owners)?.nonce;
      // On a network file system the change may be made although its confirmation is lost.
      if (nonce !== before) return { value: nonce === next?.nonce };
      const { [name]: _, ...others } = owners ?? {};
      return { owners: next === undefined ? others : { ...others, [name]: { ...next, at: now } }, value: true };
    });

  /** Writes that the holder is working. */
  const show = (nonce: string): Promise<void> =>
    record.update((owners, now) => {
      const holder = holderIn(owners);
      if (holder?.nonce !== nonce) return { value: undefined };
      return { owners: { ...owners, [name]: { ...holder, seen: now } }, value: undefined };
    });

  const heldBy = ({ nonce }: Pick<LockOwner, 'nonce'>): HeldLock => ({
    keep: async () => {
      const { owners, now } = await record.read();
      const holder = holderIn(owners);
      if (holder?.nonce !== nonce) return false;
      // If the disk is full, others believe for a while that the holder is working.
      if (now - (holder.seen ?? holder.at) >= seenEveryMs) await show(nonce).catch(() => {});
      return true;
    },
    release: async () => {
      // If the disk is full, others take over the lock as soon as this process has ended.
      await replace(nonce).catch(() => unreleasedBy(machine).add(nonce));
    },
    handOver: (heir, next) => replace(nonce, { ...heir, nonce: next, job: nonce }),
  });

  const isGone = async (owner: LockOwner, own: ProcessIdentity, now: number): Promise<boolean> => {
    if (unreleasedBy(machine).has(owner.nonce)) return true;
    const state = await stateOf(owner, own, machine);
    if (state !== 'out of sight') return state === 'gone';
    const lastSeen = Math.max(owner.at, owner.seen ?? 0, (await options.lastSeen?.()) ?? 0);
    return now - lastSeen > silentMs;
  };

  const acquire: Lock['acquire'] = async (stillNeeded = async () => true) => {
    const own = await ownIdentity();
    const deadline = clock.now() + waitMs;
    let lastJob: string | undefined;
    let isTold = false;
    for (let pause = shortestPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
      interrupted.throwIfAborted();
      const { owners, now } = await record.read();
      const holder = holderIn(owners);
      const job = holder?.job ?? holder?.nonce ?? '';
      if (lastJob !== undefined && job !== lastJob && !(await stillNeeded())) return undefined;
      lastJob = job;
      if (holder === undefined || (await isGone(holder, own, now))) {
        const mine = { ...own, nonce: nonceFrom(randomBytes), machine: machine.host };
        if (await replace(holder?.nonce, mine)) return heldBy(mine);
      } else {
        const { pid, at, host, space, machine: place } = holder;
        const elsewhere = host === own.host && space === own.space ? undefined : place;
        if (clock.now() >= deadline) {
          const since = new Date(at).toISOString();
          if (options.busy !== undefined) throw options.busy(pid, since, elsewhere);
          throw new SchedError('environment', 'Another sched process is taking too long to refresh the login', {
            reason: `process ${pid} has held the lock in ${record.place} since ${since}`,
            advice: 'wait for it to end, or stop it',
            outcome: 'not-sent',
          });
        }
        if (!isTold) options.onWait?.(pid, elsewhere);
        isTold = true;
      }
      await clock.sleep(pause, interrupted);
    }
  };

  const adopt: Lock['adopt'] = async (nonce) => {
    const holder = holderIn((await record.read()).owners);
    return holder?.nonce === nonce && holder.pid === machine.pid ? heldBy(holder) : undefined;
  };

  return { acquire, adopt };
};

export const createLock = ({ directory, ...options }: LockOptions): Lock =>
  lockIn(fileOwners(directory, options.clock, nonceFrom(options.randomBytes)), options);

export type LockWorld = Pick<LockOptions, 'clock' | 'randomBytes' | 'interrupted'> & {
  readonly platform: string;
  readonly machine: Machine;
};

/** A lock in the OS account's home. Directories set by variables would give several locks. */
export const accountLock = (
  name: string,
  world: LockWorld,
  more: Pick<LockOptions, 'waitMs' | 'onWait' | 'silentMs' | 'busy'> = {},
): Lock => {
  const { platform, machine, clock, randomBytes, interrupted } = world;
  const home = directory('state', { env: {}, home: machine.accountHome, platform });
  return createLock({ directory: join(home, 'locks'), name, machine, clock, randomBytes, interrupted, ...more });
};
