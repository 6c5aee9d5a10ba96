/**
 * Builds `dist-standalone/sched` from `dist/`: one file for this platform that needs no Node. It is compiled with Bun,
 * which is downloaded. Bun doesn't compile `src/` directly, because it would replace undici with its own version.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { evaluate } from './bundle.js';
import { fetchPackage } from './registry.js';
import { smoke } from './smoke.js';

const version = '1.4.4';
/** @type {Record<string, { name: string, integrity: string }>} */
const compilers = {
  'linux-x64': {
    name: '@oven/bun-linux-x64',
    integrity: 'sha512-CHbbkmHVM28T1GFq+6GL4Ao4ujwwYwj1CxFFwEFzLanPfNsId9AhbIP0Q4reWuWBkGimUkoQygrK7Rgjtj3vog==',
  },
  'linux-arm64': {
    name: '@oven/bun-linux-aarch64',
    integrity: 'sha512-ZTVtpf9zmHSBVPX1sBwe5agGb/rN34yPGg/Hby8e2Ax2uCUA2URZKlZH7qLntK7qaFJCMXh9v0GWNYN2zINz1w==',
  },
  'darwin-x64': {
    name: '@oven/bun-darwin-x64',
    integrity: 'sha512-oKGcxLsvh4oHjAo28nPm8c/xN0o/OmGyj1IHYc94vprkWsW2hNg2keEZt5f40cI5Hvu4jDlSRTR0UNpv1UIAxw==',
  },
  'darwin-arm64': {
    name: '@oven/bun-darwin-aarch64',
    integrity: 'sha512-zW/hxwc8sJAILGwB5eTC4i48ouGXf0V4lrxmEOk3JIE6JkYVW1TZh1E2pIempqsezgW1sckTIIDudFON8bJ2Mw==',
  },
};

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = join(root, 'dist-standalone');
const platform = `${process.platform}-${process.arch}`;
const compiler = compilers[platform];
if (compiler === undefined) throw new Error(`Can't build a standalone program for ${platform}`);
const bun = join(await fetchPackage({ version, ...compiler }), 'bin', 'bun');
if (process.argv.includes('--fetch')) process.exit();

/** The native file that the keychain binding loads on this platform. */
const keychain = (() => {
  const require = createRequire(import.meta.url);
  require('@napi-rs/keyring');
  const file = Object.keys(require.cache).find((path) => /keyring.*\.node$/.test(path));
  if (file === undefined) throw new Error(`The keychain binding has no native file for ${platform}`);
  return file;
})();

/** The keychain helper's script, with a fixed path to the binding, so that the compiler includes it. */
const keychainHelper = () =>
  evaluate('src/auth/keychain-child.ts', async ({ keychainScript, keychainArgument }) => {
    const script = keychainScript.replace('require(process.argv[1])', `require(${JSON.stringify(keychain)})`);
    if (script === keychainScript) throw new Error("The keychain helper's script doesn't load the binding as expected");
    return { script, word: keychainArgument };
  });

const flags = [
  ['--compile', '--minify', '--bytecode', '--splitting', '--format=esm'],
  // Most commands end before JIT compilation pays off, so compile later.
  ['--compile-jit-policy=16'],
  // A file in the working directory must not set the environment, with its tokens and URLs.
  ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
  // Threads start from files that are included next to the entry.
  ['--entry-naming', '[name].[ext]', '--define', 'SCHED_JQ_WORKER="./jq-worker.js"'],
  // Bun includes SQLite.
  ['--external', 'libsql'],
  // The Redis client can use these, and sched doesn't ask it to.
  ['--external', '@node-rs/xxhash', '--external', '@opentelemetry/api'],
].flat();

// Inside node_modules, so that the relative paths in the entry work.
const making = await mkdtemp(join(root, 'node_modules', '.sched-standalone-'));
try {
  const made = join(making, 'sched');
  const { script, word } = await keychainHelper();
  await writeFile(join(making, 'keychain.cjs'), script);
  await writeFile(
    join(making, 'entry.js'),
    `await (process.argv[2] === '${word}' ? import('./keychain.cjs') : import('../../bin/sched.js'));`,
  );
  const threads = (await readdir(join(root, 'dist'))).filter((file) => file.endsWith('-worker.js'));
  const entries = [join(making, 'entry.js'), ...threads.map((file) => join(root, 'dist', file))];
  await promisify(execFile)(bun, ['build', ...flags, ...entries, '--outfile', made], { cwd: making });
  await smoke(made);
  await mkdir(folder, { recursive: true });
  await rename(made, join(folder, 'sched'));
  await writeFile(join(folder, 'THIRD-PARTY.txt'), await licenses());
} finally {
  await rm(making, { recursive: true });
}
const { size } = await stat(join(folder, 'sched'));
process.stdout.write(`dist-standalone/sched: ${(size / 1e6).toFixed(0)} MB\n`);

/** The licenses of the bundle, plus those of the keychain binding and Bun. */
async function licenses() {
  const texts = [(await readFile(join(root, 'dist', 'THIRD-PARTY.txt'), 'utf8')).trim()];
  for (const place of [join(root, 'node_modules/@napi-rs/keyring'), dirname(keychain)]) {
    const facts = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
    for (const file of (await readdir(place)).filter((name) => /^licen[cs]e/i.test(name)).sort())
      texts.push(
        `${facts.name} ${facts.version} (${facts.license})\n\n${(await readFile(join(place, file), 'utf8')).trim()}`,
      );
  }
  const { license } = JSON.parse(await readFile(join(dirname(bun), '..', 'package.json'), 'utf8'));
  const place = `https://github.com/oven-sh/bun/blob/bun-v${version}/LICENSE.md`;
  texts.push(`bun ${version} (${license}), which runs the program\n\nIts license and those of its parts: ${place}`);
  return `${texts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
}
