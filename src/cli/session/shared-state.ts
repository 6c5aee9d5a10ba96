import { join } from 'node:path';
import { limits } from '../../api/limits.ts';
import { isLoopback } from '../../base/uri.ts';
import { existsSync } from '../../node/files.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import type { BudgetStore } from '../../state/budget-store.ts';
import { checkDirectory } from '../../state/directories.ts';
import type { MarkStore } from '../../state/forgotten.ts';
import { fileLedger, type Ledger } from '../../state/ledger.ts';
import type { CommonEntry, LedgerKind } from '../../state/ledger-entry.ts';
import { accountLock, type Lock, type LockOptions, lockIn } from '../../state/lock.ts';
import { directory, directoryPath, homeMissing, isHomeless } from '../../state/paths.ts';
import { type RedisAddress, readAddress, shownAddress } from '../../state/redis/address.ts';
import { createSharedBudget, type SharedBudget } from '../../state/shared-budget.ts';
import type { WorkNotes } from '../messages/notes.ts';
import type { RoomSettings } from './settings.ts';

/** The state that commands with the same token share. Commands don't know where it is kept. */
export interface SharedState {
  readonly budget: SharedBudget;
  /** The bookings, or another kind of entries. */
  ledger<Entry extends CommonEntry>(kind: LedgerKind<Entry>): Ledger<Entry>;
  /** The lock of that name on this machine, and that of all machines that share state with it. Take them in this order. */
  locks(name: string, options: LockChoices): Lock[];
  /** Who is forgotten on all machines that share state; undefined without shared state. */
  readonly marks: MarkStore | undefined;
  /** Returns unused permits when the command ends. */
  close(): Promise<void>;
}

type LockChoices = Pick<LockOptions, 'waitMs' | 'onWait' | 'silentMs' | 'busy'>;

/** The user's state directory, or undefined if it would be in a home directory that doesn't exist. */
export const stateDirectory = (runtime: HeadlessRuntime): string | undefined =>
  isHomeless('state', runtime) ? undefined : directory('state', runtime);

/** Prefers the OS runtime directory, which is cleared at logout: right for a budget. SCHED_STATE_DIR overrides it. */
const budgetDirectory = (runtime: HeadlessRuntime): string | undefined => {
  const { XDG_RUNTIME_DIR: volatile = '', SCHED_STATE_DIR: stateDir } = runtime.env;
  const isVolatile = !stateDir && volatile.startsWith('/') && existsSync(volatile);
  const base = isVolatile ? join(volatile, 'sched') : stateDirectory(runtime);
  if (base !== undefined && isVolatile) checkDirectory(base, { isOurs: true, uid: runtime.uid });
  return base === undefined ? undefined : join(base, 'budget');
};

const fileLedgerOf = <Entry extends CommonEntry>(runtime: HeadlessRuntime, kind: LedgerKind<Entry>): Ledger<Entry> => {
  const state = stateDirectory(runtime);
  return state === undefined
    ? fileLedger({ directory: directoryPath('state', runtime), world: runtime, unusable: homeMissing(runtime) }, kind)
    : fileLedger({ directory: join(state, kind.name), world: runtime }, kind);
};

const longestPassword = 10_000;

/** The address with its password. A file holds the password if the URL is in a profile, which stores no secrets. */
export const redisAddressOf = async (url: string, runtime: HeadlessRuntime): Promise<RedisAddress> => {
  const address = readAddress(url);
  const variable = 'SCHED_SHARED_STATE_PASSWORD_FILE';
  if (address.password !== undefined || !runtime.env[variable]) return address;
  const { readTextNamedIn } = await import('../../state/named-file.ts');
  const password = (await readTextNamedIn(variable, runtime, longestPassword)).replace(/\r?\n$/, '');
  runtime.secrets.keep(password, 'password');
  return { ...address, password };
};

interface Remote {
  budgets: BudgetStore;
  ledgerWith<Entry extends CommonEntry>(kind: LedgerKind<Entry>, files: Ledger<Entry>): Ledger<Entry>;
  lock(name: string, options: LockChoices): Lock;
  marks: MarkStore;
  close(): void;
}

/** The state that several machines share. Connects on first use. */
const openRemote = async (url: string, runtime: HeadlessRuntime, notes: WorkNotes): Promise<Remote> => {
  const address = await redisAddressOf(url, runtime);
  if (address.password !== undefined && !address.isTls && !isLoopback(address.host))
    notes.warn(`The password for ${shownAddress(address)} is sent without encryption. Use rediss:// instead`);
  const [{ redisBudgets }, { redisLedger, withEarlierFiles }, { redisOwners }, { createServerClock }, { redisMarks }] =
    await Promise.all([
      import('../../state/redis/budgets.ts'),
      import('../../state/redis/ledger.ts'),
      import('../../state/redis/lock.ts'),
      import('../../state/redis/server-clock.ts'),
      import('../../state/redis/forgotten.ts'),
    ]);
  const connection = await runtime.connectRedis(address, runtime.clock);
  const options = { connection, clock: createServerClock(runtime.clock), host: runtime.machine.host };
  return {
    budgets: redisBudgets(options),
    ledgerWith: (kind, files) => withEarlierFiles(redisLedger(options, kind), files),
    lock: (name, choices) => {
      const { machine, clock, randomBytes, interrupted } = runtime;
      return lockIn(redisOwners(options, name), { name, machine, clock, randomBytes, interrupted, ...choices });
    },
    marks: redisMarks(options),
    close: connection.close,
  };
};

export const openSharedState = async (
  runtime: HeadlessRuntime,
  settings: RoomSettings,
  notes: WorkNotes,
  isSandbox: boolean,
): Promise<SharedState> => {
  // The built-in sandbox has its own port and ends with the command, so there is nothing to share.
  const remote =
    isSandbox || settings.sharedState === undefined
      ? undefined
      : await openRemote(settings.sharedState, runtime, notes);
  const budget = createSharedBudget({
    remote: remote?.budgets,
    directory: isSandbox ? undefined : budgetDirectory(runtime),
    clock: runtime.clock,
    holder: `${runtime.machine.pid}-${Buffer.from(runtime.randomBytes(6)).toString('hex')}`,
    pid: runtime.machine.pid,
    isAlive: runtime.machine.isAlive,
    timeoutMs: settings.timeoutMs,
    // Assumed (limits.no-headers): a service that states no rate limit has the documented one, 500 requests a minute.
    pacePerMinute: limits.requestsPerMinute.paid,
    onTrouble: (reason) => {
      if (settings.verbose) notes.always(`The rate budget is not shared with other processes: ${reason}`);
    },
    onRemoteTrouble: (reason) => notes.info(`The rate budget is not shared with other machines right now. ${reason}`),
  });
  return {
    budget,
    ledger: (kind) => {
      const files = fileLedgerOf(runtime, kind);
      return remote?.ledgerWith(kind, files) ?? files;
    },
    locks: (name, options) => [
      accountLock(name, runtime, options),
      ...(remote === undefined ? [] : [remote.lock(name, options)]),
    ],
    marks: remote?.marks,
    close: async () => {
      await budget.close();
      remote?.close();
    },
  };
};
