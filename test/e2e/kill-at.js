/**
 * Loaded before the program (`node --import`). Kills it, without a chance to clean up, at one file operation on a
 * receipt, or on a file beside it. `KILL_STEP` counts the operations from 1. `KILL_HOW` is `before`, `half` (within a write) or `after`.
 */
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const last = Number(process.env.KILL_STEP);
const how = process.env.KILL_HOW;
let step = 0;

const die = () => {
  process.kill(process.pid, 'SIGKILL');
  // Do nothing more, however long the signal takes.
  for (;;);
};

/** @param {unknown} path */
const isReceipt = (path) => /[/\\]receipts([/\\][^/\\]+\.json[^/\\]*)?$/.test(String(path));

/** @type {Set<number>} */
const descriptors = new Set();

/**
 * @param {() => unknown} work
 * @param {() => void} [half]
 */
const reach = (work, half) => {
  step += 1;
  if (step !== last) return work();
  if (how === 'half') half?.();
  if (how !== 'after') die();
  const done = work();
  return done instanceof Promise ? done.then(die, die) : die();
};

const { open, link, unlink } = promises;
const { fdatasyncSync, writeSync } = fs;

/** @param {string} text */
const halfOf = (text) => text.slice(0, text.length / 2);

/** @param {import('node:fs/promises').FileHandle} handle */
const watch = (handle) => {
  descriptors.add(handle.fd);
  for (const name of /** @type {const} */ (['chmod', 'sync', 'truncate'])) {
    const real = /** @type {(...words: unknown[]) => Promise<void>} */ (handle[name]).bind(handle);
    Object.assign(handle, { [name]: (/** @type {unknown[]} */ ...words) => reach(() => real(...words)) });
  }
  const write = handle.writeFile.bind(handle);
  const close = handle.close.bind(handle);
  Object.assign(handle, {
    writeFile: (/** @type {string} */ text) =>
      reach(
        () => write(text),
        () => writeSync(handle.fd, halfOf(text)),
      ),
    close: () => {
      descriptors.delete(handle.fd);
      return close();
    },
  });
  return handle;
};

Object.assign(promises, {
  open: (/** @type {Parameters<typeof open>} */ ...words) =>
    isReceipt(words[0]) ? reach(async () => watch(await open(...words))) : open(...words),
  link: (/** @type {Parameters<typeof link>} */ ...words) =>
    isReceipt(words[1]) ? reach(() => link(...words)) : link(...words),
  unlink: (/** @type {Parameters<typeof unlink>} */ ...words) =>
    isReceipt(words[0]) ? reach(() => unlink(...words)) : unlink(...words),
});
Object.assign(fs, {
  writeSync: (/** @type {number} */ file, /** @type {string} */ text, /** @type {never[]} */ ...rest) =>
    descriptors.has(file)
      ? reach(
          () => writeSync(file, text, ...rest),
          () => writeSync(file, halfOf(text)),
        )
      : writeSync(file, text, ...rest),
  fdatasyncSync: (/** @type {number} */ file) =>
    descriptors.has(file) ? reach(() => fdatasyncSync(file)) : fdatasyncSync(file),
});
syncBuiltinESMExports();
