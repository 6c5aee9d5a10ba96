/** Writes what is made from the command tree: `completions/` and the README's reference. `--check` only compares. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const isCheck = process.argv.includes('--check');

/** @param {string} path */
const current = (path) => readFile(join(root, path), 'utf8').catch(() => '');

// Beside node_modules, so that what is not bundled is found; the generators never load it.
const folder = await mkdtemp(join(root, 'node_modules', '.sched-generate-'));
try {
  const outfile = join(folder, 'generate.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/docs/generate.ts'],
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
  const { generate } = await import(pathToFileURL(outfile).href);
  const made = Object.entries(await generate(await current('README.md')));
  for (const [path, text] of made) {
    if ((await current(path)) === text) continue;
    if (isCheck) {
      process.stderr.write(`${path} is stale: npm run generate\n`);
      process.exitCode = 1;
    } else {
      await writeFile(join(root, path), text);
      process.stderr.write(`written: ${path}\n`);
    }
  }
} finally {
  await rm(folder, { recursive: true });
}
