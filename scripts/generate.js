/**
 * Writes the generated files in `docs/` and `man/`, the list of man pages in package.json, and the table of zones whose rules
 * changed. With `--check` it only compares them.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluate } from './bundle.js';
import { zoneChanges } from './zones.js';

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

/** @param {string} path */
const report = (path) => {
  process.stderr.write(`${path} is out of date. Run: npm run generate\n`);
  process.exitCode = 1;
};

const home = await mkdtemp(join(tmpdir(), 'sched-generate-'));
try {
  const picture = await evaluate('scripts/picture.ts', async ({ terminalPicture, terminalText }) =>
    terminalPicture(await terminalText(home)),
  );
  await evaluate('scripts/docs/generate.ts', async ({ generate, staleFiles }) => {
    const pages = await generate({ sources: await sources(), changelog: await current('CHANGELOG.md') });
    const man = Object.keys(pages).filter((path) => path.startsWith('man/'));
    const manifest = { ...JSON.parse(await current('package.json')), man: man.sort() };
    const made = {
      ...pages,
      'docs/terminal.svg': picture,
      'src/time/zone-changes.json': `${JSON.stringify(zoneChanges(await current('scripts/zones.txt')), null, 2)}\n`,
      'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    };
    for (const [path, text] of Object.entries(made)) {
      if ((await current(path)) === text) continue;
      if (isCheck) {
        report(path);
      } else {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
        process.stderr.write(`Wrote ${path}\n`);
      }
    }
    for (const path of staleFiles(made, await readdir(join(root, 'man')))) {
      if (isCheck) {
        report(path);
      } else {
        await rm(join(root, path));
        process.stderr.write(`removed: ${path}\n`);
      }
    }
  });
} finally {
  await rm(home, { recursive: true });
}
