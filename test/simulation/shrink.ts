import type { Options, Outcome } from './commands.ts';
import { faultKinds } from './faults.ts';

/** The promise that was broken, without names and numbers. */
const promiseIn = ({ violation = '' }: Outcome): string => violation.split('\n')[0]!.replace(/[\w.]*\d[\w.@-]*/g, '#');

/**
 * Makes a failure smaller: leaves out kinds of faults, then intents, first many at once and then one by one, as long as
 * the same promise is broken. Returns the smallest options.
 */
export const shrink = async (
  simulate: (options: Options) => Promise<Outcome>,
  options: Options & { intents: number },
): Promise<{ options: Options; runs: number }> => {
  const wanted = promiseIn(await simulate(options));
  let runs = 1;
  let best: Options = options;
  const isBroken = async (smaller: Options): Promise<boolean> => {
    runs += 1;
    if (promiseIn(await simulate(smaller)) !== wanted) return false;
    best = smaller;
    return true;
  };
  const dropKinds = async () => {
    for (const kind of faultKinds)
      if (!best.without?.includes(kind)) await isBroken({ ...best, without: [...(best.without ?? []), kind] });
  };
  await dropKinds();
  for (let count = options.intents >> 1; count > 0; count >>= 1) {
    const left = () =>
      Array.from({ length: options.intents }, (_, index) => index).filter((index) => !best.dropped?.includes(index));
    for (let at = 0; at < left().length; ) {
      const some = left().slice(at, at + count);
      if (!(await isBroken({ ...best, dropped: [...(best.dropped ?? []), ...some] }))) at += count;
    }
  }
  await dropKinds();
  return { options: best, runs };
};
