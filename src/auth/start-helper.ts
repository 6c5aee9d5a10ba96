import { SchedError } from '../errors.ts';
import type { Apart, Runtime } from '../runtime.ts';
import type { Held } from '../state/lock.ts';
import { identityOf } from '../state/processes.ts';
import { type Errand, go, ready, type Verdict } from './renewal-helper.ts';
import type { Keeper } from './session.ts';

type World = Pick<Runtime, 'startKeeper' | 'machine' | 'clock' | 'randomBytes' | 'interrupted'>;

/** A process that takes longer to start is ended; it has not been given anything. */
const startLimitMs = 10_000;

/** As long as all attempts of one errand can take. */
const errandLimitMs = 60_000;

const slow: unique symbol = Symbol('slow');

/** What it says next, `undefined` if it ends, `slow` if it takes too long. */
const heard = async (keeper: Apart, { clock }: World, limitMs: number): Promise<string | undefined | typeof slow> => {
  const over = new AbortController();
  const limit = clock.sleep(limitMs, over.signal).then(
    (): typeof slow => slow,
    (): typeof slow => slow,
  );
  try {
    return await Promise.race([keeper.hear(), limit]);
  } finally {
    over.abort();
  }
};

const handOver = async (keeper: Apart, errand: Omit<Errand, 'nonce'>, held: Held, world: World): ReturnType<Keeper> => {
  const nonce = Buffer.from(world.randomBytes(16)).toString('hex');
  keeper.say(JSON.stringify({ ...errand, nonce } satisfies Errand));
  if ((await heard(keeper, world, startLimitMs)) !== ready) {
    keeper.kill();
    return 'not started';
  }
  const identity = await identityOf({ ...world.machine, pid: keeper.pid });
  if (!keeper.isRunning()) return 'not started';
  if (!(await held.handOver(identity, nonce))) return 'ended early';
  // From here on whatever ends this function makes the keeper release the lock, until it has heard the word.
  world.interrupted.throwIfAborted();
  keeper.say(go);
  const told = await heard(keeper, world, errandLimitMs);
  if (told === undefined) return 'ended early';
  if (told === slow) {
    throw new SchedError('environment', 'Renewing the session does not come to an end', {
      reason: `process ${keeper.pid} has been at it for ${errandLimitMs / 1000} s`,
      hint: `wait for process ${keeper.pid}, or end it, and try again`,
      outcome: 'unknown',
    });
  }
  const { error } = JSON.parse(told) as Verdict;
  if (error !== undefined) throw new SchedError(error.category, error.message, error.facts);
  return 'done';
};

/** Has errands done by keepers; nothing in a world where none can be started. */
export const keeperOf = (errand: Omit<Errand, 'nonce'>, world: World): Keeper | undefined => {
  const { startKeeper } = world;
  if (startKeeper === undefined) return undefined;
  return async (held) => {
    const keeper = await startKeeper();
    if (keeper === undefined) return 'not started';
    try {
      return await handOver(keeper, errand, held, world);
    } finally {
      keeper.leave();
    }
  };
};
