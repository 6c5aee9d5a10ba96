/**
 * Builds `dist/` from `src/` with esbuild, in two steps:
 *
 * 1. `build` bundles the program and its packages into ES modules. Each `import()` gets a separate file, so that a
 *    command loads only the code it needs.
 * 2. `transform` converts each module to CommonJS, which Node loads faster. esbuild can split only ES modules, so this
 *    can't be done in one step.
 *
 * dist/main.js           the program, run by `bin/sched.js`
 * dist/runtime.js        the outside world: streams, clock, network
 * dist/jq-worker.js      the thread that runs --jq
 * dist/chunks/           code that these files load, at start or on first use
 * dist/package.json      marks all files as CommonJS
 * dist/THIRD-PARTY.txt   the licenses of the bundled packages
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { gridWidth } from './grid-width.js';
import { licensesOf } from './licenses.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

const target = 'node20.19';

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    runtime: 'src/node/runtime.ts',
    // A thread needs its own entry file.
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
  // Installed with the package, because native bindings can't be bundled.
  external: ['libsql', '@napi-rs/keyring'],
  // Man pages. `sched man` loads the requested one.
  loader: { '.1': 'text', '.7': 'text' },
  // Loading Node's HTTP/2 takes longer than all of undici, and `sched` never uses it.
  alias: { 'node:http2': './scripts/no-http2.cjs' },
  define: {
    SCHED_VERSION: JSON.stringify(version),
    'import.meta.filename': '__filename',
    // Not available in CommonJS. The `open` package treats a missing value as a sign that it was bundled.
    'import.meta.url': 'undefined',
  },
  plugins: [gridWidth],
  metafile: true,
  write: false,
  logLevel: 'warning',
});

const files = new Map([
  [join(root, 'dist/package.json'), '{"type":"commonjs"}\n'],
  [join(root, 'dist/THIRD-PARTY.txt'), await licensesOf(metafile)],
]);
for (const { path, text } of outputFiles) {
  // Turns `import()` into a `require` in a promise.
  const supported = { 'dynamic-import': false };
  const { code } = await transform(text, { format: 'cjs', platform: 'node', target, minify: true, supported });
  files.set(path, code);
}

for (const [path, text] of files) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
// Remove files of earlier builds last, so that a failed build leaves the previous one working.
for (const file of await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true })) {
  const path = join(file.parentPath, file.name);
  if (file.isFile() && !files.has(path)) await rm(path);
}
