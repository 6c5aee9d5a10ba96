import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { execFile } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { follow, recipes } from './cookbook.ts';
import { cleanEnvironment, program, runner, temporaryHome } from './program.ts';

describe.skipIf(program.length > 0)('the standalone program', () => {
  const folder = temporaryDirectory('alone');

  test('follows the README, alone in a directory and with no Node on the PATH', async () => {
    const alone = join(folder, 'sched');
    copyFileSync(runner, alone);
    expect(await follow(recipes, { sched: alone })).toHaveLength(recipes.length);
  });

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
