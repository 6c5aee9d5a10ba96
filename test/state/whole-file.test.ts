import fs, { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { removePrivateFile } from '../../src/state/files.ts';
import { type RenameWorld, writeWholeFile } from '../../src/state/whole-file.ts';
import { failing, filesWith, patched } from '../support/files-world.ts';
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

/** Does something while the names in a directory can't be put on disk. */
const whileNamesFail = async (code: string, work: () => Promise<unknown>): Promise<unknown> => {
  const handle = await open(folder);
  const methods = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = methods;
  const spy = vi.spyOn(methods, 'sync').mockImplementation(async function (this: FileHandle) {
    if ((await this.stat()).isDirectory()) throw Object.assign(new Error(code), { code });
    return sync.call(this);
  });
  return work()
    .catch(({ code: found, message, facts }) => found ?? [message, facts.reason])
    .finally(() => spy.mockRestore());
};

// R27
test.each([
  ['EIO', false],
  ['ENOSPC', false],
  ['EINVAL', true],
  ['EPERM', true],
])('a directory whose names are not on disk after %s is fine only if that is not supported', async (code, isFine) => {
  const result = await whileNamesFail(code, () => write(false));
  expect([result, readdirSync(folder)]).toEqual(isFine ? [undefined, ['a']] : [code, []]);
});

// Everybody sees the change, so the error must not say that there is none.
test.each([
  ['written', () => write(true), ['a']],
  ['removed', () => removePrivateFile(at('a')), []],
])('a file that is %s is not denied if the disk fails right after that', async (change, work, names) => {
  writeFileSync(at('a'), 'old');
  const error = [`${at('a')} is ${change}, but that may not last`, 'EIO: a power cut may undo it'];
  expect([await whileNamesFail('EIO', work), readdirSync(folder)]).toEqual([error, names]);
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

test.each([
  ['win32', 'EPERM', 3, [10, 20, 50], 'new'],
  ['win32', 'EACCES', 1, [10], 'new'],
  ['win32', 'EBUSY', 1, [10], 'new'],
  ['win32', 'EPERM', 99, [10, 20, 50, 100, 200, 500, 1000], 'old'],
  ['win32', 'ENOSPC', 1, [], 'old'],
  ['linux', 'EPERM', 1, [], 'old'],
])(
  'waits on Windows for a program that has the file open: %s, %s %i times',
  async (platform, code, times, waits, text) => {
    const waited: number[] = [];
    const clock = {
      sleep: async (milliseconds: number) => {
        // Until it is replaced, the old file is there and the new text is in its draft.
        expect([readFileSync(at('a'), 'utf8'), readFileSync(at('a.draft'), 'utf8')]).toEqual(['old', 'new']);
        waited.push(milliseconds);
      },
    };
    writeFileSync(at('a'), 'old');
    const rename = failing(code, times, fs.promises.rename);
    const written = patched(fs.promises, { rename }, () => write(true, { platform, clock }));
    if (text === 'new') await written;
    else await expect(written).rejects.toMatchObject({ code });
    expect([waited, readFileSync(at('a'), 'utf8'), readdirSync(folder)]).toEqual([waits, text, ['a']]);
  },
);
