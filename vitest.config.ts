import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import manifest from './package.json' with { type: 'json' };
import { gridWidth } from './scripts/grid-width.js';

/** `import … with { type: 'text' }`, which esbuild knows and vite does not. */
const embeddedText = {
  name: 'embedded-text',
  load: (id: string) =>
    /\/completions\/[^/]+$/.test(id) && !id.endsWith('.ts')
      ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}`
      : undefined,
};

/** What starts processes takes longest and goes first, so that all cores end together; a fresh clone has no times to sort by. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const startsProcesses = ({ moduleId }: TestSpecification) => moduleId.includes('/test/e2e/');
    return [...sorted.filter(startsProcesses), ...sorted.filter((file) => !startsProcesses(file))];
  }
}

/** cli-table3 as the program has it, measuring text with our function. Made for each run: its cache would not notice a change of ours. */
const measuredTables = {
  enabled: true,
  force: true,
  include: ['cli-table3'],
  esbuildOptions: { plugins: [gridWidth] },
};

export default defineConfig({
  plugins: [embeddedText],
  // Also for test/torture/vitest.config.ts, which takes these settings from another folder.
  root: import.meta.dirname,
  define: { SCHED_VERSION: JSON.stringify(manifest.version) },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/whole-run.ts',
    setupFiles: ['test/support/scan.ts', 'test/support/each-file.ts'],
    // A process loads the program and its packages once, not once for each file; what keeps files apart is in each-file.ts.
    isolate: false,
    sequence: { sequencer: ProcessesFirst },
    // More than there are cores: many tests wait for processes, limits and signals.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    testTimeout: 20_000,
    // Removing the files of a large test takes a while on a busy disk.
    hookTimeout: 60_000,
    // A test that asserts nothing cannot fail.
    expect: { requireAssertions: true },
    deps: { optimizer: { ssr: measuredTables } },
  },
});
