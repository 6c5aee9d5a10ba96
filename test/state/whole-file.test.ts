import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type RenameWorld, writeWholeFile } from '../../src/state/whole-file.ts';
import { failing, filesWith, onDisk } from '../support/files-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';

let folder: string;
const at = (name: string) => join(folder, name);
const write = (replace: boolean, world: RenameWorld = filesWith()) =>
  writeWholeFile(at('a'), { content: 'new', draft: at('a.draft'), ...(replace && { replaceIn: world }) });

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

/** Replaces a file that another program has open for some tries. Returns how long the write waited. */
const replaceBusy = async (platform: string, code: string, times: number) => {
  const waited: number[] = [];
  const clock = {
    sleep: async (milliseconds: number) => {
      // Until it is replaced, the old file is there and the new text is in its draft.
      expect([readFileSync(at('a'), 'utf8'), readFileSync(at('a.draft'), 'utf8')]).toEqual(['old', 'new']);
      waited.push(milliseconds);
    },
  };
  writeFileSync(at('a'), 'old');
  const work = onDisk({ rename: failing(code, times, rename) }, () => write(true, { platform, clock }));
  const failed = await work.then(
    () => undefined,
    (error) => error.code,
  );
  return { failed, waited, left: readdirSync(folder), text: readFileSync(at('a'), 'utf8') };
};

test.each(['EPERM', 'EACCES', 'EBUSY'])(
  'waits on Windows while another program has the file open (%s)',
  async (code) => {
    const { failed, waited, left, text } = await replaceBusy('win32', code, 3);
    expect([failed, waited, left, text]).toEqual([undefined, [10, 20, 50], ['a'], 'new']);
  },
);

test('gives up after two seconds, and keeps the old file', async () => {
  const { failed, waited, left, text } = await replaceBusy('win32', 'EPERM', 99);
  expect([failed, left, text]).toEqual(['EPERM', ['a'], 'old']);
  expect(waited.reduce((sum, each) => sum + each)).toBe(1880);
});

test.each([
  ['win32', 'ENOSPC'],
  ['linux', 'EPERM'],
])('does not wait if that is no use: on %s after %s', async (platform, code) => {
  const { failed, waited } = await replaceBusy(platform, code, 1);
  expect([failed, waited]).toEqual([code, []]);
});
