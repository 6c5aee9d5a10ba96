import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import manifest from './package.json' with { type: 'json' };
import { gridWidth, texts } from './scripts/bundle.js';

/**
 * Alternates between tests that start processes and others, so that the cores are busy while a process is waited for.
 * Each kind starts with what takes longest. A fresh clone has no timings to sort by, and a long test that comes last would
 * leave cores idle: simulations are among the first.
 */
class Alternating extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const comesEarly = ({ moduleId }: TestSpecification) => /\/test\/(e2e|simulation)\//.test(moduleId);
    const others = sorted.filter((file) => !comesEarly(file));
    return [...sorted.filter(comesEarly).flatMap((file) => [file, ...others.splice(0, 1)]), ...others];
  }
}

/** Makes cli-table3 measure text as in the program. Rebuilt for each run: the cache misses changes to the plugin. */
const measuredTables = {
  enabled: true,
  force: true,
  include: ['cli-table3'],
  rolldownOptions: { plugins: [gridWidth] },
};

/** `npm run test:deep`: test/support/tier.ts says what that means. */
const isDeep = process.env.SCHED_TEST_DEEP !== undefined;

export default defineConfig({
  plugins: [texts],
  define: { SCHED_VERSION: JSON.stringify(manifest.version) },
  test: {
    include: ['test/**/*.test.ts', ...(isDeep ? ['test/torture/*.torture.ts'] : [])],
    globalSetup: 'test/support/whole-run.ts',
    setupFiles: ['test/support/scan.ts', 'test/support/each-file.ts'],
    // Each process loads the program and its packages once, not for each file. each-file.ts keeps test files apart.
    isolate: false,
    // Each command makes and drops many small objects. With more room for new ones, the garbage is collected less often.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: Alternating },
    // More workers than cores, because many tests wait for processes, limits and signals.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    testTimeout: isDeep ? 1_800_000 : 20_000,
    // Removing the files of a large test takes a while on a busy disk.
    hookTimeout: 60_000,
    // A missing screen is a failure. `-u` writes it.
    update: 'none',
    // A test without an assertion can't fail.
    expect: { requireAssertions: true },
    deps: { optimizer: { ssr: measuredTables } },
  },
});
