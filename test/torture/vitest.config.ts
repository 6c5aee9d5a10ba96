import { defineConfig } from 'vitest/config';

/** `npm run torture`: what takes too long for every run of the tests. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: { include: ['test/torture/*.torture.ts'], testTimeout: 1_800_000 },
});
