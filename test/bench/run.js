/**
 * `npm run bench [-- NAME…] [--out FILE] [--check] [--markdown] [--against DIRECTORY]`: runs every `*.bench.ts` here, one
 * after another, prints what they measured and writes it as JSON. With --check a target missed by more than 15 % is a
 * failure; with --markdown the table is the one in docs/performance.md. With --against, the benches that compare take
 * turns with the build of another checkout.
 */
import { execFileSync, fork } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, loadavg, platform, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '../../scripts/bundle.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const here = join(root, 'test/bench');
const { values, positionals } = parseArgs({
  options: {
    out: { type: 'string' },
    check: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    against: { type: 'string' },
  },
  allowPositionals: true,
});

const all = (await readdir(here))
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length));
if (values.against !== undefined) process.env.SCHED_BENCH_AGAINST = resolve(values.against);
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`No bench named ${unknown.join(', ')}. Available: ${all.join(', ')}`);
const names = all.filter((name) => positionals.length === 0 || positionals.includes(name));

/** @typedef {import('./measurement.ts').Figure} Figure */
/** @typedef {import('./measurement.ts').Measurement} Measurement */

/**
 * @param {string} file
 * @returns {Promise<Figure[]>}
 */
const measured = (file) =>
  new Promise((resolve, reject) => {
    const child = fork(join(here, 'one.js'), [file], { cwd: root, serialization: 'advanced' });
    child.once('message', (figures) => resolve(/** @type {Figure[]} */ (figures)));
    child.once('close', (code) => reject(new Error(`${file} exited with code ${code} without a measurement`)));
  });

const loadBefore = loadavg()[0] ?? 0;
const directory = await mkdtemp(join(tmpdir(), 'sched-bench-'));
/** @type {Figure[]} */
const figures = [];
try {
  const files = [...names.map((name) => `${name}.bench`), 'server'];
  await bundle({ input: Object.fromEntries(files.map((name) => [name, `test/bench/${name}.ts`])), dir: directory });
  for (const name of names) figures.push(...(await measured(join(directory, `${name}.bench.js`))));
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** How far a ratio may miss its target before --check fails, because machines vary. */
const tolerance = 1.15;

/** @param {Measurement} each */
const isMet = ({ ratio, target }, slack = 1) =>
  (target.least === undefined || ratio * slack >= target.least) &&
  (target.most === undefined || ratio <= target.most * slack);

/** @param {Measurement} each */
const hasTarget = ({ target }) => target.least !== undefined || target.most !== undefined;

/**
 * The ratios in docs/performance.md at the last tag, by the name of the row.
 * @returns {{ tag: string, ratios: Map<string, number> }}
 */
const atLastTag = () => {
  const git = (/** @type {string[]} */ ...words) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const tag = git('describe', '--tags', '--abbrev=0');
    const lines = git('show', `${tag}:docs/performance.md`).replaceAll('\\|', '\0').split('\n');
    const cells = lines.map((line) => line.split('|').map((cell) => cell.trim().replaceAll('\0', '|')));
    return { tag, ratios: new Map(cells.map((row) => [row[1] ?? '', Number(row[4])])) };
  } catch {
    return { tag: '', ratios: new Map() };
  }
};
const last = atLastTag();

/** @param {Measurement} each */
const loss = ({ name, ratio, target }) => {
  const before = last.ratios.get(name) ?? Number.NaN;
  const isWorse = target.least === undefined ? ratio > before * 1.1 : ratio * 1.1 < before;
  return isWorse ? `worse than at ${last.tag}: ${short(before)}` : '';
};

/** @param {Figure} each */
const verdict = (each) => {
  if ('skipped' in each) return `skipped: ${each.skipped}`;
  const met = isMet(each) ? 'met' : isMet(each, tolerance) ? 'missed, by less than 15 %' : 'MISSED';
  return [...(hasTarget(each) ? [met] : []), loss(each)].filter((text) => text !== '').join(', ');
};

/** @param {number} number */
const short = (number) => (Math.abs(number) >= 100 ? number.toFixed(0) : number.toPrecision(3));

/** @param {Measurement['target']} target */
const wanted = ({ least, most }) => (least !== undefined ? `≥ ${least}` : most !== undefined ? `≤ ${most}` : '');

const headings = ['what', 'measured', 'beside', 'ratio', 'target', '', 'CPU'];
const rows = figures.map((each) =>
  'skipped' in each
    ? [each.name, '', '', '', '', verdict(each), '']
    : [
        each.name,
        `${short(each.value)} ${each.unit}`,
        `${short(each.reference)} ${each.unit}`,
        short(each.ratio),
        wanted(each.target),
        verdict(each),
        each.cpu === undefined ? '' : short(each.cpu),
      ],
);
const load = { before: loadBefore, after: loadavg()[0] ?? 0 };
const machine = {
  node: process.version,
  system: `${platform()} ${arch()}`,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? '',
  load,
};
const onWhat = `Node ${machine.node.slice(1)}, ${machine.system}, ${machine.cores} cores (${machine.cpu}), load ${load.before.toFixed(1)} before and ${load.after.toFixed(1)} after`;
const comparedTo = last.tag === '' ? 'No tag to compare with' : `Compared with ${last.tag}`;

if (values.markdown) {
  const lines = [headings, headings.map(() => '---'), ...rows].map(
    (row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
  process.stdout.write(`${lines.join('\n')}\n\n${onWhat}. ${comparedTo}.\n`);
} else {
  const widths = headings.map((_, column) => Math.max(...[headings, ...rows].map((row) => row[column]?.length ?? 0)));
  for (const row of [headings, ...rows]) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
  process.stdout.write(`\n${onWhat}. ${comparedTo}.\n`);
}

const out = values.out ?? join(tmpdir(), 'sched-bench.json');
const measurements = figures.map((each) => ('skipped' in each ? each : { ...each, met: isMet(each) }));
await writeFile(out, `${JSON.stringify({ ...machine, measurements }, null, 2)}\n`);
process.stderr.write(`written: ${out}\n`);
if (values.check && figures.some((each) => !('skipped' in each) && !isMet(each, tolerance))) process.exitCode = 1;
