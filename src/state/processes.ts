import type { Machine } from '../base/system.ts';
import { readFile, readlink } from '../node/files.ts';

export type ProcessTable = Pick<Machine, 'platform' | 'host' | 'pid' | 'isAlive' | 'startedAt' | 'createdAt'>;

/** Identifies a process, even if a later one gets the same PID. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it was started, in the platform's format; `''` if unknown. */
  readonly started: string;
  /** The machine, its boot, and the process namespace (container) that the PID belongs to. */
  readonly host: string;
  readonly boot: string;
  readonly space: string;
}

const trimmedText = async (path: string): Promise<string> => (await readFile(path, 'utf8').catch(() => '')).trim();

/** proc(5): the name may contain anything, so count after the last parenthesis. Field 3 is the state, 22 the start. */
const fromProc = async (pid: number): Promise<string | undefined> => {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ESRCH' ? undefined : '';
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended: only its parent hasn't collected its exit status yet.
  return /^[ZXx]/.test(fields[0] ?? '') ? undefined : (fields[19] ?? '');
};

/** When a process was started; `undefined` if it doesn't exist, `''` if the time is unknown. */
const processStart = async (
  pid: number,
  { platform, isAlive, createdAt }: ProcessTable,
): Promise<string | undefined> => {
  if (platform === 'linux') return fromProc(pid);
  if (!isAlive(pid)) return undefined;
  return (await createdAt?.(pid)) ?? '';
};

export const identityOf = async (machine: ProcessTable): Promise<ProcessIdentity> => {
  // Asking Windows takes half a second. Only a process that finds this one in its way does that.
  const start =
    machine.platform === 'win32' ? String(machine.startedAt ?? '') : ((await processStart(machine.pid, machine)) ?? '');
  if (machine.platform !== 'linux') return { pid: machine.pid, started: start, host: '', boot: '', space: '' };
  return {
    pid: machine.pid,
    started: start,
    host: (await trimmedText('/etc/machine-id')) || machine.host,
    boot: await trimmedText('/proc/sys/kernel/random/boot_id'),
    space: await readlink('/proc/self/ns/pid').catch(() => ''),
  };
};

/** Windows knows when a process was created, and that process when it was started, which is a little later. */
const toleranceMs = 1000;

/** Whether a process is running, as far as this one can see: the PIDs of another container mean nothing here. */
export const stateOf = async (
  other: ProcessIdentity,
  own: ProcessIdentity,
  machine: ProcessTable,
): Promise<'running' | 'gone' | 'out of sight'> => {
  if (other.host === own.host && other.boot !== own.boot) return 'gone';
  if (other.host !== own.host || other.space !== own.space) return 'out of sight';
  const start = await processStart(other.pid, machine);
  if (start === undefined) return 'gone';
  if (start === '' || other.started === '') return 'running';
  const isSame =
    machine.platform === 'win32' ? Number(start) <= Number(other.started) + toleranceMs : start === other.started;
  return isSame ? 'running' : 'gone';
};
