/** Writes what is made from the command tree: `completions/` and the README's reference. `--check` only compares. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluate } from './evaluate.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const isCheck = process.argv.includes('--check');

/** @param {string} path */
const current = (path) => readFile(join(root, path), 'utf8').catch(() => '');

await evaluate('src/docs/generate.ts', async ({ generate }) => {
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
});
