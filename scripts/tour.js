/**
 * `npm run tour`: runs each part of the built program once. `npm run tour -- release` does it with the program in the
 * archive for this system in that folder, unpacked somewhere else.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { archiveName, programName, secondProgram, thisMachine } from './release/targets.js';
import { failInWords } from './script.js';
import { smoke } from './smoke.js';

/** @param {string} archive */
export async function tourOfArchive(archive) {
  const place = await mkdtemp(join(tmpdir(), 'sched-tour-'));
  try {
    // On Windows, tar reads zip files too.
    await promisify(execFile)('tar', ['-xf', resolve(archive), '-C', place]);
    const title = basename(archive).replace(/\.(tar\.gz|zip)$/, '');
    await smoke(join(place, title, programName(thisMachine())));
    const second = join(place, title, secondProgram(thisMachine()).path);
    const { stdout } = await promisify(execFile)(second, ['--help'], { shell: process.platform === 'win32' });
    if (!stdout.startsWith('Usage: scheds '))
      throw new Error(`The second name of the program doesn't work:\n${stdout}`);
  } finally {
    await rm(place, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  failInWords();
  const folder = process.argv[2];
  if (folder === undefined) {
    await smoke(process.execPath, [fileURLToPath(new URL('../bin/sched.js', import.meta.url))]);
    process.stdout.write(`The build works with Node ${process.version} on ${thisMachine()}.\n`);
  } else {
    const archive = (await readdir(folder)).find((file) => file.endsWith(`-${archiveName(thisMachine())}`));
    if (archive === undefined) throw new Error(`${folder} has no archive for ${thisMachine()}`);
    await tourOfArchive(join(folder, archive));
    process.stdout.write(`${archive} works on this machine.\n`);
  }
}
