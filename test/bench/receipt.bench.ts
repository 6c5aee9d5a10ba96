import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { limits } from '../../src/api/limits.ts';
import type { Output, World } from '../../src/runtime.ts';
import { beside, type Measurement, median } from './measurement.ts';

declare const BENCH_ROOT: string;

interface Service {
  name: string;
  addresses: number;
  /** Arguments for the sandbox. */
  words: string[];
}

const rounds = 5;
/** The services to measure with: one that replies at once, and one that takes as long as a service on a network. */
const services: Service[] = [
  // Enough addresses that one-time work, such as reading and checking them, has a realistic share of the run.
  { addresses: 100_000, name: '', words: [] },
  {
    addresses: 2500,
    name: ' of 20 ms each',
    words: ['--fault', 'compliance.delete delay ms=20 count=all'],
  },
];
/** Long enough that the sandbox's work after a reply mostly slows down the run that sent the request. */
const requestsInATurn = 25;

/** The receipt's file replaced by no-ops: no line is hashed or written. */
const nothing: Record<string, string> = {
  'jobs/receipt-file.ts': `
    const nothing = () => {};
    const file = (path) => ({ path, head: '', isBroken: false, add: nothing, settle: nothing, write: nothing, close: async () => {} });
    export const startReceipt = async (disk, path) => file(path);
    export const continueReceipt = async (disk, path) => file(path);`,
};

const withoutReceipt: Plugin = {
  name: 'without a receipt',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]jobs[/\\]receipt-file\.ts$/ }, ({ path }) => ({
      contents: nothing[path.split(/[/\\]/).slice(-2).join('/')]!,
    })),
};

interface Program {
  run(argv: string[], runtime: World): Promise<number>;
  runtime: World;
}

/** Builds the whole program as released, except for the plugins, and loads it, so that its start isn't measured. */
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
    loader: { '.1': 'text', '.7': 'text' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
    plugins,
  });
  const { run } = await import(pathToFileURL(join(outdir, 'main.mjs')).href);
  const { nodeRuntime } = await import(pathToFileURL(join(outdir, 'runtime.mjs')).href);
  return { run, runtime: nodeRuntime() };
};

/**
 * Lets runs take turns: one works while the others pause, and a run that ends its turn gets the next one after them. So
 * a machine whose speed varies from second to second affects all of them equally.
 */
const createTurns = () => {
  const resting: (() => void)[] = [];
  let isTaken = false;
  return {
    take: async () => {
      if (isTaken) await new Promise<void>((go) => resting.push(go));
      isTaken = true;
    },
    give: () => {
      const next = resting.shift();
      if (next === undefined) isTaken = false;
      else next();
    },
  };
};

type Turns = ReturnType<typeof createTurns>;

/** Starts a new sandbox for each round, because one that has received many requests is still busy with them. */
const startSandbox = async (data: string, more: string[]) => {
  const words = ['sandbox', 'start', '--port', '0', '--data', data, '--no-limits', '--json', ...more];
  const child = spawn(process.execPath, [join(BENCH_ROOT, 'bin/sched.js'), ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
  return { child, ...(JSON.parse(line) as { base_url: string; token: string }) };
};

/** The time of one fdatasync with lines as long as a batch's: the least cost of a line on disk before each request. */
const syncMilliseconds = async (directory: string): Promise<number> => {
  const file = openSync(join(directory, 'sync'), 'wx');
  const times: number[] = [];
  for (let count = 0; count < 50; count += 1) {
    // As far apart as in a run: without a pause the disk would still be awake.
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

/**
 * Two runs of the whole program with many addresses and one sandbox, taking turns: one with a receipt, one without. The
 * turns include everything a run does, from reading the addresses to the last line.
 */
export const measure = async (): Promise<Measurement[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  // Each sandbox is another origin with its own connection pool, and all pools listen to the same signal.
  setMaxListeners(4 * services.length * rounds + 10);
  try {
    const whole = await loadProgram(join(directory, 'with'), []);
    const bare = await loadProgram(join(directory, 'without'), [withoutReceipt]);
    let people = 0;

    /** How long it has worked. */
    const once = async (
      { run, runtime }: Program,
      addresses: number,
      home: string,
      env: Record<string, string>,
      { take, give }: Turns,
    ): Promise<number> => {
      mkdirSync(home);
      const from = join(home, 'in.txt');
      people += addresses;
      writeFileSync(
        from,
        Array.from({ length: addresses }, (_, index) => `p${people + index}@people.example`).join('\n'),
      );
      const words = ['compliance', 'delete', '--from', from, '--confirm', String(addresses), '--quiet'];
      const interrupted = new AbortController().signal;
      let worked = 0;
      await take();
      let since = performance.now();
      let requests = 0;
      const sendToEnd: World['sendToEnd'] = async (request) => {
        const reply = await runtime.sendToEnd(request);
        requests += 1;
        if (requests % requestsInATurn > 0) return reply;
        worked += performance.now() - since;
        give();
        await take();
        since = performance.now();
        return reply;
      };
      const world: World = { ...runtime, sendToEnd, env, home, interrupted, stdout: silent, stderr: silent };
      const code = await run(words, world);
      worked += performance.now() - since;
      give();
      if (code !== 0) throw new Error(`the run exited with code ${code}`);
      return worked;
    };

    const compare = async ({ addresses, name, words }: Service): Promise<Measurement> => {
      const took = { ours: [] as number[], bare: [] as number[], sync: [] as number[] };
      for (let round = 0; round < rounds; round += 1) {
        const place = join(directory, `${addresses}-${round}`);
        mkdirSync(place);
        const { child, base_url, token } = await startSandbox(join(place, 'sandbox.db'), words);
        const turns = createTurns();
        const env = { SCHED_TOKEN: token, SCHED_BASE_URL: base_url };
        try {
          const [ours, theirs] = await Promise.all([
            once(whole, addresses, join(place, 'with'), env, turns),
            once(bare, addresses, join(place, 'without'), env, turns),
          ]);
          took.ours.push(ours);
          took.bare.push(theirs);
        } finally {
          child.kill();
        }
        took.sync.push(await syncMilliseconds(directory));
      }
      const batches = addresses / limits.deletionBatch;
      const sync = median(took.sync).toFixed(2);
      const title = `receipt: ${batches} batches${name}, beside without (fdatasync: ${sync} ms)`;
      return beside(title, 'ms', took.ours, took.bare);
    };

    const measurements: Measurement[] = [];
    for (const service of services) measurements.push(await compare(service));
    return measurements;
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};
