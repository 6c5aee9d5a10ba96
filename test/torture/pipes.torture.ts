import { expect, test } from 'vitest';
import { readSlowly } from '../e2e/slow-reader.ts';

// R41
test('100 MB through a slow reader arrive whole', async () => {
  const told = await readSlowly(100);
  process.stdout.write(`${JSON.stringify(told)}\n`);
  expect(told).toMatchObject({ code: 0, isWhole: true });
  expect(told.bytes).toBe(told.bytesExpected);
  expect(told.bytes).toBeGreaterThan(100_000_000);
});
