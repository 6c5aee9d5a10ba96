/**
 * The deep tier: every cell of the matrices that `npm test` samples, and the long tests of test/torture/. With
 * `--seconds 300` it stops after that time, and says which files it left out. The commit decides the order, so that each
 * file has its turn.
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

/**
 * Resolves to what the file printed and whether it passed, or to undefined if there was no time left.
 * @param {string} path
 * @returns {Promise<{ passed: boolean, printed: string } | undefined>}
 */
const run = (path) =>
  new Promise((resolve, reject) => {
    const words = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', path, '--reporter', 'dot'];
    const env = { ...process.env, SCHED_TEST_DEEP: '1' };
    // Its own process group, to stop everything that the tests have started.
    const child = spawn(process.execPath, words, { cwd: root, env, detached: true });
    child.stdin.end();
    let printed = '';
    const copyTo = (/** @type {NodeJS.WriteStream} */ stream) => (/** @type {string} */ text) => {
      printed += text;
      stream.write(text);
    };
    child.stdout.setEncoding('utf8').on('data', copyTo(process.stdout));
    child.stderr.setEncoding('utf8').on('data', copyTo(process.stderr));
    let isOver = false;
    const stop = () => {
      isOver = true;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    };
    const timer = Number.isFinite(deadline) ? setTimeout(stop, deadline - Date.now()) : undefined;
    child.once('error', reject).once('close', (code) => {
      clearTimeout(timer);
      resolve(isOver ? undefined : { passed: code === 0, printed });
    });
  });

/** What the failed files printed. @type {Map<string, string>} */
const failed = new Map();
/** @type {string[]} */
const leftOut = [];
for (const path of files) {
  const result = Date.now() < deadline ? await run(path) : undefined;
  if (result === undefined) leftOut.push(path);
  else if (!result.passed) failed.set(path, result.printed);
}
const list = (/** @type {string} */ title, /** @type {string[]} */ paths) =>
  paths.length > 0 && process.stdout.write(`${title}:\n${paths.map((path) => `  ${path}\n`).join('')}`);
process.stdout.write(`\nDeep tier: ${files.length - leftOut.length} of ${files.length} files\n`);
list('No time left for', leftOut);
// Last, because the end of a long log is what people see first.
for (const printed of failed.values()) process.stdout.write(printed);
list('Failed', [...failed.keys()]);
if (failed.size > 0) process.exitCode = 1;
