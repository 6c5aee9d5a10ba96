import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builds, compare, skipped } from './compare.ts';
import type { Figure } from './measurement.ts';
import { cleanEnvironment, cpuHook, spent } from './programs.ts';

const commands: ReadonlyArray<[name: string, rows: number, rounds: number, words: readonly string[]]> = [
  ['events list --limit 1 --json', 10_000, 15, ['events', 'list', '--limit', '1', '--json']],
  ['100,000 results as jsonl', 100_000, 3, ['events', 'list', '-o', 'jsonl']],
  ['10,000 events counted by host', 10_000, 7, ['events', 'stats', '--by', 'host', '-o', 'json']],
];

export const measure = async (): Promise<Figure[]> => {
  const both = builds();
  if (both === undefined) return skipped('commands');
  const home = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const preload = join(home, 'hook.cjs');
  writeFileSync(preload, cpuHook);
  const server = fork(join(import.meta.dirname, 'server.js'), ['pages']);
  try {
    const port = await new Promise<number>((done) => server.once('message', (told) => done(Number(told))));
    const figures: Figure[] = [];
    for (const [name, rows, rounds, words] of commands) {
      const base = `http://127.0.0.1:${port}/${rows}`;
      const env = cleanEnvironment(home, { SCHED_BASE_URL: base, SCHED_TOKEN: 'token_of_the_bench' });
      const run = (build: string) => async () =>
        (await spent(preload, [join(build, 'bin/sched.js'), ...words], env)).cpu;
      figures.push(await compare(name, 'ms', { ours: run(both.ours), other: run(both.other) }, rounds));
    }
    return figures;
  } finally {
    server.kill();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
};
