/**
 * `npm run bench [-- NAME…] [--out FILE] [--check]`: runs every `*.bench.ts` here, one after another, prints what they measured
 * and writes it as JSON. With --check a missed target is a failure.
 */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const here = join(root, 'test/bench');
const { values, positionals } = parseArgs({
  options: { out: { type: 'string' }, check: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const names = (await readdir(here))
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length))
  .filter((name) => positionals.length === 0 || positionals.includes(name));

const directory = await mkdtemp(join(tmpdir(), 'sched-bench-'));
/** @type {import('./measurement.ts').Measurement[]} */
const measurements = [];
try {
  const libsql = join(root, 'node_modules/libsql/index.js');
  const esbuild = join(root, 'node_modules/esbuild/lib/main.js');
  await build({
    absWorkingDir: root,
    entryPoints: [...names.map((name) => `test/bench/${name}.bench.ts`), 'test/bench/server.ts'],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    alias: { libsql, esbuild },
    external: [libsql, esbuild],
    define: { SCHED_VERSION: '"bench"', BENCH_ROOT: JSON.stringify(root) },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  for (const name of names) {
    const { measure } = await import(pathToFileURL(join(directory, `${name}.bench.mjs`)).href);
    measurements.push(...(await measure()));
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** @param {import('./measurement.ts').Measurement} each */
const isMet = ({ ratio, target }) =>
  (target.least === undefined || ratio >= target.least) && (target.most === undefined || ratio <= target.most);

/** @param {number} number */
const short = (number) => (Math.abs(number) >= 100 ? number.toFixed(0) : number.toPrecision(3));

const headings = ['what', 'measured', 'beside', 'ratio', 'target', ''];
const rows = measurements.map((each) => [
  each.name,
  `${short(each.value)} ${each.unit}`,
  `${short(each.reference)} ${each.unit}`,
  short(each.ratio),
  each.target.least === undefined ? `≤ ${each.target.most}` : `≥ ${each.target.least}`,
  isMet(each) ? 'met' : 'MISSED',
]);
const widths = headings.map((heading, column) =>
  Math.max(...[headings, ...rows].map((row) => (row[column] ?? heading).length)),
);
for (const row of [headings, ...rows]) {
  const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
}

const out = values.out ?? join(tmpdir(), 'sched-bench.json');
await writeFile(
  out,
  `${JSON.stringify({ node: process.version, measurements: measurements.map((each) => ({ ...each, met: isMet(each) })) }, null, 2)}\n`,
);
process.stdout.write(`\nwritten: ${out}\n`);
if (values.check && !measurements.every(isMet)) process.exitCode = 1;
