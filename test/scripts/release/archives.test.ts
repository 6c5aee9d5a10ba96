import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { debOf, stage, tarOf, zipOf } from '../../../scripts/release/archives.js';
import { execFileSync } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { needs } from '../../support/tools.ts';

const date = new Date('2026-12-01T10:00:00Z');
const control = {
  Package: 'sched',
  Version: '1.2.3',
  Architecture: 'all',
  Maintainer: 'A <a@x.example>',
  Description: 'B',
};

/** Makes an archive in a folder of its own, from files in the given order. */
const made = async (kind: 'tar.gz' | 'zip' | 'deb', isReversed: boolean): Promise<string> => {
  const place = temporaryDirectory('archive');
  mkdirSync(join(place, 'sched-1.2.3'));
  writeFileSync(join(place, 'program'), '#!/bin/sh\n', { mode: isReversed ? 0o600 : 0o777 });
  const files = [
    { path: 'sched', from: join(place, 'program'), isProgram: true },
    { path: 'man/man1/sched.1', text: '.TH SCHED 1\n' },
    { path: 'LICENSE', text: 'MIT\n' },
  ];
  const entries = isReversed ? files.toReversed() : files;
  const [folder, archive] = [join(place, 'sched-1.2.3'), join(place, `made.${kind}`)];
  if (kind === 'deb') await debOf(archive, { folder, entries, date, control });
  else {
    await stage(folder, entries, date);
    await (kind === 'zip' ? zipOf(archive, folder) : tarOf(archive, folder, date));
  }
  return archive;
};

/** What a program says about an archive. */
const listed = (program: string, ...words: string[]): string => execFileSync(program, words, { encoding: 'utf8' });

const sameTwice = async (kind: 'tar.gz' | 'zip' | 'deb'): Promise<string> => {
  const one = await made(kind, false);
  const mask = process.umask(0o077);
  const other = await made(kind, true).finally(() => process.umask(mask));
  expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
  return one;
};

// A release is made on Linux, with the programs of that system.
describe.runIf(process.platform === 'linux')('archives', () => {
  test('a tar archive has the same bytes when it is made again, and belongs to root', async () => {
    needs('tar', 'gzip');
    const list = listed('tar', '--utc', '--numeric-owner', '-tvzf', await sameTwice('tar.gz'));
    expect(list).toMatch(/^-rwxr-xr-x 0\/0 +10 2026-12-01 10:00 sched-1\.2\.3\/sched$/m);
    expect(list).toMatch(/^-rw-r--r-- 0\/0 +12 2026-12-01 10:00 sched-1\.2\.3\/man\/man1\/sched\.1$/m);
  });

  test('a zip archive has the same bytes when it is made again', async () => {
    needs('zip');
    const content = readFileSync(await sameTwice('zip'), 'latin1');
    expect(content).toMatch(/^PK[\s\S]*sched-1\.2\.3\/LICENSE[\s\S]*man1\/sched\.1[\s\S]*1\.2\.3\/sched/);
  });

  test('a package for Debian has the same bytes when it is made again, with sizes and sums', async () => {
    needs('dpkg-deb');
    const deb = await sameTwice('deb');
    expect(listed('dpkg-deb', '--contents', deb)).toMatch(/^-rwxr-xr-x root\/root +10 \S+ \S+ \.\/sched$/m);
    expect(listed('dpkg-deb', '--field', deb)).toBe(
      'Package: sched\nVersion: 1.2.3\nArchitecture: all\nMaintainer: A <a@x.example>\nDescription: B\nInstalled-Size: 1\n',
    );
    expect(listed('dpkg-deb', '--info', deb, 'md5sums')).toMatch(/^[0-9a-f]{32} {2}LICENSE\n[0-9a-f]{32} {2}man\//);
  });
});
