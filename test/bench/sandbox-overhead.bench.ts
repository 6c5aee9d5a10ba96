import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Measurement, median } from './measurement.ts';

const run = promisify(execFile);
const rounds = 11;
const budgetMs = 40;

/** The same command with --sandbox and with a sandbox that is already running. Both are seeded already. */
export const measure = async (): Promise<Measurement[]> => {
  const home = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const program = join(process.cwd(), 'bin/sched.js');
  const env = { PATH: process.env.PATH, HOME: home, TZ: 'UTC' };
  const server = spawn(
    process.execPath,
    [program, 'sandbox', 'start', '--port', '0', '--data', join(home, 'server.db'), '--no-limits', '--json'],
    { env, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    const { base_url, token } = JSON.parse(await new Promise((resolve) => server.stdout.once('data', resolve)));
    const timed = async (args: string[], more: Record<string, string>) => {
      const started = performance.now();
      await run(process.execPath, [program, ...args, 'events', 'list', '--limit', '20', '--json'], {
        env: { ...env, ...more },
      });
      return performance.now() - started;
    };
    const embedded = () => timed(['--sandbox'], {});
    const served = () => timed([], { SCHED_BASE_URL: base_url, SCHED_TOKEN: token });
    await embedded();
    await served();
    const added: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const without = await served();
      added.push((await embedded()) - without);
    }
    const value = median(added);
    return [
      {
        name: `what --sandbox adds to a command, beside ${budgetMs} ms`,
        unit: 'ms',
        value,
        reference: budgetMs,
        ratio: value / budgetMs,
        target: { most: 1 },
      },
    ];
  } finally {
    server.kill();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
};
