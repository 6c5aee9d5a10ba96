import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Measurement, median } from './measurement.ts';

const addresses = 100_000;
const planRounds = 5;
const mostPlanMilliseconds = 3000;
const mostMegabytes = 200;

/** Loaded before the program. When the program ends, it writes its peak memory in kilobytes. */
const preload = `data:text/javascript,${encodeURIComponent(
  "import { writeFileSync } from 'node:fs'; process.on('exit', () => writeFileSync(process.env.BENCH_MEMORY, String(process.resourceUsage().maxRSS)));",
)}`;

/** Plans and runs the deletion of very many addresses with the program as a user starts it. */
export const measure = async (): Promise<Measurement[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const program = join(process.cwd(), 'bin/sched.js');
  const memory = join(directory, 'memory');
  const from = join(directory, 'in.txt');
  writeFileSync(from, Array.from({ length: addresses }, (_, index) => `person.${index}@people.example`).join('\n'));

  const run = async (words: string[], env: Record<string, string> = {}) => {
    const started = performance.now();
    const child = spawn(
      process.execPath,
      ['--import', preload, program, 'compliance', 'delete', '--from', from, ...words],
      {
        env: { HOME: directory, PATH: process.env.PATH, BENCH_MEMORY: memory, ...env },
        stdio: 'ignore',
      },
    );
    const code = await new Promise((resolve) => child.on('close', resolve));
    if (code !== 0) throw new Error(`the program exited with code ${code}`);
    return { milliseconds: performance.now() - started, megabytes: Number(readFileSync(memory, 'utf8')) / 1024 };
  };

  const serve = ['sandbox', 'start', '--port', '0', '--data', ':memory:', '--no-limits', '--json'];
  const sandbox = spawn(process.execPath, [program, ...serve], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const plans = [];
    for (let round = 0; round < planRounds; round += 1) plans.push(await run(['--dry-run']));
    const planned = median(plans.map(({ milliseconds }) => milliseconds));
    const line = await new Promise<string>((resolve) => sandbox.stdout.once('data', (text) => resolve(String(text))));
    const { base_url, token } = JSON.parse(line) as { base_url: string; token: string };
    const whole = await run(['--confirm', String(addresses)], { SCHED_TOKEN: token, SCHED_BASE_URL: base_url });
    const most = Math.max(whole.megabytes, ...plans.map(({ megabytes }) => megabytes));
    return [
      {
        name: 'deletion: planning 100,000 addresses, beside 3 s',
        unit: 'ms',
        value: planned,
        reference: mostPlanMilliseconds,
        ratio: planned / mostPlanMilliseconds,
        target: { most: 1 },
      },
      {
        name: 'deletion: most memory for 100,000 addresses, beside 200 MB',
        unit: 'MB',
        value: most,
        reference: mostMegabytes,
        ratio: most / mostMegabytes,
        target: { most: 1 },
      },
    ];
  } finally {
    sandbox.kill();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};
