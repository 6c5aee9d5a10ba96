/** Downloads programs for builds and tests from npm's configured registry: pinned, verified and cached. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sched-build');

/**
 * Returns the directory with a package's files. Runs no script of the package.
 * @param {{ name: string, version: string, integrity: string }} wanted
 */
export async function fetchPackage({ name, version, integrity }) {
  // The name contains the hash, so another version gets another directory.
  const folder = join(cache, `${name.replace('/', '+')}-${version}-${hexOf(integrity).slice(0, 16)}`);
  if (await isThere(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, '.making-'));
  try {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', making, `${name}@${version}`], {
      // npm's output may be long, and on Windows npm is a script.
      maxBuffer: 2 ** 26,
      shell: process.platform === 'win32',
    });
    const archive = join(making, JSON.parse(stdout)[0].filename.replace(/^@/, '').replace('/', '-'));
    const found = createHash('sha512')
      .update(await readFile(archive))
      .digest('hex');
    if (found !== hexOf(integrity)) throw new Error(`${name}@${version} does not match the pinned hash`);
    await run('tar', ['-xzf', archive, '-C', making]);
    // Another process may have finished first.
    await rename(join(making, 'package'), folder).catch(async (error) => {
      if (!(await isThere(folder))) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}

/** @param {string} integrity */
const hexOf = (integrity) => Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');

/** @param {string} folder */
const isThere = (folder) =>
  readFile(join(folder, 'package.json')).then(
    () => true,
    () => false,
  );
