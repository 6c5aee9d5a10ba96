import { SchedError } from '../errors.ts';
import type { ChildProcess, Runtime } from '../runtime.ts';
import type { Held } from '../state/lock.ts';
import { identityOf } from '../state/processes.ts';
import { goLine, type HelperResult, type RefreshJob, readyLine } from './refresh-helper.ts';
import type { RefreshHelper } from './session.ts';

type World = Pick<Runtime, 'startRenewalHelper' | 'machine' | 'clock' | 'randomBytes' | 'interrupted'>;

/** A process that takes longer to start is ended; it has not been given anything. */
const startLimitMs = 10_000;

/** As long as all attempts of one job can take. */
const errandLimitMs = 60_000;

const slow: unique symbol = Symbol('slow');

/** What it says next, `undefined` if it ends, `slow` if it takes too long. */
const heard = async (
  helper: ChildProcess,
  { clock }: World,
  limitMs: number,
): Promise<string | undefined | typeof slow> => {
  const over = new AbortController();
  const limit = clock.sleep(limitMs, over.signal).then(
    (): typeof slow => slow,
    (): typeof slow => slow,
  );
  try {
    return await Promise.race([helper.hear(), limit]);
  } finally {
    over.abort();
  }
};

const handOver = async (
  helper: ChildProcess,
  job: Omit<RefreshJob, 'nonce'>,
  held: Held,
  world: World,
): ReturnType<RefreshHelper> => {
  const nonce = Buffer.from(world.randomBytes(16)).toString('hex');
  helper.say(JSON.stringify({ ...job, nonce } satisfies RefreshJob));
  if ((await heard(helper, world, startLimitMs)) !== readyLine) {
    helper.kill();
    return 'not started';
  }
  const identity = await identityOf({ ...world.machine, pid: helper.pid });
  if (!helper.isRunning()) return 'not started';
  if (!(await held.handOver(identity, nonce))) return 'ended early';
  // From here on whatever ends this function makes the helper release the lock, until it has heard the word.
  world.interrupted.throwIfAborted();
  helper.say(goLine);
  const told = await heard(helper, world, errandLimitMs);
  if (told === undefined) return 'ended early';
  if (told === slow) {
    throw new SchedError('environment', 'Renewing the session does not come to an end', {
      reason: `process ${helper.pid} has been at it for ${errandLimitMs / 1000} s`,
      hint: `wait for process ${helper.pid}, or end it, and try again`,
      outcome: 'unknown',
    });
  }
  const { error } = JSON.parse(told) as HelperResult;
  if (error !== undefined) throw new SchedError(error.category, error.message, error.facts);
  return 'done';
};

/** Has jobs done by helpers; nothing in a world where none can be started. */
export const refreshHelperFor = (job: Omit<RefreshJob, 'nonce'>, world: World): RefreshHelper | undefined => {
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
