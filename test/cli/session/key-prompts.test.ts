import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Context } from '../../../src/cli/session/context.ts';
import { promptAsker } from '../../../src/cli/session/key-prompts.ts';
import { width } from '../../../src/output/width.ts';

test('a choice takes one line, whatever its name', async () => {
  const screen = new PassThrough();
  const stop = new AbortController();
  let text = '';
  screen.setEncoding('utf8').on('data', (written) => {
    text += written;
    if (text.includes('Short')) stop.abort(new Error('stopped'));
  });
  const context = {
    runtime: {
      promptStreams: () => ({ input: new PassThrough(), output: screen, release: () => {} }),
      stderr: { columns: 60 },
      interrupted: stop.signal,
    },
    notes: { color: false, flush: async () => {} },
  } as unknown as Context;
  const choices = [
    { value: 'wide', label: '打'.repeat(5000) },
    { value: 'long', label: 'x'.repeat(5000) },
    { value: 'short', label: 'Short' },
  ];
  await expect(promptAsker(context).choose('Event type', choices)).rejects.toThrow('stopped');
  const lines = stripVTControlCharacters(text).split('\n');
  expect(lines.filter((line) => /打|x{5}/.test(line)).map((line) => width(line) < 60)).not.toContain(false);
  expect(lines.some((line) => line.includes('x…'))).toBe(true);
});
