/**
 * Runs the end-to-end tests on all supported Node versions, or on some: `22 26`. With `--whole` it runs the whole suite, and
 * the tests themselves run on that version too. `--fetch` only downloads the versions.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackage } from '../../scripts/registry.js';

/** The oldest supported version, and the newest of each later line. */
const versions = {
  '20.19.0': {
    x64: 'sha512-HzVYgEgabV/n3nP2F9mcxS0Nxgg99jynX9CMovakLmSYTuTdQRbbtw0yadY8+qKcqXfiDAtb2hmtR7nDPzclGA==',
    arm64: 'sha512-kT7jX7frbsrMrXMsBaFt3Th1SWs5VjxTzd0U8vxcmdCFkaqeu5hFK0+QoYfIo5drmr3DmwJfLtO2gnD/7hNE/Q==',
  },
  '22.23.3': {
    x64: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    arm64: 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
  '24.21.0': {
    x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  '26.10.0': {
    x64: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    arm64: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
};

const root = fileURLToPath(new URL('../../', import.meta.url));
const { arch, platform } = process;
if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) {
  process.stderr.write(`The registry has no Node for ${platform} on ${arch}\n`);
  process.exit(1);
}

const isWhole = process.argv.includes('--whole');
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'));
/** @type {[version: string, node: string][]} */
const nodes = [];
for (const [version, integrity] of Object.entries(versions)) {
  if (wanted.length > 0 && !wanted.some((word) => `${version}.`.startsWith(`${word}.`))) continue;
  const folder = await fetchPackage({ name: `node-linux-${arch}`, version, integrity: integrity[arch] });
  nodes.push([version, join(folder, 'bin', 'node')]);
}
if (process.argv.includes('--fetch')) process.exit();

/** @type {string[]} */
const rows = [];
const folder = await mkdtemp(join(tmpdir(), 'sched-matrix-'));
try {
  for (const [version, node] of nodes) {
    process.stdout.write(`\nNode ${version}\n`);
    const report = join(folder, `${version}.json`);
    const code = await runTests(node, report);
    if (code !== 0) process.exitCode = 1;
    rows.push(await rowOf(version, report));
  }
} finally {
  await rm(folder, { recursive: true });
}
process.stdout.write(`\n| Node | passed | failed | skipped | seconds |\n|---|---|---|---|---|\n${rows.join('\n')}\n`);

/** @param {string} node @param {string} report @returns {Promise<number | null>} */
function runTests(node, report) {
  const words = ['run', ...(isWhole ? [] : ['test/e2e'])];
  // Each version in turn shows what is wrong with the program, not with a busy machine.
  words.push('--testTimeout', '60000');
  words.push('--reporter', 'dot', '--reporter', 'json', '--outputFile.json', report);
  const runner = isWhole ? node : process.execPath;
  // Tests and examples also start `node` by its name.
  const path = isWhole ? `${dirname(node)}${delimiter}${process.env.PATH}` : process.env.PATH;
  const child = spawn(runner, [join(root, 'node_modules/vitest/vitest.mjs'), ...words], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: path, SCHED_NODE: node },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
}

/** @param {string} version @param {string} report */
async function rowOf(version, report) {
  const { startTime, testResults, ...counts } = JSON.parse(await readFile(report, 'utf8'));
  const end = Math.max(...testResults.map((/** @type {{ endTime: number }} */ { endTime }) => endTime));
  const skipped = counts.numPendingTests + counts.numTodoTests;
  const seconds = ((end - startTime) / 1000).toFixed(0);
  return `| ${version} | ${counts.numPassedTests} | ${counts.numFailedTests} | ${skipped} | ${seconds} |`;
}
