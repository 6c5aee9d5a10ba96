import { SchedError } from '../errors.ts';
import type { ChildProcess, Runtime } from '../runtime.ts';
import type { Held } from '../state/lock.ts';
import { identityOf } from '../state/processes.ts';
import { goLine, type HelperResult, type RefreshJob, readyLine } from './refresh-helper.ts';
import type { RefreshHelper } from './session.ts';

type HelperWorld = Pick<Runtime, 'startRenewalHelper' | 'machine' | 'clock' | 'randomBytes' | 'interrupted'>;

/** A helper that takes longer to start is killed. It doesn't hold the lock yet. */
const startLimitMs = 10_000;

/** The longest that all attempts of one job can take. */
const jobLimitMs = 60_000;

const slow: unique symbol = Symbol('slow');

/** The helper's next line, `undefined` if it ends, or `slow` if it takes too long. */
const nextLine = async (helper: ChildProcess, { clock }: HelperWorld, limitMs: number) => {
  const over = new AbortController();
  const late = (): typeof slow => slow;
  try {
    return await Promise.race([helper.hear(), clock.sleep(limitMs, over.signal).then(late, late)]);
  } finally {
    over.abort();
  }
};

const handOver = async (
  helper: ChildProcess,
  job: Omit<RefreshJob, 'nonce'>,
  held: Held,
  world: HelperWorld,
): ReturnType<RefreshHelper> => {
  const nonce = Buffer.from(world.randomBytes(16)).toString('hex');
  helper.say(JSON.stringify({ ...job, nonce } satisfies RefreshJob));
  if ((await nextLine(helper, world, startLimitMs)) !== readyLine) {
    helper.kill();
    return 'not started';
  }
  const identity = await identityOf({ ...world.machine, pid: helper.pid });
  if (!helper.isRunning()) return 'not started';
  if (!(await held.handOver(identity, nonce))) return 'ended early';
  // From here until the helper reads the go line, it releases the lock if this function ends for any reason.
  world.interrupted.throwIfAborted();
  helper.say(goLine);
  const result = await nextLine(helper, world, jobLimitMs);
  if (result === undefined) return 'ended early';
  if (result === slow) {
    throw new SchedError('environment', 'Refreshing the login is taking too long', {
      reason: `process ${helper.pid} has been running for ${jobLimitMs / 1000} s`,
      advice: 'wait for it to end, or stop it',
      outcome: 'unknown',
    });
  }
  const { error } = JSON.parse(result) as HelperResult;
  if (error !== undefined) throw new SchedError(error.category, error.message, error.facts);
  return 'done';
};

/** Returns a function that lets helpers do the job, or undefined if the runtime can't start any. */
export const refreshHelperFor = (job: Omit<RefreshJob, 'nonce'>, world: HelperWorld): RefreshHelper | undefined => {
  const { startRenewalHelper } = world;
  if (startRenewalHelper === undefined) return undefined;
  return async (held) => {
    const helper = await startRenewalHelper();
    if (helper === undefined) return 'not started';
    try {
      return await handOver(helper, job, held, world);
    } finally {
      helper.leave();
    }
  };
};
