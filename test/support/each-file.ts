import { readdirSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { tidyUp } from './temporary.ts';

const root = process.cwd();

/** State of the process, which all test files in it share, and the files of the checkout. */
const shared = () => ({
  files: readdirSync(root).sort(),
  environment: { ...process.env },
  folder: process.cwd(),
  mask: process.umask(),
  // Packages mark that they are loaded with a global such as __this.
  names: Object.getOwnPropertyNames(globalThis)
    .filter((name) => !name.startsWith('__'))
    .sort(),
  listeners: Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)])),
  prototypes: [Object, Array, String, Map, Set, Promise, Date, Math, JSON].map((it) =>
    Object.getOwnPropertyNames('prototype' in it ? it.prototype : it).join(),
  ),
  functions: [Date.now, Math.random, globalThis.fetch, setTimeout, process.emitWarning, process.exit],
});

const before = shared();

/** What a failed test most often leaves behind. */
const restore = () => {
  for (const name of Object.keys(process.env)) if (!(name in before.environment)) delete process.env[name];
  Object.assign(process.env, before.environment);
  process.chdir(before.folder);
  process.umask(before.mask);
};

// Test files that share a process must not affect each other: a file that changes the state fails, and the next file
// finds the state as it was.
afterAll(() => {
  const errors = tidyUp();
  const after = shared();
  restore();
  expect(errors).toEqual([]);
  expect(after).toEqual(before);
});
