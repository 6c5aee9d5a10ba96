import { afterAll, expect } from 'vitest';
import { tidyUp } from './temporary.ts';

/** State of the process, which all test files in it share. */
const shared = () => ({
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

// Test files that share a process must not affect each other: each restores the state.
afterAll(() => {
  tidyUp();
  expect(shared()).toEqual(before);
});
