import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './measurement.ts';

const packedTarget = 1.5;
const packagesTarget = 12;

const mebibytes = (bytes: number) => bytes / 1024 / 1024;

const npm = (...words: string[]): string =>
  execFileSync('npm', words, { cwd: process.cwd(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

/** The size of what `npm install` puts on a machine like this one. */
export const measure = async (): Promise<Figure[]> => {
  const [pack] = JSON.parse(npm('pack', '--dry-run', '--json', '--ignore-scripts')) as [
    { size: number; unpackedSize: number },
  ];
  const [, ...dependencies] = npm('ls', '--omit=dev', '--all', '--parseable').trim().split('\n');
  const installed = pack.unpackedSize + dependencies.reduce((sum, folder) => sum + sizeOf(folder), 0);
  const packages = dependencies.length + 1;
  return [
    {
      name: `packed, beside ${packedTarget} MB`,
      unit: 'MB',
      value: pack.size / 1e6,
      reference: packedTarget,
      ratio: pack.size / 1e6 / packedTarget,
      target: { most: 1 },
    },
    {
      name: `packages installed, beside ${packagesTarget}`,
      unit: 'packages',
      value: packages,
      reference: packagesTarget,
      ratio: packages / packagesTarget,
      target: { most: 1 },
    },
    {
      name: 'installed with everything it needs, beside unpacked alone',
      unit: 'MiB',
      value: mebibytes(installed),
      reference: mebibytes(pack.unpackedSize),
      ratio: installed / pack.unpackedSize,
      target: {},
    },
  ];
};
