import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fileMarks } from '../../src/state/forgotten.ts';
import { temporaryDirectory, temporaryFile } from '../support/temporary.ts';

let folder: string;
let methods: FileHandle;

beforeEach(async () => {
  folder = join(temporaryDirectory(), 'mirror');
  mkdirSync(folder, { mode: 0o700 });
  const handle = await open(temporaryFile(), 'w');
  methods = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
});
afterEach(() => void vi.restoreAllMocks());

const marks = () => fileMarks(folder, randomBytes);
const key = 'f0'.repeat(32);
const markOf = (letter: string) => [key, letter.repeat(43)];

test('marks are kept with their keys, also those of processes at the same time', async () => {
  await Promise.all([marks().add(markOf('a')), marks().add(markOf('b')), marks().add(markOf('a'))]);
  await marks().add(markOf('c'));
  expect([...new Set(await marks().read())].toSorted()).toEqual([...'abc'].map((each) => each.repeat(43)).concat(key));
});

test('nobody is marked before the first time, and an unfinished line is no mark', async () => {
  expect(await marks().read()).toEqual([]);
  await marks().add(markOf('a'));
  appendFileSync(join(folder, 'forgotten'), 'bbb');
  await marks().add([]);
  await marks().add(['c'.repeat(43)]);
  expect(await marks().read()).toEqual([key, 'a'.repeat(43), 'c'.repeat(43)]);
});

// R67
test('a process whose disk fails in the end removes no mark of another one', async () => {
  const { sync } = methods;
  let isSecondDone = false;
  vi.spyOn(methods, 'sync').mockImplementation(async function (this: FileHandle) {
    if (!(await this.stat()).isDirectory() || isSecondDone || !existsSync(join(folder, 'forgotten')))
      return sync.call(this);
    // Another process finds the file, and adds somebody.
    isSecondDone = true;
    await marks().add(markOf('b'));
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  });
  await marks()
    .add(markOf('a'))
    .catch(() => {});
  vi.restoreAllMocks();
  expect(await marks().read()).toContain('b'.repeat(43));
});

test('a name that is not on disk is no success', async () => {
  const { sync } = methods;
  vi.spyOn(methods, 'sync').mockImplementation(async function (this: FileHandle) {
    if ((await this.stat()).isDirectory()) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    return sync.call(this);
  });
  await expect(marks().add(markOf('a'))).rejects.toMatchObject({ category: 'environment' });
});

test('a file that lost its key says what to do', async () => {
  await marks().add(markOf('a'));
  const path = join(folder, 'forgotten');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(path, '');
  const problem = { category: 'environment', message: `Can't read ${path}`, facts: { reason: 'it has no key' } };
  await expect(marks().read()).rejects.toMatchObject(problem);
  expect(readFileSync(path, 'utf8')).toBe('');
});
