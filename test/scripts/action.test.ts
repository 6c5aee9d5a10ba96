import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { tarOf } from '../../scripts/release/archives.js';
import { spawnSync } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { pathOf } from '../support/tools.ts';

const script = fileURLToPath(new URL('../../scripts/action.sh', import.meta.url));
const system = existsSync('/lib/ld-musl-x86_64.so.1') ? 'linux-x64-musl' : 'linux-x64';
const title = `sched-1.2.3-${system}`;

/** A folder with an archive to download, and a runner. */
const runner = async () => {
  const place = temporaryDirectory('action');
  for (const name of ['tools', 'temp', 'downloads', title]) mkdirSync(join(place, name));
  writeFileSync(join(place, title, 'sched'), '#!/bin/sh\necho 1.2.3\n');
  chmodSync(join(place, title, 'sched'), 0o755);
  const archive = join(place, 'downloads', `${title}.tar.gz`);
  await tarOf(archive, join(place, title), new Date(0));
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  const install = (sums: string, env: Record<string, string> = {}) =>
    spawnSync('bash', [script], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        RUNNER_OS: 'Linux',
        RUNNER_ARCH: 'X64',
        RUNNER_TEMP: join(place, 'temp'),
        RUNNER_TOOL_CACHE: join(place, 'tools'),
        GITHUB_PATH: join(place, 'path'),
        VERSION: '1.2.3',
        URL: pathToFileURL(join(place, 'downloads')).href,
        SHA256SUMS: sums,
        ...env,
      },
    });
  return { place, archive, install, sums: `${'0'.repeat(64)}  other.zip\n${sum}  ${title}.tar.gz\n` };
};

// The archive is made with the tar of Linux.
describe.runIf(process.platform === 'linux' && pathOf('curl') !== undefined)('the action', () => {
  test('installs what matches its checksum, and the second time from the cache', async () => {
    const { place, archive, install, sums } = await runner();
    const first = install(sums);
    expect([first.status, first.stdout, first.stderr]).toEqual([0, '1.2.3\n', '']);
    expect(readFileSync(join(place, 'path'), 'utf8')).toBe(`${join(place, 'temp', title)}\n`);
    renameSync(archive, join(place, 'gone'));
    expect(install(sums)).toMatchObject({ status: 0, stdout: '1.2.3\n' });
    // A damaged cache is downloaded again.
    renameSync(join(place, 'gone'), archive);
    writeFileSync(join(place, 'tools/sched-1.2.3', `${title}.tar.gz`), 'damaged');
    expect(install(sums)).toMatchObject({ status: 0, stdout: '1.2.3\n' });
  });

  test('unpacks nothing that differs from its checksum, and keeps nothing of it', async () => {
    const { place, archive, install, sums } = await runner();
    writeFileSync(archive, 'something else');
    const { status, stderr } = install(sums);
    expect([status, stderr]).toEqual([1, expect.stringContaining("doesn't match its line in sha256sums")]);
    for (const path of ['path', `temp/${title}`, `tools/sched-1.2.3/${title}.tar.gz`])
      expect(existsSync(join(place, path))).toBe(false);
    expect(install(`${'0'.repeat(64)}  other.zip\n`).stderr).toBe(`sha256sums has no line for ${title}.tar.gz\n`);
    expect(install(sums, { RUNNER_ARCH: 'ARM' }).stderr).toBe('There is no sched for ARM\n');
  });
});
