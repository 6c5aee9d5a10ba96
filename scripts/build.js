/**
 * Makes `dist/` from `src/` with esbuild, in two steps:
 *
 * 1. `build` bundles the program with its packages into ES modules. They are split, so that a command reads only what it
 *    needs: whatever is behind an `import()` is in a file of its own.
 * 2. `transform` turns each of these into CommonJS, which Node starts sooner. esbuild splits ES modules only, so this
 *    cannot be done in one step.
 *
 * dist/main.js           what `bin/sched.js` runs
 * dist/runtime.js        the outside world: streams, clock, network
 * dist/jq-worker.js      the thread that runs --jq
 * dist/chunks/           what these load, at once or on first use
 * dist/package.json      says that all of it is CommonJS
 * dist/THIRD-PARTY.txt   the licences of the packages inside
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { gridWidth } from './grid-width.js';
import { licencesOf } from './licences.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

const target = 'node20.19';

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    runtime: 'src/node/runtime.ts',
    // A thread is started from a file of its own.
    'jq-worker': 'src/output/jq-worker.ts',
  },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target,
  // Installed beside the package, because a native binding cannot be bundled.
  external: ['libsql', '@napi-rs/keyring'],
  // Loading Node's HTTP/2 takes longer than all of undici, and no service is offered it.
  alias: { 'node:http2': './scripts/no-http2.cjs' },
  define: {
    SCHED_VERSION: JSON.stringify(version),
    'import.meta.filename': '__filename',
    // CommonJS has none. The package `open` takes its absence as the sign that it was bundled.
    'import.meta.url': 'undefined',
  },
  plugins: [gridWidth],
  metafile: true,
  write: false,
  logLevel: 'warning',
});

const files = new Map([
  [join(root, 'dist/package.json'), '{"type":"commonjs"}\n'],
  [join(root, 'dist/THIRD-PARTY.txt'), await licencesOf(metafile)],
]);
for (const { path, text } of outputFiles) {
  // `import()` becomes a `require` in a promise.
  const supported = { 'dynamic-import': false };
  const { code } = await transform(text, { format: 'cjs', platform: 'node', target, minify: true, supported });
  files.set(path, code);
}

for (const [path, text] of files) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
// What an earlier build left behind goes only now, so that a build that fails leaves the last one working.
for (const file of await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true })) {
  const path = join(file.parentPath, file.name);
  if (file.isFile() && !files.has(path)) await rm(path);
}
