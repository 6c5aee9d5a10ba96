import { defineConfig } from 'vitest/config';
import suite from '../../vitest.config.ts';

/** `npm run torture`: tests that are too slow for every run, and regular tests with more repetitions. */
export default defineConfig({
  ...suite,
  test: {
    ...suite.test,
    include: [
      'test/torture/*.torture.ts',
      'test/auth/renewal.test.ts',
      'test/e2e/auth.test.ts',
      'test/output/hostile.test.ts',
      'test/sandbox/robustness.test.ts',
    ],
    env: { SCHED_TORTURE: '1' },
    testTimeout: 1_800_000,
  },
});
