/** Makes `dist/`: one bundle, split so that a command reads only what it needs. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** Installed beside the package, because a native binding cannot be bundled. */
const external = ['libsql', '@napi-rs/keyring'];

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    runtime: 'src/runtime.ts',
    // A thread is started from a file of its own.
    'jq-worker': 'src/output/jq-worker.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external,
  define: { SCHED_VERSION: JSON.stringify(version) },
  // Bundled CommonJS packages require node: modules, and an ES module has no `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  chunkNames: 'chunks/[name]-[hash]',
  metafile: true,
  logLevel: 'warning',
});

// What an earlier build left behind goes only now, so that a build that fails leaves the last one working.
const written = new Set(Object.keys(metafile.outputs).map((file) => join(root, file)));
for (const file of await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true })) {
  const path = join(file.parentPath, file.name);
  if (file.isFile() && !written.has(path)) await rm(path);
}

/** Where packages lie whose code is in the bundle; one may have another of its own inside. */
const bundled = new Set(
  Object.keys(metafile.inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? []),
);
const licences = await Promise.all(
  [...bundled].map(async (path) => {
    const folder = join(root, path);
    const facts = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const text = await licenceIn(folder);
    return `${facts.name} ${facts.version} (${facts.license})\n\n${text.trim()}\n`;
  }),
);
await writeFile(join(root, 'dist', 'THIRD-PARTY.txt'), licences.sort().join(`\n${'-'.repeat(72)}\n\n`));

/** @param {string} folder */
async function licenceIn(folder) {
  const name = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
  if (name === undefined) throw new Error(`no licence text found in ${folder}`);
  return readFile(join(folder, name), 'utf8');
}
