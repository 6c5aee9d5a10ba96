import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** @typedef {{ folder: string, name: string, version: string, license: string }} Package */

/** What package.json says about a package. @param {string} folder @returns {Promise<Package>} */
export async function packageIn(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return { folder, name, version, license };
}

/** All packages in a bundle, by name. @param {string[]} modules paths of its files */
export async function packagesOf(modules) {
  // A package may contain a nested package.
  const folders = new Set(modules.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []));
  const packages = await Promise.all([...folders].map(packageIn));
  return packages.sort((one, other) => (`${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1));
}

/** The licenses of packages. @param {Package[]} packages */
export async function licensesOf(packages) {
  const texts = await Promise.all(
    packages.map(async ({ folder, name, version, license }) => {
      const parts = await partsOf(name);
      const notices = parts.map(({ part, text }) => `${part}, inside it:\n\n${text}`);
      const all = [await licenseIn(folder, name), ...notices].map((text) => text.trim());
      return `${name} ${version} (${license})\n\n${all.join('\n\n')}\n`;
    }),
  );
  return texts.join(`\n${'-'.repeat(72)}\n\n`);
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
 * Third-party code that a package contains but doesn't list, with its license: scripts/notices/PACKAGE/PART.txt, copied
 * from that code's repository.
 * @param {string} name
 */
export async function partsOf(name) {
  const folder = join(root, 'scripts/notices', name);
  const files = await readdir(folder).catch(() => []);
  return Promise.all(
    files.sort().map(async (file) => ({
      part: basename(file, '.txt'),
      text: await readFile(join(folder, file), 'utf8'),
    })),
  );
}
