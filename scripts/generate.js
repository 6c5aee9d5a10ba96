/** Writes the generated files in `completions/` and `docs/`. With `--check` it only compares them. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluate } from './evaluate.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const isCheck = process.argv.includes('--check');

/** @param {string} path */
const current = (path) => readFile(join(root, path), 'utf8').catch(() => '');

/** The text of each file in src/, by path. */
const sources = async () => {
  const files = await readdir(join(root, 'src'), { recursive: true });
  const paths = files.filter((file) => file.endsWith('.ts')).map((file) => `src/${file.replaceAll('\\', '/')}`);
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await current(path)])));
};

await evaluate('src/docs/generate.ts', async ({ generate }) => {
  const made = Object.entries(await generate(await sources()));
  for (const [path, text] of made) {
    if ((await current(path)) === text) continue;
    if (isCheck) {
      process.stderr.write(`${path} is out of date. Run: npm run generate\n`);
      process.exitCode = 1;
    } else {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
      process.stderr.write(`Wrote ${path}\n`);
    }
  }
});
