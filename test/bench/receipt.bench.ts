import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { limits } from '../../src/api/limits.ts';
import type { Output, Runtime } from '../../src/runtime.ts';
import { type Measurement, median } from './measurement.ts';

declare const BENCH_ROOT: string;

const rounds = 15;
const addresses = 2_500;

/** The two files that make a receipt, doing nothing: no line is sealed, hashed, written or waited for, no address marked. */
const nothing: Record<string, string> = {
  'jobs/receipt-file.ts': `
    const file = (path) => ({ path, head: '', isBroken: false, write: async () => {}, close: async () => {} });
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
    entryPoints: ['src/main.ts', 'src/runtime.ts'],
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

/** A fresh one for each turn: one that has taken many requests is busy carrying them out. */
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
  const handle = await open(join(directory, 'sync'), 'wx');
  const times: number[] = [];
  for (let count = 0; count < 50; count += 1) {
    // As far apart as in a run: one right behind the other finds the disk awake.
    await new Promise((go) => setTimeout(go, 2));
    const started = performance.now();
    await handle.writeFile('x'.repeat(2200));
    await handle.datasync();
    times.push(performance.now() - started);
  }
  await handle.close();
  rmSync(join(directory, 'sync'));
  return median(times);
};

const silent: Output = { isTerminal: false, columns: 80, write: async () => {} };

/** A run of many addresses by the whole program against the sandbox, beside the same one without a receipt. */
export const measure = async (): Promise<Measurement[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  // Each sandbox is another origin, and to each belongs a pool of connections that heeds the same signal.
  setMaxListeners(2 * rounds + 10);
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

    const turns: { ours: number; bare: number; sync: number }[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const place = join(directory, `${round}`);
      mkdirSync(place);
      const { child, base_url, token } = await startSandbox(join(place, 'sandbox.db'));
      try {
        const env = { SCHED_TOKEN: token, SCHED_BASE_URL: base_url };
        // By turns, because whoever is first may have the quieter machine or the colder one.
        const order = round % 2 === 0 ? [whole, bare] : [bare, whole];
        const times = new Map<Program, number>();
        for (const [index, program] of order.entries())
          times.set(program, await once(program, join(place, `home-${index}`), env));
        // The first round warms up.
        if (round > 0)
          turns.push({ ours: times.get(whole)!, bare: times.get(bare)!, sync: await syncMilliseconds(place) });
      } finally {
        child.kill();
      }
    }
    const batches = addresses / limits.deletionBatch;
    const sync = median(turns.map((turn) => turn.sync));
    return [
      {
        name: `receipt: ${batches} batches with it, beside without (fdatasync here: ${sync.toFixed(2)} ms)`,
        unit: 'ms',
        value: median(turns.map(({ ours }) => ours)),
        reference: median(turns.map((turn) => turn.bare)),
        ratio: median(turns.map((turn) => turn.ours / turn.bare)),
        // At most 15 % of the run: 1 / 0.85.
        target: { most: 1.176 },
      },
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};
