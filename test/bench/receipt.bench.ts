import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { limits } from '../../src/api/limits.ts';
import type { Output, Runtime } from '../../src/runtime.ts';
import { beside, type Measurement, median } from './measurement.ts';

declare const BENCH_ROOT: string;

const rounds = 3;
/** So many that what is done once, as reading and checking them, is part of the run as it would be. */
const addresses = 100_000;

/** The two files that make a receipt, doing nothing: no line is sealed, hashed, written or waited for, no address marked. */
const nothing: Record<string, string> = {
  'jobs/receipt-file.ts': `
    const nothing = () => {};
    const file = (path) => ({ path, head: '', isBroken: false, add: nothing, settle: nothing, write: nothing, close: async () => {} });
    export const startReceipt = async (disk, path) => file(path);
    export const continueReceipt = async (disk, path) => file(path);`,
  'jobs/key.ts': `
    const key = { id: 'none', mac: () => '' };
    export const keyBytes = 32;
    export const keyText = () => '';
    export const readKey = () => key;`,
};

const withoutReceipt: Plugin = {
  name: 'without a receipt',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]jobs[/\\](receipt-file|key)\.ts$/ }, ({ path }) => ({
      contents: nothing[path.split(/[/\\]/).slice(-2).join('/')]!,
    })),
};

interface Program {
  run(argv: string[], runtime: Runtime): Promise<number>;
  runtime: Runtime;
}

/** The whole program, built as it is released but for the plugins, and then loaded: starting it is not what is measured. */
const loadProgram = async (outdir: string, plugins: Plugin[]): Promise<Program> => {
  await build({
    absWorkingDir: BENCH_ROOT,
    entryPoints: { main: 'src/main.ts', runtime: 'src/node/runtime.ts' },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['libsql', '@napi-rs/keyring'],
    define: { SCHED_VERSION: '"bench"' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
    plugins,
  });
  const { run } = await import(pathToFileURL(join(outdir, 'main.mjs')).href);
  const { nodeRuntime } = await import(pathToFileURL(join(outdir, 'runtime.mjs')).href);
  return { run, runtime: nodeRuntime() };
};

/** A fresh one for each pair of runs: one that has taken many requests is busy carrying them out. */
const startSandbox = async (data: string) => {
  const words = ['sandbox', 'start', '--port', '0', '--data', data, '--no-limits', '--json'];
  const child = spawn(process.execPath, [join(BENCH_ROOT, 'bin/sched.js'), ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
  return { child, ...(JSON.parse(line) as { base_url: string; token: string }) };
};

/** What one fdatasync of lines as long as a batch's takes here: nothing that says what is sent before it is sent is quicker. */
const syncMilliseconds = async (directory: string): Promise<number> => {
  const file = openSync(join(directory, 'sync'), 'wx');
  const times: number[] = [];
  for (let count = 0; count < 50; count += 1) {
    // As far apart as in a run: one right behind the other finds the disk awake.
    await new Promise((go) => setTimeout(go, 2));
    const started = performance.now();
    writeFileSync(file, 'x'.repeat(2200));
    fdatasyncSync(file);
    times.push(performance.now() - started);
  }
  closeSync(file);
  rmSync(join(directory, 'sync'));
  return median(times);
};

const silent: Output = { isTerminal: false, columns: 80, write: async () => {} };

/** A run of many addresses by the whole program against the sandbox, beside the same one without a receipt. */
export const measure = async (): Promise<Measurement[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  // Each sandbox is another origin, and to each belongs a pool of connections that heeds the same signal.
  setMaxListeners(4 * rounds + 10);
  try {
    const whole = await loadProgram(join(directory, 'with'), []);
    const bare = await loadProgram(join(directory, 'without'), [withoutReceipt]);
    let people = 0;

    const once = async ({ run, runtime }: Program, home: string, env: Record<string, string>): Promise<number> => {
      mkdirSync(home);
      const from = join(home, 'in.txt');
      people += addresses;
      writeFileSync(
        from,
        Array.from({ length: addresses }, (_, index) => `p${people + index}@people.example`).join('\n'),
      );
      const words = ['compliance', 'delete', '--from', from, '--confirm', String(addresses), '--quiet'];
      const interrupted = new AbortController().signal;
      const world: Runtime = { ...runtime, env, home, interrupted, stdout: silent, stderr: silent };
      const started = performance.now();
      const code = await run(words, world);
      const taken = performance.now() - started;
      if (code !== 0) throw new Error(`the run ended with ${code}`);
      return taken;
    };

    /** Both against one sandbox, the one after the other. */
    const pair = async (order: readonly Program[], place: string): Promise<Map<Program, number>> => {
      mkdirSync(place);
      const { child, base_url, token } = await startSandbox(join(place, 'sandbox.db'));
      const times = new Map<Program, number>();
      try {
        const env = { SCHED_TOKEN: token, SCHED_BASE_URL: base_url };
        for (const [index, program] of order.entries())
          times.set(program, await once(program, join(place, `home-${index}`), env));
      } finally {
        child.kill();
      }
      return times;
    };

    const took = { ours: [] as number[], bare: [] as number[], sync: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      // Whoever is second meets a sandbox that is busy with what the first one asked for. So a round is one pair each way,
      // taken together: the ratios of single pairs lie in two heaps, and their median in one of them by chance.
      const one = await pair([whole, bare], join(directory, `${round}-with-first`));
      const other = await pair([bare, whole], join(directory, `${round}-without-first`));
      const sync = await syncMilliseconds(directory);
      took.ours.push((one.get(whole)! + other.get(whole)!) / 2);
      took.bare.push((one.get(bare)! + other.get(bare)!) / 2);
      took.sync.push(sync);
    }
    const batches = addresses / limits.deletionBatch;
    const sync = median(took.sync).toFixed(2);
    const name = `receipt: ${batches} batches with it, beside without (fdatasync here: ${sync} ms)`;
    // At most 15 % of the run: 1 / 0.85.
    return [beside(name, 'ms', took.ours, took.bare, { most: 1.176 })];
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};
