import { defineConfig } from 'vitest/config';
import tests from '../vitest.config.ts';

/** `npm run torture`: what takes too long for every run of the tests. */
export default defineConfig({
  ...tests,
  test: { ...tests.test, include: ['test/torture/*.torture.ts'], testTimeout: 1_800_000 },
});
