import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { writeWholeFile } from '../../src/state/whole-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

let folder: string;
const at = (name: string) => join(folder, name);
const write = (replace: boolean) => writeWholeFile(at('a'), { content: 'new', draft: at('a.draft'), replace });

beforeEach(() => {
  folder = temporaryDirectory('whole-file');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('writes a private file and leaves no draft', async () => {
  await write(false);
  expect(readFileSync(at('a'), 'utf8')).toBe('new');
  expect(statSync(at('a')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['a']);
});

test('replaces a file only if told to', async () => {
  writeFileSync(at('a'), 'old');
  await expect(write(false)).rejects.toMatchObject({ code: 'EEXIST' });
  expect([readFileSync(at('a'), 'utf8'), readdirSync(folder)]).toEqual(['old', ['a']]);
  await write(true);
  expect([readFileSync(at('a'), 'utf8'), readdirSync(folder)]).toEqual(['new', ['a']]);
});

test.each([true, false])('never writes through a link in place of the draft (replace: %s)', async (replace) => {
  symlinkSync(at('victim'), at('a.draft'));
  await expect(write(replace)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readdirSync(folder)).toEqual(['a.draft']);
});

/** What each `sync` finds in the folder: the text of a file by its name, and whether the folder itself is synced. */
const syncsDuring = async (work: () => Promise<void>) => {
  const handle = await open(folder);
  const methods = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const found: object[] = [];
  const { sync } = methods;
  const spy = vi.spyOn(methods, 'sync').mockImplementation(async function (this: FileHandle) {
    const texts = readdirSync(folder).map((name) => [name, readFileSync(at(name), 'utf8')]);
    found.push({ isFolder: (await this.stat()).isDirectory(), ...Object.fromEntries(texts) });
    return sync.call(this);
  });
  await work().finally(() => spy.mockRestore());
  return found;
};

// A power cut after the rename must not leave an empty file, and one after the write must not take the file away.
test.each([true, false])(
  'puts the text on disk before it gets its name, and then the name (replace: %s)',
  async (replace) => {
    expect(await syncsDuring(() => write(replace))).toEqual([
      { isFolder: false, 'a.draft': 'new' },
      { isFolder: true, a: 'new' },
    ]);
  },
);
