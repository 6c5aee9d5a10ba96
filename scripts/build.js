/**
 * Builds `dist/` from `src/`, as CommonJS, which Node loads faster than ES modules.
 *
 * dist/main.js           the program, run by `bin/sched.js`
 * dist/runtime.js        the outside world: streams, clock, network
 * dist/jq-worker.js      the thread that runs --jq, which needs its own entry file
 * dist/chunks/           code that these files load, at start or on first use
 * dist/package.json      marks all files as CommonJS
 * dist/THIRD-PARTY.txt   the licenses of the bundled packages
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';
import { licensesOf } from './licenses.js';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

const output = await bundle({
  input: { main: 'src/main.ts', runtime: 'src/node/runtime.ts', 'jq-worker': 'src/output/jq-worker.ts' },
  dir: dist,
  minify: true,
  isElsewhere: false,
});
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
await writeFile(join(dist, 'package.json'), '{"type":"commonjs"}\n');
await writeFile(join(dist, 'THIRD-PARTY.txt'), await licensesOf(modules));

// Remove files of earlier builds last, so that a failed build leaves the previous one working.
const made = new Set(
  ['package.json', 'THIRD-PARTY.txt', ...output.map(({ fileName }) => fileName)].map((name) => join(dist, name)),
);
for (const file of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const path = join(file.parentPath, file.name);
  if (file.isFile() && !made.has(path)) await rm(path);
}
