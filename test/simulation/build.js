/** Bundles the simulator: the program with a simulated disk, and with a planted bug if one is named. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../scripts/bundle.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** @type {import('rolldown').Plugin} */
const simulatedDisk = {
  name: 'simulated-disk',
  resolveId: (source) => (source.endsWith('/node/files.ts') ? join(root, 'test/simulation/files.ts') : undefined),
};

/** @param {string} dir */
export const buildSimulator = (dir) =>
  bundle({ input: { simulator: 'test/simulation/main.ts' }, dir, plugins: [simulatedDisk] });
