import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeWholeFile } from '../../src/state/whole-file.ts';
import { temporaryDirectory } from '../support/temporary.ts';

let folder: string;
const at = (name: string) => join(folder, name);
const write = (replace: boolean, mode?: number) =>
  writeWholeFile(at('a'), { content: 'new', draft: at('a.draft'), replace, ...(mode === undefined ? {} : { mode }) });

beforeEach(() => {
  folder = temporaryDirectory('whole-file');
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each([undefined, 0o644])('writes a file with mode %s and leaves no draft', async (mode) => {
  await write(false, mode);
  expect(readFileSync(at('a'), 'utf8')).toBe('new');
  expect(statSync(at('a')).mode & 0o777).toBe(mode ?? 0o600);
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
