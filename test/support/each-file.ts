import { afterAll, expect } from 'vitest';
import { tidyUp } from './temporary.ts';

/** What belongs to the process, and so to every test file that runs in it. */
const shared = () => ({
  environment: { ...process.env },
  folder: process.cwd(),
  mask: process.umask(),
  // Packages mark once that they are loaded, with a name like __this.
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

// Files that share a process do not reach into each other: each leaves it as it was.
afterAll(() => {
  tidyUp();
  expect(shared()).toEqual(before);
});
