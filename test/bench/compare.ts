import { resolve } from 'node:path';
import { beside, type Figure, interleave, type Measurement } from './measurement.ts';
import { root } from './programs.ts';

/**
 * CPU time of this build and of another one: `npm run bench -- compare-commands compare-sandbox --against DIRECTORY`, where
 * the directory is a checkout with a build, on the same disk. They take turns, and only their own CPU time counts, so a busy
 * machine hardly matters.
 */
export const builds = (): { ours: string; other: string } | undefined => {
  const against = process.env.SCHED_BENCH_AGAINST;
  return against === undefined ? undefined : { ours: root, other: resolve(against) };
};

export const skipped = (what: string): Figure[] => [
  { name: `${what}, CPU time beside another build`, skipped: 'needs --against DIRECTORY' },
];

/** Takes turns between both builds. */
export const compare = async (
  name: string,
  unit: string,
  runs: { ours: () => Promise<number>; other: () => Promise<number> },
  rounds: number,
): Promise<Measurement> => {
  const { ours, other } = await interleave(runs, rounds);
  return beside(`${name}, CPU time beside another build`, unit, ours, other, { most: 1.1 });
};
