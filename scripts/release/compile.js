/** Compiles the program with Bun to one file that needs no Node, for this system or another one. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundle, evaluate, program } from '../bundle.js';
import { fetchPackage } from '../registry.js';
import { sign } from './mach-o.js';
import { bunPackage, bunTarget, targets, thisMachine } from './targets.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Bun, with the hashes of its packages. @type {{ version: string, packages: Record<string, string> }} */
export const pinned = JSON.parse(await readFile(new URL('bun.json', import.meta.url), 'utf8'));

/** @param {string} folder */
const manifestOf = async (folder) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

/** The folder of a package that package-lock.json lists: the installed one, or a download if npm left it out here. @param {string} name */
const lockedPackage = async (name) => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const { version, integrity } = packages[`node_modules/${name}`];
  const installed = join(root, 'node_modules', name);
  const found = await manifestOf(installed).catch(() => undefined);
  return found?.version === version ? installed : fetchPackage({ name, version, integrity });
};

/** Downloads what the program for a target contains besides `dist/`. Returns the folders of these packages. @param {string} name */
export const packagesFor = async (name) => {
  const target = targets[name];
  if (target === undefined) throw new Error(`Can't build a standalone program for ${name}`);
  const bun = bunPackage(name);
  return {
    bun: await fetchPackage({ name: bun, version: pinned.version, integrity: pinned.packages[bun] ?? '' }),
    keyring: await lockedPackage('@napi-rs/keyring'),
    binding: await lockedPackage(`@napi-rs/keyring-${target.binding}`),
  };
};

/** @param {string} folder of a package @param {RegExp} ending */
const fileIn = async (folder, ending) => {
  const file = (await readdir(folder)).find((name) => ending.test(name));
  if (file === undefined) throw new Error(`${folder} has no file that ends in ${ending.source}`);
  return join(folder, file);
};

/** The native file of the keychain binding. @param {string} name of a target */
export const bindingOf = async (name) => fileIn((await packagesFor(name)).binding, /\.node$/);

/** @param {string} name of a target */
const bunOf = async (name) => fileIn(join((await packagesFor(name)).bun, 'bin'), /^bun(\.exe)?$/);

/** The keychain helper's script, with a fixed path to the binding, so that the compiler includes it. @param {string} binding */
const keychainHelper = (binding) =>
  evaluate('src/auth/keychain-child.ts', async ({ keychainScript, keychainArgument }) => {
    const script = keychainScript.replace('require(process.argv[1])', `require(${JSON.stringify(binding)})`);
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
  ['--entry-naming', '[name].[ext]', '--define', 'SCHED_WORKERS="./"'],
  // The program finds no files beside itself, and the place where it was built is nobody's business.
  ['--define', '__filename="/sched"'],
  // Bun includes SQLite.
  ['--external', 'libsql'],
  // The Redis client can use these, and sched doesn't ask it to.
  ['--external', '@node-rs/xxhash', '--external', '@opentelemetry/api'],
].flat();

/** @param {string} name of a target @param {string} file to write */
export async function compile(name, file) {
  // Inside node_modules, so that the relative paths in the entry work.
  const making = await mkdtemp(join(root, 'node_modules', '.sched-standalone-'));
  try {
    const { script, word } = await keychainHelper(await bindingOf(name));
    await writeFile(join(making, 'keychain.cjs'), script);
    await writeFile(
      join(making, 'entry.js'),
      `await (process.argv[2] === '${word}' ? import('./keychain.cjs') : import('./bin/sched.js'));`,
    );
    await cp(join(root, 'bin'), join(making, 'bin'), { recursive: true });
    // As in the package, but with the man pages inside.
    const dist = join(making, 'dist');
    await bundle({ ...program, dir: dist, minify: true, isElsewhere: false });
    await cp(join(root, 'dist/package.json'), join(dist, 'package.json'));
    const threads = (await readdir(dist)).filter((path) => path.endsWith('-worker.js'));
    const entries = [join(making, 'entry.js'), ...threads.map((path) => join(dist, path))];
    const target = [`--target=${bunTarget(name)}`, `--compile-executable-path=${await bunOf(name)}`];
    const made = join(making, 'sched');
    await promisify(execFile)(
      await bunOf(thisMachine()),
      ['build', ...flags, ...target, ...entries, '--outfile', made],
      { cwd: making },
    );
    // Bun adds the ending of Windows. For Intel it keeps its own signature, which doesn't fit the program.
    const content = await readFile(await fileIn(making, /^sched(\.exe)?$/));
    await writeFile(file, name === 'macos-x64' ? sign(content, 'sched') : content, { mode: 0o755 });
  } finally {
    await rm(making, { recursive: true });
  }
}

/** The licenses of the program for a target: those of `dist/`, the keychain binding and Bun. @param {string} name */
export async function noticesFor(name) {
  const { bun, keyring, binding } = await packagesFor(name);
  const texts = [(await readFile(join(root, 'dist', 'THIRD-PARTY.txt'), 'utf8')).trim()];
  for (const place of [keyring, binding]) {
    const facts = await manifestOf(place);
    for (const file of (await readdir(place)).filter((each) => /^licen[cs]e/i.test(each)).sort())
      texts.push(
        `${facts.name} ${facts.version} (${facts.license})\n\n${(await readFile(join(place, file), 'utf8')).trim()}`,
      );
  }
  const { license } = await manifestOf(bun);
  const place = `https://github.com/oven-sh/bun/blob/bun-v${pinned.version}/LICENSE.md`;
  texts.push(
    `bun ${pinned.version} (${license}), which runs the program\n\nIts license and those of its parts: ${place}`,
  );
  return `${texts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
}
