import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { probePrivateFile, readPrivateFile, removePrivateFile, writePrivateFile } from '../../src/state/files.ts';
import { filesWith } from '../support/files-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const world = filesWith();

let root: string;
let path: string;
beforeEach(() => {
  root = temporaryDirectory('files');
  path = join(root, 'a', 'b', 'secret.json');
});

const mode = (file: string) => (lstatSync(file).mode & 0o777).toString(8);

// R16
describe('files', () => {
  test('have mode 0600 in 0700 directories, even with umask 0', async () => {
    const before = process.umask(0);
    try {
      await writePrivateFile(path, 'x', world);
    } finally {
      process.umask(before);
    }
    expect([mode(path), mode(join(root, 'a', 'b')), mode(join(root, 'a'))]).toEqual(['600', '700', '700']);
    expect(await readPrivateFile(path)).toBe('x');
  });

  test('are probed without leaving a file, and the probe fails if they cannot be written', async () => {
    await writePrivateFile(path, 'x', world);
    await probePrivateFile(path, 'y'.repeat(10_000), world);
    expect([await readPrivateFile(path), readdirSync(join(root, 'a', 'b'))]).toEqual(['x', ['secret.json']]);
    await expect(probePrivateFile(join(path, 'below'), 'y', world)).rejects.toMatchObject({ category: 'environment' });
  });

  test('replace a 0644 file with mode 0600, while the directory keeps its mode', async () => {
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    chmodSync(join(root, 'a', 'b'), 0o755);
    writeFileSync(path, 'old', { mode: 0o644 });
    await writePrivateFile(path, 'new', world);
    expect([mode(path), mode(join(root, 'a', 'b'))]).toEqual(['600', '755']);
    expect(readdirSync(join(root, 'a', 'b'))).toEqual(['secret.json']);
  });

  test('are refused if they are symbolic links, and the target does not change', async () => {
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    const target = join(root, 'target');
    writeFileSync(target, 'theirs');
    symlinkSync(target, path);
    await expect(writePrivateFile(path, 'ours', world)).rejects.toMatchObject({ category: 'environment' });
    await expect(readPrivateFile(path)).rejects.toMatchObject({ category: 'environment' });
    expect(readFileSync(target, 'utf8')).toBe('theirs');
  });

  test('are refused in a directory that all users can write to, which keeps its mode', async () => {
    const folder = join(root, 'everybody');
    mkdirSync(folder);
    chmodSync(folder, 0o1777);
    await expect(writePrivateFile(join(folder, 'x'), 'ours', world)).rejects.toMatchObject({ category: 'environment' });
    expect([mode(folder), readdirSync(folder)]).toEqual(['777', []]);
  });

  test('are refused in a directory that is a symbolic link', async () => {
    mkdirSync(join(root, 'elsewhere'));
    mkdirSync(join(root, 'a'));
    symlinkSync(join(root, 'elsewhere'), join(root, 'a', 'b'));
    writeFileSync(join(root, 'elsewhere', 'secret.json'), 'theirs');
    for (const use of [
      () => writePrivateFile(path, 'ours', world),
      () => readPrivateFile(path),
      () => removePrivateFile(path),
    ])
      await expect(use()).rejects.toMatchObject({ category: 'environment' });
    expect(readFileSync(join(root, 'elsewhere', 'secret.json'), 'utf8')).toBe('theirs');
  });

  test('are undefined if missing, and an error if unreadable', async () => {
    expect(await readPrivateFile(path)).toBeUndefined();
    mkdirSync(path, { recursive: true });
    await expect(readPrivateFile(path)).rejects.toMatchObject({ category: 'environment' });
  });

  test('are removed together with leftover drafts', async () => {
    await writePrivateFile(path, 'x', world);
    writeFileSync(`${path}.dead`, 'a secret');
    expect(await removePrivateFile(path)).toBe(true);
    expect(readdirSync(join(root, 'a', 'b'))).toEqual([]);
    expect(await removePrivateFile(path)).toBe(false);
  });

  test('leave no draft if the write fails', async () => {
    mkdirSync(path, { recursive: true });
    await expect(writePrivateFile(path, 'x', world)).rejects.toMatchObject({ category: 'environment' });
    expect(readdirSync(join(root, 'a', 'b'))).toEqual(['secret.json']);
  });
});
