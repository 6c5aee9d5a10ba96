/** Runs a module of `src/` from a build script: bundled beside node_modules, so that what is not bundled is found. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * What the module exports; `work` is done while it can still load more.
 * @template Result
 * @param {string} entry
 * @param {(exported: any) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export const evaluate = async (entry, work) => {
  const folder = await mkdtemp(join(root, 'node_modules', '.sched-build-'));
  try {
    const outfile = join(folder, 'module.mjs');
    await build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      // The scripts that are about to be written may not be there yet.
      external: ['../../../completions/*'],
      define: { SCHED_VERSION: '""' },
      logLevel: 'warning',
    });
    return await work(await import(pathToFileURL(outfile).href));
  } finally {
    await rm(folder, { recursive: true });
  }
};
