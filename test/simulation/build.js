/** Bundles the simulator: the program with a simulated disk, and with a planted bug if one is named. */
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../scripts/bundle.js';
import { plantIn, readBug } from './bugs.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** @type {import('rolldown').Plugin} */
const simulatedDisk = {
  name: 'simulated-disk',
  resolveId: (source, importer = root) =>
    resolve(dirname(importer), source) === join(root, 'src/node/files.ts')
      ? join(root, 'test/simulation/files.ts')
      : resolve(dirname(importer), source) === join(root, 'src/sandbox/store/database.ts') &&
          importer === join(root, 'src/sandbox/mirror/open.ts')
        ? join(root, 'test/simulation/mirror-database.ts')
        : undefined,
};

/** @param {string} name @returns {import('rolldown').Plugin} */
const plantedBug = (name) => {
  const { changes } = readBug(name);
  const missing = new Set(changes.map(({ file }) => join(root, file)));
  return {
    name: 'planted-bug',
    transform: (code, id) => {
      if (!missing.delete(id)) return undefined;
      const own = changes.filter(({ file }) => join(root, file) === id);
      return { code: plantIn(code, own), map: null };
    },
    buildEnd: () => {
      if (missing.size > 0) throw new Error(`The bug ${name} is not planted: ${[...missing]} is never loaded`);
    },
  };
};

/** @param {string} dir @param {string} [bug] The name of a planted bug. */
export const buildSimulator = (dir, bug) =>
  bundle({
    input: { simulator: 'test/simulation/main.ts' },
    dir,
    plugins: [simulatedDisk, ...(bug === undefined ? [] : [plantedBug(bug)])],
  });
