/**
 * Makes `dist/`: one bundle, split so that a command reads only what it needs. The bundle is CommonJS, which Node starts sooner than modules; only modules can be split, so they
 * are split first and each piece is turned into CommonJS afterwards.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { gridWidth } from './grid-width.js';
import { lightUndici } from './light-undici.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** Installed beside the package, because a native binding cannot be bundled. */
const external = ['libsql', '@napi-rs/keyring'];

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
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target,
  external,
  define: {
    SCHED_VERSION: JSON.stringify(version),
    'import.meta.filename': '__filename',
    // CommonJS has none. The package `open` takes its absence as the sign that it was bundled.
    'import.meta.url': 'undefined',
  },
  plugins: [lightUndici, gridWidth],
  chunkNames: 'chunks/[name]-[hash]',
  metafile: true,
  write: false,
  logLevel: 'warning',
});

/**
 * Pieces that are needed together lie in one file each, since every file that Node opens costs about as much as reading
 * ten kilobytes: what starts the program, what runs a command, what talks to the network.
 */
const together = {
  'start.js': ['src/main.ts', 'src/node/runtime.ts'],
  'command.js': [
    'src/cli/invoke.ts',
    'src/cli/operation-command.ts',
    'src/api/events.ts',
    'src/cli/commands/events.ts',
  ],
  'network.js': ['src/http/transport.ts'],
};

const outputs = Object.fromEntries(
  Object.entries(metafile.outputs).map(([path, facts]) => [relative('dist', path), facts]),
);

/**
 * A piece and all that it needs at once.
 * @param {string} piece
 * @returns {string[]}
 */
const withImports = (piece) => [
  piece,
  ...(outputs[piece]?.imports ?? [])
    .filter(({ kind, external: isOutside }) => kind === 'import-statement' && !isOutside)
    .flatMap(({ path }) => withImports(relative('dist', path))),
];

/** @type {Map<string, string>} The file that each piece lies in; others are files of their own. */
const homes = new Map();
for (const [file, sources] of Object.entries(together)) {
  for (const source of sources) {
    const entry = Object.keys(outputs).find((piece) => outputs[piece]?.entryPoint === source);
    if (entry === undefined) throw new Error(`${source} is loaded by nobody on its own`);
    for (const piece of withImports(entry)) if (!homes.has(piece)) homes.set(piece, file);
  }
}

/** @param {string} piece */
const nameOf = (piece) => piece.replace(/\.js$/, '').replace(/\W/g, '_');

/**
 * Lets a piece find the others where they lie.
 * @param {string} code
 * @param {string} piece
 * @param {string} file
 */
const redirected = (code, piece, file) => {
  /** @param {string} other */
  const from = (other) => {
    const home = homes.get(other);
    if (home === undefined) return `require("./${relative(dirname(file), other)}")`;
    return home === file ? `${nameOf(other)}()` : `require("./${relative(dirname(file), home)}").${nameOf(other)}()`;
  };
  return code.replace(/\brequire\("(\.[^"]+)"\)/g, (whole, path) => {
    const other = join(dirname(piece), path);
    return outputs[other] ? from(other) : whole;
  });
};

/** @type {Map<string, string>} */
const codes = new Map();
for (const { path, text } of outputFiles) {
  // `import()` of a piece becomes a `require` in a promise.
  const supported = { 'dynamic-import': false };
  const { code } = await transform(text, { format: 'cjs', platform: 'node', target, minify: true, supported });
  codes.set(relative(join(root, 'dist'), path), code);
}

/** @type {Map<string, string>} */
const files = new Map([[join(root, 'dist/package.json'), '{"type":"commonjs"}\n']]);
for (const [piece, code] of codes) {
  if (!homes.has(piece)) files.set(join(root, 'dist', piece), redirected(code, piece, piece));
}
for (const file of Object.keys(together)) {
  const parts = [...codes].filter(([piece]) => homes.get(piece) === file);
  files.set(
    join(root, 'dist', file),
    [
      '"use strict";const part=(make)=>{let made;return()=>{if(!made)make(made={exports:{}},made.exports);return made.exports}};',
      ...parts.map(
        ([piece, code]) => `const ${nameOf(piece)}=part((module,exports)=>{${redirected(code, piece, file)}});`,
      ),
      `module.exports={${parts.map(([piece]) => nameOf(piece)).join()}};`,
    ].join('\n'),
  );
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

/** Where packages lie whose code is in the bundle; one may have another of its own inside. */
const bundled = new Set(
  Object.keys(metafile.inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? []),
);
const licences = await Promise.all(
  [...bundled].map(async (path) => {
    const folder = join(root, path);
    const facts = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const texts = [await licenceIn(folder), ...(await noticesOf(facts.name))];
    return `${facts.name} ${facts.version} (${facts.license})\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
  }),
);
await writeFile(join(root, 'dist', 'THIRD-PARTY.txt'), licences.sort().join(`\n${'-'.repeat(72)}\n\n`));

/** @param {string} folder */
async function licenceIn(folder) {
  const name = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
  if (name === undefined) throw new Error(`no licence text found in ${folder}`);
  return readFile(join(folder, name), 'utf8');
}

/**
 * Of what a package has inside and does not speak of itself: src/build/notices/PACKAGE/PART.txt, as that part's own
 * repository has it.
 *
 * @param {string} name
 */
async function noticesOf(name) {
  const folder = join(root, 'src/build/notices', name);
  const files = await readdir(folder).catch(() => []);
  return Promise.all(
    files
      .sort()
      .map(async (file) => `${basename(file, '.txt')}, inside it:\n\n${await readFile(join(folder, file), 'utf8')}`),
  );
}
