import { expect, test } from 'vitest';
import { timeBefore } from '../../src/time/duration.ts';

const before = (age: string, at: string): string | undefined => {
  const time = timeBefore(age, Date.parse(at));
  return time === undefined ? undefined : new Date(time).toISOString();
};

test.each([
  ['90d', '2026-11-15T18:00:00Z', '2026-08-17T18:00:00.000Z'],
  ['8w', '2026-11-15T18:00:00Z', '2026-09-20T18:00:00.000Z'],
  ['24mo', '2026-11-15T18:00:00Z', '2024-11-15T18:00:00.000Z'],
  ['2y', '2026-11-15T18:00:00Z', '2024-11-15T18:00:00.000Z'],
  ['1mo', '2026-03-31T23:59:59Z', '2026-02-28T23:59:59.000Z'],
  ['1mo', '2028-03-31T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['1y', '2028-02-29T12:00:00Z', '2027-02-28T12:00:00.000Z'],
  ['11mo', '2026-01-15T12:00:00Z', '2025-02-15T12:00:00.000Z'],
  ['100y', '2026-11-15T18:00:00Z', '1926-11-15T18:00:00.000Z'],
])('%s before %s is %s', (age, at, expected) => {
  expect(before(age, at)).toBe(expected);
});

test.each(['', '0d', '24m', '2', 'mo', '2 y', '-3d', '1.5y', '1y6mo', '101y', '99999d', '24MO', '24mo\n'])(
  '%j is no age',
  (age) => {
    expect(before(age, '2026-11-15T18:00:00Z')).toBeUndefined();
  },
);
