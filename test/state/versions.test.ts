import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fileVersions, type Versions } from '../../src/state/versions.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const { readdirSync, rmSync, writeFileSync } = fs;

/** Replaces functions of the file system until the end of the test. */
const patch = (functions: Record<string, unknown>) => {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
};
afterEach(() => patch({ readdirSync, writeFileSync }));

describe('versions: a directory that was removed', () => {
  test('is created again', () => {
    const directory = join(temporaryDirectory(), 'budget');
    const versions = fileVersions<number>(directory, 'me');
    versions.update(() => ({ state: 7, value: undefined }));
    rmSync(directory, { recursive: true });
    expect(versions.read()).toBeUndefined();
    expect(versions.update((before) => ({ state: 8, value: before }))).toBeUndefined();
    expect(versions.read()).toBe(8);
  });
});

describe('versions: a version that is removed before it is read', () => {
  test('is skipped for the latest one', () => {
    const directory = join(temporaryDirectory(), 'budget');
    const other = fileVersions<number>(directory, 'other');
    const countTen = () => {
      for (let made = 0; made < 10; made += 1) other.update((before = 0) => ({ state: before + 1, value: undefined }));
    };
    countTen();
    const meanwhile = [countTen];
    const own = fileVersions<number>(directory, 'own');
    patch({
      readdirSync: (path: string) => {
        const names = readdirSync(path);
        meanwhile.pop()?.();
        return names;
      },
    });
    expect(own.read()).toBe(20);
  });
});

test('versions: of two processes that write the same version, the second one reads again', () => {
  const directory = join(temporaryDirectory(), 'budget');
  const [own, other] = ['own', 'other'].map((name) => fileVersions<string[]>(directory, name)) as [
    Versions<string[]>,
    Versions<string[]>,
  ];
  own.update(() => ({ state: ['first'], value: undefined }));
  let isMeanwhile = false;
  own.update((before = []) => {
    if (!isMeanwhile) other.update((found = []) => ({ state: [...found, 'other'], value: undefined }));
    isMeanwhile = true;
    return { state: [...before, 'own'], value: undefined };
  });
  expect(other.read()).toEqual(['first', 'other', 'own']);
});

describe('versions: a full disk', () => {
  test('leaves no draft', () => {
    const directory = join(temporaryDirectory(), 'budget');
    const versions = fileVersions<number>(directory, 'me');
    patch({
      writeFileSync: (path: string) => {
        writeFileSync(path, '');
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      },
    });
    expect(() => versions.update(() => ({ state: 7, value: undefined }))).toThrow('no space left');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('versions: what a killed process leaves', () => {
  test('is removed with the old versions', () => {
    const directory = join(temporaryDirectory(), 'budget');
    const versions = fileVersions<number>(directory, 'me');
    const count = () => versions.update((before = 0) => ({ state: before + 1, value: undefined }));
    for (let made = 0; made < 5; made += 1) count();
    writeFileSync(join(directory, '2.killed-1'), '');
    for (let made = 0; made < 10; made += 1) count();
    writeFileSync(join(directory, '3'), '');
    count();
    expect(
      readdirSync(directory)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual([8, 9, 10, 11, 12, 13, 14, 15, 16]);
  });
});
