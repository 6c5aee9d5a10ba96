/**
 * `npm run test:system`: what can be tested on any system and version of Node, without installing programs. Everywhere a tour of
 * the built program; on Linux and macOS `npm test`, where tests skip what is missing; on Windows the tests that need no
 * files, processes or shells. `.ci/run` tests everything on Linux.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const onWindows = ['test/api', 'test/dialects', 'test/time', 'test/scripts/release/inspect.test.ts'];
const tests = process.platform === 'win32' ? onWindows : [];
// In CI, a missing program is a failure.
const { CI: _, ...env } = process.env;

const runs = [['scripts/tour.js'], ['node_modules/vitest/vitest.mjs', 'run', ...tests, ...process.argv.slice(2)]];
for (const words of runs) {
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
