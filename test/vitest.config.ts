import { defineConfig } from 'vitest/config';
import manifest from '../package.json' with { type: 'json' };

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  define: { SCHED_VERSION: JSON.stringify(manifest.version) },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
  },
});
