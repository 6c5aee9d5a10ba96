import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { openJq } from '../../src/output/jq-thread.ts';

// Made by `npm run build`: a worker can't be started from the TypeScript sources.
const built = pathToFileURL(fileURLToPath(new URL('../../dist/jq-worker.js', import.meta.url)));
const nowhere = new URL('no-such-worker.js', import.meta.url);
const question = (program: string, json = '[1,2]') => ({ json, program, flags: ['-c', '--'] });

describe('jq-thread', () => {
  // Without the worker, jq runs in this thread, and nothing can stop an endless program.
  beforeAll(() => {
    if (!existsSync(built)) throw new Error('dist/jq-worker.js is missing: run npm run build first');
  });

  it.each([
    ['a worker thread', built],
    ['this thread if the worker file is missing', nowhere],
  ])('runs several programs in %s', async (_, file) => {
    const ask = await openJq(file);
    expect(await ask(question('.[] | . * 2'))).toEqual({ stdout: '2\n4', stderr: '', exitCode: 0 });
    expect(await ask(question('nosuch'))).toMatchObject({ stdout: '', exitCode: 3 });
    const [first, second] = [await ask(question('length')), await ask(question('add'))];
    expect([first.stdout, second.stdout]).toEqual(['2', '3']);
  });

  it('reports a program that needs too much memory', async () => {
    const ask = await openJq(built);
    const reply = await ask(question('"a" * 1e9 | length'));
    expect(reply).toMatchObject({ stdout: '', exitCode: 5, stderr: expect.stringContaining('too much memory') });
  });

  it('stops an endless program when aborted', async () => {
    const ask = await openJq(built);
    await ask(question('.'));
    const stop = new AbortController();
    const endless = ask(question('last(repeat(1))'), stop.signal);
    setImmediate(() => stop.abort(new Error('enough')));
    await expect(endless).rejects.toThrow('enough');
    const late = new AbortController();
    late.abort(new Error('too late'));
    await expect(ask(question('.'), late.signal)).rejects.toThrow('too late');
  });
});
