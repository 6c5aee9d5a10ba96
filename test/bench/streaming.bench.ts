import { fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { besideWithCpu, type Figure, interleave, type Measurement } from './measurement.ts';
import { pageSize } from './pages.ts';
import { cleanEnvironment, cpuHook, isInstalled, nowhere, sched, spent, spentByShell } from './programs.ts';

const rounds = 11;
const rows = 100_000;
const sizes = [10_000, 100_000, 1_000_000] as const;

/** A script that sends the same requests in sequence, parses each reply and writes each row as a line. */
const loopScript = `
import { request } from ${JSON.stringify(join(process.cwd(), 'node_modules/undici/index.js'))};
const [base] = process.argv.slice(2);
let token;
do {
  const query = new URLSearchParams({ user: 'http://127.0.0.1/users/U', count: '${pageSize}' });
  if (token !== undefined) query.set('page_token', token);
  const { statusCode, body } = await request(\`\${base}/scheduled_events?\${query}\`, {
    headers: { accept: 'application/json', authorization: 'Bearer token_of_the_bench' },
  });
  if (statusCode !== 200) throw new Error(await body.text());
  const { collection, pagination } = await body.json();
  for (const row of collection)
    if (!process.stdout.write(\`\${JSON.stringify(row)}\\n\`)) await new Promise((go) => process.stdout.once('drain', go));
  token = pagination.next_page_token ?? undefined;
} while (token !== undefined);
`;

const startServer = async () => {
  const child = fork(join(import.meta.dirname, 'server.js'), ['pages']);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message))).once('exit', () => reject(new Error('no server')));
  });
  return { port, stop: () => child.kill() };
};

/** Peak memory of a run of the program in MiB, which it reports when it ends. */
const peak = (hook: string, words: readonly string[], env: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--require', hook, sched, ...words], {
      env,
      stdio: ['ignore', nowhere, 'inherit', 'pipe'],
      timeout: 180_000,
    });
    let told = '';
    child.stdio[3]!.on('data', (text) => {
      told += text;
    });
    child.once('error', reject).once('close', (code) => {
      if (code === 0) resolve(Number(told) / 1024);
      else reject(new Error(`${words.join(' ')} exited with code ${code}`));
    });
  });

const memoryOf = async (what: string, measured: (size: number) => Promise<number>): Promise<Measurement[]> => {
  const peaks = new Map<number, number>();
  for (const size of sizes) peaks.set(size, await measured(size));
  const reference = peaks.get(sizes[0])!;
  return sizes.slice(1).map((size) => ({
    name: `peak memory at ${size.toLocaleString('en-US')} ${what}, beside ${sizes[0].toLocaleString('en-US')}`,
    unit: 'MiB',
    value: peaks.get(size)!,
    reference,
    ratio: peaks.get(size)! / reference,
    target: { most: 1.3 },
  }));
};

/** Counts the events of many pages by host, compared to `curl | jq`, which holds all of them in memory. */
const statsBesideJq = async (
  base: string,
  hook: string,
  words: readonly string[],
  env: Record<string, string>,
): Promise<Figure> => {
  const name = `${sizes[0].toLocaleString('en-US')} events counted by host, beside curl | jq`;
  if (!isInstalled('curl', '--version') || !isInstalled('jq', '--version'))
    return { name, skipped: 'curl or jq is not installed' };
  const url = `${base}/scheduled_events?count=${pageSize}&page_token=[0-${sizes[0] / pageSize - 1}]`;
  const program = '[.[].collection[] | .event_memberships[].user] | group_by(.) | map({key: .[0], booked: length})';
  const took = await interleave(
    {
      pipe: () => spentByShell(`curl -sf '${url}' | jq -s '${program}'`, env),
      ours: () => spent(hook, [sched, ...words], env),
    },
    rounds,
  );
  return besideWithCpu(name, 'ms', took.ours, took.pipe, { most: 1.2 });
};

/** Many pages as a stream of lines, compared to a loop around the HTTP library and to `curl | jq`. */
export const measure = async (): Promise<Figure[]> => {
  const home = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const loop = join(home, 'loop.mjs');
  const hook = join(home, 'peak.cjs');
  writeFileSync(loop, loopScript);
  // On Linux, maxRSS includes the memory of the parent from before the exec. VmHWM does not.
  writeFileSync(
    hook,
    `const fs = require('fs');
const most = () => /VmHWM:\\s*(\\d+)/.exec(fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '')?.[1];
process.on('exit', () => fs.writeSync(3, String(most() ?? process.resourceUsage().maxRSS)));\n`,
  );
  const cpu = join(home, 'cpu.cjs');
  writeFileSync(cpu, cpuHook);
  const server = await startServer();
  try {
    const base = (size: number) => `http://127.0.0.1:${server.port}/${size}`;
    const envOf = (size: number) =>
      cleanEnvironment(home, { SCHED_BASE_URL: base(size), SCHED_TOKEN: 'token_of_the_bench' });
    const words = ['events', 'list', '-o', 'jsonl'];
    const env = envOf(rows);
    const ours = () => spent(cpu, [sched, ...words], env);
    const took = await interleave({ loop: () => spent(cpu, [loop, base(rows)], env), ours }, rounds);
    const name = `${rows.toLocaleString('en-US')} results as jsonl (${rows / pageSize} pages)`;
    const figures: Figure[] = [
      besideWithCpu(`${name}, beside a bare undici loop`, 'ms', took.ours, took.loop, { most: 1.15 }),
    ];
    if (isInstalled('curl', '--version') && isInstalled('jq', '--version')) {
      const url = `${base(rows)}/scheduled_events?count=${pageSize}&page_token=[0-${rows / pageSize - 1}]`;
      const pipe = `curl -sf '${url}' | jq -c '.collection[]'`;
      const side = await interleave({ pipe: () => spentByShell(pipe, env), ours }, 3);
      figures.push(besideWithCpu(`${name}, beside curl | jq`, 'ms', side.ours, side.pipe));
    } else figures.push({ name: `${name}, beside curl | jq`, skipped: 'curl or jq is not installed' });
    const stats = ['events', 'stats', '--by', 'host', '-o', 'json'];
    return [
      ...figures,
      await statsBesideJq(base(sizes[0]), cpu, stats, envOf(sizes[0])),
      ...(await memoryOf('results', (size) => peak(hook, words, envOf(size)))),
      ...(await memoryOf('counted events', (size) => peak(hook, stats, envOf(size)))),
    ];
  } finally {
    server.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
};
