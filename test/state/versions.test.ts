import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileVersions } from '../../src/state/versions.ts';

describe('versions: a directory that was swept away', () => {
  test('is begun anew', () => {
    const directory = join(mkdtempSync(join(tmpdir(), 'sched-')), 'budget');
    const versions = fileVersions<number>(directory, 'me');
    versions.update(() => ({ state: 7, value: undefined }));
    rmSync(directory, { recursive: true });
    expect(versions.read()).toBeUndefined();
    expect(versions.update((before) => ({ state: 8, value: before }))).toBeUndefined();
    expect(versions.read()).toBe(8);
  });
});
