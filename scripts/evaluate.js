/** Runs a module of `src/` in a build script. Bundled into node_modules, so that its external packages are found. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * Calls `work` with the module's exports, while the module can still load more code.
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
      // The completion scripts may not have been generated yet.
      external: ['../../../completions/*'],
      loader: { '.1': 'text', '.7': 'text' },
      define: { SCHED_VERSION: '""' },
      logLevel: 'warning',
    });
    return await work(await import(pathToFileURL(outfile).href));
  } finally {
    await rm(folder, { recursive: true });
  }
};
