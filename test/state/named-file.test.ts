import { closeSync, constants, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TooLarge } from '../../src/base/errors.ts';
import { readNamedFile } from '../../src/state/named-file.ts';
import { spawnSync } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const folder = temporaryDirectory('named-file');
const { signal: never } = new AbortController();

const pipe = (name: string): string => {
  const path = join(folder, name);
  spawnSync('mkfifo', [path]);
  return path;
};

describe('a file that the user named', () => {
  test('is read whole', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'x'.repeat(600_000));
    expect(await readNamedFile(path, never)).toHaveLength(600_000);
    await expect(readNamedFile(join(folder, 'none'), never)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(readNamedFile(folder, never)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  test('is rejected if it is too large or never ends', async () => {
    const path = join(folder, 'large');
    writeFileSync(path, 'x'.repeat(2048));
    await expect(readNamedFile(path, never, 1024)).rejects.toThrow('larger than 1 KiB');
    expect(await readNamedFile(path, never, 2048)).toHaveLength(2048);
    if (process.platform !== 'win32')
      await expect(readNamedFile('/dev/zero', never, 1 << 20)).rejects.toBeInstanceOf(TooLarge);
  });
});

describe.skipIf(process.platform === 'win32')('a named pipe', () => {
  test('is read to its end, however late the writer comes', async () => {
    const path = pipe('late');
    const reading = readNamedFile(path, never);
    await new Promise(setImmediate);
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(writer, 'first ');
    await new Promise(setImmediate);
    writeSync(writer, 'second');
    closeSync(writer);
    expect(String(await reading)).toBe('first second');
  });

  // R42
  test.each(['without a writer', 'with a writer that says nothing'])('can be interrupted %s', async (which) => {
    const path = pipe(which.replaceAll(' ', '-'));
    const controller = new AbortController();
    const reading = readNamedFile(path, controller.signal);
    await new Promise(setImmediate);
    const writer = which.startsWith('without') ? undefined : openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const reason = new Error('Interrupted');
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
    if (writer !== undefined) closeSync(writer);
  });
});
