import { describe, expect, test } from 'vitest';
import { sample, times } from '../support/tier.ts';
import { shell, temporaryHome } from './program.ts';
import { readSlowly } from './slow-reader.ts';
import { smallService } from './small-service.ts';

/** Makes a page larger than a pipe (64 KiB, pipe(7)), which accepts that much before the reader reads anything. */
const rowBytes = 1000;

// R41
describe('pipes: real processes', () => {
  test('many pages through a slow reader arrive whole, and are not fetched far ahead of it', async () => {
    const megabytes = times(1, 8);
    const told = await readSlowly(megabytes);
    expect(told).toMatchObject({ code: 0, isWhole: true });
    expect(told.bytes).toBe(told.bytesExpected);
    expect(told.bytes).toBeGreaterThan(megabytes * 1e6);
    expect(told.mostAhead).toBeLessThanOrEqual(3);
  }, 60_000);

  const readers: [format: string, bytes: number][] = [
    ['json', 100],
    ['jsonl', 1],
    ['csv', 1000],
  ];
  test.each(sample(readers, 1))(
    'if the reader of -o %s stops after %i bytes, fetching ends within a page with exit 0',
    async (format, bytes) => {
      const service = await smallService({ rowBytes });
      try {
        const line = `set -o pipefail; sched events list -o ${format} | head -c ${bytes}`;
        const { code, stdout, stderr } = await shell(line, temporaryHome(), service.env);
        expect({ code, read: stdout.length, stderr }).toEqual({ code: 0, read: bytes, stderr: '' });
        expect(service.seen.pages).toBeLessThanOrEqual(2);
      } finally {
        service.close();
      }
    },
    60_000,
  );

  test('a full disk is an error and stops the fetching', async () => {
    const service = await smallService();
    try {
      const { code, stderr } = await shell('sched events list -o json > /dev/full', temporaryHome(), service.env);
      expect(code).toBe(3);
      expect(stderr).toContain("Can't write the output");
      expect(service.seen.pages).toBeLessThanOrEqual(2);
    } finally {
      service.close();
    }
  }, 60_000);
});
