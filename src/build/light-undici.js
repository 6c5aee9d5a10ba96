import { readFile } from 'node:fs/promises';

const namespace = 'light-undici';

/**
 * Compiles undici's HTTP parser, which is WebAssembly, beside everything else that is loaded: undici itself begins when
 * the connection stands, and lets it wait. Where that is not done by then, undici compiles as ever, which takes less for
 * having been begun.
 */
const earlyParser = `
let module;
WebAssembly.compile(require('undici/lib/llhttp/llhttp_simd-wasm.js')).then(
  (compiled) => { module = compiled; },
  () => {}, // Then undici tries for itself, and has a plainer one.
);
exports.compiled = () => module;
`;

/**
 * What undici loads and we do not need: Node's HTTP/2, which is offered to no service, Node's assertions, which open
 * stderr to see whether it has colours, and Node's own HTTP, of which its client only asks how large headers may become.
 * Together they take as long as all of its own.
 * @type {Record<string, string>}
 */
const standIns = {
  assert:
    'module.exports = (is, message) => { if (!is) throw message instanceof Error ? message : new Error(message); };',
  // As large as in Node. No body that we send is somebody's message.
  http: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: undefined };',
  parser: earlyParser,
};

/**
 * @param {string} text
 * @param {string} from
 * @param {string} to
 */
const replaced = (text, from, to) => {
  if (text.split(from).length !== 2) throw new Error(`undici no longer says once: ${from}`);
  return text.replace(from, to);
};

/**
 * The part of undici that we use, and no more.
 * @type {import('esbuild').Plugin}
 */
export const lightUndici = {
  name: namespace,
  setup: ({ onLoad, onResolve, initialOptions }) => {
    onResolve({ filter: /^node:assert$/ }, ({ importer }) =>
      importer.includes('/node_modules/undici/') ? { path: 'assert', namespace } : undefined,
    );
    onResolve({ filter: /^node:http$/ }, ({ importer }) =>
      /undici\/lib\/(core\/util|dispatcher\/client)\.js$/.test(importer) ? { path: 'http', namespace } : undefined,
    );
    onResolve({ filter: /^light-undici:parser$/ }, () => ({ path: 'parser', namespace }));
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: standIns[path],
      resolveDir: initialOptions.absWorkingDir,
    }));
    onLoad({ filter: /undici\/lib\/dispatcher\/client-h2\.js$/ }, () => ({
      contents: "module.exports = () => { throw new Error('HTTP/2 is not offered'); };",
    }));
    // The first to be loaded.
    onLoad({ filter: /undici\/lib\/dispatcher\/pool\.js$/ }, async ({ path }) => ({
      contents: `require('light-undici:parser');\n${await readFile(path, 'utf8')}`,
    }));
    onLoad({ filter: /undici\/lib\/dispatcher\/client-h1\.js$/ }, async ({ path }) => {
      const parser = "new WebAssembly.Module(require('../llhttp/llhttp_simd-wasm.js'))";
      const early = `require('light-undici:parser').compiled() ?? ${parser}`;
      return { contents: replaced(await readFile(path, 'utf8'), parser, early) };
    });
  },
};
