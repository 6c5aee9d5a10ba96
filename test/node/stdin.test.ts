import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, test } from 'vitest';
import { terminalOn } from '../../src/node/stdin.ts';

const { openSync, closeSync } = fs;
const use = (functions: object) => {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
};
afterEach(() => use({ openSync, closeSync }));

test.each([
  ['win32', '\\\\.\\CONIN$'],
  ['linux', '/dev/tty'],
])('people on %s type answers at %s if stdin is a pipe', (platform, path) => {
  const calls: unknown[] = [];
  const terminal = terminalOn(platform);
  use({
    openSync: (...words: unknown[]) => {
      calls.push(words);
      return 77;
    },
    closeSync: (descriptor: number) => calls.push(descriptor),
  });
  expect(terminal.isTerminal()).toBe(true);
  // A console that can only be read refuses to change its mode.
  expect(calls).toEqual([[path, 'r+'], 77]);
  use({
    openSync: (...words: unknown[]) => {
      throw Object.assign(new Error(String(words)), { code: 'ENOENT' });
    },
  });
  expect(terminal.isTerminal()).toBe(false);
  expect(() => terminal.stream()).toThrow(`${path},r+`);
});
