/**
 * The deep tier: every cell of the matrices that `npm test` samples, and the long tests of test/torture/. With
 * `--seconds 300` it begins no file after that time, and says which files it left out. The commit decides the order, so
 * that each file has its turn.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seedOfCommit } from './support/seed.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const { values, positionals } = parseArgs({ options: { seconds: { type: 'string' } }, allowPositionals: true });
const deadline = Date.now() + Number(values.seconds ?? Number.POSITIVE_INFINITY) * 1000;

/** Only these files have more to do here than in `npm test`. @param {string} path */
const isDeep = (path) =>
  path.endsWith('.torture.ts') ||
  (path.endsWith('.test.ts') && readFileSync(join(root, path), 'utf8').includes('/support/tier.ts'));

/** @param {string} path */
const rankOf = (path) => createHash('sha1').update(`${seedOfCommit()} ${path}`).digest('hex');

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => join('test', path))
  .filter((path) => isDeep(path) && positionals.every((word) => path.includes(word)))
  .sort((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1));

/** @param {string} path @returns {Promise<number | null>} */
const run = (path) =>
  new Promise((resolve, reject) => {
    const words = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', path, '--reporter', 'dot'];
    const env = { ...process.env, SCHED_TEST_DEEP: '1' };
    spawn(process.execPath, words, { cwd: root, stdio: 'inherit', env }).once('error', reject).once('close', resolve);
  });

const failed = [];
const leftOut = [];
for (const path of files) {
  if (Date.now() >= deadline) leftOut.push(path);
  else if ((await run(path)) !== 0) failed.push(path);
}
const list = (/** @type {string} */ title, /** @type {string[]} */ paths) =>
  paths.length > 0 && process.stdout.write(`${title}:\n${paths.map((path) => `  ${path}\n`).join('')}`);
process.stdout.write(`\nDeep tier: ${files.length - leftOut.length} of ${files.length} files\n`);
list('No time left for', leftOut);
list('Failed', failed);
if (failed.length > 0) process.exitCode = 1;
