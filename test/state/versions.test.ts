import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileVersions, realDisk } from '../../src/state/versions.ts';
import { temporaryDirectory } from '../support/temporary.ts';

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
    const own = fileVersions<number>(directory, 'own', {
      ...realDisk,
      list: (path) => {
        const names = realDisk.list(path);
        meanwhile.pop()?.();
        return names;
      },
    });
    expect(own.read()).toBe(20);
  });
});

describe('versions: a full disk', () => {
  test('leaves no draft', () => {
    const directory = join(temporaryDirectory(), 'budget');
    const versions = fileVersions<number>(directory, 'me', {
      ...realDisk,
      write: (path) => {
        realDisk.write(path, '');
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      },
    });
    expect(() => versions.update(() => ({ state: 7, value: undefined }))).toThrow('no space left');
    expect(readdirSync(directory)).toEqual([]);
  });
});
