/** Bundles modules of this repository as CommonJS: the program, and what scripts, tests and benches run outside of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../', import.meta.url));
const require = createRequire(import.meta.url);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Installed with the package, because native bindings can't be bundled. */
const native = ['libsql', '@napi-rs/keyring'];

/**
 * Makes cli-table3 measure text with sched's own function.
 * @type {import('rolldown').Plugin}
 */
export const gridWidth = {
  name: 'grid-width',
  resolveId: (source, importer = '') =>
    source === 'string-width' && /[\\/]cli-table3[\\/]/.test(importer)
      ? join(root, 'src/output/grid-width.cjs')
      : undefined,
};

/**
 * Imports scripts, SQL, dialects and the skill as text, and some folders as one object with the texts of their files by name.
 * @type {import('rolldown').Plugin}
 */
export const texts = {
  name: 'texts',
  resolveId: (source, importer = '') =>
    /^\.[./]*\/(man|browser)$/.test(source) ? join(dirname(importer), source) : undefined,
  load: (id) => {
    const text = (/** @type {string} */ path) => readFileSync(path, 'utf8');
    const module = (/** @type {unknown} */ value) => ({
      code: `export default ${JSON.stringify(value)}`,
      moduleType: /** @type {const} */ ('js'),
    });
    if (id === join(root, 'man') || id === join(root, 'src/sandbox/pages/browser'))
      return module(Object.fromEntries(readdirSync(id).map((name) => [name, text(join(id, name))])));
    return dirname(id) === join(root, 'completions') || /\.(md|sh|sql|yaml)$/.test(id) ? module(text(id)) : undefined;
  },
};

/**
 * Reads man pages from the folder beside `dist/`, so that the package has them once.
 * @type {import('rolldown').Plugin}
 */
export const pagesBeside = {
  name: 'pages-beside',
  load: (id) =>
    id === join(root, 'man')
      ? {
          code: `import { readdirSync, readFileSync } from 'node:fs';
            const folder = import.meta.dirname + '/../../man/';
            export default Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(folder + name, 'utf8')]));`,
          moduleType: 'js',
        }
      : undefined,
};

/** What `dist/` is made of. @type {{ input: Record<string, string>, together: Record<string, string[]> }} */
export const program = {
  input: {
    main: 'src/main.ts',
    runtime: 'src/node/runtime.ts',
    'jq-worker': 'src/output/jq-worker.ts',
    'sql-worker': 'src/sandbox/mirror/sql-worker.ts',
    sandbox: 'src/create-sandbox.ts',
  },
  // What most commands load is in few files, because each file takes Node 0.3 ms.
  together: {
    start: ['main', 'node/redacted-output', 'base/json', 'base/nearest', 'base/once', 'api/catalogue', 'api/limits'],
    // The sandbox needs these too. They are apart, because it is a library and must not load commands.
    schemas: [
      'api/collections',
      'api/inspect',
      'api/operation',
      'api/window',
      'api/wording',
      'dialects/dialect',
      'time/availability-rules',
      'time/zone',
    ],
    'command-line': ['cli/invoke'],
    operation: ['cli/operation/generic-command'],
  },
};

/**
 * Each `import()` gets a separate file in `chunks/`, so that a command loads only the code it needs.
 * @param {{ input: Record<string, string>, dir: string, minify?: boolean, isElsewhere?: boolean, plugins?: import('rolldown').Plugin[], together?: Record<string, string[]> }} options
 *   `isElsewhere`: the result runs outside of this repository, so native packages need their full path.
 *   `together`: these modules of `src/` share a file with all that they import, unless a file before it has that.
 */
export const bundle = async ({ input, dir, minify = false, isElsewhere = true, plugins = [], together = {} }) => {
  const built = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: native,
    // Loading Node's HTTP/2 takes longer than all of undici, and `sched` never uses it.
    resolve: { alias: { 'node:http2': join(root, 'scripts/no-http2.cjs') } },
    transform: {
      target: 'node20.19',
      define: {
        SCHED_VERSION: JSON.stringify(version),
        'import.meta.filename': '__filename',
        'import.meta.dirname': '__dirname',
        // Not available in CommonJS. The `open` package treats a missing value as a sign that it was bundled.
        'import.meta.url': 'undefined',
      },
    },
    plugins: [...plugins, gridWidth, texts],
    // A command may load on first use what another one needs from the start.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await built.write({
    dir,
    format: 'cjs',
    // Jest runs CommonJS without support for `import()`.
    dynamicImportInCjs: false,
    exports: 'named',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      groups: Object.entries(together).map(([name, modules]) => {
        const ids = modules.map((module) => join(root, 'src', `${module}.ts`));
        return { name, test: (id) => ids.includes(id) };
      }),
    },
    minify,
    paths: isElsewhere ? Object.fromEntries(native.map((name) => [name, require.resolve(name)])) : {},
  });
  await built.close();
  return output;
};

/**
 * Runs a module of this repository: calls `work` with its exports, while it can still load more code.
 * @template Result
 * @param {string} entry
 * @param {(exported: any) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export const evaluate = async (entry, work) => {
  const dir = await mkdtemp(join(tmpdir(), 'sched-build-'));
  const name = basename(entry, '.ts');
  try {
    await bundle({ input: { [name]: entry }, dir });
    return await work(require(join(dir, `${name}.js`)));
  } finally {
    await rm(dir, { recursive: true });
  }
};
