import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { outputOf, writeTo } from '../../src/node/output.ts';

/** A stream whose reader has stopped reading, unless it is told to go on. */
const stuckStream = () => {
  const chunks: string[] = [];
  let release = () => {};
  const stream = new Writable({
    write: (chunk, _, done) => {
      chunks.push(String(chunk));
      release = done;
    },
  });
  return { stream: stream as unknown as NodeJS.WriteStream, chunks, release: () => release() };
};

describe('an output that must not block', () => {
  test('waits for its reader', async () => {
    const { stream, chunks, release } = stuckStream();
    const output = outputOf(1, () => stream);
    output.unblock!(new AbortController().signal);
    const written = output.write('a line\n');
    expect(chunks).toEqual(['a line\n']);
    release();
    await expect(written).resolves.toBeUndefined();
  });

  test('gives up when the signal is aborted, and keeps nothing open', async () => {
    const { stream } = stuckStream();
    const output = outputOf(1, () => stream);
    const over = new AbortController();
    output.unblock!(over.signal);
    const written = output.write('a line\n');
    over.abort(new Error('Interrupted'));
    await expect(written).rejects.toThrow('Interrupted');
    expect(stream.destroyed).toBe(true);
  });

  test('says in words why it cannot be written', async () => {
    const full = createWriteStream('/dev/full').on('error', () => {});
    await expect(writeTo(full, 'text')).rejects.toMatchObject({
      message: "Can't write the output",
      facts: { reason: 'the disk is full (ENOSPC)' },
    });
  });
});
