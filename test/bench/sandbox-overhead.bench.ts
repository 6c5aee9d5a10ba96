import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleave, type Measurement, median } from './measurement.ts';
import { cleanEnvironment, cpuHook, sched, spent, startSandbox } from './programs.ts';

const rounds = 11;
const budgetMs = 40;

/** The same command with --sandbox and with a sandbox that is already running. Both are seeded already. */
export const measure = async (): Promise<Measurement[]> => {
  const home = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const hook = join(home, 'cpu.cjs');
  writeFileSync(hook, cpuHook);
  const server = await startSandbox(home, hook, ['--data', join(home, 'server.db'), '--no-limits']);
  try {
    const list = ['events', 'list', '--limit', '20', '--json'];
    const env = cleanEnvironment(home, { SCHED_BASE_URL: server.base_url, SCHED_TOKEN: server.token });
    const took = await interleave(
      {
        served: () => spent(hook, [sched, ...list], env),
        embedded: () => spent(hook, [sched, '--sandbox', ...list], cleanEnvironment(home)),
      },
      rounds,
    );
    const added = (kind: 'wall' | 'cpu') =>
      median(took.embedded.map((each, round) => each[kind] - took.served[round]![kind]));
    return [
      {
        name: `what --sandbox adds to a command, beside ${budgetMs} ms`,
        unit: 'ms',
        value: added('wall'),
        reference: budgetMs,
        ratio: added('wall') / budgetMs,
        cpu: added('cpu') / budgetMs,
        target: { most: 1 },
      },
    ];
  } finally {
    server.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
};
