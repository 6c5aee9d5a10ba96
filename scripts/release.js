/** Makes everything that people install from. The usage below says how. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageIn, partsOf } from './licenses.js';
import { debOf, gzipped, stage, tarOf, zipOf } from './release/archives.js';
import { bindingOf, compile, noticesFor, packagesFor, pinned } from './release/compile.js';
import { inspect } from './release/inspect.js';
import { changesOf, notesOf } from './release/notes.js';
import { sbomOf } from './release/sbom.js';
import { archiveName, debian, programName, secondProgram, targets, thisMachine } from './release/targets.js';
import { readFlags } from './script.js';
import { smoke } from './smoke.js';
import { tourOfArchive } from './tour.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const usage = `Usage: npm run release -- --tag v1.2.3 --url https://example.com/releases/v1.2.3

Makes everything that people install from, in release/. It needs a clean tree at that tag, and Linux with tar, gzip, zip
and dpkg-deb. The URL is where the files will be; it is written into the notes only.`;
const { tag = '', url = '' } = readFlags(usage, { tag: { type: 'string' }, url: { type: 'string' } });
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const { version } = manifest;
const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages;

/** @param {string[]} words */
const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);

if (tag !== `v${version}`) throw new Error(`--tag must be v${version}, the version in package.json`);
if (!/^https?:\/\/\S+[^/\s]$/.test(url)) throw new Error('--url must be the address of the folder with the files');
if (git('status', '--porcelain') !== '') throw new Error('The tree has changes that are not committed');
if (git('rev-parse', `${tag}^{commit}`) !== git('rev-parse', 'HEAD')) throw new Error(`HEAD is not ${tag}`);
const changes = changesOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version);
const date = new Date(Number(git('log', '-1', '--format=%ct')) * 1000);

const making = join(root, 'node_modules/.sched-release');
const out = join(making, 'release');
await rm(making, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const steps = 4 + Object.keys(targets).length;
let begun = 0;
/** Says what begins, and how much there is. The time shows that it goes on. @param {string} what */
const begin = (what) => say(`${new Date().toTimeString().slice(0, 8)} ${++begun}/${steps} ${what} …`);
/** How far each file was tried. @type {Record<string, string>} */
const tried = {};

begin('Building dist/');
// The build has told which packages it bundled.
const { packages } = await import('./build.js');
/** @param {import('./licenses.js').Package} about */
const partOf = async ({ folder, ...about }) => ({
  ...about,
  integrity:
    (lock[folder.replace(/^.*?(?=node_modules\/)/, '')] ?? lock[`node_modules/${about.name}`])?.integrity ??
    pinned.packages[about.name],
  parts: await partsOf(about.name),
});
const bundled = await Promise.all(packages.map(partOf));
/** @param {string} file @param {import('./release/sbom.js').Part[]} parts */
const sbom = (file, parts) => `${JSON.stringify(sbomOf({ manifest, file, date, parts }), null, 2)}\n`;

begin('Trying each part of the program with Node');
await smoke(process.execPath, [join(root, 'bin/sched.js')]);
begin('Packing the npm package');
// npm packs the modes of the files, which depend on the umask of the clone and of the build.
execFileSync('chmod', ['-R', 'u=rwX,go=rX', ...manifest.files, 'package.json', 'README.md', 'LICENSE'], { cwd: root });
execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', out], { cwd: root });
const npmName = `sched-${version}`;
await writeFile(join(out, `${npmName}.cdx.json`), sbom(npmName, bundled));
tried[`${npmName}.tgz`] = 'its program toured with Node';

const man = (await readdir(join(root, 'man'))).map((file) => ({ file, section: file.slice(-1) }));
const completions = await readdir(join(root, 'completions'));

for (const [name, target] of Object.entries(targets)) {
  const title = `sched-${version}-${name}`;
  begin(`Compiling and packing ${title}${name === thisMachine() ? ', and touring it' : ''}`);
  const program = join(making, programName(name));
  await compile(name, program);
  const content = await readFile(program);
  if (!content.includes(await readFile(await bindingOf(name)))) throw new Error(`${title}: no keychain binding`);
  if (content.includes(root)) throw new Error(`${title} contains a path of this machine`);
  const found = inspect(content, target);

  const { bun, binding } = await packagesFor(name);
  const own = await Promise.all([bun, binding].map(async (folder) => partOf(await packageIn(folder))));
  const bom = sbom(title, [...bundled, ...own]);
  await writeFile(join(out, `${title}.cdx.json`), bom);
  const notices = await noticesFor(name);
  const folder = join(making, title);
  await stage(
    folder,
    [
      { path: programName(name), from: program, isProgram: true },
      secondProgram(name),
      ...man.map(({ file, section }) => ({ path: `man/man${section}/${file}`, from: join(root, 'man', file) })),
      ...completions.map((file) => ({ path: `completions/${file}`, from: join(root, 'completions', file) })),
      ...['LICENSE', 'README.md', 'CHANGELOG.md'].map((file) => ({ path: file, from: join(root, file) })),
      { path: 'THIRD-PARTY.txt', text: notices },
      { path: 'sbom.cdx.json', text: bom },
    ],
    date,
  );
  const archive = join(out, `sched-${version}-${archiveName(name)}`);
  await (archive.endsWith('.zip') ? zipOf(archive, folder) : tarOf(archive, folder, date));
  const isHere = name === thisMachine();
  if (isHere) await tourOfArchive(archive);
  tried[basename(archive)] = isHere ? `unpacked and toured (${found})` : `never run; checked: ${found}`;
  say(`${title}: ${tried[basename(archive)]}`);
  const architecture = debian[name];
  if (architecture !== undefined)
    await packageForDebian(architecture, { program, second: secondProgram(name).text }, notices, bom);
}

/** @param {string} architecture @param {{ program: string, second: string }} programs @param {string} notices @param {string} bom */
async function packageForDebian(architecture, { program, second }, notices, bom) {
  const doc = 'usr/share/doc/sched';
  const copied = async (/** @type {string} */ path) => gzipped(await readFile(join(root, path)));
  const file = `sched_${version}_${architecture}.deb`;
  await debOf(join(out, file), {
    folder: join(making, 'deb'),
    date,
    entries: [
      { path: 'usr/bin/sched', from: program, isProgram: true },
      { path: 'usr/bin/scheds', text: second, isProgram: true },
      ...(await Promise.all(
        man.map(async ({ file, section }) => ({
          path: `usr/share/man/man${section}/${file}.gz`,
          text: await copied(`man/${file}`),
        })),
      )),
      // bash and fish load a file with the name that was typed.
      ...['sched', 'scheds'].flatMap((name) => [
        { path: `usr/share/bash-completion/completions/${name}`, from: join(root, 'completions/sched.bash') },
        { path: `usr/share/fish/vendor_completions.d/${name}.fish`, from: join(root, 'completions/sched.fish') },
      ]),
      { path: 'usr/share/zsh/vendor-completions/_sched', from: join(root, 'completions/_sched') },
      { path: `${doc}/copyright`, from: join(root, 'LICENSE') },
      { path: `${doc}/changelog.gz`, text: await copied('CHANGELOG.md') },
      { path: `${doc}/THIRD-PARTY.txt.gz`, text: gzipped(notices) },
      { path: `${doc}/sbom.cdx.json`, text: bom },
    ],
    control: {
      Package: manifest.name,
      Version: version,
      Architecture: architecture,
      Maintainer: git('log', '-1', '--format=%an <%ae>'),
      Section: 'utils',
      Priority: 'optional',
      Depends: 'libc6 (>= 2.17)',
      Suggests: 'gnome-keyring',
      Description: manifest.description,
    },
  });
  tried[file] = 'never installed; the program of the archive';
}

begin('Writing sums and notes');
const files = await Promise.all(
  (await readdir(out)).sort().map(async (name) => {
    const content = await readFile(join(out, name));
    return { name, size: content.length, hash: createHash('sha256').update(content).digest('hex') };
  }),
);
await writeFile(join(out, 'SHA256SUMS'), files.map(({ name, hash }) => `${hash}  ${name}\n`).join(''));
const shown = files.flatMap((file) =>
  tried[file.name] === undefined ? [] : [{ ...file, tried: `${tried[file.name]}` }],
);
await writeFile(join(out, 'NOTES.md'), notesOf({ version, changes, url, files: shown }));
await rm(join(root, 'release'), { recursive: true, force: true });
await rename(out, join(root, 'release'));
await rm(making, { recursive: true });
for (const { name, size, hash } of files) say(`${hash}  ${(size / 1e6).toFixed(1).padStart(6)} MB  ${name}`);
