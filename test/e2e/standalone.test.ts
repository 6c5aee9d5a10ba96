import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { execFile } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { follow, recipes } from './cookbook.ts';
import { cleanEnvironment, program, runner, temporaryHome } from './program.ts';

describe.skipIf(program.length > 0)('the standalone program', () => {
  const folder = temporaryDirectory('alone');

  test('follows the README, alone in a directory and with no Node on the PATH', async () => {
    const alone = join(folder, 'sched');
    copyFileSync(runner, alone);
    const chosen = sample(recipes, 8);
    expect(await follow(chosen, { sched: alone })).toHaveLength(chosen.length);
    // All of them together reach the rate limit of the sandbox, and wait for the next minute.
  }, 180_000);

  test('loads no environment or code from the working directory', async () => {
    const cwd = join(folder, 'somewhere');
    mkdirSync(cwd);
    writeFileSync(join(cwd, '.env'), 'SCHED_SANDBOX=1\n');
    writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./preload.js"]\n');
    writeFileSync(join(cwd, 'preload.js'), 'process.exit(99);\n');
    const env = cleanEnvironment(temporaryHome());
    await expect(execFile(runner, ['events', 'list'], { cwd, env })).rejects.toMatchObject({
      code: 4,
      stderr: expect.stringContaining('No account yet'),
    });
  });
});
