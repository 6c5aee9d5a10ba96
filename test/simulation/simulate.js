/**
 * Runs the simulator.
 *
 *   npm run simulate -- SEED             repeats a seed; --trace prints each step
 *   npm run simulate -- SEED --shrink    makes a failure smaller, and prints the trace of what is left
 *   npm run simulate -- SEED --count 9   prints the digests of so many seeds; with --file FILE it writes them there, or
 *                                        compares them with those of another version of Node
 *   npm run simulate -- --seconds 600    runs new seeds for so many seconds of CPU time, from SEED on if there is one;
 *                                        --first stops at the first broken promise; --mixed takes turns with --jobs
 *
 * With --jobs it runs the jobs alone instead of whole commands, and with --bug NAME a bug of test/simulation/bugs is planted
 * first. It ends with 1 if a promise is broken.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSimulator } from './build.js';

const { values, positionals } = parseArgs({
  options: {
    jobs: { type: 'boolean', default: false },
    mixed: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    count: { type: 'string' },
    file: { type: 'string' },
    seconds: { type: 'string' },
    first: { type: 'boolean', default: false },
    bug: { type: 'string' },
    intents: { type: 'string' },
    without: { type: 'string', default: '' },
    dropped: { type: 'string', default: '' },
    only: { type: 'string' },
    'fail-at': { type: 'string' },
  },
  allowPositionals: true,
});

const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
const words = (/** @type {string} */ list) => list.split(',').filter(Boolean);

const dir = mkdtempSync(join(tmpdir(), 'sched-simulator-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
await buildSimulator(dir, values.bug);
/** @type {typeof import('./main.ts')} */
const { openSimulator, shrink, usualIntents } = createRequire(import.meta.url)(join(dir, 'simulator.js'));
const simulator = await openSimulator(dir);
/** @typedef {{ flag: string, simulate: typeof simulator.commands }} Level */
/** @type {Level} */
const commandLevel = { flag: '', simulate: simulator.commands };
/** @type {Level} */
const jobLevel = { flag: ' --jobs', simulate: simulator.jobs };
const level = values.jobs ? jobLevel : commandLevel;

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const [command = '', call = '', number = ''] = values['fail-at']?.split(':') ?? [];
const failAt = command === '' ? undefined : { command, call, number: Number(number) };

/** @typedef {import('./commands.ts').Options & { intents: number }} Options */
/** @type {Options} */
const options = {
  intents: Number(values.intents ?? usualIntents),
  without: /** @type {Options['without']} */ (words(values.without)),
  dropped: words(values.dropped).map(Number),
  ...(values.only === undefined ? {} : { only: values.only }),
  ...(failAt === undefined ? {} : { failAt }),
};

/** How to repeat a run. @param {Level} level @param {number} seed @param {import('./commands.ts').Options} options */
const lineFor = ({ flag }, seed, { intents = usualIntents, without = [], dropped = [] }) =>
  [
    `npm run simulate -- ${seed}${flag}`,
    ...(values.bug === undefined ? [] : [`--bug ${values.bug}`]),
    ...(intents === usualIntents ? [] : [`--intents ${intents}`]),
    ...(values.only === undefined ? [] : [`--only ${values.only}`]),
    ...(without.length === 0 ? [] : [`--without ${without.join(',')}`]),
    ...(dropped.length === 0 ? [] : [`--dropped ${dropped.toSorted((one, other) => one - other).join(',')}`]),
  ].join(' ');

/** @param {number} seed */
const repeat = async (seed) => {
  let wanted = options;
  if (values.shrink) {
    const smaller = await shrink((each) => level.simulate(seed, each), options);
    wanted = { ...options, ...smaller.options };
    say(`Shrunk in ${smaller.runs} runs. To repeat: ${lineFor(level, seed, wanted)}`);
  }
  const outcome = await level.simulate(seed, { ...wanted, isTraced: values.trace || values.shrink });
  for (const line of outcome.trace) say(line);
  if (outcome.violation !== undefined) say(`Broken: ${outcome.violation}`);
  say(outcome.digest);
  return outcome.violation === undefined;
};

/** @param {number} first @param {number} count */
const digests = async (first, count) => {
  let [isGood, lines] = [true, ''];
  for (let seed = first; seed < first + count; seed += 1) {
    const { digest, violation } = await level.simulate(seed, options);
    say(`${seed} ${digest}`);
    lines += `${seed} ${digest}\n`;
    isGood &&= violation === undefined;
  }
  if (values.file === undefined) return isGood;
  if (!existsSync(values.file)) writeFileSync(values.file, lines);
  const isSame = readFileSync(values.file, 'utf8') === lines;
  if (!isSame) say(`They differ from ${values.file}`);
  return isGood && isSame;
};

/** A search ends after so many broken seeds. */
const mostBroken = 5;

/** @param {number} first @param {number} seconds */
const search = async (first, seconds) => {
  const [begin, totals] = [
    cpuSeconds(),
    { seeds: 0, commands: 0, jobs: 0, requests: 0, steps: 0, kills: 0, signals: 0, cuts: 0 },
  ];
  /** @type {Map<string, number>} */
  const codes = new Map();
  let broken = 0;
  const runs = (values.mixed ? [commandLevel, jobLevel] : [level]).map((each) => ({
    level: each,
    seed: first,
    spent: 0,
  }));
  while (cpuSeconds() - begin < seconds && broken < mostBroken) {
    const run = runs.reduce((one, other) => (other.spent < one.spent ? other : one));
    const [seed, started] = [run.seed, cpuSeconds()];
    const outcome = await run.level.simulate(seed, options);
    run.seed += 1;
    run.spent += cpuSeconds() - started;
    totals.seeds += 1;
    for (const name of /** @type {const} */ (['commands', 'jobs', 'requests', 'steps', 'kills', 'signals', 'cuts']))
      totals[name] += outcome[name];
    for (const [code, count] of Object.entries(outcome.codes)) codes.set(code, (codes.get(code) ?? 0) + count);
    if (outcome.violation === undefined) continue;
    broken += 1;
    say(`Broken: ${outcome.violation}\nTo repeat: ${lineFor(run.level, seed, options)}\n`);
    if (values.first) break;
  }
  const spent = cpuSeconds() - begin;
  for (const [name, count] of Object.entries(totals))
    say(`${name}: ${count}, ${Math.round(count / spent)} per CPU second`);
  say(
    [...codes]
      .toSorted()
      .map(([code, count]) => `${code}: ${count}`)
      .join(', '),
  );
  say(`${broken} of ${totals.seeds} seeds broke a promise in ${spent.toFixed(1)} CPU seconds`);
  return broken === 0;
};

const seed = Number(positionals[0] ?? Date.now() % 1_000_000_000);
const work = () => {
  if (values.seconds !== undefined) return search(seed, Number(values.seconds));
  return values.count === undefined ? repeat(seed) : digests(seed, Number(values.count));
};
const isGood = await work();
process.exitCode = isGood ? 0 : 1;
