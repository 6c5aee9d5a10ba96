import { execFileSync } from 'node:child_process';

/** Chooses what runs of a sampled matrix: something else with each commit. Without git, always the same. */
export const seedOfCommit = () => {
  if (process.env.SCHED_TEST_SEED) return process.env.SCHED_TEST_SEED;
  try {
    return execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '0';
  }
};
