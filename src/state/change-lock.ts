import { hasCategory, SchedError, sameCommand } from '../base/errors.ts';
import type { HeldLock, Lock, LockOptions } from './lock.ts';

/*
 * R66: one process at a time changes the schedules of an organization, or applies a configuration to it. The service
 * replaces all rules of a schedule at once: of two processes that read them, change them and write them at the same
 * moment, one would undo the change of the other.
 */

export interface ChangeLock {
  /** That of this machine first, then that of all machines with the same shared state. */
  locks: readonly Lock[];
  /** Called if a lock can't be used, for example because no file can be written. The change is made without it. */
  onUnlocked(why: string): void;
}

/** The lock of an account. Without an organization, of all tokens at that service that can't tell theirs. */
export const changeLockName = (service: string, organization: string): string => `config ${service} ${organization}`;

const holderWords = (pid: number, machine?: string): string =>
  `process ${pid}${machine === undefined ? '' : ` on ${machine}`}`;

export const waitWords = (pid: number, machine?: string): string =>
  `Waiting for ${holderWords(pid, machine)}, which is changing schedules or settings of the same organization`;

export const changeLockOptions = {
  /** A holder on another machine can't be checked. It shows before each write that it is working. */
  silentMs: 3 * 60_000,
  busy: (pid, since, machine) =>
    new SchedError('conflict', 'Another process is changing schedules or settings of the same organization', {
      reason: `${holderWords(pid, machine)} has been running since ${since}`,
      hint: sameCommand,
    }),
} satisfies Partial<LockOptions>;

const takenOver = (): SchedError =>
  new SchedError('conflict', 'Another process has taken over the lock, so nothing more was sent', {
    reason: 'this process was silent for too long',
    hint: sameCommand,
  });

/** Throws if another process has taken over the lock: what this one has read may be old. Call it right before a write leaves. */
export type StillLocked = () => Promise<void>;

/** Works while no other process changes the same organization. */
export const whileLocked = async <Value>(
  { locks, onUnlocked }: ChangeLock,
  work: (stillLocked: StillLocked) => Promise<Value>,
): Promise<Value> => {
  const heldLocks: HeldLock[] = [];
  const reasons = new Set<string>();
  const withoutLock = (error: unknown): void => {
    if (!hasCategory(error, 'environment')) throw error;
    const { message, facts } = error;
    const why = `${message}${facts.reason === undefined ? '' : `: ${facts.reason}`}`;
    if (!reasons.has(why)) onUnlocked(why);
    reasons.add(why);
  };
  const stillLocked = async (): Promise<void> => {
    for (const each of heldLocks) if ((await each.keep().catch(withoutLock)) === false) throw takenOver();
  };
  try {
    for (const lock of locks) {
      const heldLock = await lock.acquire().catch(withoutLock);
      if (heldLock) heldLocks.push(heldLock);
    }
    return await work(stillLocked);
  } finally {
    for (const each of heldLocks.reverse()) await each.release();
  }
};
