/**
 * Plants bugs, one at a time, and shows how long the simulator takes to find each.
 *
 *   npm run simulate:bugs                            all of test/simulation/bugs
 *   npm run simulate:bugs -- NAME...                 only these
 *   npm run simulate:bugs -- --sample 5 --seed TEXT  some that can be found, chosen by the text
 *   npm run simulate:bugs -- --seconds 120           looks so many seconds of CPU time for each (60 if not said)
 *
 * A patch with a line "Work: KIND" is looked for by this kind of intents alone: among all kinds it would take longer. It
 * ends with 1 if one isn't found, unless its patch says why with a line "Not found: …".
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bugNames, readBug } from './bugs.js';

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '' },
  },
  allowPositionals: true,
});

/** A bug can make a seed go on forever. Others may use the machine, too. */
const longestMs = (Number(values.seconds) * 4 + 60) * 1000;

/** What the patch of a bug says after this word. @param {string} name @param {'Work' | 'Not found'} word */
const lineOf = (name, word) => new RegExp(`^${word}: (.+)$`, 'm').exec(readBug(name).text)?.[1];

/** @param {string[]} names @param {number} count */
const sampleOf = (names, count) => {
  const rankOf = (/** @type {string} */ name) => createHash('sha256').update(`${values.seed} ${name}`).digest('hex');
  const found = names.filter((name) => lineOf(name, 'Not found') === undefined);
  return found.toSorted((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1)).slice(0, count);
};

/**
 * Runs the simulator in a process of its own, so that nothing a bug does ends this one.
 * @param {string} bug
 * @returns {Promise<string>}
 */
const simulate = (bug) =>
  new Promise((resolve, reject) => {
    const simulator = fileURLToPath(new URL('simulate.js', import.meta.url));
    const work = lineOf(bug, 'Work');
    const how = work === undefined ? ['--mixed'] : ['--only', work];
    const words = [simulator, '1', '--first', ...how, '--seconds', values.seconds, '--bug', bug];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'], timeout: longestMs });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (/** @type {Buffer} */ data) => {
        output += data;
      });
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });

/** How a run ended: after how many CPU seconds, at which seed, and what was broken. @param {string} output */
const endingOf = (output) => {
  const [, broken, seconds] = /^(\d+) of \d+ seeds broke a promise in ([\d.]+) CPU/m.exec(output) ?? [];
  const seed = /^To repeat: npm run simulate -- (\d+(?: --jobs)?)/m.exec(output)?.[1] ?? '-';
  if (broken === undefined) {
    const why = /^\w*Error.*$/m.exec(output)?.[0] ?? output.trim().split('\n').at(-1);
    return { isFound: false, seconds: '-', seed: '-', what: `the simulator failed: ${why}` };
  }
  const what = /^Broken: (.*)$/m.exec(output)?.[1] ?? '';
  return { isFound: broken !== '0', seconds, seed, what };
};

const unknown = positionals.filter((name) => !bugNames.includes(name));
if (unknown.length > 0) throw new Error(`There is no bug ${unknown.join(', ')}`);
const wanted = positionals.length > 0 ? positionals : bugNames;
const chosen = values.sample === undefined ? wanted : sampleOf(wanted, Number(values.sample));
const widest = Math.max(...chosen.map((name) => name.length));

let missed = 0;
for (const bug of chosen) {
  const { isFound, seconds, seed, what } = endingOf(await simulate(bug));
  const why = lineOf(bug, 'Not found');
  if (!isFound && why === undefined) missed += 1;
  const found = isFound ? `found after ${seconds} s` : `not found in ${seconds} s`;
  const words = [
    bug.padEnd(widest),
    found.padEnd(20),
    `seed ${seed}`.padEnd('seed 12 --jobs'.length),
    what || why || '',
  ];
  process.stdout.write(`${words.join('  ').trimEnd()}\n`);
}
process.stdout.write(`${chosen.length - missed} of ${chosen.length} bugs were found, or are known to hide\n`);
process.exitCode = missed === 0 ? 0 : 1;
