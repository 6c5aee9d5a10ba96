import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * The licenses of all packages in a bundle.
 * @param {import('esbuild').Metafile} metafile
 */
export async function licensesOf({ inputs }) {
  // A package may contain a nested package.
  const folders = new Set(
    Object.keys(inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? []),
  );
  const texts = await Promise.all(
    [...folders].map(async (path) => {
      const folder = join(root, path);
      const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const parts = [await licenseIn(folder, name), ...(await noticesOf(name))].map((text) => text.trim());
      return `${name} ${version} (${license})\n\n${parts.join('\n\n')}\n`;
    }),
  );
  return texts.sort().join(`\n${'-'.repeat(72)}\n\n`);
}

/**
 * The license text in a package's folder. For a package without one, it is in scripts/notices/PACKAGE.txt, copied from the
 * package's repository.
 * @param {string} folder
 * @param {string} name
 */
async function licenseIn(folder, name) {
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  return readFile(file === undefined ? join(root, 'scripts/notices', `${name}.txt`) : join(folder, file), 'utf8');
}

/**
 * Licenses of third-party code that a package contains but doesn't list: scripts/notices/PACKAGE/PART.txt, copied from
 * that code's repository.
 * @param {string} name
 */
async function noticesOf(name) {
  const folder = join(root, 'scripts/notices', name);
  const files = await readdir(folder).catch(() => []);
  return Promise.all(
    files
      .sort()
      .map(async (file) => `${basename(file, '.txt')}, inside it:\n\n${await readFile(join(folder, file), 'utf8')}`),
  );
}
