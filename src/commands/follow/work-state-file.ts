import { join } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import { stat } from '../../node/files.ts';
import { type Appendable, realDisk } from '../../state/disk.ts';
import { readPrivateFile, removeDrafts, writePrivateFile } from '../../state/files.ts';
import { createLock, type HeldLock, type LockOptions } from '../../state/lock.ts';
import { entryText, type FollowEntry, type FollowState, readState, stateText } from './work-state.ts';

/*
 * The file with the state of `events follow`, and the lock that keeps it to one process.
 */

type FollowFileOptions = Pick<LockOptions, 'directory' | 'name' | 'machine' | 'clock' | 'randomBytes' | 'interrupted'>;

export interface FollowFile {
  /** The stored state, or undefined if there is none yet. */
  load(): Promise<FollowState | undefined>;
  /** Replaces the stored state. It is on disk when this resolves. */
  save(state: FollowState): Promise<void>;
  /** Adds to the state that this process has saved. A kill doesn't lose the entry; a power cut may. */
  add(entry: FollowEntry): Promise<void>;
  close(): Promise<void>;
}

const stateInUse = (pid: number, since: string): SchedError =>
  new SchedError('conflict', 'Another process follows the same bookings', {
    reason: `process ${pid} has been running since ${since}`,
    advice: 'stop it first, or set SCHED_STATE_DIR to another directory to run a second process',
  });

const damagedState = (path: string): SchedError =>
  new SchedError('environment', "Can't read where events follow stopped", {
    reason: `${path} is damaged, or a newer version of sched wrote it`,
    advice: words`add ${the('since')} TIME to start again from that time`,
  });

/** Takes the lock, or throws an error that names the process that has it. */
export const openFollowFile = async (options: FollowFileOptions): Promise<FollowFile> => {
  const { directory, name, machine } = options;
  const path = join(directory, `${name}.json`);
  const lastSeen = async () => (await stat(path).catch(() => undefined))?.mtimeMs;
  const locks = join(directory, 'locks');
  const lock = createLock({ ...options, directory: locks, waitMs: 0, lastSeen, busy: stateInUse });
  const lockHeld: HeldLock | undefined = await lock.acquire();
  let tail: Appendable | undefined;
  const closeTail = async () => {
    await tail?.close();
    tail = undefined;
  };
  return {
    load: async () => {
      await removeDrafts(path);
      const text = await readPrivateFile(path);
      if (text === undefined) return undefined;
      const state = readState(text);
      if (state === undefined) throw damagedState(path);
      return state;
    },
    save: async (state) => {
      // A new file takes the place of this one.
      await closeTail();
      await writePrivateFile(path, stateText(state), { ...options, platform: machine.platform });
    },
    add: async (entry) => {
      tail ??= await realDisk.open(path);
      tail.append(entryText(entry));
    },
    close: async () => {
      await closeTail();
      await lockHeld?.release();
    },
  };
};
