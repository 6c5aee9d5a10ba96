/**
 * Builds `dist/` from `src/`, as CommonJS, which Node loads faster than ES modules.
 *
 * dist/main.js           the program, run by `bin/sched.js`
 * dist/runtime.js        the outside world: streams, clock, network
 * dist/jq-worker.js      the thread that runs --jq, which needs its own entry file
 * dist/sql-worker.js     the thread that runs the queries of mirror sql, in a process of its own
 * dist/sandbox.js        what programs import as `sched/sandbox`; its types are in dist/sandbox.d.ts
 * dist/chunks/           code that these files load, at start or on first use
 * dist/package.json      marks all files as CommonJS
 * dist/THIRD-PARTY.txt   the licenses of the bundled packages
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isolatedDeclaration } from 'rolldown/experimental';
import { bundle, pagesBeside, program } from './bundle.js';
import { licensesOf, packagesOf } from './licenses.js';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

const librarySource = program.input.sandbox ?? '';

const output = await bundle({ ...program, dir: dist, minify: true, isElsewhere: false, plugins: [pagesBeside] });
/** What is in `dist/` besides our own code. */
export const packages = await packagesOf(output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])));
await writeFile(join(dist, 'package.json'), '{"type":"commonjs"}\n');
await writeFile(join(dist, 'THIRD-PARTY.txt'), await licensesOf(packages));

const { code: types, errors } = await isolatedDeclaration(
  librarySource,
  await readFile(new URL(`../${librarySource}`, import.meta.url), 'utf8'),
);
if (errors.length > 0 || /\bimport\b/.test(types))
  throw new Error(
    `${librarySource}: exported types must not need other files. ${errors.map((error) => error.message)}`,
  );
await writeFile(join(dist, 'sandbox.d.ts'), types);

// Remove files of earlier builds last, so that a failed build leaves the previous one working.
const made = new Set(
  ['package.json', 'THIRD-PARTY.txt', 'sandbox.d.ts', ...output.map(({ fileName }) => fileName)].map((name) =>
    join(dist, name),
  ),
);
for (const file of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const path = join(file.parentPath, file.name);
  if (file.isFile() && !made.has(path)) await rm(path);
}
