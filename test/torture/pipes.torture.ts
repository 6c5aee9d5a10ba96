import { expect, test } from 'vitest';
import { readSlowly } from '../e2e/slow-reader.ts';

// R41
test('100 MB arrive complete at a slow reader', async () => {
  const told = await readSlowly(100);
  process.stdout.write(`${JSON.stringify(told)}\n`);
  expect(told).toMatchObject({ code: 0, isWhole: true });
  expect(told.bytes).toBe(told.bytesExpected);
  expect(told.bytes).toBeGreaterThan(100_000_000);
});
