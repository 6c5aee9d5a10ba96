import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openJq } from '../../src/output/jq-thread.ts';

// What `npm run build` made: a thread cannot be started from what is written, only from what is built.
const built = pathToFileURL(fileURLToPath(new URL('../../dist/jq-worker.js', import.meta.url)));
const nowhere = new URL('no-such-worker.js', import.meta.url);
const question = (program: string, json = '[1,2]') => ({ json, program, flags: ['-c', '--'] });

describe('jq-thread', () => {
  it.each([
    ['a thread of its own', built],
    ['this thread where there is no file', nowhere],
  ])('answers in %s, again and again', async (_, file) => {
    const ask = await openJq(file);
    expect(await ask(question('.[] | . * 2'))).toEqual({ stdout: '2\n4', stderr: '', exitCode: 0 });
    expect(await ask(question('nosuch'))).toMatchObject({ stdout: '', exitCode: 3 });
    const [first, second] = [await ask(question('length')), await ask(question('add'))];
    expect([first.stdout, second.stdout]).toEqual(['2', '3']);
  });

  it('ends a program that runs for ever when it is told to', async () => {
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
