/** Writes the archives of a release. The same files give the same bytes: sorted, owned by root, as old as the commit. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

const run = promisify(execFile);

/** @typedef {{ path: string, from?: string, text?: string | Buffer, isProgram?: boolean }} Entry a copy of a file, or a text */

/** Makes a folder with these files, whatever the umask. @param {string} folder @param {Entry[]} entries @param {Date} date */
export async function stage(folder, entries, date) {
  await rm(folder, { recursive: true, force: true });
  for (const { path, from, text = '', isProgram = false } of entries) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await (from === undefined ? writeFile(place, text) : cp(from, place));
    await chmod(place, isProgram ? 0o755 : 0o644);
  }
  const inside = await readdir(folder, { recursive: true });
  for (const path of [folder, ...inside.map((each) => join(folder, each))]) {
    if ((await stat(path)).isDirectory()) await chmod(path, 0o755);
    await utimes(path, date, date);
  }
}

/** All files below a folder, in order. @param {string} folder */
const filesBelow = async (folder) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

/** @param {string} archive to write @param {string} folder that it contains @param {Date} date */
export async function tarOf(archive, folder, date) {
  const same = [
    '--sort=name',
    '--format=ustar',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    `--mtime=${date.toISOString()}`,
  ];
  await run('tar', [
    ...same,
    '--use-compress-program=gzip -n',
    '-cf',
    archive,
    '-C',
    dirname(folder),
    basename(folder),
  ]);
}

/** @param {string} archive to write @param {string} folder that it contains */
export async function zipOf(archive, folder) {
  const files = (await filesBelow(folder)).map((path) => join(basename(folder), path));
  // A zip file has local times, and fields for the owner unless -X leaves them out.
  await run('zip', ['-q', '-X', archive, ...files], { cwd: dirname(folder), env: { ...process.env, TZ: 'UTC' } });
}

/**
 * A package for Debian and Ubuntu.
 * @param {string} archive to write
 * @param {{ folder: string, entries: Entry[], date: Date, control: Record<string, string> }} about
 */
export async function debOf(archive, { folder, entries, date, control }) {
  await stage(folder, entries, date);
  const files = await filesBelow(folder);
  const contents = await Promise.all(files.map((path) => readFile(join(folder, path))));
  const sums = contents.map(
    (content, index) => `${createHash('md5').update(content).digest('hex')}  ${files[index]}\n`,
  );
  const size = Math.ceil(contents.reduce((sum, { length }) => sum + length, 0) / 1024);
  const fields = Object.entries({ ...control, 'Installed-Size': String(size) });
  await mkdir(join(folder, 'DEBIAN'));
  await chmod(join(folder, 'DEBIAN'), 0o755);

  await writeFile(join(folder, 'DEBIAN/control'), fields.map(([name, value]) => `${name}: ${value}\n`).join(''));
  await writeFile(join(folder, 'DEBIAN/md5sums'), sums.join(''));
  for (const name of ['control', 'md5sums']) await chmod(join(folder, 'DEBIAN', name), 0o644);
  // dpkg-deb only lowers times that are later than SOURCE_DATE_EPOCH.
  for (const name of ['DEBIAN/control', 'DEBIAN/md5sums', 'DEBIAN', '.']) await utimes(join(folder, name), date, date);
  await run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--threads-max=1', '--build', folder, archive], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(Math.floor(date.getTime() / 1000)) },
  });
}

/** A file as `gzip` would write it, without its time. @param {string | Buffer} content */
export const gzipped = (content) => gzipSync(content, { level: 9 });
